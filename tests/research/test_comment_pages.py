"""Articles with comments generated for training: their content, and their truth."""

from __future__ import annotations

import pytest

pytest.importorskip("lightgbm")

from research.making.comments import comment_pages
from scrapy_semtext.train.datasets import AnnotatedPage
from scrapy_semtext.train.posts import PairPage
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.segmentation import search

PROSE = "The bridge over the river opens again after two years of work, and buses use it from Monday on. " * 6
POSTS = ["Which glue holds? I tried two.", "Epoxy did it for me. Let it dry for a day."]


def article(markup: str = "", page_id: str = "1") -> AnnotatedPage:
    main = f"<main><h1>Bridge</h1><p>{PROSE}</p></main>"
    html = f"<title>Bridge</title><nav>Home</nav>{main}{markup}<footer>Imprint</footer>"
    return AnnotatedPage(page_id, "wcxb_dev", None, "article", "en", html, f"Bridge\n{PROSE}", "paper.example")


def thread() -> PairPage:
    return PairPage("t", "posts", "thread", "e", "f.example", None, "webforum52", "", POSTS, None, "", shippable=True)


def test_comments_are_parts_of_posts_and_stand_behind_the_article() -> None:
    (page,) = comment_pages([article()], [thread()])
    assert page.role == "comments"
    assert page.domain == "paper.example"
    texts = [block.text for block in search(parsing.parse(page.html))]
    shown = "\n".join(texts)
    for comment in page.posts:
        said = comment.split("\n")[-1]
        assert any(said in post for post in POSTS)
        assert shown.index("buses use it") < shown.index(said.split(". ")[0])


@pytest.mark.parametrize("markup", ["<div class='comment-list'>Nice</div>", "<div id=disqus_thread></div>"])
def test_pages_with_comments_of_their_own_are_left_out(markup: str) -> None:
    assert not [*comment_pages([article(markup)], [thread()])]
