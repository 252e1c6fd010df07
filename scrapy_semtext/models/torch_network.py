"""The CNN-BiLSTM-CRF of SemText (Zhang & Wang 2022, III-E and III-F) in torch, on batches of pages.

In training, the sums of the CRF over label sequences are parallel scans. With the potentials between neighboring labels
written as matrices, the forward variables are the prefix products of these matrices in the semiring (logsumexp, +)
(Rush 2020, "Torch-Struct"). Prefix products of T matrices take log2(T) steps over tensors (Hillis & Steele 1986).

`DeviceNetwork` runs a trained network on a GPU or another torch device, in large padded batches. Word vectors are
cached on the device; word ids are copied asynchronously, so that the host only waits for emissions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from scrapy_semtext.models.config import PAGE_KINDS, NetworkConfig, PageInput, WordString

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.models.storage import Weights
    from scrapy_semtext.models.vectors import Vectors
    from scrapy_semtext.utils.arrays import Floats, Ints


# Strings are grouped by length for the convolution to limit padding; these are the maximum lengths of the groups.
_GROUP_LENGTHS = (4, 8, 16, 32)

#: Replaces minus infinity: far below any score, while inf - inf has a NaN gradient.
_NEVER = -1e4

#: The maximum number of words cached on the device; above it, the cache is emptied before a batch. A word takes 256
#: bytes in `compact`.
MAX_CACHED_WORDS = 200_000


def to_device(values: NDArray[Any], device: torch.device) -> Tensor:
    """Copy an array to a device; to a GPU asynchronously, from pinned memory."""
    tensor = torch.from_numpy(values)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def collate(pages: Sequence[PageInput], vectors: DeviceVectors, device: torch.device) -> Batch:
    """Put pages, each with at least one block, into one batch on a device."""
    word_ids: dict[str, int] = {}
    tags = _strings([string for page in pages for string in page.tags], word_ids, device)
    names = _strings([string for page in pages for string in page.names], word_ids, device)
    text = _strings([string for page in pages for string in page.text], word_ids, device)
    words = vectors.of(list(word_ids))
    return Batch(
        vectors=torch.cat([words.new_zeros(1, words.shape[1]), words]),
        strings=(tags, names, text),
        features=to_device(np.concatenate([page.features for page in pages]), device),
        lengths=[len(page) for page in pages],
    )


def _strings(strings: Sequence[WordString], word_ids: dict[str, int], device: torch.device) -> Strings:
    """Lay out each distinct string once; new words are added to ``word_ids``, counted from 1."""
    ordered = sorted(dict.fromkeys(strings), key=len)
    rows = {string: row for row, string in enumerate(ordered)}
    lengths = np.array([max(len(string), 1) for string in ordered])
    words = np.zeros((len(rows), lengths[-1]), dtype=np.int64)
    is_word = np.arange(words.shape[1]) < np.array([len(string) for string in ordered])[:, None]
    words[is_word] = [word_ids.setdefault(word, len(word_ids) + 1) for string in ordered for word in string]
    return Strings(
        words=to_device(words, device),
        lengths=to_device(lengths, device),
        groups=_length_groups(lengths),
        block_rows=to_device(np.array([rows[string] for string in strings]), device),
    )


def _length_groups(lengths: Ints) -> list[tuple[int, int, int]]:
    """Return groups of strings by length: begin, end and maximum length of each; ``lengths``: (strings,), ascending."""
    limits = [*(limit for limit in _GROUP_LENGTHS if limit < lengths[-1]), lengths[-1]]
    ends = [0, *np.searchsorted(lengths, limits, side="right").tolist()]
    return [(begin, end, int(lengths[end - 1])) for begin, end in pairwise(ends) if end > begin]


class LinearChainCRF(nn.Module):
    """Scores and likelihoods of sequences of ``labels`` labels (Lafferty, McCallum & Pereira 2001).

    ``transitions[i, j]`` is the score of label j after label i. Emissions have the shape (pages, blocks, labels);
    ``mask``, (pages, blocks), bool, is true for blocks. Padding comes after a page's blocks, of which there is at least
    one.
    """

    def __init__(self, labels: int = 2) -> None:
        super().__init__()
        self.start = nn.Parameter(torch.zeros(labels))
        self.end = nn.Parameter(torch.zeros(labels))
        self.transitions = nn.Parameter(torch.zeros(labels, labels))

    def log_likelihood(self, emissions: Tensor, mask: Tensor, sequence: Tensor) -> Tensor:
        """Return the natural logarithm of p(sequence | emissions); (pages,).

        ``sequence``: (pages, blocks), labels; -1 for an unknown label, so that the probabilities of all sequences with
        the known labels are summed.
        """
        labels = torch.arange(emissions.shape[2], device=emissions.device)
        excluded = (sequence.unsqueeze(2) >= 0) & (sequence.unsqueeze(2) != labels)
        return self.log_partition(emissions.masked_fill(excluded, _NEVER), mask) - self.log_partition(emissions, mask)

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Return the logarithm of the sum over all label sequences; (pages,)."""
        forward = _scan(self._matrices(emissions, mask))[:, :, 0]
        return torch.logsumexp(forward[:, -1] + self.end, dim=1)

    def _matrices(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Return the potentials from block t - 1 to t; (pages, blocks, labels, labels), neutral after a page's end."""
        labels = emissions.shape[2]
        chain = self.transitions + emissions.unsqueeze(2)
        first = (self.start + emissions[:, :1]).unsqueeze(2).expand(-1, -1, labels, -1)
        chain = torch.cat([first, chain[:, 1:]], dim=1)
        neutral = torch.full((labels, labels), _NEVER, device=emissions.device, dtype=emissions.dtype)
        neutral.fill_diagonal_(0.0)
        return torch.where(mask[:, :, None, None], chain, neutral)


def _scan(matrices: Tensor) -> Tensor:
    """Return prefix products of (pages, blocks, labels, labels) along the blocks, in the semiring (logsumexp, +)."""
    step, length = 1, matrices.shape[1]
    while step < length:
        left, right = matrices[:, :-step], matrices[:, step:]
        product = torch.logsumexp(left.unsqueeze(4) + right.unsqueeze(2), 3)
        matrices = torch.cat([matrices[:, :step], product], dim=1)
        step *= 2
    return matrices


@dataclass(slots=True)
class Strings:
    """The distinct word strings of one kind (tags, names or text) in a batch, and the string of each block.

    ``words``: (strings, longest), word ids, padded with 0, the shortest string first; ``lengths``: (strings,), at least
    1, because a string without words has one word of padding; ``groups``: begin, end and maximum length of strings of
    similar length; ``block_rows``: (all blocks,), the row of each block in ``words``.
    """

    words: Tensor
    lengths: Tensor
    groups: list[tuple[int, int, int]]
    block_rows: Tensor


@dataclass(slots=True)
class Batch:
    """A batch of pages as tensors.

    ``vectors``: (words, dim), row 0 is zeros, for padding; ``strings``: tags, names and text; ``features``: (all
    blocks, features); ``lengths``: the number of blocks of each page, at least 1.
    """

    vectors: Tensor
    strings: tuple[Strings, Strings, Strings]
    features: Tensor
    lengths: list[int]


@dataclass(slots=True)
class Output:
    """The output of the network for a batch.

    ``emissions``: (pages, blocks, 2); ``mask``: (pages, blocks), true for blocks; ``kinds``: (pages, kinds), the logits
    of the page kinds, None if the configuration has no page vector.
    """

    emissions: Tensor
    mask: Tensor
    kinds: Tensor | None


class WordEncoder(nn.Module):
    """The depth-wise word CNN of one string: convolution over the words, max pooling (III-E, after Kim 2014).

    A string is treated as if padded with zero vectors to ``n`` words; windows of only padding give the bias, which is
    added as one value instead of being computed. The product of a filter with a word at one position in its window does
    not depend on the other words, so it is computed once for each distinct word, and a window is a sum of rows.
    """

    def __init__(self, dim: int, n: int, widths: tuple[int, ...], filters: tuple[int, ...]) -> None:
        super().__init__()
        self.n = n
        self.reach = max(widths) - 1
        self.convolutions = nn.ModuleList(
            nn.Conv1d(dim, count, width) for width, count in zip(widths, filters, strict=True)
        )

    def word_products(self, vectors: Tensor) -> list[Tensor]:
        """Return the products of (words, dim) with each filter position; (words * width, filters) for each width."""
        return [
            torch.einsum("wd,fdp->wpf", vectors, layer.weight).flatten(0, 1)
            for layer in self.convolutions
            if isinstance(layer, nn.Conv1d)
        ]

    def forward(self, words: Tensor, lengths: Tensor, products: list[Tensor]) -> Tensor:
        """Encode strings of word ids, (strings, words) with ``lengths`` (strings,), into (strings, filters)."""
        padded = functional.pad(words, (0, self.reach))
        pooled = [
            self._pool(padded, lengths, table, layer)
            for table, layer in zip(products, self.convolutions, strict=True)
            if isinstance(layer, nn.Conv1d)
        ]
        return torch.cat(pooled, dim=1)

    def _pool(self, padded: Tensor, lengths: Tensor, products: Tensor, layer: nn.Conv1d) -> Tensor:
        width, bias = layer.kernel_size[0], layer.bias
        if bias is None:
            raise AssertionError("the convolutions are made with a bias")
        longest = padded.shape[1] - self.reach
        windows = padded.unfold(1, width, 1)[:, :longest]  # (strings, windows, width)
        rows = windows * width + torch.arange(width, device=padded.device)
        response = functional.embedding_bag(rows.reshape(-1, width), products, mode="sum")
        response = response.view(len(padded), longest, -1)  # (strings, windows, filters)
        last = self.n - width + 1  # number of windows of a string of n words
        real = torch.arange(longest, device=padded.device) < lengths.clamp(max=last).unsqueeze(1)
        best: Tensor = response.masked_fill(~real.unsqueeze(2), -torch.inf).amax(1) + bias
        return torch.where((lengths < last).unsqueeze(1), torch.maximum(best, bias), best)


class BiLSTM(nn.Module):
    """A forward and a backward LSTM over padded sequences; each page is reversed within its own length."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        # saved bundles name the weights like this
        self.onward = nn.LSTM(inputs, hidden, batch_first=True)
        self.backward_ = nn.LSTM(inputs, hidden, batch_first=True)

    def forward(self, x: Tensor, mirror: Tensor) -> Tensor:
        """Return the states, (pages, blocks, 2 * hidden), for (pages, blocks, inputs).

        ``mirror``: (pages, blocks), the index of each block counted from the end of its page.
        """
        forward: Tensor = self.onward(x)[0]  # (pages, blocks, hidden)
        backward: Tensor = self.backward_(_take(x, mirror))[0]
        return torch.cat([forward, _take(backward, mirror)], dim=2)


class PageSummary(nn.Module):
    """A vector of the whole page as input for every block's emission, and the page's kind as a second task."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.vector = nn.Linear(2 * inputs, size)
        self.kind = nn.Linear(size, len(PAGE_KINDS))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Summarize (pages, blocks, inputs) by mean and maximum; return (pages, size) and (pages, kinds)."""
        mean = x.sum(1) / mask.sum(1, keepdim=True)  # (pages, inputs)
        maximum = x.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(1)
        vector = torch.tanh(self.vector(torch.cat([mean, maximum], dim=1)))
        return vector, self.kind(vector)


class SemTextNetwork(nn.Module):
    """Maps word strings and features of the blocks of pages to the emissions of the CRF and the kind of each page."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, config: NetworkConfig, features: int) -> None:
        super().__init__()
        self.config = config
        self.encoders = nn.ModuleList(
            WordEncoder(config.dim, config.words, config.widths, config.filters) for _ in range(3)
        )
        size = 3 * sum(config.filters) + (features if config.numbers else 0)
        self.lstm = BiLSTM(size, config.hidden)
        self.summary = PageSummary(size, config.page_vector) if config.page_vector else None
        self.emission = nn.Linear(2 * config.hidden + config.page_vector, 2)
        self.dropout = nn.Dropout(config.dropout)
        self.crf = LinearChainCRF(2)
        # of the features over the training pages
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("deviation", torch.ones(features))

    def forward(self, batch: Batch) -> Output:
        """Run the pages of a batch."""
        parts = [
            _encode(encoder, batch.vectors, strings)
            for encoder, strings in zip(self.encoders, batch.strings, strict=True)
        ]
        if self.config.numbers:
            parts.append((batch.features - self.mean) / self.deviation)
        flat = self.dropout(torch.cat(parts, dim=1))  # (all blocks, size)
        index, mask, mirror = _layout(batch.lengths, flat.device)
        x = flat[index] * mask.unsqueeze(2)  # (pages, blocks, size)
        context = self.lstm(x, mirror)  # (pages, blocks, 2 * hidden)
        kinds = None
        if self.summary is not None:
            summary, kinds = self.summary(x, mask)
            context = torch.cat([context, summary.unsqueeze(1).expand(-1, x.shape[1], -1)], dim=2)
        return Output(self.emission(self.dropout(context)), mask, kinds)


def network_of(weights: Weights, config: NetworkConfig) -> SemTextNetwork:
    """Return the network with copies of these weights, in evaluation mode. Raises RuntimeError if they do not fit."""
    network = SemTextNetwork(config, len(weights["mean"]))
    network.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
    return network.eval()


def weights_of(network: SemTextNetwork) -> Weights:
    """Return copies of a network's current weights."""
    return {name: values.detach().cpu().float().numpy().copy() for name, values in network.state_dict().items()}


def _encode(encoder: nn.Module, vectors: Tensor, strings: Strings) -> Tensor:
    """Return features of each block's string, (all blocks, filters); each distinct string is computed once."""
    if not isinstance(encoder, WordEncoder):
        raise TypeError("the strings are encoded by WordEncoders")
    products = encoder.word_products(vectors)
    encoded = [
        encoder(strings.words[begin:end, :longest], strings.lengths[begin:end], products)
        for begin, end, longest in strings.groups
    ]
    return torch.cat(encoded)[strings.block_rows]


def _layout(lengths: list[int], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return the indexes of each page's blocks among all blocks, the mask and the mirrored indexes; (pages, blocks)."""
    sizes = torch.tensor(lengths, device=device)
    steps = torch.arange(max(lengths), device=device)
    mask = steps < sizes.unsqueeze(1)
    index = torch.where(mask, (sizes.cumsum(0) - sizes).unsqueeze(1) + steps, 0)
    mirror = torch.where(mask, sizes.unsqueeze(1) - 1 - steps, steps)
    return index, mask, mirror


def _take(x: Tensor, indexes: Tensor) -> Tensor:
    return x.gather(1, indexes.unsqueeze(2).expand(-1, -1, x.shape[2]))


class DeviceNetwork:
    """A trained network on a device, given by its torch name. Not thread-safe."""

    def __init__(self, weights: Weights, config: NetworkConfig, vectors: Vectors, device: str) -> None:
        self._device = torch.device(device)
        self._network = network_of(weights, config).to(self._device)
        self._vectors = DeviceVectors(vectors, self._device)

    def run(self, pages: Sequence[PageInput]) -> list[Floats]:
        """Return the emissions of pages like `CpuNetwork.run`."""
        with torch.inference_mode():
            emissions = self._network(collate(pages, self._vectors, self._device)).emissions  # (pages, blocks, 2)
        log_odds = (emissions[:, :, 1].double() - emissions[:, :, 0].double()).cpu().numpy()
        return [log_odds[row, : len(page)] for row, page in enumerate(pages)]


class DeviceVectors:
    """Word vectors, cached on the device."""

    def __init__(self, vectors: Vectors, device: torch.device) -> None:
        self._vectors = vectors
        self._device = device
        self._rows: dict[str, int] = {}
        self._table = torch.empty(0, vectors.dim, device=device)

    def of(self, words: Sequence[str]) -> Tensor:
        """Return the vectors of the words, (words, dim) float32."""
        if len(self._rows) > MAX_CACHED_WORDS:
            self._rows, self._table = {}, self._table[:0]
        if new := [word for word in words if word not in self._rows]:
            self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
            self._table = torch.cat([self._table, to_device(self._vectors.matrix(new), self._device)])
        rows = np.array([self._rows[word] for word in words], dtype=np.int64)
        return self._table[to_device(rows, self._device)]
