"""The CNN-BiLSTM-CRF of SemText (Zhang & Wang 2022, III-E and III-F), on batches of pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from scrapy_semtext.inference.config import PAGE_KINDS, NetworkConfig
from scrapy_semtext.inference.torch_crf import LinearChainCRF

if TYPE_CHECKING:
    from scrapy_semtext.inference.storage import Weights


@dataclass(slots=True)
class Strings:
    """The distinct word strings of one kind (tags, names or text) in a batch, and which one each block has.

    ``words``: (strings, longest), word ids, padded with 0, the shortest string first; ``lengths``: (strings,), at least
    1, since a string without words has one word of padding; ``groups``: begin, end and greatest length of strings of
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

    ``emissions``: (pages, blocks, 2); ``mask``: (pages, blocks), true where there is a block; ``kinds``: (pages,
    kinds), the logits of the kinds of page, None if the configuration has no page vector.
    """

    emissions: Tensor
    mask: Tensor
    kinds: Tensor | None


class WordEncoder(nn.Module):
    """The depth-wise word CNN of one string: convolution over the words, max pooling (III-E, after Kim 2014).

    A string is treated as padded with zero vectors to ``n`` words; windows of padding alone give the bias, which is
    added as one value instead of being computed. The product of a filter with a word at a place of its window does not
    depend on the other words, so that of each distinct word is computed once, and a window is a sum of rows.
    """

    def __init__(self, dim: int, n: int, widths: tuple[int, ...], filters: tuple[int, ...]) -> None:
        super().__init__()
        self.n = n
        self.reach = max(widths) - 1
        self.convolutions = nn.ModuleList(
            nn.Conv1d(dim, count, width) for width, count in zip(widths, filters, strict=True)
        )

    def word_products(self, vectors: Tensor) -> list[Tensor]:
        """The products of (words, dim) with each place of the filters; (words * width, filters) for each width."""
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
        last = self.n - width + 1  # windows of a string of n words
        real = torch.arange(longest, device=padded.device) < lengths.clamp(max=last).unsqueeze(1)
        best: Tensor = response.masked_fill(~real.unsqueeze(2), -torch.inf).amax(1) + bias
        return torch.where((lengths < last).unsqueeze(1), torch.maximum(best, bias), best)


class BiLSTM(nn.Module):
    """A forward and a backward LSTM over padded sequences; each page is reversed within its own length."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        # the names are those of the weights in saved bundles
        self.onward = nn.LSTM(inputs, hidden, batch_first=True)
        self.backward_ = nn.LSTM(inputs, hidden, batch_first=True)

    def forward(self, x: Tensor, mirror: Tensor) -> Tensor:
        """Return the states, (pages, blocks, 2 * hidden), for (pages, blocks, inputs).

        ``mirror``: (pages, blocks), the place of each block counted from the end of its page.
        """
        forward: Tensor = self.onward(x)[0]  # (pages, blocks, hidden)
        backward: Tensor = self.backward_(_take(x, mirror))[0]
        return torch.cat([forward, _take(backward, mirror)], dim=2)


class PageSummary(nn.Module):
    """A vector of the whole page, an input of every block's emission, and the page's kind as a second task."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.vector = nn.Linear(2 * inputs, size)
        self.kind = nn.Linear(size, len(PAGE_KINDS))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Summarise (pages, blocks, inputs) by its mean and maximum; (pages, size) and (pages, kinds)."""
        mean = x.sum(1) / mask.sum(1, keepdim=True)  # (pages, inputs)
        maximum = x.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(1)
        vector = torch.tanh(self.vector(torch.cat([mean, maximum], dim=1)))
        return vector, self.kind(vector)


class SemTextNetwork(nn.Module):
    """From word strings and features of the blocks of pages to the emissions of the CRF and the kind of each page."""

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
        place, mask, mirror = _layout(batch.lengths, flat.device)
        x = flat[place] * mask.unsqueeze(2)  # (pages, blocks, size)
        context = self.lstm(x, mirror)  # (pages, blocks, 2 * hidden)
        kinds = None
        if self.summary is not None:
            summary, kinds = self.summary(x, mask)
            context = torch.cat([context, summary.unsqueeze(1).expand(-1, x.shape[1], -1)], dim=2)
        with torch.autocast(context.device.type, enabled=False):  # half precision would change labels of small log-odds
            return Output(self.emission(self.dropout(context.float())), mask, kinds)


def network_of(weights: Weights, config: NetworkConfig) -> SemTextNetwork:
    """The network with copies of these weights, in evaluation mode. Raises RuntimeError if they do not fit."""
    network = SemTextNetwork(config, len(weights["mean"]))
    network.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
    return network.eval()


def weights_of(network: SemTextNetwork) -> Weights:
    """Copies of a network's weights, as they are now."""
    return {name: values.detach().cpu().float().numpy().copy() for name, values in network.state_dict().items()}


def _encode(encoder: nn.Module, vectors: Tensor, strings: Strings) -> Tensor:
    """Features of each block's string, (all blocks, filters); each distinct string is computed once."""
    if not isinstance(encoder, WordEncoder):
        raise TypeError("the strings are encoded by WordEncoders")
    products = encoder.word_products(vectors)
    encoded = [
        encoder(strings.words[begin:end, :longest], strings.lengths[begin:end], products)
        for begin, end, longest in strings.groups
    ]
    return torch.cat(encoded)[strings.block_rows]


def _layout(lengths: list[int], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """The indices of each page's blocks among all blocks, the mask and the mirror places; (pages, blocks) each."""
    sizes = torch.tensor(lengths, device=device)
    steps = torch.arange(max(lengths), device=device)
    mask = steps < sizes.unsqueeze(1)
    place = torch.where(mask, (sizes.cumsum(0) - sizes).unsqueeze(1) + steps, 0)
    mirror = torch.where(mask, sizes.unsqueeze(1) - 1 - steps, steps)
    return place, mask, mirror


def _take(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(1, places.unsqueeze(2).expand(-1, -1, x.shape[2]))
