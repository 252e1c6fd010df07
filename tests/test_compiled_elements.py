"""What the compiled module counts is what a look through lxml's elements counts."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from gate import quality
from lxml import etree

from scrapy_semtext.compiled import elements
from scrapy_semtext.kinds import numbers
from scrapy_semtext.questions import nodes
from scrapy_semtext.segment import search
from scrapy_semtext.tree import parse

pytestmark = pytest.mark.skipif(elements is None, reason="nothing is compiled here")

ODD = [
    "<body>",
    "<p>a<a>b</a><a href>c</a><a href=' x '>d</a><A HREF='&amp;y'>e</A><a xlink:href=z>f</a>",
    "<svg><path/><a href=q>x</a></svg><!-- <img> --><?img?><img><p><img>x<b><img>y</b><div><img></div></p><img>",
    "<div>" * 3000 + "deep<img>" + "</div>" * 3000 + "after<img>",
]


def pages() -> list[str]:
    return [*ODD, *(page.html for page in islice(quality.read_sample(), 20))]


@pytest.mark.parametrize("place", range(len(ODD) + 20))
def test_elements_and_links_are_those_that_lxml_finds(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    root = parse(pages()[place])
    found = numbers._counts_of_elements(root)
    monkeypatch.setattr(numbers, "compiled_elements", None)
    assert found == numbers._counts_of_elements(root)


@pytest.mark.parametrize("place", range(len(ODD) + 20))
def test_elements_inside_nodes_are_those_that_lxml_finds(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    root = parse(pages()[place])
    if not (blocks := search(root)):
        return
    found = nodes.PageNodes(root, blocks).elements
    monkeypatch.setattr(nodes, "compiled_elements", None)
    assert np.array_equal(found, nodes.PageNodes(root, blocks).elements)


def test_only_what_is_below_the_element_counts() -> None:
    root = parse("<!-- c --><p><img></p><div><img><a href=x>y</a></div><img>")
    counts = np.zeros(2, dtype=np.int64)
    assert elements.counted(root.find(".//div"), {"img": 0, "a": 1}, counts, "a") == ["x"]
    assert counts.tolist() == [1, 1]


def test_elements_of_a_namespace_are_others() -> None:
    root = etree.fromstring("<x xmlns:n='m'><img/><n:img/><a n:href='y'/></x>")
    counts = np.zeros(2, dtype=np.int64)
    assert elements.counted(root, {"img": 0, "a": 1}, counts, "a") == [None]
    assert counts.tolist() == [1, 1]


def test_what_does_not_fit_is_refused() -> None:
    root, counts = parse("<p><img></p><div></div>"), np.zeros((2, 1), dtype=np.int64)
    paragraph, division = root.find(".//p"), root.find(".//div")
    no_elements: list[Any] = [None, "p", type(root)()]
    for wrong in no_elements:
        with pytest.raises(TypeError):
            elements.counted(wrong, {"a": 0}, counts[0], "a")
        with pytest.raises(TypeError):
            elements.counted_inside(root, [wrong], {"img": 0}, counts)
    with pytest.raises(KeyError):
        elements.counted(root, {"img": 0}, counts[0], "a")
    with pytest.raises(ValueError, match="column"):
        elements.counted(root, {"img": 1, "a": 0}, counts[0], "a")
    for holders in ([division, paragraph], [root, etree.Element("p")], [root, paragraph, division]):
        with pytest.raises(ValueError, match=r"order|row"):
            elements.counted_inside(root, holders, {"img": 0}, counts)
