"""Pages that are not threads cost little, and the results for a page do not depend on other pages."""

from __future__ import annotations

import pytest
from gate.quality import read_sample

from scrapy_semtext.features.table import ParsedPage, describe
from scrapy_semtext.read import posts
from scrapy_semtext.read.faq import has_enough_questions
from scrapy_semtext.read.kinds import KINDS
from scrapy_semtext.read.posts import load_pair_models
from scrapy_semtext.read.threads import find_posts
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes

THREAD = """<body id=phpbb class=section-viewtopic><h1>Kettle leaks</h1>
<div class=post id=p1><p class=author>by Ann » 3 May 2024 10:00</p><div class=content>It leaks.</div><a>Quote</a></div>
<div class=post id=p2><p class=author>by Bob » 3 May 2024 11:00</p><div class=content>Glue it.</div><a>Reply</a></div>
<p>Posts: 12 Joined: 2011 Forum index Post a reply</p>"""


def no_thread() -> str:
    """Return an article of a newspaper."""
    return next(page.html for page in read_sample() if page.page_type == "article")


def nodes_of(html: str) -> PageNodes:
    root = parsing.parse(html)
    return PageNodes.of_page(root)


def test_the_gate_tells_threads_from_other_pages() -> None:
    models = load_pair_models().posts
    likely = models.kinds.probabilities([describe(html, None) for html in (THREAD, no_thread(), THREAD)])
    forum = [kinds[KINDS.index("forum")] >= models.search_from for kinds in likely if kinds is not None]
    assert forum == [True, False, True]


def test_what_is_no_thread_is_not_searched_for_posts(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []

    def search_posts(pages: list[PageNodes], *_: object) -> list[None]:
        searched.append(len(pages))
        return [None] * len(pages)

    monkeypatch.setattr(posts, "search_posts", search_posts)
    models = load_pair_models().posts
    for htmls, passing in (([no_thread()], []), ([THREAD, no_thread(), THREAD], [2])):
        searched.clear()
        assert find_posts([page_of(html) for html in htmls], models) == [None] * len(htmls)
        assert searched == passing


def page_of(html: str) -> ParsedPage:
    return describe(html, None)


@pytest.mark.parametrize(
    ("html", "may"),
    [
        ("<h2>Is it safe?</h2><p>Yes.</p><h2>Is it good？</h2><p>Yes.</p>", True),
        ("<h2>Is it safe?</h2><p>Yes.</p><h2>Prices</h2><p>None.</p>", False),
        ("<p>See /page?id=1 and /page?id=2 for more.</p><p>What? Nothing.</p>", False),
    ],
)
def test_a_list_of_questions_asks_twice(html: str, may: bool) -> None:
    assert has_enough_questions(nodes_of(html)) is may
