"""The text of small elements as a page shows it."""

from __future__ import annotations

from typing import Any

from scrapy_semtext.dom.tags import GROUPS, Group

# What is not read, besides group 1: the page may have its text again in <noscript> and <template>.
_UNREAD = frozenset(("noscript", "template", "head"))
_INLINE = (Group.INLINE, Group.LINK)
_SKIPPED = (Group.REMOVED, Group.SWALLOWER, Group.VOID)


def shown_text(element: Any) -> str:
    """The text of an element in one line, without that of scripts, drawings and controls."""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join(lines_of(element))


def rough_text(element: Any) -> str:
    """All text in an element in one line, that of scripts and drawings included; a fifth of the time."""
    return " ".join(" ".join(element.itertext("*")).split())


def lines_of(element: Any) -> list[str]:
    """The text of an element, a line for each block of text; none is empty. Nothing recurses."""
    lines: list[str] = []
    line: list[str] = []
    open_elements = [(element, iter(element), True)]
    _add(line, element.text)
    while open_elements:
        outer, children, is_inline = open_elements[-1]
        for child in children:
            if is_read(child):
                within = GROUPS[child.tag] in _INLINE
                if not within:
                    _end(lines, line)
                _add(line, child.text)
                if len(child):
                    open_elements.append((child, iter(child), within))
                    break
                if not within:
                    _end(lines, line)
            _add(line, child.tail)
        else:
            open_elements.pop()
            if not is_inline:
                _end(lines, line)
            if open_elements:
                _add(line, outer.tail)
    _end(lines, line)
    return lines


def _add(line: list[str], text: str | None) -> None:
    """Add a piece of text to a line; two words of different elements are parted."""
    if text:
        if line and line[-1][-1].isalnum() and text[0].isalnum():
            line.append(" ")
        line.append(text)


def _end(lines: list[str], line: list[str]) -> None:
    """End a line, if there is one."""
    if line:
        if text := " ".join("".join(line).split()):
            lines.append(text)
        line.clear()


def is_read(element: Any) -> bool:
    """Whether the text of an element is shown; that of a comment, script or control is not."""
    tag = element.tag
    return isinstance(tag, str) and tag not in _UNREAD and GROUPS[tag] not in _SKIPPED
