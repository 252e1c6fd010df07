"""Which post replies to which, from the structure of a page."""

from __future__ import annotations

import pytest

from scrapy_semtext.read.facts import Records
from scrapy_semtext.read.threads import parents_of
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes


def _parents(html: str) -> list[int]:
    root = parsing.parse(f"<div>{html}</div>")
    nodes = PageNodes.of_page(root)
    bodies = [number for number, scope in enumerate(nodes.scopes) if scope.tag == "p"]
    return parents_of(nodes, bodies, Records(nodes, bodies))


def test_replies_inside_what_they_answer() -> None:
    html = "<ol><li><p>One.</p><ol><li><p>On one.</p></li><li><p>Also.</p></li></ol></li><li><p>Two.</p></li></ol>"
    assert _parents(html) == [-1, 0, 0, -1]


@pytest.mark.parametrize(
    "post",
    [
        "<div style='margin-left: {pixels}px'><p>{text}</p></div>",
        "<div class='comment depth-{depth}'><p>{text}</p></div>",
        "<div data-depth={depth}><p>{text}</p></div>",
        "<table><tr><td class=ind><img src=s.gif height=1 width={pixels}></td><td><p>{text}</p></td></tr></table>",
    ],
    ids=["margin", "name", "attribute", "spacer"],
)
def test_replies_that_are_indented(post: str) -> None:
    depths = (0, 1, 2, 1, 0)
    html = "".join(post.format(depth=depth, pixels=40 * depth, text=f"Post {n}.") for n, depth in enumerate(depths))
    assert _parents(html) == [-1, 0, 1, 0, -1]


@pytest.mark.parametrize(
    "html",
    [
        "<div><p>One.</p></div><div><p>Two.</p></div><div><p>Three.</p></div>",
        "<div class=level-3><p>One.</p></div><div class=level-7><p>Two.</p></div>",
        "<p style='left:0px'>One.</p><p style='left:80px'>Two.</p><p style='left:40px'>Three.</p>",
    ],
    ids=["flat", "levels of members", "steps of two"],
)
def test_without_structure_no_post_is_a_reply(html: str) -> None:
    assert set(_parents(html)) == {-1}


def test_a_width_of_thousands_of_digits() -> None:
    html = "".join(f"<div><img height={'0' * 5_000}1 width={'9' * 5_000}><p>Post {n}.</p></div>" for n in range(3))
    assert _parents(html) == [-1, -1, -1]
