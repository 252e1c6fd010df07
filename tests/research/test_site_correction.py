from __future__ import annotations

import json
import lzma

import pytest
from labeled_shop import GATE

from research.site_correction import Site, labels_of, score_site, table
from scrapy_semtext.training.datasets import AnnotatedPage


def test_blocks_that_are_partly_true_get_the_better_label() -> None:
    truth = "Kettles boil water. They do so quickly, and for many years."
    texts = ["Home", "Kettles boil water.", "They do so quickly, and for many years. Share this page with all friends"]
    assert labels_of(texts, truth).tolist() == [False, True, True]
    mostly_other = "They do so quickly. " + "Share this page with friends, and read on. " * 5
    assert labels_of(["Kettles boil water.", mostly_other], truth).tolist() == [True, False]


def test_the_table_counts_gains_and_losses() -> None:
    sites = [
        Site("a.test", "set", 9, {3: [0.8, 0.9, 0.85, 0.95]}),
        Site("b.test", "set", 8, {3: [0.98, 0.97, 0.98, 0.99]}),
    ]
    row = table(sites, [3]).splitlines()[2]
    assert (
        row == "| 3 | 2 | 0.890 | 1 | 0.800 | 0.935, 0.900, 0.50, 1 | 0.915, 0.850, 0.25, 0 | 0.970, 0.950, 0.75, 0 |"
    )


@pytest.mark.slow
def test_a_real_site() -> None:
    with lzma.open(GATE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pages = [
        AnnotatedPage(row["id"], "gate", row["url"], None, None, row["html"], row["text"], "steampowered.com")
        for row in rows
        if row["url"] and "store.steampowered.com" in row["url"]
    ]
    site = score_site(pages, [5, 10], repeats=1, most=4)
    assert (site.pages, [*site.scores]) == (9, [5])
    before, _, tuned, _ = site.scores[5]
    assert tuned > before
