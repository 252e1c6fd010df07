from __future__ import annotations

import pytest

from scrapy_semtext.read.lists import next_page_of
from scrapy_semtext.tree.parsing import parse

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
