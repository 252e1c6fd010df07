"""Tags of elements: how segmentation treats them, and the style that they and their attributes give to text.

Segmentation treats elements by the three tag groups of SCS, completed for current HTML. The paper (Zhang & Wang 2022,
III-A) defines the groups and gives examples of each:

* group 1: the element and its content add nothing to the text (metadata, scripts, embedded media, form controls);
* group 2: the tag is removed, its text is kept (formatting, table sections);
* group 3: the tag bounds a text block and is part of the block's path (sections, grouping, lists, tables).

The table ``words/tables/elements.txt`` covers the elements of the HTML living standard and its list of obsolete ones.
It departs from the paper where real pages require it; each departure is noted at its entry. A custom element (a name
with a hyphen) is group 3, because pages use them as containers; any other unknown element is group 2, as browsers lay
it out inline.

What readers never see is told from names and styles too: text for screen readers, and boxes that only a pointer opens.

A style is bold, italic, underlined, centered, a font size, and whether text is inside a link. Styles are read from tags
and ``style`` attributes, not from style sheets. Heading tags are ignored: whether a line is in a heading is a separate
feature (see `scrapy_semtext.read.lines`), so that models can learn not to rely on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.word_tables import WORDS, alternatives, paragraphs


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


# In lower-case texts with a name on each line.
_DISPLAYS = {name: re.compile(alternatives(name), re.MULTILINE) for name in ("unseen", "pointed at", "glyphs")}
_MAX_NAME_CHARS = 60  # longer names say nothing here
_SEEN_AGAIN = re.compile(r"(?<!focus):not-sr-only")
# Without white space; cut to nothing, or moved out of the window.
_UNSEEN_STYLE = re.compile(
    r"clip:rect\((?:[01](?:px)?,?){4}\)|clip-path:(?:inset\((?:50|100)%|polygon\(00)"
    r"|(?:left|top|right):-(?:9{3,}|[1-9]\d?0{3,})"
)


def displays_of(names: Iterable[str]) -> dict[str, str]:
    """Return what class names, in lower case, say of text, for those that do: "unseen", "pointed at" or "glyphs"."""
    text, found = "\n".join([name for name in names if len(name) <= _MAX_NAME_CHARS]), dict[str, str]()
    for kind, pattern in _DISPLAYS.items():
        for match in pattern.finditer(text):
            found.setdefault(text[text.rfind("\n", 0, match.end()) + 1 : match.end()], kind)
    return found


@remembered(1 << 12)
def display_of(classes: str) -> str:
    """Return what the class names of an element say, as `displays_of`, the first kind if several do; "" for nothing."""
    kinds = {*displays_of(classes.lower().split()).values()}
    return "" if _SEEN_AGAIN.search(classes) else next((kind for kind in _DISPLAYS if kind in kinds), "")


def is_unseen_style(declared: str) -> bool:
    """Return whether style declarations, without white space, move text out of sight (`display: none` does not)."""
    return _UNSEEN_STYLE.search(declared) is not None


_DIALOGS = frozenset(("alertdialog", "dialog"))
_MODAL = re.compile(r"(?:^|[\s_-])modal(?:$|[\s_-])", re.IGNORECASE)


def is_closed_dialog(element: Any, names: str, *, hidden: bool) -> bool:
    """Return whether an element with these class and id names is a dialog that is not open."""
    if element.tag == "dialog":
        return element.get("open") is None
    if not hidden and element.get("aria-hidden") != "true":
        return False
    return element.get("role") in _DIALOGS or _MODAL.search(names) is not None


#: The default font size, in CSS pixels.
NORMAL = 16.0
# Tags by the field of `Style` that they set.
_TAGS = {"bold": "b strong th", "italic": "i em cite dfn", "underlined": "u ins", "centred": "center", "link": "a"}
_FIELDS_BY_TAG = {tag: {field: True} for field, tags in _TAGS.items() for tag in tags.split()}
# Fields of `Style` by CSS declaration, without white space.
_DECLARED = {
    "text-align:center": {"centred": True},
    "underline": {"underlined": True},
    "font-style:italic": {"italic": True},
}
_SCALE = {"big": 1.2, "small": 0.83, "sub": 0.83, "sup": 0.83}
#: Tags that may change the style; other elements do so only with attributes, see `may_style`.
STYLING = frozenset((*_FIELDS_BY_TAG, *_SCALE, "font"))
# Longer style attributes are not cached.
_MAX_CACHED_LENGTH = 200
# <font size> in pixels (HTML standard, 15.3.4).
_FONT_SIZES = (10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_NAMED_SIZES = dict(
    zip("xx-small x-small small medium large x-large xx-large".split(), (9.0, *_FONT_SIZES[:-1]), strict=True)
)
# In pixels; "em" and "%" are relative to the surrounding size.
_UNITS = {"px": 1.0, "pt": 4 / 3, "rem": NORMAL}
_WEIGHT_PROPERTY = re.compile(r"font(?:-weight)?\s*:", re.IGNORECASE)
_WEIGHT = re.compile(r"\b(bold|bolder|[6-9]00|normal|[1-5]00)\b", re.IGNORECASE)
_SIZE_PROPERTY = re.compile(r"font(?:-size)?\s*:", re.IGNORECASE)
_SIZE = re.compile(r"\b(\d{1,20}(?:\.\d{1,20})?)\s*(px|pt|rem|em|%)", re.IGNORECASE)
_NAMED_SIZE = re.compile(r"\b((?:xx?-)?(?:small|large)|medium)\b", re.IGNORECASE)
_FONT_NUMBER = re.compile(r"\s*([+-]?)(\d{1,20})")


class Style(NamedTuple):
    """The style of a text; ``size`` is in CSS pixels."""

    bold: bool = False
    italic: bool = False
    underlined: bool = False
    centred: bool = False
    size: float = NORMAL
    link: bool = False


PLAIN = Style()


def styled(style: Style, element: Any) -> Style:
    """Return the style of text in ``element``, whose parent has ``style``."""
    tag = element.tag
    if tag != "font" and not may_style(element.keys()):
        return _restyled(style, tag, False, None, None) if tag in STYLING else style
    if not isinstance(tag, str):
        return style
    size = element.get("size") if tag == "font" else None
    return restyled(style, tag, element.get("align") == "center", element.get("style"), size)


def restyled(style: Style, tag: str, centred: bool, declared: str | None, size: str | None) -> Style:
    """Apply an element's tag and attributes.

    ``centred``: whether ``align`` is "center"; ``declared``: the ``style`` attribute; ``size``: that of a <font>.
    """
    if len(tag) + len(declared or "") + len(size or "") > _MAX_CACHED_LENGTH:
        return _restyled.__wrapped__(style, tag, centred, declared, size)
    return _restyled(style, tag, centred, declared, size)


def may_style(attributes: list[str]) -> bool:
    """Return whether attributes of these names may change the style, in elements of any tag."""
    return "style" in attributes or "align" in attributes


@lru_cache(maxsize=4096)
def _restyled(style: Style, tag: str, centred: bool, declared: str | None, size: str | None) -> Style:
    """Compute `restyled`."""
    if tag in _FIELDS_BY_TAG:
        style = style._replace(**_FIELDS_BY_TAG[tag])
    elif tag in _SCALE:
        style = style._replace(size=style.size * _SCALE[tag])
    elif tag == "font":
        style = style._replace(size=_font_size(size, style.size))
    if centred:
        style = style._replace(centred=True)
    return _declared(style, declared) if declared else style


def _declared(style: Style, declared: str) -> Style:
    """Return the style changed by the declarations of a ``style`` attribute."""
    if "font" in declared.lower():
        declarations = declared.split(";")
        if weight := _first_value(declarations, _WEIGHT_PROPERTY, _WEIGHT):
            style = style._replace(bold=weight[1].lower().startswith(("bold", "6", "7", "8", "9")))
        if size := _first_value(declarations, _SIZE_PROPERTY, _SIZE):
            number, unit = float(size[1]), size[2].lower()
            factor = {"em": number, "%": number / 100}.get(unit)
            pixels = number * _UNITS[unit] if factor is None else factor * style.size
            style = style._replace(size=min(pixels, 100.0))
        elif named := _first_value(declarations, _SIZE_PROPERTY, _NAMED_SIZE):
            style = style._replace(size=_NAMED_SIZES[named[1].lower()])
    compact = declared.replace(" ", "").lower()
    for text, fields in _DECLARED.items():
        if text in compact:
            style = style._replace(**fields)
    return style


def _first_value(declarations: Sequence[str], names: re.Pattern[str], values: re.Pattern[str]) -> re.Match[str] | None:
    """Return the first value of these properties. A single combined pattern would take quadratic time."""
    for declaration in declarations:
        if (name := names.search(declaration)) and (value := values.search(declaration, name.end())):
            return value
    return None


def _font_size(value: str | None, size: float) -> float:
    """Return the size in pixels of a <font size>, "5" or "+1" (relative to 3); ``size`` if it is not a number."""
    match = _FONT_NUMBER.match(value or "")
    if not match:
        return size
    number = int(match[2])
    if match[1]:
        number = 3 + number if match[1] == "+" else 3 - number
    return _FONT_SIZES[max(1, min(number, 7)) - 1]
