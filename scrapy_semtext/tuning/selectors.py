"""Selectors that a rule for a site can be made of: CSS for the elements around a block, by id, class names and tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.dom.segmentation import TextBlock

# Names with digits are mostly those of one page (post-17), or made anew with each release of a site (css-1x2y3z).
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]*")

#: Tags that may be selected by themselves.
_TELLING = frozenset(
    "address aside blockquote caption cite details dl figcaption figure footer form h1 h2 h3 h4 h5 h6 header nav ol pre"
    " summary table time ul".split()
)

_OUTER = frozenset(("html", "body"))


def selectors_of(blocks: list[TextBlock]) -> list[frozenset[str]]:
    """Return for each block the selectors that select an element around all of its text."""
    known: dict[Any, frozenset[str]] = {}
    return [_around_all(block, known) for block in blocks]


def _around_all(block: TextBlock, known: dict[Any, frozenset[str]]) -> frozenset[str]:
    starts = {element.getparent() if is_tail else element for element, is_tail in block.runs}
    return frozenset.intersection(*(_around(start, known) for start in starts))


def _around(element: Any, known: dict[Any, frozenset[str]]) -> frozenset[str]:
    """The selectors of an element and of those around it."""
    chain = []
    while element is not None and element not in known:
        chain.append(element)
        element = element.getparent()
    found: frozenset[str] = frozenset() if element is None else known[element]
    for each in reversed(chain):
        found = found.union(_selectors(each))
        known[each] = found
    return found


def _selectors(element: Any) -> Iterator[str]:
    tag = element.tag
    if not isinstance(tag, str) or tag in _OUTER or not _NAME.fullmatch(re.sub(r"\d", "", tag)):
        return
    yield from _named(element)
    if tag in _TELLING:
        yield tag
    parent = element.getparent()
    if parent is not None and isinstance(parent.tag, str) and parent.tag not in _OUTER:
        yield from (f"{named} > {tag}" for named in _named(parent))


def _named(element: Any) -> Iterator[str]:
    """Selectors by the element's own id and class names."""
    identifier = element.get("id")
    if identifier and _NAME.fullmatch(identifier):
        yield f"#{identifier}"
    classes = [name for name in (element.get("class") or "").split() if _NAME.fullmatch(name)]
    yield from (f"{element.tag}.{name}" for name in classes)
    if len(classes) > 1:
        yield ".".join((element.tag, *classes))
