"""The collapsed DOM of Web2Text (Vogels et al. 2018, 3.1) over the text blocks of SCS.

The paper's leaves are the text nodes of the page. Here they are the text blocks that every labeler of this package
labels: a block is below the innermost element around all of its text, so a paragraph with a link in it is one leaf, not
three. Elements without a block are not in the tree (the paper removes nodes without text), and a node with a single
child is merged with it, repeatedly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.segmentation import TextBlock

# The number of source characters around an element's tag, "<>" at its start and "</>" at its end, and around an
# attribute, ' =""'.
_START, _END, _ATTRIBUTE = 2, 3, 4


class Node:
    """A node of the collapsed DOM: merged elements, the outermost first; a leaf contains one block.

    ``tags``: those of the merged elements; ``path``: their tags and classes, after those of all ancestors; ``first``
    and ``last``: indexes of its first and last leaf; ``depth``: 0 for the root; ``element``: the outermost of the
    merged elements, None for a leaf that is only a block.
    """

    __slots__ = ("depth", "element", "first", "last", "parent", "path", "tags")

    def __init__(self, tags: frozenset[str], path: str, parent: Node | None, leaf: int, element: Any) -> None:
        self.tags = tags
        self.path = path
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.first = self.last = leaf
        self.element = element


def collapsed_dom(blocks: Sequence[TextBlock]) -> list[Node]:
    """Return the leaves of a page's collapsed DOM, one for each block, in page order."""
    homes = [_home(block) for block in blocks]
    children = _children(home for home, *_ in homes)
    inner: dict[Any, Node] = {}
    leaves = []
    for number, (home, tags, steps) in enumerate(homes):
        merged, branching = _climb(home, children)
        parent = _node(branching, children, inner, number)
        around = "" if parent is None else parent.path
        path = "/".join((around, *map(_step, merged), *sorted(steps)))
        own = frozenset(str(element.tag) for element in merged) | tags
        leaves.append(Node(own, path, parent, number, merged[0] if merged else None))
        while parent is not None:
            parent.last = number
            parent = parent.parent
    return leaves


def common_ancestor(first: Node, second: Node) -> tuple[Node, int]:
    """Return the innermost node around two different leaves, and their distance: the hops from both to it (3.3)."""
    a, b = first, second
    while a is not b:
        deeper, other = (a, b) if a.depth >= b.depth else (b, a)
        if deeper.parent is None:
            raise ValueError("the leaves are of different trees")
        a, b = deeper.parent, other
    return a, first.depth + second.depth - 2 * a.depth


def source_spans(root: Any, blocks: Sequence[TextBlock]) -> list[tuple[int, int]]:
    """Return where each block's text begins and ends in the source, in characters.

    A parsed tree has no source positions, so they are computed as if the tree were serialized. The difference from the
    original page is white space inside tags and the like.
    """
    texts, tails = _places(root)
    spans = []
    for block in blocks:
        (first, first_is_tail), (last, last_is_tail) = block.runs[0], block.runs[-1]
        end = (tails if last_is_tail else texts)[last] + len(_text(last, last_is_tail))
        spans.append(((tails if first_is_tail else texts)[first], end))
    return spans


def _text(element: Any, is_tail: bool) -> str:
    return (element.tail if is_tail else element.text) or ""


def _places(root: Any) -> tuple[dict[Any, int], dict[Any, int]]:
    """Return where the text inside each element begins, and the text after it."""
    texts: dict[Any, int] = {}
    tails: dict[Any, int] = {}
    at = 0
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "end":
            at += _END + len(element.tag)
        else:
            if event == "start":
                at += _START + len(element.tag)
                at += sum(len(name) + len(value) + _ATTRIBUTE for name, value in element.items())
            texts[element] = at
            at += len(element.text or "")
            if event == "start":
                continue
        tails[element] = at
        at += len(element.tail or "")
    return texts, tails


def _home(block: TextBlock) -> tuple[Any, frozenset[str], frozenset[str]]:
    """Return the innermost element around all of a block's text, and the tags inside it around every text node.

    The tags are given without and with their classes. White space between elements is not a text node.
    """
    runs = [run for run in block.runs if not _text(*run).isspace()]
    holders = [element.getparent() if is_tail else element for element, is_tail in runs]
    paths = [[holder, *holder.iterancestors()][::-1] for holder in dict.fromkeys(holders)]
    shared = min(map(len, paths))
    while any(path[shared - 1] is not paths[0][shared - 1] for path in paths):
        shared -= 1
    tags = (frozenset(str(element.tag) for element in path[shared:]) for path in paths)
    steps = (frozenset(map(_step, path[shared:])) for path in paths)
    return paths[0][shared - 1], frozenset.intersection(*tags), frozenset.intersection(*steps)


def _children(homes: Any) -> dict[Any, int]:
    """Return how many children each element has: elements that contain blocks, and blocks directly below it."""
    children: dict[Any, int] = {}
    for home in homes:
        element = home
        while element is not None:
            known = element in children
            children[element] = children.get(element, 0) + 1
            if known:
                break
            element = element.getparent()
    return children


def _climb(element: Any, children: dict[Any, int]) -> tuple[list[Any], Any]:
    """Return the chain of single-child elements from here outwards, outermost first, and its parent."""
    merged = []
    while element is not None and children[element] == 1:
        merged.append(element)
        element = element.getparent()
    return merged[::-1], element


def _node(element: Any, children: dict[Any, int], inner: dict[Any, Node], leaf: int) -> Node | None:
    """Return the node of an element with several children, creating it and its ancestors if necessary."""
    waiting: list[list[Any]] = []  # the elements of nodes to create, from the inside out
    while element is not None and element not in inner:
        outer, above = _climb(element.getparent(), children)
        waiting.append([*outer, element])
        element = above
    parent = None if element is None else inner[element]
    for elements in reversed(waiting):
        path = "/".join(("" if parent is None else parent.path, *map(_step, elements)))
        tags = frozenset(str(each.tag) for each in elements)
        parent = inner[elements[-1]] = Node(tags, path, parent, leaf, elements[0])
    return parent


def _step(element: Any) -> str:
    return ".".join((str(element.tag), *sorted(element.get("class", "").split())))
