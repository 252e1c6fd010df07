"""Gradient-boosted trees that tell main content from boilerplate by the structure of the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.description_features import DESCRIPTION_COLUMNS, write_description_columns
from scrapy_semtext.features.name_features import NameTable
from scrapy_semtext.features.post_features import POST_COLUMNS, post_columns
from scrapy_semtext.features.structure_features import COLUMNS, structure_features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.trees import TreeEnsemble

#: The columns of a table: those of `rows`, and behind them those of `post_columns` and of `description_columns`.
ALL_COLUMNS = (*COLUMNS, *POST_COLUMNS, *DESCRIPTION_COLUMNS)


def table_of(page: ParsedPage, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """All columns of a page's blocks, at least one: (len(ALL_COLUMNS), blocks), written into ``out`` if given."""
    table = page.table()
    if out is None:
        out = np.empty((len(ALL_COLUMNS), len(page.text_blocks)), dtype=np.float32)
    of_posts = len(COLUMNS) + len(POST_COLUMNS)
    structure_features(table, page.url, out)
    post_columns(page.posts, page.word_counts(), out[len(COLUMNS) : of_posts])
    write_description_columns(page.description(), table.layout, out[of_posts:])
    return out


@dataclass(slots=True)
class StructureTrees:
    """Trees over some of the columns of ALL_COLUMNS, and over the nearness of words.

    ``columns`` are names out of ALL_COLUMNS, ``words`` the vocabulary whose columns follow.
    """

    trees: TreeEnsemble
    columns: tuple[str, ...]
    words: tuple[str, ...]
    _names: NameTable = field(init=False, repr=False)
    _over_all: TreeEnsemble = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees were fitted to columns that there are not."""
        if unknown := set(self.columns) - set(ALL_COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        self._names = NameTable(self.words)
        places = [*map(ALL_COLUMNS.index, self.columns), *range(len(ALL_COLUMNS), len(ALL_COLUMNS) + len(self.words))]
        self._over_all = self.trees.over(places, len(ALL_COLUMNS) + len(self.words))

    def log_odds(self, page: ParsedPage) -> NDArray[np.float64]:
        """The log-odds of each block being main content, (blocks,)."""
        blocks = page.text_blocks
        if not blocks:
            return np.zeros(0)
        layout, all_columns = page.layout(), len(ALL_COLUMNS)
        table = np.empty((self._over_all.columns, len(blocks)), dtype=np.float32)
        table_of(page, table[:all_columns])
        self._names.nearness(layout.looks, layout.parent, layout.depth, layout.of_block, table[all_columns:])
        return self._over_all.scores(table.T)
