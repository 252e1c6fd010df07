"""The experiments of STAPI (Zhang, Wilson & Mitra 2022, 5).

Run by ``python -m scrapy_semtext.training.experiments.stapi FILE``.

FILE is a page set whose lines have ``extra.segments``: annotated texts with the labels title, prose, miscellany and
irrelevance. Documents are dealt to folds; each is labelled by models trained on the other folds. Measured are

* ours, trained: one model of four classes, by the features of `scrapy_semtext.sectioning` and what the shipped models
  say, and a second one that also knows what the first found of the lines around (see ``neighbours``);
* STAPI, rebuilt: its filter and its typographic classifier with its features. Departures: LightGBM for XGBoost, mean
  word vectors of the bundle for BERT's sentence encoding, weights for SMOTE;
* ours, shipped: the extractor as it is, whose weights never saw these documents;
* jusText, if it is installed (``pip install jusText``): it only tells relevant from irrelevant.

Nothing of this goes into the weights that ship: the annotations state no licence.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from tqdm import tqdm

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.sections.line_features import line_features
from scrapy_semtext.sections.lines import lines_of
from scrapy_semtext.sections.models import LIKELY
from scrapy_semtext.sections.reader import labels_of
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.datasets import fold, read_pages
from scrapy_semtext.training.experiments.evidence import evidence
from scrapy_semtext.training.experiments.neighbours import around, likenesses
from scrapy_semtext.training.section_scores import LABELS, SectionScores, label_by, places_of, weighted, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.scores import Scores
    from scrapy_semtext.sections.lines import Line
    from scrapy_semtext.sections.models import LineScores
    from scrapy_semtext.training.section_scores import Labelled

    Floats = NDArray[np.float32]

_FOLDS = 5
_NAMES = ("ours, trained", "STAPI, rebuilt", "ours, shipped")
_CODES = {label: code for code, label in enumerate(LABELS)}
_IRRELEVANT = _CODES["irrelevance"]
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


@dataclass(slots=True)
class Document:
    """An annotated page, cut into lines.

    ``codes``: (lines,) the true label of each, -1 where the annotation does not tell; ``ours`` and ``vectors``: (lines,
    columns) of features and mean word vectors; ``shipped`` and ``classes``: (lines,) the labels that the extractor
    gives them, and would if all were relevant, as codes; ``alike``: which lines are like each other. ``places`` aligns
    the annotation to the lines, ``justext`` to the paragraphs that jusText keeps.
    """

    id: str
    kind: str
    fold: int
    annotated: list[Labelled]
    lines: list[Line]
    places: list[list[int]]
    alike: list[NDArray[np.int64]]
    codes: NDArray[np.int64]
    ours: Floats
    vectors: Floats
    shipped: NDArray[np.int64]
    classes: NDArray[np.int64]
    justext: list[list[int]] | None


def read_documents(path: Path, *, progress: bool = True) -> list[Document]:
    """Read the annotated pages of a set; those without annotated segments are left out."""
    extractor = Extractor.load(options=Options(pairs=False, markup=False))
    vectors = WordVectors.load(SHIPPED)
    found = []
    for page in tqdm(read_pages(path), disable=not progress, desc="documents"):
        annotated = [(segment["text"], segment["label"]) for segment in page.extra.get("segments") or ()]
        described = describe(page.html, page.url)
        lines = lines_of([described])
        if not annotated or not lines:
            continue
        places = places_of(annotated, [line.text for line in lines])
        labels = label_by(annotated, places, len(lines))
        rows = line_features(lines, [described.title])
        (scores,) = extractor.labeller.score([described])
        shipped = extractor.section_models.score(rows)
        classes = np.array([_CODES[label] for label in labels_of(shipped)])
        found.append(
            Document(
                id=page.id,
                kind=page.page_type or "untyped",
                fold=fold(page.id, 1, _FOLDS),
                annotated=annotated,
                lines=[*lines],
                places=places,
                alike=likenesses(lines),
                codes=np.array([-1 if label is None else _CODES[label] for label in labels]),
                ours=_our_rows(rows, lines, scores, extractor),
                vectors=_mean_vectors(lines, vectors),
                shipped=np.where(_relevant(shipped, lines, described, scores, extractor), classes, _IRRELEVANT),
                classes=classes,
                justext=_justext(page.html, annotated),
            )
        )
    return found


def _our_rows(rows: Floats, lines: Sequence[Line], scores: Scores, extractor: Extractor) -> Floats:
    """Our features of lines, and what the network and the shipped trees say for their being main content."""
    probabilities = scores.probabilities[[line.block for line in lines]]
    shown = evidence(extractor.section_models.relevant.scores(rows), probabilities, _word_counts(lines), rows)
    return np.concatenate([rows, shown], axis=1)


def _relevant(
    shipped: LineScores, lines: Sequence[Line], described: ParsedPage, scores: Scores, extractor: Extractor
) -> NDArray[np.bool_]:
    """Which lines belong to the document, as `scrapy_semtext.sections.reader` has it; (lines,)."""
    keep = scores.labels(extractor.decision, word_counts([block.text for block in described.text_blocks]))
    found: NDArray[np.bool_] = np.array([keep[line.block] for line in lines]) | (shipped.relevant >= LIKELY)
    return found


def _mean_vectors(lines: Sequence[Line], vectors: WordVectors) -> Floats:
    means = np.zeros((len(lines), vectors.dim), dtype=np.float32)
    for number, line in enumerate(lines):
        if found := words(line.text)[:200]:
            means[number] = vectors.matrix(found).mean(0)
    return means


def _justext(html: str, annotated: Sequence[Labelled]) -> list[list[int]] | None:
    """How the annotation is aligned to what jusText keeps; None if it is not installed."""
    try:
        import justext
    except ModuleNotFoundError:
        return None
    paragraphs = justext.justext(html.encode(), justext.get_stoplist("English"))
    return places_of(annotated, [paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate])


def _word_counts(lines: Sequence[Line]) -> NDArray[np.float64]:
    return np.array([line.text.count(" ") + 1 for line in lines], dtype=np.float64)


class Ours:
    """Our two models for each fold, neither of which saw a document of it.

    The second learns from what the first finds on documents that it did not see either: for each two folds there is a
    first model that saw neither of them. It says what it finds on the one when the other is tested.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._first = {
            frozenset(pair): _fitted([(document.ours, document) for document in documents if document.fold not in pair])
            for pair in combinations(range(_FOLDS), 2)
        }

    def shares(self, out: int) -> dict[str, NDArray[np.float64]]:
        """What each line of the documents of a fold has of each class, (lines, 4), by the id of the document."""
        second = _fitted(
            [
                (self._rows(document, {out, document.fold}), document)
                for document in self._documents
                if document.fold != out
            ]
        )
        others = [fold_ for fold_ in range(_FOLDS) if fold_ != out]
        return {
            document.id: np.mean([second.predict(self._rows(document, {out, other})) for other in others], axis=0)
            for document in self._documents
            if document.fold == out
        }

    def _rows(self, document: Document, pair: set[int]) -> Floats:
        found = self._first[frozenset(pair)].predict(document.ours)
        return np.concatenate([document.ours, around(found, _word_counts(document.lines), document.alike)], axis=1)


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
        relevant = codes[codes >= 0] != _IRRELEVANT
        self.filter = lightgbm.train(
            {**_FILTER, "is_unbalance": True}, lightgbm.Dataset(rows[codes >= 0], relevant), _STAPI_ROUNDS
        )
        inside = (codes >= 0) & (codes != _IRRELEVANT)
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
        return np.where(relevant, self.classify(document), _IRRELEVANT)

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
    """Label each document by models that did not see it: ours, STAPI, and the classifier of each on all lines."""
    result: dict[str, dict[str, NDArray[np.int64]]] = defaultdict(dict)
    ours = Ours(documents)
    for out in range(_FOLDS):
        for name, shares in ours.shares(out).items():
            result["ours, trained"][name] = shares.argmax(1)
            result["ours, trained, classes"][name] = shares[:, :_IRRELEVANT].argmax(1)
        stapi = Stapi([document for document in documents if document.fold != out])
        for document in documents:
            if document.fold == out:
                result["STAPI, rebuilt"][document.id] = stapi.label(document)
                result["STAPI, rebuilt, classes"][document.id] = stapi.classify(document)
    return result


def report(documents: Sequence[Document], labels: dict[str, dict[str, NDArray[np.int64]]]) -> list[str]:
    """The tables, as lines of Markdown."""
    kinds = [*sorted({document.kind for document in documents}), "all"]
    labels["ours, shipped"] = {document.id: document.shipped for document in documents}
    labels["ours, shipped, classes"] = {document.id: document.classes for document in documents}
    scores = _scores(documents, labels)
    lines = ["Filter: relevant or not, weighted precision and recall", "", *_head(["precision", "recall"])]
    lines += [_row(name, scores[name, "all"].relevance()) for name in (*_NAMES, "jusText") if (name, "all") in scores]
    lines += ["", "Gold coverage (the paper's table 3)", "", *_head(kinds)]
    for name in (*_NAMES, "jusText"):
        if (name, "all") in scores:
            lines.append(_row(name, [scores[name, kind].coverage for kind in kinds]))
    lines += ["", "Titles and prose from whole pages, weighted F1", "", *_head(kinds)]
    lines += [_row(name, [scores[name, kind].weighted_f1() for kind in kinds]) for name in _NAMES]
    confusions = {name: _classified(documents, labels[f"{name}, classes"]) for name in _NAMES}
    lines += ["", "Classifier alone, titles and prose given, weighted F1 (table 4)", "", *_head(kinds)]
    for name, confusion in confusions.items():
        lines.append(_row(name, [weighted(_without_miscellany(confusion[kind]), LABELS[:2])[2] for kind in kinds]))
    lines += ["", "Classifier alone, three classes, weighted precision and recall (table 2)", ""]
    lines += _head(["precision", "recall"])
    lines += [_row(name, weighted(confusion["all"], LABELS[:3])[:2]) for name, confusion in confusions.items()]
    return lines


def _scores(
    documents: Sequence[Document], labels: dict[str, dict[str, NDArray[np.int64]]]
) -> dict[tuple[str, str], SectionScores]:
    """The scores of each reading, by type of document."""
    scores: defaultdict[tuple[str, str], SectionScores] = defaultdict(SectionScores)
    for document in documents:
        for kind in (document.kind, "all"):
            for name in _NAMES:
                found = [LABELS[code] for code in labels[name][document.id]]
                scores[name, kind].add(document.annotated, document.places, found)
            if document.justext is not None:
                kept = max((number for numbers in document.justext for number in numbers), default=-1) + 1
                scores["jusText", kind].add(document.annotated, document.justext, ["prose"] * kept)
    return dict(scores)


def _classified(
    documents: Sequence[Document], classes: dict[str, NDArray[np.int64]]
) -> dict[str, Counter[tuple[str, str]]]:
    """How often relevant lines of each class were given each class, by type of document."""
    confusions: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for document in documents:
        for true, found in zip(document.codes, classes[document.id], strict=True):
            if 0 <= true < _IRRELEVANT:
                for kind in (document.kind, "all"):
                    confusions[kind][LABELS[true], LABELS[found]] += 1
    return confusions


def _without_miscellany(confusion: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    return Counter({pair: count for pair, count in confusion.items() if pair[0] in LABELS[:2]})


def _segments(document: Document, codes: NDArray[np.int64]) -> list[Labelled]:
    pairs = zip(document.lines, codes, strict=True)
    return [(line.text, LABELS[code]) for line, code in pairs if code != _IRRELEVANT]


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]


def _row(name: str, values: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def main() -> int:
    """Print the tables, and write the predictions where asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--predictions", type=Path, metavar="FILE", help="write the segments of ours, trained, there")
    arguments = parser.parse_args()
    documents = read_documents(arguments.data, progress=sys.stderr.isatty())
    labels = cross_label(documents)
    sys.stdout.write("\n".join(report(documents, labels)) + "\n")
    if arguments.predictions:
        with arguments.predictions.open("w", encoding="utf-8") as file:
            for document in documents:
                found = _segments(document, labels["ours, trained"][document.id])
                segments = [{"text": text, "label": label} for text, label in found]
                file.write(json.dumps({"id": document.id, "segments": segments}, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
