"""The annotated documents of the STAPI experiment, cut into lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from research.stapi_evidence import evidence
from research.stapi_neighbours import each_line, likenesses
from research.stapi_scores import LABELS, label_by, places_of, words
from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.sections.line_features import line_features
from scrapy_semtext.sections.lines import lines_of
from scrapy_semtext.sections.reader import LIKELY, labels_of
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.datasets import fold, read_pages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from research.stapi_neighbours import Line
    from research.stapi_scores import Labeled
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.scores import Scores
    from scrapy_semtext.sections.reader import LineScores

    Floats = NDArray[np.float32]

FOLDS = 5
CODES = {label: code for code, label in enumerate(LABELS)}
IRRELEVANT = CODES["irrelevance"]


@dataclass(slots=True)
class Document:
    """An annotated page, cut into lines.

    ``codes``: (lines,) the true label of each, -1 if it is not annotated; ``ours`` and ``vectors``: (lines, columns) of
    features and mean word vectors; ``shipped`` and ``classes``: (lines,) the labels of the extractor, and its labels if
    all lines were relevant, as codes; ``alike``: which lines are similar to each other. ``places`` aligns the
    annotation to the lines, ``justext`` to the paragraphs that jusText keeps.
    """

    id: str
    kind: str
    fold: int
    annotated: list[Labeled]
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
        columns = lines_of([described])
        lines = each_line(columns)
        if not annotated or not lines:
            continue
        places = places_of(annotated, [line.text for line in lines])
        labels = label_by(annotated, places, len(lines))
        rows = line_features(columns, [described.title])
        (scores,) = extractor.labeler.score([described])
        shipped = extractor.section_models.score(rows)
        classes = np.array([CODES[label] for label in labels_of(shipped)])
        found.append(
            Document(
                id=page.id,
                kind=page.page_type or "untyped",
                fold=fold(page.id, 1, FOLDS),
                annotated=annotated,
                lines=lines,
                places=places,
                alike=likenesses(lines),
                codes=np.array([-1 if label is None else CODES[label] for label in labels]),
                ours=_our_rows(rows, lines, scores, extractor),
                vectors=_mean_vectors(lines, vectors),
                shipped=np.where(_relevant(shipped, lines, described, scores, extractor), classes, IRRELEVANT),
                classes=classes,
                justext=_justext(page.html, annotated),
            )
        )
    return found


def _our_rows(rows: Floats, lines: Sequence[Line], scores: Scores, extractor: Extractor) -> Floats:
    """Our features of lines, and the evidence of the network and the shipped trees for main content."""
    probabilities = scores.probabilities[[line.block for line in lines]]
    shown = evidence(extractor.section_models.relevant.scores(rows), probabilities, line_word_counts(lines), rows)
    return np.concatenate([rows, shown], axis=1)


def _relevant(
    shipped: LineScores, lines: Sequence[Line], described: ParsedPage, scores: Scores, extractor: Extractor
) -> NDArray[np.bool_]:
    """Which lines belong to the document, as in `scrapy_semtext.sections.reader`; (lines,)."""
    keep = scores.labels(extractor.decision, word_counts([block.text for block in described.text_blocks]))
    found: NDArray[np.bool_] = np.array([keep[line.block] for line in lines]) | (shipped.relevant >= LIKELY)
    return found


def _mean_vectors(lines: Sequence[Line], vectors: WordVectors) -> Floats:
    means = np.zeros((len(lines), vectors.dim), dtype=np.float32)
    for number, line in enumerate(lines):
        if found := words(line.text)[:200]:
            means[number] = vectors.matrix(found).mean(0)
    return means


def _justext(html: str, annotated: Sequence[Labeled]) -> list[list[int]] | None:
    """The alignment of the annotation to the paragraphs that jusText keeps; None if it is not installed."""
    try:
        import justext
    except ModuleNotFoundError:
        return None
    paragraphs = justext.justext(html.encode(), justext.get_stoplist("English"))
    return places_of(annotated, [paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate])


def line_word_counts(lines: Sequence[Line]) -> NDArray[np.float64]:
    """The number of words of each line, (lines,)."""
    return np.array([line.text.count(" ") + 1 for line in lines], dtype=np.float64)
