"""Compiled loops over the scopes of a page give what those in Python give."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from gate.quality import read_sample

from scrapy_semtext.dom.scope_tree import ScopeTree
from scrapy_semtext.features.name_features import NameTable
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.features.structure_features import write_above
from scrapy_semtext.labelers.structure_trees import table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.features.parsed_page import ParsedPage

NESTED = "<div class=a>" * 300 + "<p>In the depth.</p>" + "</div>" * 300
PAGES = (
    "text",
    "<p class='\u0130 \U0001d49c main'>\u4e2d\u6587</p>",
    NESTED,
    "<p>One.</p>" * 500,
    f"{NESTED}<ul class=menu>{'<li>Item</li><li class=menu><a href=/>Link</a></li>' * 40}</ul>",
)
WORDS = ["<div", "<p", "main", "menu", "content", "nowhere", "<article", "footer"]


def _pages() -> list[ParsedPage]:
    described = [describe(html, None) for html in PAGES]
    return described + [describe(page.html, page.url) for page in islice(read_sample(), 25)]


def _found(pages: list[ParsedPage]) -> list[NDArray[np.float64]]:
    """All that is found out of scopes on each page, in one row of numbers."""
    table = NameTable(WORDS)
    found = []
    for page in pages:
        layout = ScopeTree(page.text_blocks)
        lengths = np.array([len(block.text) for block in page.text_blocks], dtype=np.float64)
        path = layout.heaviest_path(layout.totals(lengths[:, None])[:, 0])
        least = layout.heaviest_path(np.zeros(len(layout)))
        near = table.nearness(layout.element_types, layout.parent, layout.depth, layout.of_block)
        above = np.zeros((3 * 2, len(lengths)), dtype=np.float32)
        write_above(layout, np.array([layout.depth, layout.first], dtype=np.float32), (0, 2, 400), above)
        parts: list[Any] = [
            path,
            least,
            *layout.branches(path),
            *layout.branches(path[:2]),
            near,
            above,
            table_of(page),
        ]
        found.append(np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts]))
        page._table = None
    return found


def test_scopes_have_looks() -> None:
    layout = ScopeTree(
        describe("<body><p class=a>One.</p><h2>Head</h2><p class=a>Two.</p><p>Three.</p>", None).text_blocks
    )
    assert layout.element_types.pairs == [("html", ""), ("body", ""), ("p", "a"), ("h2", ""), ("p", "")]
    assert layout.element_types.of_scope.tolist() == [0, 1, 2, 3, 2, 4]
    assert layout.times == [1, 1, 2, 1, 1]
    assert layout.tag_counts == {"html": 1, "body": 1, "p": 3, "h2": 1}
    assert layout.alike.tolist() == [0, 1, 2, 3, 2, 4]
