"""Help-centre entries, which answer one question a page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext import extract
from scrapy_semtext.spiders import ArticleSpider

if TYPE_CHECKING:
    from scrapy_semtext import Page

_QUESTION = "How do I return a kettle?"
_ANSWER = (
    "Pack the kettle in its box and print the label from your account page. A driver collects it within three days.",
    "We refund the price as soon as the kettle is back in our store, which takes about a week in most cases.",
)
_TEXT = "\n".join(_ANSWER)
_PARAGRAPHS = "".join(f"<p>{line}</p>" for line in _ANSWER)
_RELATED = """<h3>Related articles</h3><ul><li><a href="/a/2">Can I return a lid?</a></li>
<li><a href="/a/3">Who pays for the parcel?</a></li></ul>"""
_RATED = "<div><span>Was this article helpful?</span> <button>Yes</button> <button>No</button></div>"


def _page(title: str, body: str, url: str = "https://kettles.example/a/1") -> Page:
    head = f"<html><head><title>{title}</title></head><body><nav><a href='/'>Kettles</a> <a href='/cart'>Cart</a></nav>"
    return extract(f"{head}<main>{body}</main><footer>Kettles Ltd, all rights reserved</footer></body></html>", url)


@pytest.mark.parametrize(
    ("title", "body", "url"),
    [
        pytest.param(
            f"{_QUESTION} - Kettles Help Center",
            f"<h1>{_QUESTION}</h1>{_PARAGRAPHS}{_RATED}{_RELATED}",
            "https://kettles.example/hc/en/articles/12",
            id="heading",
        ),
        pytest.param(
            f"FAQ | {_QUESTION} - Kettles",
            f"<p>category - <a href='/c'>Orders</a></p><hr><p>answer:</p>{_PARAGRAPHS}<h3>comments</h3><p>Thanks!</p>",
            "https://kettles.example/faq/returns/kettle",
            id="only in the title",
        ),
        pytest.param(
            "Kettles Support",
            f"<h1>Kettles Support</h1><p><a href='/kb'>Knowledge base</a> » <a href='/kb/2'>Orders</a></p>"
            f"<div class='entry-title'>{_QUESTION}</div><div>{_PARAGRAPHS}<p>Last updated: 12 May 2024</p></div>",
            "https://kettles.example/kb/entry.php?id=3",
            id="in a div below the name of the site",
        ),
        pytest.param(
            f"{_QUESTION} | Kettles",
            f"<p><a href='/s'>Support</a> &gt; Orders</p><h2>{_QUESTION}</h2>{_PARAGRAPHS}{_RELATED}",
            "https://kettles.example/a/1",
            id="linked questions",
        ),
        pytest.param(
            f"{_QUESTION} - Orders - Kettles Help",
            f"<h1>Kettles Help » Orders » {_QUESTION}</h1>{_PARAGRAPHS}{_RATED}",
            "https://kettles.example/support/2",
            id="behind boards in its heading",
        ),
    ],
)
def test_entry_is_one_pair_and_an_article(title: str, body: str, url: str) -> None:
    page = _page(title, body, url)
    assert [(pair.question, pair.answer, pair.source) for pair in page.qa_pairs] == [(_QUESTION, _TEXT, "model")]
    assert 0.75 <= page.qa_pairs[0].score < 1
    assert page.page_kind in ("article", "documentation")
    assert ArticleSpider.is_wanted(SimpleNamespace(), page)  # type: ignore[arg-type]
    assert _TEXT in page.main_text


def test_title_without_question_needs_a_label_of_the_answer() -> None:
    head, url = "<p><a href='/'>Knowledge base</a></p><h1>Returning a kettle</h1>", "https://help.kettles.example/12"
    title = "Returning a kettle - Kettles Help"
    labeled, rated = (_page(title, head + body, url) for body in (f"<p>Answer:</p>{_PARAGRAPHS}", _PARAGRAPHS + _RATED))
    assert [(pair.question, pair.answer) for pair in labeled.qa_pairs] == [("Returning a kettle", _TEXT)]
    assert rated.qa_pairs == []  # an article of a manual


@pytest.mark.parametrize(
    ("title", "body", "url"),
    [
        pytest.param(
            f"{_QUESTION} - Kettles Blog",
            f"<h1>{_QUESTION}</h1>{_PARAGRAPHS}{_RELATED}",
            "https://kettles.example/blog/2024/05/return",
            id="article",
        ),
        pytest.param(
            f"{_QUESTION} - Help - Kettles Community",
            f"<h1>{_QUESTION}</h1><p>{_TEXT}</p>{_RELATED}",
            "https://community.kettles.example/t/return/12",
            id="thread without answers",
        ),
        pytest.param(
            "How can we help? - Kettles Help Center",
            f"<h1>How can we help?</h1>{_RELATED.replace('Related articles', 'Orders') * 4}",
            "https://help.kettles.example/",
            id="list of questions",
        ),
        pytest.param(
            f"{_QUESTION} - Kettles FAQ",
            f"<h2>{_QUESTION}</h2><form><p><label>Your name:</label><input><p><label>Text:</label><input></form>",
            "https://kettles.example/faq/send?id=3",
            id="form",
        ),
    ],
)
def test_other_pages_are_no_entries(title: str, body: str, url: str) -> None:
    assert _page(title, body, url).qa_pairs == []
