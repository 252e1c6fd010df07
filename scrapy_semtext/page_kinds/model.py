"""The page kind classifier: gradient-boosted trees over numeric features and words of a page.

The kinds are those of WCXB. An overview is a page that lists others: a listing or a collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.page_table import PageTable
from scrapy_semtext.inference.config import PAGE_KINDS
from scrapy_semtext.inference.storage import ModelFiles
from scrapy_semtext.inference.trees import TreeEnsemble
from scrapy_semtext.page_kinds.features import COLUMNS, page_features
from scrapy_semtext.page_kinds.kind_words import PLACES, Vocabulary, parted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage

#: The page kinds, in alphabetical order; the network is trained on them as an auxiliary task.
KINDS = PAGE_KINDS
#: The kinds that list other pages.
OVERVIEWS = ("collection", "listing")

#: The kinds that present an offer, and their weight when overviews are separated from the other kinds. Annotators
#: disagree on how many offers make a list, so classifying an offer as an overview is the lesser error.
OFFERS = ("product", "service")
OFFER_WEIGHT = 1 / 3

_OVERVIEWS = [KINDS.index(kind) for kind in OVERVIEWS]
# By kind: 1 for an overview, else 0; the weight.
_AS_OVERVIEW = np.array([float(kind in OVERVIEWS) for kind in KINDS])
_WEIGHTS = np.array([OFFER_WEIGHT if kind in OFFERS else 1.0 for kind in KINDS])
_FORUM = KINDS.index("forum")
_OTHERS = [place for place in range(len(KINDS)) if place not in _OVERVIEWS]

_FILES = ModelFiles("kinds", "model of page kinds", 2, "semtext dev train kinds")


@dataclass(frozen=True, slots=True)
class KindOfPage:
    """The predicted kind of a page and whether it is an overview, each with its probability.

    ``kind`` is one of OVERVIEWS if and only if ``is_overview``.
    """

    kind: str
    probability: float
    is_overview: bool
    overview_probability: float


def overview_probability(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of an overview, (...), from those of KINDS, (..., kinds), with OFFER_WEIGHT.

    This is the probability if products and services were rarer than in WCXB by that factor.
    """
    result: NDArray[np.float64] = probabilities @ _AS_OVERVIEW / (probabilities @ _WEIGHTS)
    return result


def as_thread(probabilities: NDArray[np.float64], thread: float) -> NDArray[np.float64]:
    """Return the probabilities of KINDS, (kinds,), for a page that is a thread with probability ``thread``."""
    others = probabilities * (np.arange(len(KINDS)) != _FORUM)
    result: NDArray[np.float64] = others * ((1 - thread) / max(others.sum(), 1e-12))
    result[_FORUM] = thread
    return result


def probabilities_of(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of the logits of KINDS, (..., kinds)."""
    likely = np.exp(odds - odds.max(-1, keepdims=True))
    result: NDArray[np.float64] = likely / likely.sum(-1, keepdims=True)
    return result


@dataclass(slots=True)
class KindModel:
    """Gradient-boosted trees over selected features and words of pages.

    ``trees``: the trees of ``parts`` models, one for each of KINDS in turn; the logits of the models are averaged.
    ``columns``: names from `scrapy_semtext.page_kinds.features.COLUMNS`; ``words``: words with their places, whose
    columns follow; ``offsets``: added to the logits of KINDS. A page is an overview if the probability is at least
    ``threshold``. ``training`` documents data, seed, dates and scores.
    """

    trees: TreeEnsemble
    parts: int
    columns: tuple[str, ...]
    words: tuple[str, ...]
    offsets: tuple[float, ...]
    threshold: float
    training: dict[str, Any] = field(default_factory=dict)
    _places: NDArray[np.intp] = field(init=False, repr=False)
    _vocabulary: Vocabulary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees do not fit the columns, words, parts or offsets."""
        if unknown := set(self.columns) - set(COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        if self.parts < 1 or len(self.trees.roots) % (len(KINDS) * self.parts):
            raise ValueError("the trees are not as many for each kind of page")
        if len(self.offsets) != len(KINDS):
            raise ValueError("the offsets are not one for each kind of page")
        self._places = np.array([COLUMNS.index(name) for name in self.columns], dtype=np.intp)
        words: dict[str, dict[str, int]] = {place: {} for place in PLACES}
        for column, spelt in enumerate(self.words, len(self.columns)):
            place, word = parted(spelt)
            if place not in words:
                raise ValueError(f"the trees were fitted to words of {place!r}, which this release does not read")
            words[place][word] = column
        self._vocabulary = Vocabulary(words)

    def read(self, page: ParsedPage) -> KindOfPage | None:
        """Classify a page; None for a page without text."""
        (probabilities,) = self.probabilities([page])
        return None if probabilities is None else self.likeliest(probabilities)

    def likeliest(self, probabilities: NDArray[np.float64], threshold: float | None = None) -> KindOfPage:
        """Return the most probable of the overviews, or of the other kinds, given ``probabilities``, (kinds,).

        ``threshold`` overrides that of the model.
        """
        overview = float(overview_probability(probabilities))
        is_overview = overview >= (self.threshold if threshold is None else threshold)
        among = _OVERVIEWS if is_overview else _OTHERS
        best = among[int(probabilities[among].argmax())]
        return KindOfPage(KINDS[best], float(probabilities[best]), is_overview, overview)

    def probabilities(self, pages: Sequence[ParsedPage]) -> list[NDArray[np.float64] | None]:
        """Return the probabilities of KINDS, (kinds,), for each page; None for one without text.

        The trees take about as long for a batch as for one page, because memory access dominates.
        """
        table = PageTable.of(pages)
        rows = np.zeros((len(table.pages), self.trees.columns), dtype=np.float32)
        if table.pages:
            rows[:, : len(self.columns)] = page_features(table)[:, self._places]
            self._vocabulary.mark(table, rows)
        found = iter(self.of_rows(rows))
        return [next(found) if page.text_blocks else None for page in pages]

    def of_rows(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of KINDS, (pages, kinds), for the columns of pages, (pages, columns)."""
        return probabilities_of(self.trees.output_scores(rows, len(KINDS)) / self.parts + self.offsets)


def save_kinds(folder: Path, model: KindModel) -> None:
    """Write the model into the folder of a bundle, which is created if necessary."""
    about = {
        "kinds": list(KINDS),
        "parts": model.parts,
        "columns": list(model.columns),
        "words": list(model.words),
        "offsets": list(model.offsets),
        "threshold": model.threshold,
        "training": model.training,
    }
    _FILES.save(folder, model.trees.arrays("kinds"), about)


def load_kinds(folder: Path | None = None) -> KindModel:
    """Load the model from the folder of a bundle, or the shipped one if the bundle has none.

    Raises BundleError if a file is missing, broken, foreign or of another version.
    """
    return _FILES.load_or_shipped(folder, _model)


def _model(description: dict[str, Any], arrays: dict[str, Any]) -> KindModel:
    if description["kinds"] != list(KINDS):
        raise ValueError("the model was fitted to other kinds of page")
    return KindModel(
        TreeEnsemble.from_arrays(arrays, "kinds"),
        int(description["parts"]),
        tuple(description["columns"]),
        tuple(description["words"]),
        tuple(map(float, description["offsets"])),
        float(description["threshold"]),
        description["training"],
    )
