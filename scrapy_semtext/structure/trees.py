"""Gradient-boosted trees that tell main content from boilerplate by the structure of the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.structure.description_columns import DESCRIPTION_COLUMNS, write_description_columns
from scrapy_semtext.structure.names import NameTable
from scrapy_semtext.structure.post_columns import POST_COLUMNS, post_columns
from scrapy_semtext.structure.rows import COLUMNS, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.model.trees import TreeEnsemble

#: The columns of a table: those of `rows`, and behind them those of `post_columns` and of `description_columns`.
ALL_COLUMNS = (*COLUMNS, *POST_COLUMNS, *DESCRIPTION_COLUMNS)


def table_of(page: Described) -> NDArray[np.float32]:
    """All columns of a page's blocks, at least one: (blocks, len(ALL_COLUMNS))."""
    table = page.table()
    found = np.empty((len(page.text_blocks), len(ALL_COLUMNS)), dtype=np.float32)
    of_posts = len(COLUMNS) + len(POST_COLUMNS)
    rows(table, page.url, found)
    found[:, len(COLUMNS) : of_posts] = post_columns(page.posts, page.word_counts())
    write_description_columns(page.description(), table.layout, found[:, of_posts:])
    return found


@dataclass(slots=True)
class StructureTrees:
    """Trees over some of the columns of ALL_COLUMNS, and over the nearness of words.

    ``columns`` are names out of ALL_COLUMNS, ``words`` the vocabulary whose columns follow.
    """

    trees: TreeEnsemble
    columns: tuple[str, ...]
    words: tuple[str, ...]
    _names: NameTable = field(init=False, repr=False)
    _places: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees were fitted to columns that there are not."""
        if unknown := set(self.columns) - set(ALL_COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        self._names = NameTable(self.words)
        self._places = np.array([ALL_COLUMNS.index(name) for name in self.columns], dtype=np.int64)

    def log_odds(self, page: Described) -> NDArray[np.float64]:
        """The log-odds of each block being main content, (blocks,)."""
        blocks = page.text_blocks
        if not blocks:
            return np.zeros(0)
        layout = page.layout()
        near = self._names.nearness(layout.looks, layout.parent, layout.depth)
        own = table_of(page)[:, self._places]
        return self.trees.scores(np.concatenate([own, near[layout.of_block]], axis=1))
