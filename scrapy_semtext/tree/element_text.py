"""The text of elements: all of it, its visible text on one line, or its blocks.

None has comments, processing instructions or the text after the element.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.scopes import main_text, segment
from scrapy_semtext.tree.segmentation import are_set_apart
from scrapy_semtext.tree.tags import GROUPS, Group
from scrapy_semtext.words.characters import one_line

# Elements that are skipped besides group 1: <noscript> and <template> may repeat the page's text.
_UNREAD = frozenset(("noscript", "template", "head"))
_INLINE = (Group.INLINE, Group.LINK)
_SKIPPED = (Group.REMOVED, Group.SWALLOWER, Group.VOID)

# An end tag, or an element that needs none. A start tag on its own may be part of the text: "use a <div> there".
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|p|li|img|hr)\b[^<>]*>", re.IGNORECASE)


def all_text(element: Any) -> str:
    """Return all text in an element exactly as written, including that of scripts and drawings."""
    return "".join(element.itertext())


def text_line(element: Any) -> str:
    """Return all text in an element on one line."""
    return one_line(all_text(element))


def rough_text(element: Any) -> str:
    """Return all text in an element on one line, with a space between the texts of different elements."""
    return one_line(" ".join(element.itertext()))


def text_of(element: Any) -> str:
    """Return an element's text as the page displays it, one line per block."""
    blocks = segment(element)
    return main_text(blocks, [True] * len(blocks))


def text_of_html(html: str) -> str:
    """Return the text of a string that may be HTML, doubly escaped HTML, or plain text."""
    if _MARKUP.search(html):
        return text_of(parsing.parse(html))
    plain = unescape(html).replace("\xa0", " ")
    if plain.lstrip().startswith("<") and _MARKUP.search(plain):
        return text_of(parsing.parse(plain))
    # Indentation in plain text remains from tags that were removed.
    lines = (line.strip() for line in plain.splitlines())
    return "\n".join(line for line in lines if line)


def shown_text(element: Any) -> str:
    """Return the text of a small element on one line, without scripts, drawings and controls; cheaper than blocks."""
    if not len(element):
        return one_line(element.text)
    return " ".join(shown_lines(element))


def shown_lines(element: Any) -> list[str]:
    """Return the non-empty lines of an element's text, one for each block. Not recursive."""
    lines: list[str] = []
    line: list[str] = []
    open_elements = [(element, iter(element), True)]
    _add(line, element.text, element)
    while open_elements:
        outer, children, is_inline = open_elements[-1]
        for child in children:
            if is_read(child):
                within = GROUPS[child.tag] in _INLINE
                if not within:
                    _end(lines, line)
                _add(line, child.text, child)
                if len(child):
                    open_elements.append((child, iter(child), within))
                    break
                if not within:
                    _end(lines, line)
            _add(line, child.tail, child, is_tail=True)
        else:
            open_elements.pop()
            if not is_inline:
                _end(lines, line)
            if open_elements:
                _add(line, outer.tail, outer, is_tail=True)
    _end(lines, line)
    return lines


def _add(line: list[str], text: str | None, element: Any, *, is_tail: bool = False) -> None:
    """Add the text in or after an element to a line; words of different elements are separated if necessary."""
    if text:
        if line and line[-1][-1].isalnum() and text[0].isalnum() and are_set_apart(element, is_tail):
            line.append(" ")
        line.append(text)


def _end(lines: list[str], line: list[str]) -> None:
    if line:
        if text := one_line("".join(line)):
            lines.append(text)
        line.clear()


def is_read(element: Any) -> bool:
    """Return whether an element's text is visible, unlike that of a comment, script or control."""
    tag = element.tag
    return isinstance(tag, str) and tag not in _UNREAD and GROUPS[tag] not in _SKIPPED
