"""Pages that are no threads, and ask nothing, are left before anything costs much; others are read as ever."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.qa import reader
from scrapy_semtext.qa.candidates import best_disjoint
from scrapy_semtext.qa.faq_candidates import has_enough_questions
from scrapy_semtext.qa.models import load_pair_models
from scrapy_semtext.qa.nodes import PageNodes
from scrapy_semtext.qa.page_words import GATE_FEATURES, WORD_FEATURES, PageWords
from scrapy_semtext.qa.posts import may_have_posts

THREAD = """<body id=phpbb class=section-viewtopic><h1>Kettle leaks</h1>
<div class=post id=p1><p class=author>by Ann » 3 May 2024 10:00</p><div class=content>It leaks.</div><a>Quote</a></div>
<div class=post id=p2><p class=author>by Bob » 3 May 2024 11:00</p><div class=content>Glue it.</div><a>Reply</a></div>
<p>Posts: 12 Joined: 2011 Forum index Post a reply</p>"""


def no_thread() -> str:
    """A page whose names and labels are of the words that threads have least."""
    posts = load_pair_models().posts
    names, labels = (
        sorted(weights, key=weights.__getitem__)[:40] for weights in (posts.name_weights, posts.label_weights)
    )
    return "".join(f"<div class={name}>{label}</div>" for name, label in zip(names, labels, strict=True))


def nodes_of(html: str) -> PageNodes:
    root = tree.parse(html)
    return PageNodes(root, search(root))


def words_of(html: str) -> PageWords:
    return PageWords.of(nodes_of(html), None)


def test_the_gate_tells_threads_from_other_pages() -> None:
    models = load_pair_models().posts
    assert may_have_posts(words_of(THREAD), models)
    assert not may_have_posts(words_of(no_thread()), models)


def test_the_gate_needs_no_posts() -> None:
    assert {name for name in WORD_FEATURES if name not in GATE_FEATURES} == {
        name for name in WORD_FEATURES if name.startswith("near_")
    }


def test_what_is_no_thread_is_not_searched_for_posts(monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(*_: object) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(reader, "find_posts", searched)
    models = load_pair_models().posts
    for html, is_searched in ((no_thread(), False), (THREAD, True)):
        root = tree.parse(html)
        if is_searched:
            with pytest.raises(AssertionError, match="searched"):
                reader.look_for_posts(root, search(root), None, models)
        else:
            found = reader.look_for_posts(root, search(root), None, models)
            assert found is not None
            assert found.posts is None


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


def test_disjoint_nodes_have_the_greatest_sum() -> None:
    nodes = nodes_of("<div>a<p>b</p><div>c<p>d</p><p>e</p></div></div><div>f<p>g</p></div>")
    values = np.random.default_rng(3).normal(size=(len(nodes), 20))
    for column, found in enumerate(best_disjoint(nodes, values)):
        own = values[:, column]
        assert sum(own[list(found)]) == pytest.approx(_greatest(nodes, own))


def _greatest(nodes: PageNodes, own: np.ndarray) -> float:
    """By trying all sets."""
    best = 0.0
    for chosen in product((False, True), repeat=len(nodes)):
        ranges = sorted((nodes.firsts[n], nodes.lasts[n]) for n, taken in enumerate(chosen) if taken)
        if all(one[1] <= two[0] for one, two in pairwise(ranges)):
            best = max(best, float(own[list(chosen)].sum()))
    return best
