"""The nodes of a page, and those of a batch of pages as a table."""

from __future__ import annotations

import numpy as np

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.qa.node_features import node_features
from scrapy_semtext.qa.node_table import BLOCKS, CHARS, DATES, IMAGES
from scrapy_semtext.qa.nodes import PageNodes, share_table

_THREAD = """
<html><body><div id="thread">
  <div class="post" id="post-1">
    <img src="a.png"><p class="date">3 May 2024</p><div class="text">How do I fix it?</div>
  </div>
  <div class="post" id="post-2">
    <p class="date">4 May 2024</p><div class="text">Turn it off and on.</div>
  </div>
</div></body></html>
"""


def _nodes(html: str) -> PageNodes:
    root = tree.parse(html)
    return PageNodes(root, search(root))


def test_nodes_stand_in_page_order_with_the_blocks_inside_them() -> None:
    nodes = _nodes(_THREAD)
    tags = [scope.tag for scope in nodes.scopes]
    assert tags == ["html", "body", "div", "div", "p", "div", "div", "p", "div"]
    assert nodes.parent.tolist() == [-1, 0, 1, 2, 3, 3, 2, 6, 6]
    assert nodes.text(3) == "3 May 2024\nHow do I fix it?"
    table = share_table([nodes])
    assert table.totals[3, [CHARS, BLOCKS, DATES]].tolist() == [26, 2, 1]
    assert table.elements[3, IMAGES] == 1
    assert table.elements[0, IMAGES] == 1


def test_records_of_a_page_have_one_signature_whatever_their_numbers() -> None:
    nodes = _nodes(_THREAD)
    first, second = 5, 8  # the texts of the two posts
    assert nodes.signatures[first] == nodes.signatures[second]
    assert nodes.signatures[first] != nodes.signatures[4]


def test_elements_without_names_differ_by_their_place() -> None:
    rows = "<tr><td>Ann</td><td>First text</td></tr><tr><td>Bob</td><td>Second text</td></tr>"
    nodes = _nodes(f"<table>{rows}</table>")
    cells = [node for node, scope in enumerate(nodes.scopes) if scope.tag == "td"]
    assert len({int(nodes.signatures[cell]) for cell in cells}) == 1
    ordinal = [int(nodes.ordinal_signatures[cell]) for cell in cells]
    assert ordinal[0] != ordinal[1]


_COLUMNS = ("signatures", "near_signatures", "own_signatures", "ordinal_signatures", "tag_paths")


def test_a_page_has_the_same_numbers_in_any_batch() -> None:
    htmls = ["<p>Before?</p>", _THREAD, "<h1>A</h1>" * 3, "<ul><li>a<li>b</ul>" + "<div><img>x</div>" * 7, _THREAD]
    alone = [_nodes(html) for html in htmls]
    together = [_nodes(html) for html in htmls]
    table = share_table(together)
    features = np.split(node_features(table), table.node_starts[1:-1])
    for one, other, rows in zip(alone, together, features, strict=True):
        assert np.array_equal(node_features(share_table([one])), rows)
        for column in _COLUMNS:  # the numbers may differ, but not which of them are equal
            pairs = set(zip(getattr(one, column).tolist(), getattr(other, column).tolist(), strict=True))
            assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    for column in _COLUMNS:
        numbers = getattr(table, column)
        assert len(np.unique(numbers)) == numbers.max() + 1 == len(np.unique([numbers, table.page], axis=1).T)


def test_nodes_inside_others() -> None:
    table = share_table([_nodes("<div><p>a</p></div>"), _nodes(_THREAD)])
    types = table.element_types
    tags = np.array(types.tags)[types.of_scope]
    assert table.is_inside(tags == "div").tolist() == [False] * 3 + [True] + [False] * 3 + [True] * 6
