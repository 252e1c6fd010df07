"""Which sets of nodes count as readers' comments in training."""

from __future__ import annotations

import pytest

pytest.importorskip("lightgbm")

from scrapy_semtext.train.posts import PairPage, PostExample, Role, comment_label, post_examples

ARTICLE = "The bridge over the river opens again after two years of work on its piers."
COMMENTS = ["I drove around for two whole years.", "Does the toll stay the same as before?"]


def example(role: Role, *, name: str = "comments", date: str = "3 May 2024", main_text: str = ARTICLE) -> PostExample:
    listed = "".join(f"<li><b>Ann</b> <i>{date}</i><p>{text}</p></li>" for text in COMMENTS)
    html = f"<article><p>{ARTICLE}</p></article><ol class={name}>{listed}</ol>"
    posts = COMMENTS if role in ("comments", "posts") else []
    page = PairPage("1", role, "article", "e", "e.example", None, "wcxb_dev", html, posts, None, main_text, True)
    (made,) = post_examples(page)
    return made


def label(one: PostExample, *, named: bool = True) -> bool | None:
    scopes = one.nodes.scopes
    bodies = tuple(node for node, scope in enumerate(scopes) if scope.tag == "p" and scopes[node - 1].tag != "article")
    return comment_label(one, bodies, [one.nodes.text(body) for body in bodies], named=named)


def test_known_comments_count() -> None:
    assert label(example("comments")) is True
    assert comment_label(example("comments"), (1,), [ARTICLE], named=True) is False


def test_posts_of_threads_are_no_comments() -> None:
    assert label(example("posts")) is False


def test_texts_outside_the_main_text_count_if_they_are_named_and_signed() -> None:
    assert label(example("none")) is True
    assert label(example("none", main_text="\n".join([ARTICLE, *COMMENTS]))) is False
    assert label(example("none"), named=False) is None
    assert label(example("none", name="box")) is False  # no name on the page is one of comments
