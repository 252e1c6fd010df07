"""A page as a table of nodes."""

from __future__ import annotations

import time

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.qa.node_features import FEATURES, node_features
from scrapy_semtext.qa.nodes import BLOCKS, CHARS, DATES, IMAGES, PageNodes

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
    assert nodes.total()[3, [CHARS, BLOCKS, DATES]].tolist() == [26, 2, 1]
    assert nodes.elements[3, IMAGES] == 1
    assert nodes.elements[0, IMAGES] == 1


def test_records_of_a_page_have_one_signature_whatever_their_numbers() -> None:
    nodes = _nodes(_THREAD)
    first, second = 5, 8  # the texts of the two posts
    assert nodes.signatures[first] == nodes.signatures[second]
    assert nodes.signatures[first] != nodes.signatures[4]


def test_elements_without_names_are_told_by_their_place() -> None:
    rows = "<tr><td>Ann</td><td>First text</td></tr><tr><td>Bob</td><td>Second text</td></tr>"
    nodes = _nodes(f"<table>{rows}</table>")
    cells = [node for node, scope in enumerate(nodes.scopes) if scope.tag == "td"]
    assert len({int(nodes.signatures[cell]) for cell in cells}) == 1
    ordinal = [int(nodes.ordinal_signatures[cell]) for cell in cells]
    assert ordinal[0] != ordinal[1]


def test_features_are_finite_numbers_under_one_name_each() -> None:
    matrix = node_features(_nodes(_THREAD))
    assert matrix.shape == (9, len(FEATURES))
    assert len(set(FEATURES)) == len(FEATURES)
    assert bool((matrix == matrix).all())


def test_deep_pages_cost_time_in_line_with_their_size() -> None:
    def seconds(depth: int) -> float:
        html = "<b><a href='/'>x</a>" * depth
        begin = time.process_time()
        _nodes(f"<div>{html}</div>")
        return time.process_time() - begin

    seconds(100)
    assert seconds(20_000) < 12 * max(seconds(4_000), 0.02)
