"""The posts of a thread in its tree of elements, and trees of replies shown by changing it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import html as lxml_html

from scrapy_semtext.read.threads import innermost_around
from scrapy_semtext.train.posts import MATCH, PairPage, body_labels, word_f1, words_of
from scrapy_semtext.tree.nodes import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from lxml.html import HtmlElement


def element(tag: str, names: str | None, text: str | None = None, **attributes: str) -> HtmlElement:
    """Create an element with these names as its class, and a text."""
    made = lxml_html.Element(tag, **attributes)
    if names:
        made.set("class", names)
    made.text = text
    return made


_HOLDERS = (("div", "div"), ("div", "div"), ("article", "div"), ("li", "ul"), ("li", "ol"), ("div", None), ("dd", "dl"))
_LIST_NAMES = ("children", "replies", "nested", "thread", "comment-tree", "child", "indent", "subcomments", None, None)
_LIKELY_DEEPER = (0.3, 0.5, 0.7, 0.9)
_TREES_INSIDE = 0.6  # share of trees shown by nested elements; the others are shown by indents
_OWN_HOLDER = ("div", "article", "section")  # elements of a record that can contain the replies to it
_DEPTH_NAMES = ("depth-{}", "level{}", "indent-{}", "lvl-{}", "comment-depth-{}")
_INDENT_STYLES = (
    "margin-left:{}px",
    "margin-left: {}px; padding: 4px",
    "padding-left:{}px",
    "margin-inline-start: {}px",
)
_ATTRIBUTES = ("data-depth", "data-level", "aria-level")


@dataclass(frozen=True, slots=True)
class ThreadParts:
    """The elements of a thread with at least two answers; ``root`` is its tree.

    ``bodies`` contain the text of each post; ``records``, one for each, contain everything that belongs to the post and
    nothing of another. ``answers`` is the innermost element around the answers, maybe with the opening post.
    """

    root: Any
    bodies: list[Any]
    records: list[Any]
    answers: Any


def parts_of(page: PairPage) -> ThreadParts | None:
    """Find the posts of a page; None if not all are found, or if two are in an element that belongs to one of them."""
    nodes = page.nodes()
    found = disjoint(np.flatnonzero(body_labels(nodes, page.posts)).tolist(), nodes.first, nodes.last)
    if len(found) < 3 or len(found) != len(page.posts):
        return None
    texts = zip(map(nodes.text, found), page.posts, strict=True)
    if any(word_f1(words_of(text), words_of(post)) < MATCH for text, post in texts):
        return None
    bodies = [nodes.scopes[node].element for node in found]
    answers = nodes.scopes[innermost_around(nodes, found[1], found[-1])].element
    around_all = nodes.scopes[innermost_around(nodes, found[0], found[-1])].element
    records = [child_with(bodies[0], around_all), *(child_with(body, answers) for body in bodies[1:])]
    if any(one is other for one, other in pairwise(records)) or records[0] in bodies[1].iterancestors():
        return None
    return ThreadParts(nodes.root, bodies, records, answers)


def child_with(inner: Any, outer: Any) -> Any:
    """Return the child of ``outer`` that ``inner`` is, or is in."""
    while inner.getparent() is not outer:
        inner = inner.getparent()
    return inner


def random_parents(count: int, rng: Random) -> list[int]:
    """Draw the answer that each one replies to, -1 for the question; each follows its parent's other replies.

    Therefore the order of the answers is that of a displayed tree.
    """
    deeper = rng.choice(_LIKELY_DEEPER)
    above: list[int] = []  # the last answer and its ancestors
    parents = []
    for number in range(count):
        while above and rng.random() > deeper:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(number)
    return parents


def show_tree(records: Sequence[Any], bodies: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    """Change the markup of adjacent records in one element so that it shows these parents.

    ``bodies`` are the elements inside the records with their texts.
    """
    if rng.random() < _TREES_INSIDE:
        _put_inside(records, bodies, parents, rng)
    else:
        _indent(records, parents, rng)


def _put_inside(records: Sequence[Any], bodies: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    tag, list_tag = rng.choice(_HOLDERS)
    list_name, name = rng.choice(_LIST_NAMES), rng.choice((*_LIST_NAMES[:4], None))
    beside_body = rng.random() < 0.4  # replies are in the element that holds the body, not after it
    holders: list[Any] = []
    lists: dict[int, Any] = {}
    for record, parent in zip(records, parents, strict=True):
        holder = record
        if record.tag not in _OWN_HOLDER or rng.random() < 0.1:
            holder = _wrapped(record, tag, name)
        holders.append(holder)
        if parent < 0:
            continue
        if parent not in lists:
            lists[parent] = place = _column(bodies[parent], holders[parent]) if beside_body else holders[parent]
            if list_tag:
                lists[parent] = element(list_tag, list_name)
                place.append(lists[parent])
        lists[parent].append(holder)


def _wrapped(record: Any, tag: str, name: str | None) -> Any:
    """Wrap a record in an element, or a row in a separate table, that takes its place; return the wrapper."""
    holder = element(tag, name)
    record.addprevious(holder)
    holder.tail, record.tail = record.tail, None
    inner = holder
    if record.tag in ("tr", "tbody"):
        inner = element("table", None)
        holder.append(inner)
    elif record.tag in ("li", "dd", "td"):
        record.tag = "div"
    inner.append(record)
    return holder


def _column(body: Any, holder: Any) -> Any:
    """Return an element between a body and its record that can have more content; the record if there is none."""
    if body is holder:
        return holder
    around = child_with(body, holder)
    return around if around is not body and around.tag in _OWN_HOLDER else holder


def _indent(records: Sequence[Any], parents: Sequence[int], rng: Random) -> None:
    way = rng.choice(("style", "name", "attribute"))
    step, begin = rng.choice((10, 15, 20, 25, 40)), rng.choice((0, 0, 1))
    style, name, attribute = rng.choice(_INDENT_STYLES), rng.choice(_DEPTH_NAMES), rng.choice(_ATTRIBUTES)
    for record, depth in zip(records, depths_of(parents), strict=True):
        if way == "style":
            record.set("style", style.format(step * depth))
        elif way == "name":
            record.set("class", f"{record.get('class', '')} {name.format(depth + begin)}".strip())
        else:
            record.set(attribute, str(depth + begin))


def depths_of(parents: Sequence[int]) -> Iterator[int]:
    """Yield the number of ancestors of each answer, given their parents."""
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        yield depths[-1]
