"""The models that choose the columns of titles: gradient-boosted trees, and how they are stored in a bundle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.inference.tree_storage import TreeFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.records.columns import Column, stand_in_turns
from scrapy_semtext.records.lists import LIST_FEATURES, TITLE_FEATURES, PageLists

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.utils.arrays import Floats

_FILES = TreeFiles("records", "record models", 1, "semtext train records")

#: The probability from which on a list is the main list, and a main list beside the likeliest.
_LEAST, _ALSO = 0.2, 0.5
#: The most main lists of a page, as each is compared with the others.
_MOST_LISTS = 40
#: A list is none beside others that have so many of its addresses.
_SAME = 0.3


@dataclass(frozen=True, slots=True)
class RecordModels:
    """``titles``: trees that tell the column of titles of a list; ``lists``: those that tell main lists.

    ``training`` describes how they were fitted: data, seed, dates and scores.
    """

    titles: TreeEnsemble
    lists: TreeEnsemble
    training: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees were fitted to other features than this release computes."""
        if (self.titles.columns, self.lists.columns) != (len(TITLE_FEATURES), len(LIST_FEATURES)):
            raise ValueError("the trees were fitted to other features than this release computes")

    def main_columns(self, page: PageLists) -> list[Column]:
        """The columns of titles of the main lists, the likeliest first; none on a page without lists."""
        titles = title_columns(page, self.titles)
        if not titles:
            return []
        likely = self.lists.predict(page.list_features(titles))
        order = np.argsort(-likely, kind="stable")
        return _apart([page.columns[titles[place]] for place in order.tolist()], likely[order])


def title_columns(page: PageLists, trees: TreeEnsemble) -> list[int]:
    """The column of titles of each list of a page, chosen by the trees of titles."""
    counts = [len(columns) for columns in page.lists]
    if not counts:
        return []
    rows = [page.title_features(number) for number in range(len(counts))]
    scores = np.split(trees.scores(np.concatenate(rows)), np.cumsum(counts)[:-1])
    return [columns[int(found.argmax())] for columns, found in zip(page.lists, scores, strict=True)]


def _apart(columns: list[Column], likely: Floats) -> list[Column]:
    """The first column and those of the others that are likely and are no other view of those before.

    None if the first is unlikely: what is left of a page whose items a script adds are menus.
    """
    chosen: list[Column] = []
    known: set[str | None] = set()
    for column, probability in zip(columns, likely.tolist(), strict=True):
        urls = {member.url for member in column.members} - {None}
        if probability < _LEAST or (chosen and probability < _ALSO) or len(chosen) == _MOST_LISTS:
            break
        if chosen and len(urls & known) > _SAME * len(urls):
            continue
        orders = [member.order for member in column.members]
        if not any(stand_in_turns(orders, [member.order for member in other.members]) for other in chosen):
            chosen.append(column)
            known |= urls
    return chosen


def save_record_models(folder: Path, models: RecordModels) -> None:
    """Write the models into the folder of a bundle, which is made if need be."""
    about = {"titles": list(TITLE_FEATURES), "lists": list(LIST_FEATURES), "training": models.training}
    _FILES.save(folder, models.titles.arrays("titles") | models.lists.arrays("lists"), about)


def load_record_models(folder: Path | None = None) -> RecordModels:
    """Load the models from the folder of a bundle, or the shipped ones where it has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, _models)


def _models(description: dict[str, Any], arrays: dict[str, Any]) -> RecordModels:
    if (description["titles"], description["lists"]) != (list(TITLE_FEATURES), list(LIST_FEATURES)):
        raise ValueError("the models were fitted to other features than this release computes")
    titles, lists = (TreeEnsemble.from_arrays(arrays, name) for name in ("titles", "lists"))
    return RecordModels(titles, lists, description["training"])
