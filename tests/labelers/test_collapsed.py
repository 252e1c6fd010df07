"""The collapsed DOM: on hand-made pages, in the manner of figure 2 of Vogels et al. 2018."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_semtext.labelers.web2text import Node, collapsed_dom, source_spans
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment


def leaves_of(html: str) -> list[Node]:
    return collapsed_dom(segment(parse(html)))


def test_parents_of_a_single_child_are_merged_with_it() -> None:
    # both words have the same semantic parent though one is nested deeper: the case that the collapse is made for
    first, second = leaves_of("<body><div><div><h2>One</h2></div><p>Two</p></div></body>")
    assert first.tags == {"div", "h2"}
    assert second.tags == {"p"}
    assert first.parent is second.parent
    assert first.parent is not None
    assert first.parent.tags == {"html", "body", "div"}
    assert first.parent.parent is None
    assert (first.parent.first, first.parent.last) == (0, 1)


def test_places_in_the_source() -> None:
    html = '<html><body><p class="x">One &amp; two</p><div>Three</div></body></html>'
    root = parse(html)
    spans = source_spans(root, segment(root))
    plain = html.replace("&amp;", "&")
    assert [plain[begin:end] for begin, end in spans] == ["One & two", "Three"]


@given(st.lists(st.sampled_from(["<div>", "</div>", "<p>", "<ul>", "<li>", "</ul>", "<b>", "</b>", "x ", "<td>", "y"])))
def test_any_page_has_a_leaf_for_each_block_in_a_tree_of_contiguous_nodes(parts: list[str]) -> None:
    root = parse("".join(parts))
    blocks = segment(root)
    leaves = collapsed_dom(blocks)
    assert [leaf.first for leaf in leaves] == list(range(len(blocks)))
    below: dict[Node, set[int]] = {}
    children: dict[Node, set[Node]] = {}
    for number, leaf in enumerate(leaves):
        node = leaf
        while node.parent is not None:
            children.setdefault(node.parent, set()).add(node)
            below.setdefault(node.parent, set()).add(number)
            node = node.parent
    for node, numbers in below.items():
        assert numbers == set(range(node.first, node.last + 1))
        assert len(children[node]) > 1
    spans = source_spans(root, blocks)
    assert spans == sorted(spans)
