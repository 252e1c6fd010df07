"""Gradient-boosted trees that tell main content from boilerplate by the structure of the page, and their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.description import DESCRIPTION_COLUMNS, write_description_columns
from scrapy_semtext.features.name_features import NameTable
from scrapy_semtext.features.page_table import PageTable
from scrapy_semtext.features.post_features import POST_COLUMNS, post_columns
from scrapy_semtext.features.structure_features import COLUMNS, structure_features
from scrapy_semtext.inference.storage import SHIPPED, BundleError
from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage

#: The columns of blocks: those of `structure_features`, `post_columns` and `write_description_columns`, in this order.
ALL_COLUMNS = (*COLUMNS, *POST_COLUMNS, *DESCRIPTION_COLUMNS)

_FILES = TreeFiles("structure", "structure trees", 1, "semtext train structure")


def structure_columns(table: PageTable, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """All columns of the blocks of pages: (len(ALL_COLUMNS), blocks), written into ``out`` if given."""
    if out is None:
        out = np.empty((len(ALL_COLUMNS), len(table.blocks)), dtype=np.float32)
    of_posts = len(COLUMNS) + len(POST_COLUMNS)
    structure_features(table.block_table, [page.url for page in table.pages], out)
    out[len(COLUMNS) : of_posts] = post_columns([page.posts for page in table.pages], table.word_counts, table.starts)
    write_description_columns(table.descriptions, table.tree, out[of_posts:])
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

    def log_odds(self, pages: Sequence[ParsedPage]) -> list[NDArray[np.float64]]:
        """Return the log-odds of each block of each page being main content, (blocks,)."""
        table, all_columns = PageTable.of(pages), len(ALL_COLUMNS)
        columns = np.empty((self._over_all.columns, len(table.blocks)), dtype=np.float32)
        if table.pages:
            tree = table.tree
            structure_columns(table, columns[:all_columns])
            self._names.nearness(tree.element_types, tree.parent, tree.depth, tree.of_block, columns[all_columns:])
        return table.split(self._over_all.scores(columns.T))


@dataclass(frozen=True, slots=True)
class StructureModel:
    """The trees, and what they were fitted to (``training``: data, seed, dates), for the reader."""

    trees: StructureTrees
    training: dict[str, Any] = field(default_factory=dict)


def save_structure(folder: Path, model: StructureModel) -> None:
    """Write the trees into the folder of a bundle, which is made if need be."""
    trees = model.trees
    about = {"columns": list(trees.columns), "words": list(trees.words), "training": model.training}
    _FILES.save(folder, trees.trees.arrays("structure"), about)


def require_structure(folder: Path | None = None) -> StructureModel:
    """Load the trees as `load_structure` does. Raises BundleError if the bundle has none, too."""
    model = load_structure(folder)
    if model is None:
        raise BundleError(f"The bundle in {folder or SHIPPED} has no structure trees. {_FILES.repair}")
    return model


def load_structure(folder: Path | None = None) -> StructureModel | None:
    """Load the trees from the folder of a bundle (the shipped one by default); None if it has none.

    Raises BundleError if a file is broken, foreign or of another version.
    """
    folder = folder or SHIPPED
    return _FILES.load(folder, _model) if _FILES.are_in(folder) else None


def _model(description: dict[str, Any], arrays: dict[str, Any]) -> StructureModel:
    ensemble = TreeEnsemble.from_arrays(arrays, "structure")
    trees = StructureTrees(ensemble, tuple(description["columns"]), tuple(description["words"]))
    return StructureModel(trees, description["training"])
