"""The models of the STAPI experiment: ours with four classes, and STAPI rebuilt."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np

from research.stapi_documents import FOLDS, IRRELEVANT, line_word_counts
from research.stapi_neighbours import around
from research.stapi_scores import LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from research.stapi_documents import Document
    from research.stapi_neighbours import Line

    Floats = NDArray[np.float32]

_COMMON = {"verbose": -1, "num_threads": 1, "deterministic": True, "seed": 1}
_OURS = {
    **_COMMON,
    "objective": "multiclass",
    "num_class": len(LABELS),
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 15,
    "lambda_l2": 5.0,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
_ROUNDS = 160
# The paper's learning rates (5.3), with XGBoost's depth of 6 and 100 rounds.
_FILTER = {**_COMMON, "objective": "binary", "learning_rate": 0.1, "num_leaves": 63, "max_depth": 6}
_CLASSIFIER = {**_FILTER, "objective": "multiclass", "num_class": 3, "learning_rate": 0.3}
_STAPI_ROUNDS = 100
# Elements that the paper's filter drops first (3.1).
_DROPPED = frozenset(("table", "td", "th", "tr", "caption", "button"))
_MOST_TAGS = 40


class Ours:
    """Our two models for each fold, neither of which was trained on a document of the fold.

    The second learns from outputs of first models for documents that these were not trained on either: for each pair of
    folds there is a first model trained on neither; its outputs for one fold are used when the other is tested.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._first = {
            frozenset(pair): _fitted([(document.ours, document) for document in documents if document.fold not in pair])
            for pair in combinations(range(FOLDS), 2)
        }

    def shares(self, out: int) -> dict[str, NDArray[np.float64]]:
        """The share of each class for each line of the documents of a fold, (lines, 4), by document id."""
        second = _fitted(
            [
                (self._rows(document, {out, document.fold}), document)
                for document in self._documents
                if document.fold != out
            ]
        )
        others = [fold_ for fold_ in range(FOLDS) if fold_ != out]
        return {
            document.id: np.mean([second.predict(self._rows(document, {out, other})) for other in others], axis=0)
            for document in self._documents
            if document.fold == out
        }

    def _rows(self, document: Document, pair: set[int]) -> Floats:
        found = self._first[frozenset(pair)].predict(document.ours)
        return np.concatenate([document.ours, around(found, line_word_counts(document.lines), document.alike)], axis=1)


def _fitted(examples: Sequence[tuple[Floats, Document]]) -> Any:
    """Fit a model of four classes to the lines of documents whose label is known."""
    rows = np.concatenate([rows for rows, _ in examples])
    codes = np.concatenate([document.codes for _, document in examples])
    known = codes >= 0
    return lightgbm.train(_OURS, lightgbm.Dataset(rows[known], codes[known]), _ROUNDS)


class Stapi:
    """STAPI's filter and typographic classifier on the lines of documents."""

    def __init__(self, training: Sequence[Document]) -> None:
        counts: defaultdict[str, int] = defaultdict(int)
        for document in training:
            for line in document.lines:
                counts[line.scope.tag] += 1
        self._tags = sorted(counts, key=lambda tag: -counts[tag])[:_MOST_TAGS]
        rows = np.concatenate([self.filter_rows(document) for document in training])
        codes = np.concatenate([np.where(_kept(document), document.codes, -1) for document in training])
        relevant = codes[codes >= 0] != IRRELEVANT
        self.filter = lightgbm.train(
            {**_FILTER, "is_unbalance": True}, lightgbm.Dataset(rows[codes >= 0], relevant), _STAPI_ROUNDS
        )
        inside = (codes >= 0) & (codes != IRRELEVANT)
        rows = np.concatenate([self.classifier_rows(document) for document in training])[inside]
        share = np.bincount(codes[inside], minlength=3) / inside.sum()
        # SMOTE makes the smaller classes as large as the largest; a weight of its square root did no worse.
        self.classifier = lightgbm.train(
            _CLASSIFIER,
            lightgbm.Dataset(rows, codes[inside], weight=(share.max() / share[codes[inside]]) ** 0.5),
            _STAPI_ROUNDS,
        )

    def label(self, document: Document) -> NDArray[np.int64]:
        """The label of each line, (lines,)."""
        relevant = (np.asarray(self.filter.predict(self.filter_rows(document))) >= 0.5) & _kept(document)
        return np.where(relevant, self.classify(document), IRRELEVANT)

    def classify(self, document: Document) -> NDArray[np.int64]:
        """The class of each line if it is relevant, (lines,)."""
        found: NDArray[np.int64] = np.asarray(self.classifier.predict(self.classifier_rows(document))).argmax(1)
        return found

    def filter_rows(self, document: Document) -> Floats:
        """Number of words, relative position, tag, parent's tag, next tag, id, sentence encoding (3.1)."""
        lines = document.lines
        plain = [
            [line.text.count(" ") + 1, number / len(lines), line.scope.element.get("id") is not None]
            for number, line in enumerate(lines)
        ]
        parents = [line.scope.parent.tag if line.scope.parent is not None else "" for line in lines]
        tags = _own_tags(lines), parents, _next_tags(lines)
        return np.concatenate([np.array(plain, np.float32), *map(self._one_hot, tags), document.vectors], axis=1)

    def classifier_rows(self, document: Document) -> Floats:
        """Number of words, length by that of the next, punctuation, tag, next tag, sentence encoding (3.2)."""
        lines = document.lines
        behind = [*(len(line.text) for line in lines[1:]), 1]
        plain = [
            [line.text.count(" ") + 1, len(line.text) / after, sum(not (c.isalnum() or c.isspace()) for c in line.text)]
            for line, after in zip(lines, behind, strict=True)
        ]
        tags = _own_tags(lines), _next_tags(lines)
        return np.concatenate([np.array(plain, np.float32), *map(self._one_hot, tags), document.vectors], axis=1)

    def _one_hot(self, tags: Sequence[str]) -> Floats:
        rows = np.zeros((len(tags), len(self._tags) + 1), dtype=np.float32)
        place = {tag: column for column, tag in enumerate(self._tags)}
        rows[np.arange(len(tags)), [place.get(tag, len(self._tags)) for tag in tags]] = 1
        return rows


def _kept(document: Document) -> NDArray[np.bool_]:
    """Lines that stand in none of the elements that the filter drops, (lines,)."""
    return np.array([not any(scope.tag in _DROPPED for scope in line.scope.ancestry()) for line in document.lines])


def _own_tags(lines: Sequence[Line]) -> list[str]:
    return [line.scope.tag for line in lines]


def _next_tags(lines: Sequence[Line]) -> list[str]:
    return [*(line.scope.tag for line in lines[1:]), ""]


def cross_label(documents: Sequence[Document]) -> dict[str, dict[str, NDArray[np.int64]]]:
    """Label each document by models not trained on it: ours, STAPI, and the classifier of each on all lines."""
    result: dict[str, dict[str, NDArray[np.int64]]] = defaultdict(dict)
    ours = Ours(documents)
    for out in range(FOLDS):
        for name, shares in ours.shares(out).items():
            result["ours, trained"][name] = shares.argmax(1)
            result["ours, trained, classes"][name] = shares[:, :IRRELEVANT].argmax(1)
        stapi = Stapi([document for document in documents if document.fold != out])
        for document in documents:
            if document.fold == out:
                result["STAPI, rebuilt"][document.id] = stapi.label(document)
                result["STAPI, rebuilt, classes"][document.id] = stapi.classify(document)
    return result
