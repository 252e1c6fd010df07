"""Compiled loops over the scopes of a page give what those in Python give."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext.compiled import layout as compiled_layout
from scrapy_semtext.compiled import tables
from scrapy_semtext.describe import describe
from scrapy_semtext.structure import block_table, names, rows
from scrapy_semtext.structure import layout as layouts
from scrapy_semtext.structure.layout import Layout
from scrapy_semtext.structure.names import NameTable
from scrapy_semtext.structure.rows import write_above
from scrapy_semtext.structure.trees import table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described

NESTED = "<div class=a>" * 300 + "<p>In the depth.</p>" + "</div>" * 300
PAGES = (
    "text",
    "<p class='\u0130 \U0001d49c main'>\u4e2d\u6587</p>",
    NESTED,
    "<p>One.</p>" * 500,
    f"{NESTED}<ul class=menu>{'<li>Item</li><li class=menu><a href=/>Link</a></li>' * 40}</ul>",
)
WORDS = ["<div", "<p", "main", "menu", "content", "nowhere", "<article", "footer"]


def _pages() -> list[Described]:
    described = [describe(html, None) for html in PAGES]
    return described + [describe(page.html, page.url) for page in islice(read_sample(), 25)]


def _found(pages: list[Described]) -> list[NDArray[np.float64]]:
    """All that is found out of scopes on each page, in one row of numbers."""
    table = NameTable(WORDS)
    found = []
    for page in pages:
        layout = Layout(page.text_blocks)
        lengths = np.array([len(block.text) for block in page.text_blocks], dtype=np.float64)
        path = layout.heaviest_path(layout.totals(lengths[:, None])[:, 0])
        least = layout.heaviest_path(np.zeros(len(layout)))
        near = table.nearness(layout.looks, layout.parent, layout.depth, layout.of_block)
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


@pytest.mark.skipif(compiled_layout is None or tables is None, reason="not compiled")
def test_compiled_loops_give_what_python_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = _pages()
    compiled = _found(pages)
    for module in (layouts, names, rows, block_table):
        monkeypatch.setattr(module, "compiled", None)
    for one, other in zip(compiled, _found(pages), strict=True):
        assert np.isfinite(one).all()
        assert np.array_equal(one, other)


@pytest.mark.skipif(compiled_layout is None, reason="not compiled")
def test_compiled_scopes_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = _pages()
    lists = [blocks for page in pages for blocks in (page.pieces, page.text_blocks, page.pieces[5::3], [])]
    compiled = [Layout(blocks) for blocks in lists]
    monkeypatch.setattr(layouts, "compiled", None)
    for one, blocks in zip(compiled, lists, strict=True):
        other = Layout(blocks)
        assert len(one) == len(other)
        assert all(scope is same for scope, same in zip(one.scopes, other.scopes, strict=True))
        for name in ("parent", "first", "last", "depth", "of_block"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
            assert getattr(one, name).dtype == np.int64


def test_scopes_have_looks() -> None:
    layout = Layout(
        describe("<body><p class=a>One.</p><h2>Head</h2><p class=a>Two.</p><p>Three.</p>", None).text_blocks
    )
    assert layout.looks.different == [("html", ""), ("body", ""), ("p", "a"), ("h2", ""), ("p", "")]
    assert layout.looks.of_scope.tolist() == [0, 1, 2, 3, 2, 4]
    assert layout.times == [1, 1, 2, 1, 1]
    assert layout.tag_counts == {"html": 1, "body": 1, "p": 3, "h2": 1}
    assert layout.alike.tolist() == [0, 1, 2, 3, 2, 4]


@pytest.mark.skipif(compiled_layout is None, reason="not compiled")
def test_scopes_of_joined_blocks_are_those_around_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = _pages()
    lists = [(page.pieces, blocks) for page in pages for blocks in (page.text_blocks, page.pieces[5::3] or page.pieces)]
    found = [Layout(pieces).of_joined(blocks) for pieces, blocks in lists]
    with pytest.raises(KeyError):
        Layout(pages[0].pieces).of_joined(pages[1].text_blocks)
    monkeypatch.setattr(layouts, "compiled", None)
    for layout, (pieces, blocks) in zip(found, lists, strict=True):
        for other in (Layout(blocks), Layout(pieces).of_joined(blocks)):
            assert all(scope is same for scope, same in zip(layout.scopes, other.scopes, strict=True))
            assert layout.looks.different == other.looks.different
            assert np.array_equal(layout.looks.of_scope, other.looks.of_scope)
            for name in ("parent", "first", "last", "depth", "of_block"):
                assert np.array_equal(getattr(layout, name), getattr(other, name)), name


@pytest.mark.skipif(compiled_layout is None, reason="not compiled")
def test_scopes_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [Layout(page.text_blocks) for page in _pages()]
    found = [page.alike for page in pages]
    monkeypatch.setattr(layouts, "compiled", None)
    for page, alike in zip(pages, found, strict=True):
        del page.alike
        assert np.array_equal(page.alike, alike)
