"""The experiments of STAPI (Zhang, Wilson & Mitra 2022, 5).

Run by ``python -m research.stapi FILE``.

FILE is a page set whose lines have ``extra.segments``: annotated texts with the labels title, prose, miscellany and
irrelevance. Documents are divided into folds; each is labeled by models trained on the other folds. It measures

* ours, trained: a model of four classes, with the features of `scrapy_semtext.sections` and the outputs of the shipped
  models, and a second one that also uses the first one's output for nearby lines (see `research.stapi_neighbours`);
* STAPI, rebuilt: its filter and its typographic classifier with its features. Departures: LightGBM for XGBoost, mean
  word vectors of the bundle for BERT's sentence encoding, weights for SMOTE;
* ours, shipped: the extractor as it is, whose weights never saw these documents;
* jusText, if it is installed (``pip install jusText``): it only separates relevant from irrelevant text.

No result of this is used for the shipped weights, since the annotations state no licence.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from research.stapi_documents import IRRELEVANT, read_documents
from research.stapi_models import cross_label
from research.stapi_scores import LABELS, SectionScores, weighted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from research.stapi_documents import Document
    from research.stapi_scores import Labeled

_NAMES = ("ours, trained", "STAPI, rebuilt", "ours, shipped")


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
            if 0 <= true < IRRELEVANT:
                for kind in (document.kind, "all"):
                    confusions[kind][LABELS[true], LABELS[found]] += 1
    return confusions


def _without_miscellany(confusion: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    return Counter({pair: count for pair, count in confusion.items() if pair[0] in LABELS[:2]})


def _segments(document: Document, codes: NDArray[np.int64]) -> list[Labeled]:
    pairs = zip(document.lines, codes, strict=True)
    return [(line.text, LABELS[code]) for line, code in pairs if code != IRRELEVANT]


def _head(columns: Sequence[str]) -> list[str]:
    return [f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]


def _row(name: str, values: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def main() -> int:
    """Print the tables, and write the predictions if requested."""
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
