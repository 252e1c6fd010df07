"""The upper bound of any labelling of the blocks: the score of blocks labelled from the true text.

It measures segmentation and alignment, and the annotation: text that is loaded by scripts, and words that annotators
added or left out within a block, are lost to every labeller.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from tqdm import tqdm

from scrapy_semtext.dom.combining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.training.alignment import label_blocks
from scrapy_semtext.training.datasets import read_pages
from scrapy_semtext.training.scoring import PRF, mean_prf, word_prf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_semtext.training.datasets import AnnotatedPage


class PageCeiling(NamedTuple):
    """A page's best score: ``score`` of its true blocks, ``present`` the share of the true words in any block."""

    score: PRF
    present: float


def oracle_text(blocks: Sequence[str], truth: str) -> str:
    """Return the main text that perfect labels would give: the blocks that are content by the truth, a line each."""
    labels = label_blocks(blocks, truth)
    return "\n".join(block for block, is_content in zip(blocks, labels, strict=True) if is_content)


def page_ceiling(page: AnnotatedPage) -> PageCeiling:
    """Segment a page, label its blocks from its truth and compare their text with it."""
    blocks = [block.text for block in segment(parse(page.html, page.url))]
    present = word_prf("\n".join(blocks), page.text).recall
    return PageCeiling(word_prf(oracle_text(blocks, page.text), page.text), present)


def ceiling(paths: Iterable[str | Path], progress: bool = True) -> dict[str, dict[str, Any]]:
    """Return the mean page_ceiling over the pages of the sets, for all pages ("all") and for each page type.

    Each value holds ``precision``, ``recall``, ``f1`` and ``present`` (0 to 1) and the number of ``pages``. With
    ``progress`` a bar goes to standard error. Raises DatasetError for a set that cannot be read.
    """
    groups: defaultdict[str, list[PageCeiling]] = defaultdict(list)
    pages = (page for path in paths for page in read_pages(path))
    for page in tqdm(pages, unit=" pages", disable=not progress):
        row = page_ceiling(page)
        groups["all"].append(row)
        groups[page.page_type or "untyped"].append(row)
    return {name: _summary(rows) for name, rows in groups.items()}


def _summary(rows: list[PageCeiling]) -> dict[str, Any]:
    mean = mean_prf(row.score for row in rows)
    return {**mean._asdict(), "present": sum(row.present for row in rows) / len(rows), "pages": len(rows)}
