from __future__ import annotations

import json
import lzma

import pytest
from labeled_shop import GATE

from research.site_correction import score_site
from scrapy_semtext.train.datasets import AnnotatedPage


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
    before, tuned = site.scores[5]
    assert tuned > before
