"""Pages to tensors: every different word and every different string of a batch once."""

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

    from scrapy_semtext.inference.inputs import PageInput, WordString
    from scrapy_semtext.inference.vectors import Vectors

# Strings of like length go through the convolution together, so that little of it is padding.
_LENGTH_STEPS = (4, 8, 16, 32)


class WordTensors(Protocol):
    """Gives the vectors of words on a device."""

    def of(self, words: Sequence[str]) -> Tensor:
        """The vectors of the words, (words, dim) float32."""
        ...


class HostVectors:
    """Word vectors that are sent to the device as they are asked for."""

    def __init__(self, vectors: Vectors, device: torch.device) -> None:
        self._vectors = vectors
        self._device = device

    def of(self, words: Sequence[str]) -> Tensor:
        """As `WordTensors.of`."""
        return sent(self._vectors.matrix(words), self._device)


def sent(values: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device; a GPU fetches it by itself, and nobody waits for that."""
    tensor = torch.from_numpy(values)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def collate(pages: Sequence[PageInput], vectors: WordTensors, device: torch.device) -> Batch:
    """Put pages, each with at least one block, into one batch."""
    numbered: dict[str, int] = {}
    tags = _strings([string for page in pages for string in page.tags], numbered, device)
    names = _strings([string for page in pages for string in page.names], numbered, device)
    text = _strings([string for page in pages for string in page.text], numbered, device)
    of_words = vectors.of(list(numbered))
    return Batch(
        vectors=torch.cat([of_words.new_zeros(1, of_words.shape[1]), of_words]),
        strings=(tags, names, text),
        numbers=sent(np.concatenate([page.numbers for page in pages]), device),
        lengths=[len(page) for page in pages],
    )


def _strings(strings: Sequence[WordString], numbered: dict[str, int], device: torch.device) -> Strings:
    """Number the words of the strings (from 1, going on with ``numbered``) and lay out each different string once."""
    ordered = sorted(dict.fromkeys(strings), key=len)
    rows = {string: row for row, string in enumerate(ordered)}
    lengths = np.array([max(len(string), 1) for string in ordered])
    words = np.zeros((len(rows), lengths[-1]), dtype=np.int64)
    filled = np.arange(words.shape[1]) < np.array([len(string) for string in ordered])[:, None]
    words[filled] = [numbered.setdefault(word, len(numbered) + 1) for string in ordered for word in string]
    return Strings(
        words=sent(words, device),
        lengths=sent(lengths, device),
        stretches=_stretches(lengths),
        of_block=sent(np.array([rows[string] for string in strings]), device),
    )


def _stretches(lengths: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Where strings of like length begin and end, and the longest of them; ``lengths``: (strings,), rising."""
    steps = [*(step for step in _LENGTH_STEPS if step < lengths[-1]), lengths[-1]]
    ends = [0, *np.searchsorted(lengths, steps, side="right").tolist()]
    return [(begin, end, int(lengths[end - 1])) for begin, end in pairwise(ends) if end > begin]
