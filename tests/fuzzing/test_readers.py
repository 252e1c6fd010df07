"""The segmentation and the readers of markup by themselves, with documents that hypothesis makes of their parts."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research.fuzzing.mutations import TOKENS
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.output.markup import main_text_from_markup, qa_pairs_from_markup

pytestmark = pytest.mark.slow

BUDGET = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
TEXTS = st.sampled_from(TOKENS) | st.text(max_size=8)
TAGS = st.sampled_from("div p b a li td table svg math template details pre br title body x-y".split())
IDS = st.sampled_from(["a", "b", "a b", "\x01", "\ud800", "", "a a nowhere"])
NAMES = st.sampled_from(
    ["name", "text", "mainEntity", "acceptedAnswer", "suggestedAnswer", "author", "upvoteCount", "@id"]
)
TYPES = st.sampled_from(
    ["Question", "QAPage", "FAQPage", "Answer", "DiscussionForumPosting", "Comment", 1, None, ["x"]]
)

VALUES = st.recursive(
    TEXTS | st.integers() | st.floats() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.just("@type"), inner | TYPES, max_size=5),
    max_leaves=15,
)


@st.composite
def trees(draw: st.DrawFn) -> str:
    """Elements with their ends, some in the wrong place, and text between them."""
    return "".join(
        draw(TEXTS) + (f"<{draw(TAGS)}>" if draw(st.booleans()) else f"</{draw(TAGS)}>")
        for _ in range(draw(st.integers(0, 40)))
    )


@st.composite
def items(draw: st.DrawFn) -> str:
    """Microdata whose items stand within each other, and refer to each other."""
    kinds = st.sampled_from(["Question", "Answer", "QAPage", "x"])
    return "".join(
        f'<div itemscope itemtype="https://schema.org/{draw(kinds)}" id="{draw(IDS)}" itemref="{draw(IDS)}"'
        f' itemprop="{draw(NAMES)}"><p itemprop={draw(NAMES)}>{draw(TEXTS)}' + "</div>" * draw(st.integers(0, 2))
        for _ in range(draw(st.integers(1, 8)))
    )


@BUDGET
@given(trees())
def test_blocks_and_their_tree_agree(html: str) -> None:
    parsed = describe(html, None)
    assert all(block.text.strip() for block in parsed.text_blocks)
    assert [block.text for block in describe(html, None).text_blocks] == [block.text for block in parsed.text_blocks]
    if parsed.text_blocks:
        assert parsed.layout() is not None


@BUDGET
@given(items() | trees())
def test_microdata(html: str) -> None:
    _check_markup(html)


@BUDGET
@given(VALUES, st.integers(0, 400), TEXTS)
def test_json_ld_whole_and_broken(value: object, at: int, piece: str) -> None:
    text = json.dumps(value)
    for script in (text, text[:at], text[:at] + piece + text[at:]):
        _check_markup(f'<script type="application/ld+json">{script}</script><p>Text.')


def _check_markup(html: str) -> None:
    root = parse(html)
    pairs = qa_pairs_from_markup(root, None, html)
    assert all(pair.question and pair.answer for pair in pairs)
    assert qa_pairs_from_markup(parse(html), None, html) == pairs
    assert main_text_from_markup(root) != ""
