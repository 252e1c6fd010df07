"""Columns of a batch of pages equal those of each page processed separately."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext.features.table import PageTable, describe
from scrapy_semtext.labelers.structure_trees import NameTable, block_columns
from scrapy_semtext.read.kinds import page_columns, page_words
from scrapy_semtext.tree.scopes import ScopeTree

if TYPE_CHECKING:
    from scrapy_semtext.features.table import ParsedPage

NESTED = "<div class=a>" * 300 + "<p>In the depth.</p>" + "</div>" * 300
PAGES = (
    "text",
    "<p class='\u0130 \U0001d49c main'>\u4e2d\u6587</p>",
    NESTED,
    "",
    "<p>One.</p>" * 500,
    f"{NESTED}<ul class=menu>{'<li>Item</li><li class=menu><a href=/>Link</a></li>' * 40}</ul>",
)
WORDS = ["<div", "<p", "main", "menu", "content", "nowhere", "<article", "footer"]


@pytest.fixture(scope="module")
def pages() -> list[ParsedPage]:
    described = [describe(html, None) for html in PAGES]
    return described + [describe(page.html, page.url) for page in islice(read_sample(), 25)]


def test_a_batch_is_a_sequence_of_pages(pages: list[ParsedPage]) -> None:
    table = PageTable.of(pages)
    assert PageTable.of(table) is table
    assert [*table] == pages
    assert [len(part) for part in table.split(table.word_counts)] == [len(page.text_blocks) for page in pages]
    assert len(table.pages) == len(pages) - 1, "one page has no text"
    assert not PageTable([describe("", None)]).pages


def test_the_forest_holds_the_trees(pages: list[ParsedPage]) -> None:
    table = PageTable(pages)
    for page, begin in zip(table.pages, table.tree.scope_starts.tolist(), strict=False):
        tree, own = ScopeTree(page.text_blocks), slice(begin, begin + len(page.layout()))
        assert table.tree.scopes[own] == page.layout().scopes == tree.scopes
        for name in ("parent", "first", "last", "depth", "of_block"):
            assert getattr(page.layout(), name).tolist() == getattr(tree, name).tolist()
        assert (table.tree.parent[own] - begin).tolist() == tree.parent.tolist()
        types = table.tree.element_types
        assert [types.pairs[kind] for kind in types.of_scope[own].tolist()] == [(s.tag, s.names) for s in tree.scopes]


@pytest.mark.slow
def test_columns_of_blocks(pages: list[ParsedPage]) -> None:
    together = PageTable(pages)
    names, tree = NameTable(WORDS), together.tree
    columns = np.stack([*block_columns(together).values()])
    near = names.nearness(tree.element_types, tree.parent, tree.depth, tree.of_block)
    for page, own, own_near in zip(pages, together.split(columns.T), together.split(near.T), strict=True):
        if page.text_blocks:
            tree = page.layout()
            assert pytest.approx(np.stack([*block_columns(PageTable([page])).values()]), rel=1e-5) == own.T
            expected = names.nearness(tree.element_types, tree.parent, tree.depth, tree.of_block)
            assert np.array_equal(own_near.T, expected)


def test_columns_of_pages(pages: list[ParsedPage]) -> None:
    together = PageTable(pages)
    words = [{place: {*found} for place, found in each.items()} for each in page_words(together)]
    columns = page_columns(together)
    for number, (page, found) in enumerate(zip(together.pages, words, strict=True)):
        alone = PageTable([page])
        expected = {name: column[0] for name, column in page_columns(alone).items()}
        assert {name: column[number] for name, column in columns.items()} == pytest.approx(expected, rel=1e-5)
        assert found == {place: {*some} for place, some in page_words(alone)[0].items()}


def test_element_types_of_scopes() -> None:
    layout = describe("<body><p class=a>One.</p><h2>Head</h2><p class=a>Two.</p><p>Three.</p>", None).layout()
    types = layout.element_types
    assert types.pairs == [("html", ""), ("body", ""), ("p", "a"), ("h2", ""), ("p", "")]
    assert types.of_scope.tolist() == [0, 1, 2, 3, 2, 4]
    assert types.by_tag({"p": 2, "h2": 1}, -1).tolist() == [-1, -1, 2, 1, 2, 2]
    assert layout.tag_counts(["p", "h2", "h3"]).tolist() == [[3], [1], [0]]
    assert layout.sibling_groups.tolist() == [0, 1, 2, 3, 2, 4]


def test_words_of_names_are_numbered_once() -> None:
    layout = describe("<body><p class='post-body'>One.</p><p class=postTitle>Two.</p><h2>Three.</h2>", None).layout()
    names, of_scope = layout.element_types.names
    words, number, counts = layout.element_types.first_words
    assert (names, of_scope.tolist()) == (["", "post-body", "postTitle"], [0, 0, 1, 2, 0])
    assert [[*map(words.__getitem__, each)] for each in np.split(number, counts.cumsum()[:-1])] == [
        [],
        ["post", "body"],
        ["post", "title"],
    ]
