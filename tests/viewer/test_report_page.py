"""The report of a crawl in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.viewer import IndexRow
from scrapy_semtext.viewer.index import CountTable, report_page

if TYPE_CHECKING:
    from viewing import Open, Opened

ROWS = [
    IndexRow("1.html", "https://a.test/bread", "Bread", "article", 900, 30, confidence=0.97, outcome="item"),
    IndexRow("2.html", "https://a.test/list", "Articles", "listing", 80, 4, 0, 25, confidence=0.51, outcome="list"),
    IndexRow("3.html", f"https://a.test/{'roll' * 40}", "Rolls", "article", 90, 3, confidence=0.62, outcome="item"),
    IndexRow("4.html", "https://a.test/empty", "Empty", None, confidence=0.0, outcome="nothing"),
]
PATTERN = f"a.test/{'calendar' * 20}/#/?day=#"
REPORT = report_page(
    "Crawl of a.test",
    "From https://a.test/",
    {"items": "2", "pages/s": "3.1"},
    [
        CountTable("By host", "1 host.", ("host", "items"), [("a.test", 2)]),
        CountTable("Failed", "Why.", ("reason", "addresses"), []),
        CountTable("Not fetched", "Left.", ("like", "addresses", "why"), [(PATTERN, 1_200, "promise little")]),
    ],
    ROWS,
    left_out=7,
)


@pytest.fixture
def opened(open_page: Open) -> Opened:
    return open_page(REPORT)


def titles(opened: Opened) -> list[str]:
    return [text.split("\n")[0] for text in opened.page.locator("#pages tbody tr:visible .page").all_inner_texts()]


def test_the_pages_of_items_that_are_least_sure_come_first(opened: Opened) -> None:
    assert titles(opened) == ["Rolls", "Bread", "Empty", "Articles"]
    assert opened.page.get_by_text("The first 4 of 11 pages, each with").is_visible()


def test_counts_are_tables_with_names_and_empty_ones_are_left_out(opened: Opened) -> None:
    assert opened.page.get_by_role("heading").all_inner_texts() == [
        "Crawl of a.test",
        "By host",
        "Not fetched",
        "Pages",
    ]
    assert opened.page.get_by_role("region", name="Not fetched").get_by_text("1,200").is_visible()
    assert opened.page.get_by_text("pages/s").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(open_page: Open, width: int) -> None:
    opened = open_page(REPORT, width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
