"""How segmentation treats each HTML element: the three tag groups of SCS, completed for current HTML.

The paper (Zhang & Wang 2022, III-A) defines the groups and gives examples of each:

* group 1: the element and its content add nothing to the text (metadata, scripts, embedded media, form controls);
* group 2: the tag is removed, its text is kept (formatting, table sections);
* group 3: the tag bounds a text block and is part of the block's path (sections, grouping, lists, tables).

The table ``text/tables/elements.txt`` covers the elements of the HTML living standard and its list of obsolete ones. It
departs from the paper where real pages require it; each departure is noted at its entry. A custom element (a name with
a hyphen) is group 3, because pages use them as containers; any other unknown element is group 2, as browsers lay it out
inline.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from scrapy_semtext.text.word_tables import WORDS, paragraphs


class Group(IntEnum):
    """The treatment of an element by the search phase."""

    REMOVED = 1  # group 1: its content is skipped
    SWALLOWER = 2  # group 1, but searched for parts of the page that a parser nested in it
    INLINE = 3  # group 2
    VOID = 4  # group 1 without content: elements that a parser nested in it count
    LINK = 5  # group 2, and its text counts as link text
    BREAK = 6  # a line break inside a block
    BOUNDARY = 7  # group 3
    PREFORMATTED = 8  # group 3, keeps white space
    CELL = 9  # group 3, joined to adjacent cells by a tab
    RULE = 10  # group 3 without content: only a boundary


class _GroupTable(dict[str, Group]):
    """Groups by tag; an unknown tag is classified by its form."""

    def __missing__(self, tag: str) -> Group:
        return Group.BOUNDARY if "-" in tag else Group.INLINE


GROUPS = _GroupTable(
    {tag: Group[group.upper()] for group, *lines in paragraphs("elements") for line in lines for tag in line.split()}
)

#: The heading level by tag.
HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

#: Elements that never occur inside a control or a media element: there, they are the page that it swallowed.
PAGE_PARTS = frozenset(WORDS["page_parts"])

#: Block-level start tags that end SVG content in an HTML5 parser (HTML living standard, 13.2.6.5 "The rules for parsing
#: tokens in foreign content"), and PAGE_PARTS. The same elements end <head> (13.2.6.4.4).
BREAK_OUT = PAGE_PARTS.union(WORDS["break_out"])

#: Inside these, HTML elements are labels of a drawing and do not end it.
INTEGRATION_POINTS = frozenset(("foreignobject", "desc", "title"))


def tag_of(element: Any) -> str:
    """Return the tag of an element; "" for a comment or a processing instruction."""
    return element.tag if isinstance(element.tag, str) else ""
