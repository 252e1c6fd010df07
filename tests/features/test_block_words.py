"""The words of blocks: those of their paths and of their text."""

from __future__ import annotations

from itertools import pairwise

from scrapy_semtext.features.blocks import BlockWords, words_of_blocks
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import ScopeTree, segment
from scrapy_semtext.tree.segmentation import Scope, TextBlock

PAGE = """
<html><body class="home page-2"><nav id="top" class="navBar"><a href="/">Home</a></nav>
<div class="post-body"><p>The river rose overnight.</p><p class="byline">By the editors</p></div>
<div class="post-body"><p>A second text.</p></div></body></html>
"""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def words_of(blocks: list[TextBlock], **options: object) -> BlockWords:
    return words_of_blocks(ScopeTree(blocks), **options)  # type: ignore[arg-type]


def test_blocks_in_words() -> None:
    tags, names, text = words_of(segment(parse(PAGE)))
    assert tags == [words("document body navigation")] + [words("document body division paragraph")] * 3
    assert names == [
        words("home page top navigation bar"),
        words("home page post body"),
        words("home page post body byline"),
        words("home page post body"),
    ]
    assert text == [("home",), words("river rose overnight"), words("by editors"), words("second text")]


def chain(depth: int, tag: str = "div", names: str = "") -> Scope:
    scope = Scope(None, None, "body", "", False)
    for level in range(depth):
        scope = Scope(None, scope, tag, names.format(level), False)
    return scope


def test_a_path_that_is_too_long_keeps_the_words_nearest_the_block() -> None:
    blocks = [TextBlock("x", Scope(None, chain(5, "div", "outer"), "p", "lead text", False), [])]
    assert words_of(blocks, limit=3).names == [words("outer lead text")]
    assert words_of(blocks, limit=3, keep="first").names == [words("outer outer outer")]
    assert words_of(blocks, limit=3).tags == [words("division division paragraph")]
    assert words_of(blocks, limit=3, keep="first").tags == [words("body division division")]


def test_deep_nesting() -> None:
    """Handles a block at each of 20,000 levels; equal paths share their memory."""
    innermost = chain(20_000, "div", "level{}")
    layout = ScopeTree(_blocks := [TextBlock("x", scope, []) for scope in innermost.ancestry()][::-1])
    found = words_of_blocks(layout)
    assert found.tags[-1] == ("division",) * 50
    assert all(a is b for a, b in pairwise(found.tags[-1000:]))
