"""The check of how single pages are classified."""

from __future__ import annotations

import pytest

pytest.importorskip("lightgbm")

from research.site_crawls.outcome_check import ReadPage, table
from scrapy_semtext import Page
from scrapy_semtext.crawling.links import PageLink

TEXT = "A text of an item, which is long enough to be one, as it has more than eighty letters in all of its words."


def read(kind: str, *, is_overview: bool, is_tuned: bool = False) -> ReadPage:
    page = Page(url="http://site.test/a", main_text=TEXT, is_overview=is_overview)
    links = [PageLink(f"http://site.test/{number}", "", "elsewhere") for number in range(3)]
    return ReadPage(kind, "site.test", page, links, is_tuned)


def test_the_table_tells_sites_that_rules_are_tuned_on_from_others() -> None:
    pages = [
        read("article", is_overview=False, is_tuned=True),
        read("article", is_overview=True),
        read("article", is_overview=False),
        read("listing", is_overview=True),
    ]
    assert table(pages).splitlines()[2:] == [
        "| tuned on | all items | 1 | 1.000 | 0.000 | 0.000 |",
        "| tuned on | article | 1 | 1.000 | 0.000 | 0.000 |",
        "| others | all items | 2 | 0.500 | 0.500 | 0.000 |",
        "| others | all lists | 1 | 0.000 | 1.000 | 0.000 |",
        "| others | article | 2 | 0.500 | 0.500 | 0.000 |",
        "| others | listing | 1 | 0.000 | 1.000 | 0.000 |",
    ]
