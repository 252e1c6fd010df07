"""The search phase of SCS (search-and-combine segmentation), which splits a page's tree into text blocks.

The search phase (Zhang & Wang 2022, III-A) walks the tree depth first and splits the text at every group-3 boundary
(see `scrapy_semtext.tree.tags`). It is linear in the page's length and not recursive. The combine phase is in
`scrapy_semtext.tree.scopes`.

Two texts separated by an inline tag are parts of one word, or only separated by CSS. Style sheets are not read, so the
evidence is the types of the elements, their names and their surroundings.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from scrapy_semtext.tree.tags import (
    BREAK_OUT,
    GROUPS,
    INTEGRATION_POINTS,
    PAGE_PARTS,
    PLAIN,
    STYLING,
    Group,
    Style,
    is_closed_dialog,
    may_style,
    restyled,
    styled,
    tag_of,
)
from scrapy_semtext.utils.extensions import walk
from scrapy_semtext.words.word_tables import WORDS, alternatives

# Inline elements of a sentence; and elements of code, in which only white space separates.
_PHRASING = frozenset(WORDS["phrasing"])
_CODE = frozenset("code kbd pre samp".split())
_LEVELS = 4  # ancestors of a text that are checked for code
_SOME, _SHORT = 8, 80  # texts of an element that are examined, and the maximum length of each
# Names of elements next to others, not inside a word.
_BESIDE = re.compile(alternatives("beside"), re.IGNORECASE)


def is_space_missing(before: str, text: str, element: Any, is_tail: bool) -> bool:
    """Return whether a space is missing between two texts separated by CSS, as in "By AuthorPublished".

    ``text`` is in ``element`` or, if ``is_tail``, directly after it; ``before`` is the text before it. A space can be
    missing where a capital follows a lower-case letter, unless the elements show that both belong to one word.
    """
    return before[-1:].islower() and text[:1].isupper() and are_separate_words(element, is_tail)


def are_separate_words(element: Any, is_tail: bool) -> bool:
    """Return whether a text in an element or, if ``is_tail``, after it begins a word, judging by the elements."""
    if not isinstance(element.tag, str) or element.tag == "wbr":
        return False
    if any(outer.tag in _CODE for outer in (element, *islice(element.iterancestors(), _LEVELS))):
        return False
    if is_tail:
        return _stands_beside(element)
    while (previous := element.getprevious()) is None and _is_inline(outer := element.getparent()) and not outer.text:
        element = outer
    if previous is None or previous.tail or not isinstance(previous.tag, str):
        return _stands_beside(element)
    first, second = _words(previous), _words(element)
    if len(first) == len(second) == 1 and {previous.tag, element.tag} <= _PHRASING:
        return bool(previous.get("class") or element.get("class"))
    if not first or not second or (len(first) > 1 and len(second) > 1):
        return True
    joined = first[-1] + second[0]  # one word if each letter has its own element, or if the word occurs in the title
    title = element.getroottree().getroot().findtext("head/title")
    return len("".join(first + second)) > 2 and joined not in (title or "")


def _is_inline(element: Any) -> bool:
    """Return whether an element only formats a part of a sentence; None is not one."""
    return element is not None and (element.tag == "span" or element.tag in _PHRASING)


def _words(element: Any) -> list[str]:
    """Return the words at the beginning of an element."""
    return "".join([text[:_SHORT] for text in islice(element.itertext(), _SOME)]).split()


def _stands_beside(element: Any) -> bool:
    """Return whether an element is not part of the word that adjacent text outside it begins or continues."""
    names = element.get("class") or ""
    if element.tag in _PHRASING and not names:
        return False
    return len(_words(element)) > 1 or "display" in element.get("style", "") or bool(_BESIDE.search(names))


#: A text node of the tree: an element, and whether the node is the text after it (tail) or at its beginning.
Run = tuple[Any, bool]
#: The number of non-space characters of a run, and their style.
StyledRun = tuple[int, "Style"]
# NUL cannot occur in a parsed tree, so it represents <br> until white space has been collapsed.
_BREAK = "\0"
# The groups as plain integers, because Python 3.11 takes five times as long to look up enum members.
_REMOVED, _SWALLOWER, _INLINE, _VOID = map(int, (Group.REMOVED, Group.SWALLOWER, Group.INLINE, Group.VOID))
_LINK, _BREAK_GROUP, _BOUNDARY = map(int, (Group.LINK, Group.BREAK, Group.BOUNDARY))
_PREFORMATTED, _RULE = map(int, (Group.PREFORMATTED, Group.RULE))
# ASCII white space.
_SPACES = bytes(code for code in range(128) if chr(code).isspace())
# The number of descendants checked to distinguish a <button> from a page nested in an unclosed one.
_BUTTON_LOOK = 400
# Hidden text of at least this many characters with the end of a sentence is prose that a script shows, not a label or
# data; hidden spoilers need no minimum.
_PROSE_LOOK, _PROSE_LEAST = 400, 60
_SENTENCE = re.compile(r"\s*[^\s{\[<].*?(?:[^\W\d_]{2}[.!?…][\"'”’»)]*(?:\s|$)|[。！？])", re.DOTALL)
_SPOILER = re.compile("spoiler", re.IGNORECASE)


class Scope:
    """A group-3 element on the path of a block; scopes form a chain from the block up to the root.

    ``names`` is the element's id and class attributes, joined by a space; ``classes`` is the class attribute only, or
    None; ``depth`` counts scopes from the root (0); ``hidden``: whether the page tells browsers to hide the text
    inside; ``centred``: whether text directly inside is centered.
    """

    __slots__ = ("centred", "classes", "depth", "element", "hidden", "names", "parent", "tag")

    def __init__(
        self,
        element: Any,
        parent: Scope | None,
        tag: str,
        names: str,
        hidden: bool,
        centred: bool = False,
        classes: str | None = None,
    ) -> None:
        self.element = element
        self.parent = parent
        self.tag = tag
        self.names = names
        self.classes = classes
        self.hidden = hidden
        self.centred = centred
        self.depth: int = 0 if parent is None else parent.depth + 1

    def ancestry(self) -> Iterator[Scope]:
        """Yield this scope and those around it, from the inside out."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


def common_ancestor(first: Any, second: Any) -> Any:
    """Return the innermost node of a tree (with ``parent`` and ``depth``) around two, which is one of them if equal."""
    while first is not second:
        first, second = (first.parent, second) if first.depth >= second.depth else (first, second.parent)
    return first


class TextBlock:
    """A block of a page's text with the tree nodes it came from.

    ``scope`` is the innermost group-3 element around it, ``runs`` its text nodes in page order, ``link_chars`` the
    number of its characters inside links, ``hidden`` whether the page tells browsers to hide it. For blocks of the
    search phase, ``style`` is the style of the runs or, if they differ, a list with a `StyledRun` for each.
    """

    __slots__ = ("hidden", "link_chars", "runs", "scope", "style", "text")

    def __init__(
        self, text: str, scope: Scope, runs: list[Run], link_chars: int = 0, style: Style | list[StyledRun] = PLAIN
    ) -> None:
        #: White space is collapsed, lines are separated by newlines, cells of a table row by tabs.
        self.text = text
        self.scope = scope
        self.runs = runs
        self.link_chars = link_chars
        self.style = style
        self.hidden: bool = scope.hidden

    @property
    def tags(self) -> tuple[str, ...]:
        """The group-3 tags on the path from the root to the block."""
        return tuple(scope.tag for scope in self.scope.ancestry())[::-1]

    def __repr__(self) -> str:
        return f"<TextBlock {'/'.join(self.tags[-4:])} {self.text[:60]!r}>"


def search(root: Any) -> list[TextBlock]:
    """Run the search phase: return blocks that are not combined yet, each within one element, in page order."""
    columns = search_columns(root)
    return _Search(root).blocks if columns is None else columns.blocks


class SearchColumns(NamedTuple):
    """The blocks of the search phase and their scopes as the compiled walk records them.

    ``table``: for each scope with text, in page order, the index of its parent, its first block, the end of its blocks,
    its depth and the index of its tag and names in ``pairs``; ``of_block``: the index of each block's scope.
    """

    blocks: list[TextBlock]
    scopes: list[Scope]
    table: array[int]
    of_block: array[int]
    pairs: list[tuple[str, str]]


def search_columns(root: Any) -> SearchColumns | None:
    """Run the search phase and return the columns of `ScopeTree` too; None without compiled extensions."""
    if walk is None:
        return None
    called = (_collapsed, _preformatted, _holds, is_space_missing, restyled, PLAIN)
    return SearchColumns(*walk.search(root, Scope, TextBlock, *called))


class _Search:
    """The search phase: one depth-first walk that collects text until the next group-3 boundary."""

    def __init__(self, root: Any) -> None:
        self.blocks: list[TextBlock] = []
        self._buffer: list[str] = []
        self._runs: list[Run] = []
        self._styles: list[StyledRun] = []  # of the runs
        self._link_chars = 0
        self._links = 0  # how many <a> are open
        self._preformatted = 0  # how many <pre> are open
        self._after_link = False  # whether the last thing seen was the end of a link
        self._removed: str | None = None  # the tag of the group-1 element around the current position, if any
        # what to restore at an element's end: (element, group, previous value of _removed)
        self._open: list[tuple[Any, int, str | None]] = []
        self._style = style = styled(PLAIN, root)
        self._restyled: list[tuple[Any, Style]] = []  # elements that change the style, with the style around them
        self._scope = _scope(root, None, tag_of(root), hidden=False, centred=style.centred)
        self._walk(root)
        if self._buffer:
            self._cut()

    def _walk(self, root: Any) -> None:  # noqa: C901 - one loop, because calls would take half of the time
        """Walk through all elements and their text; this contains what every element needs."""
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        groups, opened, restyled, buffer = GROUPS, self._open, self._restyled, self._buffer
        next(walker)  # the root, which is never skipped
        self._add(root.text, root, is_tail=False)
        for event, element in walker:
            if event == "start":
                tag, attributes = element.tag, element.keys()
                if tag in STYLING or (attributes and may_style(attributes)):
                    restyled.append((element, self._style))
                    self._style = styled(self._style, element)
                group = groups[tag]
                if self._removed is not None and not self._breaks_out(tag):
                    if group == _REMOVED or tag in INTEGRATION_POINTS:
                        walker.skip_subtree()
                    continue
                hides = bool(attributes) and _is_hidden(element, attributes)
                if group >= _BOUNDARY:
                    self._start_boundary(element, tag, group, hides)
                elif group != _INLINE or hides:
                    if not self._start_inline(element, tag, group, hides):
                        walker.skip_subtree()
                        continue
                    if group == _SWALLOWER:
                        continue
                text, is_tail = element.text, False
            elif element is root:
                continue
            else:
                if event == "end":
                    if restyled and restyled[-1][0] is element:
                        self._style = restyled.pop()[1]
                    if opened and opened[-1][0] is element:
                        self._end(element)
                text, is_tail = element.tail, True
            if text and (buffer or not text.isspace()):  # most texts are the space between elements
                self._add(text, element, is_tail=is_tail)

    def _start_boundary(self, element: Any, tag: str, group: int, hides: bool) -> None:
        """End the current block, and enter a group-3 element."""
        if self._buffer:
            self._cut()
        self._after_link = False
        if group == _RULE or (tag == "button" and _holds(element)):
            return
        self._open.append((element, group, self._removed))
        self._removed = None
        outer = self._scope
        hidden = outer.hidden or tag == "template" or hides
        self._scope = _scope(element, outer, tag, hidden=hidden, centred=self._style.centred)
        if group == _PREFORMATTED:
            self._preformatted += 1

    def _start_inline(self, element: Any, tag: str, group: int, hides: bool) -> bool:
        """Enter an element of group 1 or 2; return False if its content is skipped."""
        if group == _REMOVED:
            return False
        if group == _SWALLOWER:
            self._open.append((element, group, self._removed))
            self._removed = tag
        elif group == _BREAK_GROUP:
            self._buffer.append(_BREAK)
        elif group != _VOID and hides and not (group == _INLINE and _holds(element)):
            return False
        elif group == _LINK:
            if self._after_link:  # two links without a space between them are separated by CSS
                self._buffer.append(" ")
            self._open.append((element, group, self._removed))
            self._links += 1
        return True

    def _end(self, element: Any) -> None:
        """Leave an element that `_start_boundary` or `_start_inline` entered."""
        _, group, self._removed = self._open.pop()
        if group == _LINK:
            self._links -= 1
            self._after_link = not element.tail
        elif group != _SWALLOWER:
            if self._buffer:
                self._cut()
            self._after_link = False
            if group == _PREFORMATTED:
                self._preformatted -= 1
            self._scope = self._scope.parent or self._scope

    def _breaks_out(self, tag: str) -> bool:
        """Return whether an HTML5 parser would have placed this element outside the group-1 element around it."""
        return tag in (BREAK_OUT if self._removed in ("svg", "head") else PAGE_PARTS)

    def _add(self, text: str | None, element: Any, *, is_tail: bool) -> None:
        """Add a text node to the current block; ``is_tail``: it follows ``element``, otherwise begins it."""
        buffer = self._buffer
        if not text or self._removed is not None or (not buffer and text.isspace()):
            return
        self._after_link = False
        if buffer and not self._preformatted and is_space_missing(buffer[-1], text, element, is_tail):
            buffer.append(" ")
        buffer.append(text)
        self._runs.append((element, is_tail))
        self._styles.append((shown(text), self._style))
        if self._links:
            self._link_chars += len(" ".join(text.split()))

    def _cut(self) -> None:
        """End the current block at a group-3 boundary."""
        raw = "".join(self._buffer)
        text = _preformatted(raw) if self._preformatted else _collapsed(raw)
        if text:
            styles = self._styles
            first = styles[0][1]
            style = first if all(style == first for _, style in styles) else styles
            self.blocks.append(TextBlock(text, self._scope, self._runs, min(self._link_chars, len(text)), style))
        self._buffer.clear()
        self._runs, self._styles, self._link_chars = [], [], 0


def shown(text: str) -> int:
    """Return the number of characters that are not white space."""
    return len(text.encode().translate(None, _SPACES)) if text.isascii() else len("".join(text.split()))


def _collapsed(raw: str) -> str:
    """Return a text with each run of white space as one space, and line breaks as newlines."""
    if _BREAK not in raw:
        return " ".join(raw.split())
    return "\n".join(" ".join(line.split()) for line in raw.split(_BREAK)).strip()


def _preformatted(raw: str) -> str:
    """Return the text of a <pre> with its lines and indentation, without blank lines at either end."""
    lines = (line.rstrip() for line in raw.replace(_BREAK, "\n").expandtabs(4).splitlines())
    return "\n".join(lines).strip("\n").rstrip()


def _scope(element: Any, parent: Scope | None, tag: str, *, hidden: bool, centred: bool) -> Scope:
    """Return the scope of an element, with its id and class names read from it."""
    identifier, classes = element.get("id"), element.get("class")
    names = f"{identifier} {classes}" if identifier and classes else identifier or classes or ""
    return Scope(element, parent, tag, names, hidden, centred, classes)


def _is_hidden(element: Any, attributes: list[str]) -> bool:
    """Return whether the element's own attributes, with these names, hide it (style sheets are not read)."""
    if "hidden" in attributes:
        return True
    style = element.get("style") if "style" in attributes else None
    if not style:
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


def _holds(element: Any) -> bool:
    """Return whether an unclosed button contains a nested page, or a hidden inline element contains prose."""
    if element.tag == "button":
        return any(inner.tag in PAGE_PARTS for inner in islice(element.iterdescendants(), _BUTTON_LOOK))
    text = ""
    for part in islice(element.itertext(), _PROSE_LOOK):
        text += part[:_PROSE_LOOK]
        if len(text) >= _PROSE_LOOK:
            break
    return is_read_aloud(text, element.get("class") or "")


def is_read_aloud(text: str, names: str) -> bool:
    """Return whether hidden text will be shown by a script: prose, or (by the names around it) a spoiler."""
    return _SPOILER.search(names) is not None or (len(text) >= _PROSE_LEAST and _SENTENCE.match(text) is not None)


def is_closed(scope: Scope) -> bool:
    """Return whether an element is <noscript>, or a dialog that is not open."""
    return scope.tag == "noscript" or is_closed_dialog(scope.element, scope.names, hidden=scope.hidden)
