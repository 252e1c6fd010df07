"""Several labelers on the same pages, which are parsed once."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from tqdm import tqdm

from research.measuring import PageScore, SystemScores, score_page
from research.systems import SystemOutput
from scrapy_semtext.dom.joining import main_text
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.qa.reader import find_posts
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.inference.scores import Decision, Scores
    from scrapy_semtext.labelers.registry import Labeler
    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.datasets import AnnotatedPage


class Labeling(NamedTuple):
    """A labeler, and its decision."""

    labeler: Labeler
    decision: Decision


def read_by(
    systems: Mapping[str, Labeling], pages: Sequence[AnnotatedPage], models: PostModels, *, progress: bool = True
) -> dict[str, SystemScores]:
    """Read pages, without markup, by each labeler; ``models`` find the posts, which are features of the trees."""
    scores: dict[str, list[PageScore]] = {name: [] for name in systems}
    for page in tqdm(pages, desc="testing", unit=" pages", disable=not progress):
        described = describe(page.html, page.url)
        find_posts([described], models)
        for name, (labeler, decision) in systems.items():
            began = process_time()
            (found,) = labeler.score([described])
            scores[name].append(page_score(page, described, found, decision, process_time() - began))
    return {name: SystemScores("", rows) for name, rows in scores.items()}


def page_score(
    page: AnnotatedPage, described: ParsedPage, scores: Scores, decision: Decision, cpu: float = 0.0
) -> PageScore:
    """The score of a page, given the scores of its blocks; ``cpu`` in seconds."""
    texts = [block.text for block in described.text_blocks]
    keep = scores.labels(decision, word_counts(texts)).tolist()
    reading = SystemOutput(main_text(described.text_blocks, keep), list(zip(texts, keep, strict=True)))
    return score_page(page, reading, cpu)
