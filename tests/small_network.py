"""A small network, word vectors and input pages for the tests of networks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.models.config import COMPACT, PageInput, WordString

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SMALL = replace(COMPACT, dim=8, filters=(3, 4, 5), hidden=6, page_vector=4)


class FakeVectors:
    """Returns a vector for any word, always the same."""

    dim = 8

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        rows = [np.random.default_rng(list(word.encode())).standard_normal(8) for word in words]
        return np.array(rows, dtype=np.float32).reshape(-1, self.dim)


def make_page(blocks: int, seed: int) -> PageInput:
    rng = np.random.default_rng(seed)

    def string() -> WordString:
        return tuple(f"w{word}" for word in rng.integers(0, 40, rng.integers(0, 12)))

    numbers = rng.standard_normal((blocks, len(FEATURES))).astype(np.float32)
    tags, names, text = ([string() for _ in range(blocks)] for _ in range(3))
    return PageInput(tags, names, text, numbers)
