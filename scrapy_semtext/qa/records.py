"""The records of a page's posts: which small texts and attributes around the bodies belong to which post.

A record is the largest element around a body that contains no other body. Content outside all records (rows of a table,
flat siblings) lies in a gap between two bodies. Whether it belongs to the previous or the next body is decided for the
whole page: if such content also occurs before the first body, and not after the last, it belongs to the next body.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.dom.element_text import text_line
from scrapy_semtext.dom.tags import GROUPS, Group, tag_of
from scrapy_semtext.dom.tree import with_ancestors
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from scrapy_semtext.qa.nodes import PageNodes

#: The maximum length of a text that is considered, because facts are short.
LONGEST = 160
#: The level of content outside the record of its post.
OUTSIDE = 1000

_DIGITS = re.compile(r"\d+")
_KEY_LEVELS, _CONTEXT_LEVELS, _CONTEXT_FRAGMENTS, _CONTEXT_START = 4, 4, 40, 8
_MOST_OUTER = 7
_UNREAD = (Group.REMOVED, Group.SWALLOWER)
_SAYING = frozenset(("datetime", "title", "aria-label", "alt"))  # attributes that carry information without text
_QUOTES = ("blockquote", "pre", "q")
_LONE_RECORD = 40  # number of blocks around a body that is the only one on its page
_HIDING = re.compile(r"(?:^|[\s_-])(?:d-none|hidden|hide|invisible|is-hidden)(?:$|\s)")


@dataclass(slots=True, eq=False)
class Place:
    """An element of a record. ``level`` is how many levels to go up from the body to reach an element around both.

    ``own`` identifies the element among its siblings: tag and names without digits or, without names, its index.
    ``outer`` are at most seven places around it that do not contain the body. A place has no references to itself or to
    an element, which would keep it in memory until the garbage collector runs.
    """

    attributes: dict[str, str]
    tag: Any
    names: str
    level: int
    on_path: bool  # whether the element is around the body
    hidden: bool
    own: Hashable
    outer: tuple[Place, ...]
    start: int  # the fragments inside are those from start to end
    end: int = 0
    context: list[str] | None = None

    def ways_up(self, levels: int) -> tuple[Place, ...]:
        """Return the place and those around it that do not contain the body, at most ``levels`` (up to 8)."""
        return () if self.on_path else (self, *self.outer[: levels - 1])

    def get(self, name: str) -> str:
        """Return an attribute of the element on one line; empty if missing."""
        return one_line(self.attributes.get(name))


@dataclass(slots=True, eq=False)
class Fragment:
    """A short text of a record, or an element with information in its attributes (then the text is empty).

    ``key`` is equal for fragments at the same relative place of different records; ``loose`` is too, and ignores the
    names of the elements around them. ``post`` is the number of the body.
    """

    text: str
    place: Place
    key: Hashable
    loose: Hashable
    post: int
    order: int
    distance: int  # number of fragments between it and the body


class Records:
    """The fragments of all posts of a page, in page order. Time is linear in the page.

    Fragments are outside the bodies; with ``inside`` they are also in them, for bodies that may include heads of posts.
    """

    def __init__(self, nodes: PageNodes, bodies: Sequence[int], *, inside: bool = False) -> None:
        self.count = len(bodies)
        self._inside = inside
        self.fragments: list[Fragment] = []
        #: The elements of each record, except those inside its body.
        self.places: list[list[Place]] = [[] for _ in bodies]
        self._gaps: list[int] = []
        self._starts: list[int] = []  # how many fragments precede each body
        if self.count:
            self._bodies = {nodes.scopes[node].element for node in bodies}
            self._around = with_ancestors(
                body.getparent() for body in self._bodies
            )  # may include a drawing or a quotation
            self._frame(nodes, bodies)
            self._walk()
            self._settle()

    def context(self, fragment: Fragment) -> list[str]:
        """Return the beginnings of the texts of the small elements around a fragment, from the inside out."""
        place = fragment.place
        if place.context is None:
            place.context = []
            before = (-1, -1)
            for around in place.ways_up(_CONTEXT_LEVELS):
                if around.end - around.start > _CONTEXT_FRAGMENTS:
                    break
                within = (around.start, min(around.end, around.start + _CONTEXT_START))
                if within != before:
                    text = " ".join([fragment.text for fragment in self.fragments[slice(*within)] if fragment.text])[
                        :LONGEST
                    ]
                    before = within
                place.context.append(text)
        return place.context

    def label(self, fragment: Fragment) -> str:
        """Return the text directly before a fragment."""
        for order in range(fragment.order - 1, max(-1, fragment.order - 4), -1):
            before = self.fragments[order]
            if before.text and before.place is not fragment.place:
                return before.text if before.post == fragment.post else ""
            if before.text and before.post == fragment.post and fragment.text:
                return before.text
        return ""

    def following(self, fragment: Fragment) -> str:
        """Return the text directly after a fragment."""
        after = self.fragments[fragment.order + 1 : fragment.order + 2]
        return after[0].text if after and after[0].post == fragment.post else ""

    def is_common(self, fragments: Sequence[Fragment]) -> bool:
        """Return whether nearly all posts have fragments at the place of these, and have them only once."""
        posts = len({fragment.post for fragment in fragments})
        return 2 <= posts >= 0.8 * self.count and len(fragments) <= 1.2 * posts

    @cached_property
    def coverage(self) -> dict[Hashable, int]:
        """How many posts have fragments of each key, strict or loose."""
        posts: dict[Hashable, set[int]] = defaultdict(set)
        for fragment in self.fragments:
            if fragment.post >= 0 and fragment.text:
                posts[fragment.key].add(fragment.post)
                posts[fragment.loose].add(fragment.post)
        return {key: len(found) for key, found in posts.items()}

    def share(self, fragment: Fragment, posts: int) -> float:
        """Return the share of posts with a fragment like this one; ``posts`` of them have it at the very same place."""
        return max(posts, 0.9 * self.coverage.get(fragment.loose, 0)) / self.count

    def _frame(self, nodes: PageNodes, bodies: Sequence[int]) -> None:
        """Find the element around all bodies, the records, and the elements between each record and its body."""
        self._owners: dict[Any, int] = {}
        self._levels: dict[Any, int] = {}
        outermost = 0
        for post, body in enumerate(bodies):
            low = nodes.last[bodies[post - 1]] if post else 0
            high = nodes.first[bodies[post + 1]] if post + 1 < len(bodies) else len(nodes.blocks)
            node = int(body)
            while (above := int(nodes.parent[node])) >= 0 and low <= nodes.first[above] and nodes.last[above] <= high:
                if self.count == 1 and nodes.last[above] - nodes.first[above] > _LONE_RECORD + (
                    nodes.last[body] - nodes.first[body]
                ):
                    break
                node = above
            record = nodes.scopes[node].element
            self._owners[record] = post
            self._enumerate(nodes.scopes[body].element, record)
            outermost = node if not post else outermost
        while int(nodes.parent[outermost]) >= 0 and not (
            nodes.first[outermost] <= nodes.first[bodies[0]] and nodes.last[outermost] >= nodes.last[bodies[-1]]
        ):
            outermost = int(nodes.parent[outermost])
        self._root = nodes.scopes[outermost].element

    def _enumerate(self, body: Any, record: Any) -> None:
        level, element = 0, body
        while element is not None:
            self._levels[element] = level
            if element is record:
                return
            level, element = level + 1, element.getparent()

    def _walk(self) -> None:
        walker = etree.iterwalk(self._root, events=("start", "end", "comment", "pi"))
        path: list[tuple[Place, dict[str, int]]] = []  # the open elements, each with its number of children per tag
        known = {*self._around, *self._owners, *self._levels, *self._bodies, self._root}
        owner = -1
        for event, element in walker:
            if event == "start":
                tag, is_known = element.tag, element in known
                unread = GROUPS[tag] in _UNREAD
                around = is_known and element in self._around
                if unread and tag != "button" and not around:
                    walker.skip_subtree()
                if is_known:
                    owner = self._owners.get(element, owner)
                path.append((self._enter(element, tag, path, owner, is_known), {}))
                is_body = is_known and element in self._bodies
                if is_body:
                    self._starts.append(len(self.fragments))
                if (is_body and not self._inside) or (self._inside and tag in _QUOTES and not around):
                    walker.skip_subtree()
                elif not unread:
                    self._read(element, path[-1][0], owner)
            elif event == "end" and path:
                path.pop()[0].end = len(self.fragments)
                owner = -1 if element in self._owners else owner
            if event != "start" and path and (tail := element.tail) and not tail.isspace():
                self._add(tail, path[-1][0], owner, ("tail", tag_of(element)))

    def _enter(
        self, element: Any, tag: Any, path: list[tuple[Place, dict[str, int]]], owner: int, is_known: bool
    ) -> Place:
        attributes = dict(element.items())
        names, lasting, hidden = _names_in(_named(attributes)) if attributes else _NO_NAMES
        hidden = hidden or (bool(attributes) and _is_hidden(attributes))
        ordinal, level, on_path = 0, OUTSIDE, False
        outer: tuple[Place, ...] = ()
        if path:
            above, numbers = path[-1]
            ordinal = numbers[tag] = numbers.get(tag, -1) + 1
            level, hidden = above.level, hidden or above.hidden
            if not above.on_path:
                outer = (above, *above.outer[: _MOST_OUTER - 1])
        if is_known:
            level = self._levels.get(element, level)
            on_path = element in self._levels or (owner < 0 and element is self._root)
        place = Place(
            attributes,
            tag,
            names,
            level,
            on_path,
            hidden,
            (tag, lasting or ordinal),
            () if on_path else outer,
            len(self.fragments),
        )
        if owner >= 0:
            self.places[owner].append(place)
        return place

    def _read(self, element: Any, place: Place, owner: int) -> None:
        text = element.text
        if text and not text.isspace():
            self._add(text, place, owner, "text")
        elif not _SAYING.isdisjoint(place.attributes) and any(map(place.attributes.get, _SAYING)):
            self._add("", place, owner, "attributes")
        if place.tag == "a" and len(element):  # a name split over several elements, "John <b>Smith</b>"
            whole = text_line(element) if sum(1 for _ in element.iter()) < 6 else ""
            if whole and whole != one_line(text):
                self._add(whole, place, owner, "whole")

    def _add(self, text: str, place: Place, owner: int, kind: Hashable) -> None:
        if place.hidden:
            return
        text = one_line(text)
        if (not text and kind != "attributes") or len(text) > LONGEST:
            return
        around = place.ways_up(_KEY_LEVELS)
        where = (owner >= 0 and len(self._starts) > owner, owner >= 0)
        key = (kind, tuple([inner.own for inner in around]), *where)
        loose = (kind, where, place.names, tuple([inner.tag for inner in around]))
        self.fragments.append(Fragment(text, place, key, loose, owner, len(self.fragments), 0))
        self._gaps.append(len(self._starts))

    def _settle(self) -> None:
        """Assign the fragments outside all records to the previous or the next body."""
        gaps: dict[Hashable, set[int]] = defaultdict(set)
        for fragment, gap in zip(self.fragments, self._gaps, strict=True):
            if fragment.post < 0:
                gaps[fragment.key].add(gap)
        # Some keys occur only before the first body or only after the last; their majority decides for all other keys.
        evidence = sum((0 in found) - (self.count in found) for found in gaps.values() if len(found) > 1)
        for fragment, gap in zip(self.fragments, self._gaps, strict=True):
            if fragment.post < 0:
                found = gaps[fragment.key]
                behind = (self.count in found) - (0 in found) or (-1 if evidence >= 0 else 1)
                fragment.post = gap - 1 if behind > 0 else gap
            if 0 <= fragment.post < self.count:
                fragment.distance = abs(fragment.order - self._starts[fragment.post])
            else:
                fragment.post = -1


def _is_hidden(attributes: dict[str, str]) -> bool:
    """Return whether attributes other than names hide an element."""
    if "hidden" in attributes:
        return True
    style = attributes.get("style", "")
    return bool(style) and "display:none" in style.replace(" ", "").lower()


def _named(attributes: dict[str, str]) -> str:
    own, classes = attributes.get("id"), attributes.get("class")
    return f"{own} {classes}" if own and classes else own or classes or ""


# The result of `_names_in` for an element without names.
_NO_NAMES = ("", "", False)


@remembered(1 << 12)
def _names_in(names: str) -> tuple[str, str, bool]:
    """Return the names of an element in lower case, the same without digits, and whether they hide the element."""
    names = names.lower()
    return names, _DIGITS.sub("", names), bool(names) and _HIDING.search(names) is not None
