"""The number of a page within its thread, from its URL, its text, its pager and its links."""

from __future__ import annotations

import pytest

from scrapy_semtext.read.thread_pages import PageNumber, is_url_of_later_page, page_number_of, without_page_number
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.segmentation import search


def _number(html: str, url: str | None = None) -> PageNumber:
    root = parsing.parse(html, url)
    return page_number_of(root, url, [block.text for block in search(root)])


@pytest.mark.parametrize(
    ("url", "later"),
    [
        ("https://example.com/thread/1", False),
        ("https://example.com/thread/1?page=1", False),
        ("https://example.com/thread/1?page=2", True),
        ("https://example.com/threads/kettle.17/page-3", True),
        ("https://example.com/thema/kessel/seite/2", True),
        ("https://example.com/viewtopic.php?f=1&t=2&start=0", False),
        ("https://example.com/viewtopic.php?f=1&t=2&start=15", True),
        ("https://example.com/viewtopic.php?p=1234", False),
        ("https://example.com/page-setup-2024", False),
        (f"https://example.com/thread/1?page={'9' * 5_000}", True),
        (None, False),
    ],
)
def test_addresses_of_later_pages(url: str | None, later: bool) -> None:
    assert is_url_of_later_page(url) is later
    assert _number("<p>x</p>", url).is_later is later


@pytest.mark.parametrize(
    ("html", "stated"),
    [
        ("<title>Kettle leaks - Page 3 - Tea forum</title><p>x</p>", 3),
        ("<title>Kettle leaks (page 2 of 4)</title><p>x</p>", 2),
        ("<title>Kessel leckt - Seite 2</title><p>x</p>", 2),
        ("<title>How to print page 2 of a document</title><p>x</p>", None),
        ("<p>Page 3 of 12</p><p>x</p>", 3),
        ("<p>Seite 1 von 4</p>", 1),
        ("<p>Page 3 of 2</p>", None),
        ("<p>Read page 3 of 12 in the manual.</p>", None),
    ],
)
def test_numbers_that_the_page_states(html: str, stated: int | None) -> None:
    assert _number(html).stated == stated


@pytest.mark.parametrize(
    ("pager", "current"),
    [
        ("<a href=1>1</a> <b>2</b> <a href=3>3</a>", 2),
        ("<b>1</b> <a href=2>2</a> <a href=3>3</a>", 1),
        ("<ul><li><a href=1>1</a></li><li class='page-item active'><a href=2>2</a></li></ul>", 2),
        ("<a href=1>1</a><a href=2 aria-current=page>2</a>", 2),
        ("<a href=1>1</a> <a href=2>2</a>", None),
        ("<a href=a>Post 7</a> of <b>2024</b>", None),
        ("<a href=1>1</a> <a href=2>2</a> with 31 guests", None),
        ("<table><tr><td><a href=25>25</a></td><td>26</td><td>27</td><td>28</td></tr></table>", None),
        ("<p>Go to page: 1 <a href=2>2</a>", 1),
        ("<h1>Kettle 2</h1><p><a href=1>1</a> <a href=2>2</a> <a href=3>3</a>", None),
        ("<p>I have got 2 kettles.</p><p><a href=1>1</a> <a href=2>2</a> <a href=3>3</a>", None),
    ],
)
def test_the_current_entry_of_a_pager(pager: str, current: int | None) -> None:
    assert _number(f"<div>{pager}</div><p>x</p>").current == current


@pytest.mark.parametrize(
    ("url", "before", "later"),
    [
        ("https://example.com/t/kettle/3", "/t/kettle/3?page=1", True),
        ("https://example.com/viewtopic.php?t=3&view=next", "viewtopic.php?t=2&view=previous", False),
        ("https://example.com/t/kettle/3", "/t/spout/2", False),
        ("https://[bad/t/1", "/t/1?page=1", False),
        ("https://example.com/t/1", "http://[bad", False),
    ],
)
def test_a_link_to_the_page_before_is_not_one_to_the_thread_before(url: str, before: str, later: bool) -> None:
    root = parsing.parse(f"<head><link rel='prev' href='{before}'></head><p>x</p>")
    assert page_number_of(root, url, ["x"]).is_later is later


@pytest.mark.parametrize(
    ("title", "without"),
    [
        ("Kettle | Page 2", "Kettle"),
        ("Kettle (page 2 of 3)", "Kettle"),
        ("Print page 2 of a book", "Print page 2 of a book"),
    ],
)
def test_titles_without_the_number_of_the_page(title: str, without: str) -> None:
    assert without_page_number(title) == without
