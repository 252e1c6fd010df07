"""The next page of a page, and the number of the page that it is."""

from __future__ import annotations

import pytest

from scrapy_semtext.read.lists import next_page_of
from scrapy_semtext.read.thread_pages import PageNumber, is_url_of_later_page, page_number_of, without_page_number
from scrapy_semtext.threads import next_url
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.segmentation import search

URL = "https://example.com/news"


def next_page(html: str, url: str = URL) -> str | None:
    return next_page_of(parse(html), url, url)


@pytest.mark.parametrize(
    "html",
    [
        "<head><link rel=next href=?page=2></head>",
        "<a rel='nofollow next' href=?page=2>More</a>",
        "<a href=?page=2>Next</a>",
        "<a href=?page=2>Next page »</a>",
        "<a href=?page=2>← Older posts</a>",
        "<a href=?page=2>Nächste Seite</a>",
        "<a href=?page=2>Suivant</a>",
        "<a href=?page=2>Следующая</a>",
        "<a href=?page=2>下一页</a>",
        "<a href=?page=2 aria-label='Next page'><svg></svg></a>",
        "<div class=pagination><a href=?page=2>›</a></div>",
        "<ul class=pager><li><span aria-current=page>1</span></li><li><a href=?page=2>2</a></li></ul>",
        "<p><b>1</b> <a href=?page=2>2</a> <a href=?page=3>3</a></p>",
    ],
)
def test_the_next_page(html: str) -> None:
    assert next_page(html) == f"{URL}?page=2"


def test_the_page_behind_the_current_one() -> None:
    pager = "<p><a href=/news>1</a> <b>2</b> <a href=?page=3>3</a> <a href=?page=9>9</a></p>"
    assert next_page(pager, f"{URL}?page=2") == f"{URL}?page=3"


def test_a_pager_goes_before_other_links_that_say_next() -> None:
    story = "<div><a class=next href=/story>Next</a></div>"
    assert next_page(f"{story}<div class=pagination><a href=?page=2>Next</a></div>") == f"{URL}?page=2"


def test_the_number_of_a_post_is_no_page() -> None:
    assert next_page("<p><a href=?p=123>123</a> <a href=?p=124>124</a></p>", f"{URL}?p=123") is None


@pytest.mark.parametrize(
    "html",
    [
        "<a rel=next href=https://elsewhere.com/2>Next</a>",
        f"<a href={URL}#top>Next</a>",
        "<a href=/story>Next to the sea, a story of a house and more</a>",
        "<p><a href=/cart>›</a></p>",
        "<p><a href=/topics/2>2</a> replies</p>",
        "<a href=#>Next</a>",
        f"<a href={URL}/>Next</a>",
    ],
)
def test_no_next_page(html: str) -> None:
    assert next_page(html) is None


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


FIRST = "https://forum.test/topic?id=5"
SECOND, THIRD = f"{FIRST}&page=2", f"{FIRST}&page=3"
TOPIC = "<div><p>« <a href=/topic?id=4>previous</a> | <a href=/topic?id=6>next</a> »</p></div>"


@pytest.mark.parametrize(
    ("pager", "url", "following"),
    [
        ("<p>Pages: [<strong>1</strong>] <a href='{2}'>2</a> <a href='{3}'>3</a></p>", FIRST, SECOND),
        ("<p>Pages: <a href='{1}'>1</a> [<strong>2</strong>] <a href='{3}'>3</a></p>", SECOND, THIRD),
        ("<p>Goto page <a href='{1}'>Prev</a> <a href='{1}'>1</a>, <b>2</b>, <a href='{3}'>3</a></p>", SECOND, THIRD),
        ("<p>Goto page <a href='{1}'>1</a>, <a href='{2}'>2</a>, <b>3</b></p>", THIRD, None),
        ("<p class=pagelinks><b>1</b> <a href='{2}'>2</a> <a href='{2}'><i class=next></i></a></p>", FIRST, SECOND),
        ("<div class=pages><b>1</b> <a href='{2}'>2</a> <a href='{3}'>»</a></div>", FIRST, SECOND),
        ("<ul><li class=current><a href='{1}'>1</a><li><a href='{2}'>2</a><li><a href='{2}'>›</a></ul>", FIRST, SECOND),
        ("<div>Страницы: <b>1</b> <a href='{2}'>2</a> <a href='{2}'>След.</a></div>", FIRST, SECOND),
        ("<div><b>1</b><a href='{2}'>2</a><a href='{3}'>... 3</a><a href='{2}'>下一页</a></div>", FIRST, SECOND),
        ("<div><a href='{2}'>next page →</a></div>", FIRST, SECOND),
        ("<link rel=next href='{2}'><p><a href='{1}'>1</a> <b>2</b> <a href='{3}'>3</a></p>", FIRST, SECOND),
        ("<p>Pages: [<strong>1</strong>]</p>", FIRST, None),
        ("<p><b>1</b> <a href='{2}'>2</a></p><div class=pager><a rel=next href=/board/7/2/>»</a></div>", FIRST, SECOND),
        ("<p>It has 2 locks and <a href=/3>3</a> gates.</p>", FIRST, None),
        ("", FIRST, None),
    ],
)
@pytest.mark.parametrize("beside", ["", TOPIC, f"<div>{TOPIC}</div>"])
def test_the_next_page_of_a_thread(pager: str, beside: str, url: str, following: str | None) -> None:
    links = pager.replace("{1}", FIRST).replace("{2}", SECOND).replace("{3}", THIRD)
    for html in (f"<div><div>{links}</div></div>{beside}", f"{beside}<div><div>{links}</div></div>"):
        assert next_url(html, url) == following
