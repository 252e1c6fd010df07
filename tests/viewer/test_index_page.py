"""The overview of many pages in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.page import Block, Page
from scrapy_semtext.viewer import IndexRow, confidence, index_page

if TYPE_CHECKING:
    from viewing import Open, Opened

ROWS = [
    IndexRow("1.html", "https://example.com/bread", "Bread", "article", 900, 30, 0, 0, 0.97),
    IndexRow("2.html", "https://example.com/forum", "A thread", "forum", 1200, 40, 8, 0, 0.83),
    IndexRow("3.html", "https://example.org/list", "Articles", "listing", 80, 4, 0, 25, 0.91),
    IndexRow(None, "https://example.org/broken", None, note="MemoryError: boom"),
]


@pytest.fixture
def opened(open_page: Open) -> Opened:
    return open_page(index_page(ROWS))


def titles(opened: Opened) -> list[str]:
    return [text.split("\n")[0] for text in opened.page.locator("tbody tr:visible .page").all_inner_texts()]


def test_the_most_doubtful_pages_come_first(opened: Opened) -> None:
    assert titles(opened) == ["https://example.org/broken", "A thread", "Articles", "Bread"]
    assert "83 %" in opened.page.locator("tbody tr").nth(1).inner_text()
    assert opened.page.get_by_text("MemoryError: boom").is_visible()
    assert opened.page.get_by_role("link").count() == 3


def test_each_column_sorts_both_ways(opened: Opened) -> None:
    opened.page.get_by_role("button", name="words").click()
    assert titles(opened) == ["https://example.org/broken", "Articles", "Bread", "A thread"]
    opened.page.get_by_role("button", name="words").click()
    assert titles(opened) == ["A thread", "Bread", "Articles", "https://example.org/broken"]
    opened.page.get_by_role("button", name="page").click()
    assert titles(opened) == ["A thread", "Articles", "Bread", "https://example.org/broken"]


def test_pages_are_filtered_by_text_and_kind(opened: Opened) -> None:
    opened.page.get_by_label("Filter").fill("EXAMPLE.org list")
    assert titles(opened) == ["Articles"]
    opened.page.get_by_label("Filter").fill("")
    opened.page.get_by_label("Kind").select_option("forum")
    assert titles(opened) == ["A thread"]
    assert opened.page.locator("#shown").inner_text() == "1 shown"


def test_confidence_is_the_expected_share_of_words_with_the_right_label() -> None:
    blocks = [Block("one two three", "main", 0.9), Block("four", "boilerplate", 0.3)]
    assert confidence(Page(blocks=blocks)) == pytest.approx((3 * 0.9 + 0.7) / 4)
    assert confidence(Page()) == 0
    assert confidence(Page(blocks=[Block(".", "main", 0.9)])) == 0, "no words"
