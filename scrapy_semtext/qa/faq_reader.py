"""Lists of questions with their answers, read from a page by a model that judges the candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.bylines import signs_comment
from scrapy_semtext.qa.faq_candidates import candidates_of_pages
from scrapy_semtext.qa.faq_features import CandidatePage, features_of_pages
from scrapy_semtext.qa.faq_text import MOST, OPENS_AS_QUESTION, asks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_candidates import FaqCandidate, FaqPair
    from scrapy_semtext.qa.nodes import PageNodes

#: The probability from which a candidate is taken (research/notes/qa-pairs.md).
THRESHOLD = 0.45
#: How probable, beside the best, a further list of the same page has to be.
ABOUT_AS_GOOD = 0.7


class Predictor(Protocol):
    """A model that gives rows of features their probabilities."""

    def predict(self, matrix: NDArray[np.float32], /) -> NDArray[np.float64]:
        """Return a probability for each row; (rows,)."""


class FaqPage(NamedTuple):
    """A page whose lists of questions are read; ``title`` and ``url`` as far as they are known."""

    nodes: PageNodes
    title: str | None
    url: str | None


def read_faqs(pages: Sequence[FaqPage], model: Predictor) -> list[list[QAPair]]:
    """Return the questions that each page lists with their answers, in page order; none where it lists none."""
    found = candidates_of_pages([page.nodes for page in pages])
    listed = [(place, candidates) for place, candidates in enumerate(found) if candidates]
    pairs: list[list[QAPair]] = [[] for _ in pages]
    if not listed:
        return pairs
    described = [CandidatePage(pages[place].nodes, candidates, *pages[place][1:]) for place, candidates in listed]
    scores = np.clip(model.predict(features_of_pages(described)), 0.0, 1.0)
    begin = 0
    for place, candidates in listed:
        pairs[place] = _pairs(candidates, scores[begin : begin + len(candidates)])
        begin += len(candidates)
    return pairs


def _pairs(candidates: Sequence[FaqCandidate], scores: NDArray[np.float64]) -> list[QAPair]:
    """Return the pairs of the candidates that are taken, in page order, each question once."""
    pairs: dict[str, QAPair] = {}
    lists = ((without_others(candidates[place]), float(scores[place])) for place in chosen(candidates, scores))
    found = ((pair, score) for listed, score in lists for pair in listed)
    for pair, score in sorted(found, key=lambda item: item[0].first):
        row = QAPair(pair.question, pair.answer, question_title=pair.question, score=score)
        pairs.setdefault(pair.question.casefold(), row)
    return list(pairs.values())


def without_others(listed: FaqCandidate) -> Sequence[FaqPair]:
    """The pairs of a list that ask, where most do: the others are headings of what stands below or beside the list.

    None of a heading that signs a comment, as on the tickets of a tracker.
    """
    pairs = tuple(pair for pair in listed.pairs if not signs_comment(pair.question))
    asking = [asks(pair.question) or OPENS_AS_QUESTION.begins(pair.question) for pair in pairs]
    if listed.in_terms or sum(asking) < MOST * len(pairs):
        return pairs
    return [pair for pair, is_asking in zip(pairs, asking, strict=True) if is_asking]


def chosen(candidates: Sequence[FaqCandidate], scores: NDArray[np.float64]) -> list[int]:
    """The places of the best candidate and of those that may stand beside it.

    These overlap with none chosen before, have the same layout (as the categories of one list do) and are about as
    good.
    """
    places: list[int] = []
    taken: set[int] = set()
    for place in np.argsort(-scores, kind="stable").tolist():
        candidate = candidates[place]
        if scores[place] < max(THRESHOLD, ABOUT_AS_GOOD * float(scores.max())):
            break
        if places and candidate.layout != candidates[places[0]].layout:
            continue
        blocks = {block for pair in candidate.pairs for block in range(pair.first, pair.last)}
        if taken.isdisjoint(blocks):
            places.append(place)
            taken |= blocks
    return places
