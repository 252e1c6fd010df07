"""Pages to tensors, with each distinct word and each distinct string of a batch once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from scrapy_semtext.inference.torch_network import Batch, Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from scrapy_semtext.inference.block_inputs import PageInput, WordString
    from scrapy_semtext.inference.vectors import Vectors
    from scrapy_semtext.utils.arrays import Ints

# Strings are grouped by length for the convolution, to limit padding: the longest of each group.
_GROUP_LENGTHS = (4, 8, 16, 32)


class WordTensors(Protocol):
    """Looks up the vectors of words on a device."""

    def of(self, words: Sequence[str]) -> Tensor:
        """The vectors of the words, (words, dim) float32."""
        ...


class HostVectors:
    """Word vectors in host memory, copied to the device when they are looked up."""

    def __init__(self, vectors: Vectors, device: torch.device) -> None:
        self._vectors = vectors
        self._device = device

    def of(self, words: Sequence[str]) -> Tensor:
        """As `WordTensors.of`."""
        return to_device(self._vectors.matrix(words), self._device)


def to_device(values: NDArray[Any], device: torch.device) -> Tensor:
    """Copy an array to a device; to a GPU asynchronously, from pinned memory."""
    tensor = torch.from_numpy(values)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def collate(pages: Sequence[PageInput], vectors: WordTensors, device: torch.device) -> Batch:
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
    """Groups of strings by length: begin, end and greatest length of each; ``lengths``: (strings,), ascending."""
    limits = [*(limit for limit in _GROUP_LENGTHS if limit < lengths[-1]), lengths[-1]]
    ends = [0, *np.searchsorted(lengths, limits, side="right").tolist()]
    return [(begin, end, int(lengths[end - 1])) for begin, end in pairwise(ends) if end > begin]
