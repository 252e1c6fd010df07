"""Pages to tensors: every different word and every different string of a batch once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from scrapy_semtext.model.network import Batch, Strings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.model.inputs import PageInput, WordString
    from scrapy_semtext.model.vectors import Vectors


def collate(pages: Sequence[PageInput], vectors: Vectors, device: torch.device) -> Batch:
    """Put pages, each with at least one block, into one batch."""
    numbered: dict[str, int] = {}
    tags = _strings([string for page in pages for string in page.tags], numbered, device)
    names = _strings([string for page in pages for string in page.names], numbered, device)
    text = _strings([string for page in pages for string in page.text], numbered, device)
    words = list(numbered)
    matrix = np.zeros((len(words) + 1, vectors.dim), dtype=np.float32)
    if words:
        matrix[1:] = vectors.matrix(words)
    numbers = np.concatenate([page.numbers for page in pages])
    return Batch(
        vectors=torch.from_numpy(matrix).to(device),
        strings=(tags, names, text),
        numbers=torch.from_numpy(numbers).to(device),
        lengths=[len(page) for page in pages],
    )


def _strings(strings: Sequence[WordString], numbered: dict[str, int], device: torch.device) -> Strings:
    """Number the words of the strings (from 1, going on with ``numbered``) and lay out each different string once."""
    rows: dict[WordString, int] = {}
    of_block = [rows.setdefault(string, len(rows)) for string in strings]
    lengths = np.array([max(len(string), 1) for string in rows])
    words = np.zeros((len(rows), lengths.max()), dtype=np.int64)
    filled = np.arange(words.shape[1]) < np.array([len(string) for string in rows])[:, None]
    words[filled] = [numbered.setdefault(word, len(numbered) + 1) for string in rows for word in string]
    return Strings(
        words=torch.from_numpy(words).to(device),
        lengths=torch.from_numpy(lengths).to(device),
        of_block=torch.tensor(of_block, device=device),
    )
