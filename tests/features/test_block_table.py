"""Columns of a batch of pages equal those of each page processed separately."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext.features.table import PageTable, describe
from scrapy_semtext.labelers.structure_trees import NameTable, block_columns

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
