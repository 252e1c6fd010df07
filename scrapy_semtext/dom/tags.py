"""What segmentation does with each HTML element: the three tag groups of SCS, completed for HTML as it is today.

The paper (Zhang & Wang 2022, III-A) names the groups and examples of each:

* group 1: the element and its content add nothing to the text (metadata, scripts, embedded media, form controls);
* group 2: the tag is left out, its text stays (formatting, table sections);
* group 3: the tag bounds a text block and stands on the block's path (sections, grouping, lists, tables).

The tables below cover the elements of the HTML living standard and its list of obsolete elements. They depart from the
paper where real pages need it; each departure is said at its entry. A custom element (a name with a hyphen) is
group 3, because pages use them as containers; any other unknown element is group 2, as browsers lay it out inline.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Group(IntEnum):
    """The treatment of an element by the search phase."""

    REMOVED = 1  # group 1: nothing below it is looked at
    SWALLOWER = 2  # group 1, but a parser may have nested the page inside it: looked through for what broke out
    INLINE = 3  # group 2
    VOID = 4  # group 1 that can have no content: what a parser nested in it is looked through
    LINK = 5  # group 2, and its text counts as link text
    BREAK = 6  # a line break inside a block
    BOUNDARY = 7  # group 3
    PREFORMATTED = 8  # group 3, white space is kept
    CELL = 9  # group 3, joined to its neighbours by a tab
    RULE = 10  # group 3 without content: only a boundary


# Group 1. <form>, <label>, <fieldset>, <legend> and <button> are not here, though the paper removes all form tags:
# whole pages stand in a <form> (ASP.NET), and the questions of accordions in a <button>. <noscript>, <template> and
# <noframes> are not either: some pages (all of Discourse) have their text only there. The model judges them.
_REMOVED = """
    colgroup datalist fencedframe iframe isindex meter noembed option optgroup progress rp script style textarea title
    annotation annotation-xml
""".split()

# Group 1 without end tags. libxml2 does not know it of some (<embed>, <source>, <track>), and nests in them what
# follows.
_VOID = """
    area base basefont bgsound col command embed frame image img input keygen link meta nextid param source spacer track
""".split()

# Group 1 whose end tag pages forget, or inside which libxml2 nests what an HTML5 parser would take out of it.
_SWALLOWERS = "head svg object applet audio video canvas map picture select".split()

_INLINE = """
    html abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark math nobr output q rb rt
    rtc ruby s samp selectedcontent slot small span strike strong sub sup tbody tfoot thead time tt u var wbr frameset
""".split()

_BOUNDARIES = """
    address article aside blockquote body button caption center content dd details dialog dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li main marquee menu menuitem multicol nav
    noframes noscript ol p search section shadow summary table template tr ul
""".split()

_GROUPS: dict[str, Group] = {
    **dict.fromkeys(_REMOVED, Group.REMOVED),
    **dict.fromkeys(_VOID, Group.VOID),
    **dict.fromkeys(_SWALLOWERS, Group.SWALLOWER),
    **dict.fromkeys(_INLINE, Group.INLINE),
    **dict.fromkeys(_BOUNDARIES, Group.BOUNDARY),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), Group.PREFORMATTED),
    **dict.fromkeys(("td", "th"), Group.CELL),
    "a": Group.LINK,
    "br": Group.BREAK,
    "hr": Group.RULE,
}


class _GroupTable(dict[str, Group]):
    """The groups by tag; a tag that is missing is judged by its form."""

    def __missing__(self, tag: str) -> Group:
        return Group.BOUNDARY if "-" in tag else Group.INLINE


GROUPS = _GroupTable(_GROUPS)

#: The level of headings, by tag.
HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

#: Elements that never stand inside a control or a media element: found there, they are the page that it swallowed.
PAGE_PARTS = frozenset("main article section nav aside header footer h1 h2 table form".split())

#: Start tags that end SVG content for an HTML5 parser (HTML living standard, 13.2.6.5 "The rules for parsing tokens in
#: foreign content"), as far as they bound blocks, and the page parts. The same elements end <head> (13.2.6.4.4).
BREAK_OUT = PAGE_PARTS | frozenset(
    "blockquote body center dd div dl dt h3 h4 h5 h6 hr li menu ol p pre ul listing".split()
)

#: Inside these, HTML elements are a drawing's own labels, and end nothing.
INTEGRATION_POINTS = frozenset(("foreignobject", "desc", "title"))


def tag_of(element: Any) -> str:
    """The tag of an element; "" for a comment or a processing instruction."""
    return element.tag if isinstance(element.tag, str) else ""
