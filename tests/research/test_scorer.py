"""The measures equal those of the benchmark's scorer, to the last digit it prints.

The figures below are the scorer's results for these pages and predictions.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from gate.quality import read_sample

from research.block_scoring import block_counts
from research.measuring import PageScore, SystemScores
from research.tables import summarize
from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment

if TYPE_CHECKING:
    from gate.quality import GatePage

PAGES = 16
FIGURES = {
    "words": {"precision": 0.8435, "recall": 0.9684, "f1": 0.8941},
    "blocks_pooled": {"precision": 0.646, "recall": 0.4836, "f1": 0.5531},
    "blocks_page_mean": {"precision": 0.6087, "recall": 0.6237, "f1": 0.5576},
}


@pytest.fixture(scope="module")
def pages() -> list[GatePage]:
    return list(islice(read_sample(), PAGES))


def labeled(page: GatePage) -> list[tuple[str, bool]]:
    """Label blocks of at least eight words as main content, which is right here and wrong there."""
    return [(block.text, len(block.text.split()) >= 8) for block in segment(parse(page.html, page.url))]


def main_text(blocks: list[tuple[str, bool]]) -> str:
    return "\n".join(text for text, main in blocks if main)


@pytest.fixture(scope="module")
def figures(pages: list[GatePage]) -> dict[str, Any]:
    """Return the results of our measures in the scorer's format."""
    rows = []
    for page in pages:
        blocks = labeled(page)
        words = word_prf(main_text(blocks), page.text)
        rows.append(PageScore("gate", page.id, page.page_type, words, block_counts(blocks, page.text), 0.0))
    group = summarize({"rule": SystemScores("1", rows)}, resamples=1, seed=0)["rule"]["groups"]["all"]
    return {
        measure: {name: round(estimate.value, 4) for name, estimate in group[measure].items()}
        for measure in ("words", "blocks_pooled", "blocks_page_mean")
    }


def test_measures_agree_with_figures_computed_by_the_scorer(figures: dict[str, Any]) -> None:
    assert figures == FIGURES
