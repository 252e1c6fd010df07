"""Convert code laid out with elements to the lines of a <pre>, without line numbers, buttons and labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice, pairwise
from typing import Any

from scrapy_semtext.dom.element_text import all_text
from scrapy_semtext.dom.tags import GROUPS, Group, tag_of
from scrapy_semtext.dom.tree import add_before, add_text, drop, writable
from scrapy_semtext.text.word_tables import alternatives, code_languages

_CODE_NAMES = re.compile(alternatives("code"), re.IGNORECASE)
_GUTTER_NAMES = re.compile(r"gutter|line-?n(?:o|um)|ln-num|hljs-ln-n|blob-num|(?:^|\s)lnt?(?:$|\s)", re.IGNORECASE)
_LINE_NAMES = re.compile(r"(?:^|[\s_-])line(?:$|\s|\d|-\d)", re.IGNORECASE)
_BLOCK_STYLE = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table-row)", re.IGNORECASE)
_DECLARED = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:)[-\s]?([\w+#-]+)", re.IGNORECASE)
# Code is labeled with its language, or with one of these.
_OTHER_LABELS = frozenset("output plaintext terminal text txt".split())
_COPY_NAMES = re.compile(r"copy|clipboard|clip-?btn", re.IGNORECASE)
_COPY = re.compile(alternatives("copy"), re.IGNORECASE)
_GUTTER_TAGS = frozenset("td th pre div code span ol ul".split())
_LABEL_TAGS = frozenset("div span button a small figcaption p header".split())
_LEVELS = 4  # ancestors of code that are searched for its line numbers and buttons
_NEAR = 3  # number of siblings on each side
_MOST_BESIDE, _MOST_INSIDE = 6, 20  # maximum number of children of an ancestor of code, and of elements in a label
_LONGEST_LABEL = 30
_MANY_NUMBERS = 2
_AROUND_NUMBER = " \t\n.:|"


def mend_code(pre: Any) -> None:
    """Reduce a <pre> to the text of the code, with one line of text per line of code."""
    for gutter in _gutters(pre):
        drop(gutter)
    _without_labels(pre)
    if len(pre):
        for table in pre.iter("table"):
            _without_indents(table)
        _without_numbers(pre)
        _as_lines(pre)


def mend_table(table: Any) -> None:
    """Convert a table with lines of code in one column, and their numbers in the other, to one <pre>."""
    if table.find(".//pre") is not None or table.find(".//table") is not None:
        return
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    if rows and all(len(cells) > 1 and _is_numbered(cells[0], cells[-1]) for cells in rows):
        for gutter in [cell for cells in rows for cell in cells[:-1] if _is_gutter(cell, alone=True)]:
            drop(gutter)
        _without_indents(table)
        table.tag = "pre"
        mend_code(table)


def _is_numbered(number: Any, line: Any) -> bool:
    """Return whether a cell contains the number of the line of code in another cell."""
    is_code = _names_code(number, _GUTTER_NAMES) or _names_code(line) or line.find(".//code") is not None
    return is_code and _is_gutter(number, alone=True)


def _without_indents(table: Any) -> None:
    """Remove the white space between the rows and the cells of a table."""
    for row in table.iter("table", "thead", "tbody", "tr"):
        row.text = None
        for cell in row:
            cell.tail = None


def may_be_code(table: Any) -> bool:
    """Return whether the names of a table, its parents or its first cells suggest code."""
    cells = [cell for cell in islice(table.iter("td"), 2) if _names_code(cell) or _names_code(cell, _GUTTER_NAMES)]
    return bool(cells) or any(map(_names_code, (table, *islice(table.iterancestors(), 2))))


def _names_code(element: Any, names: re.Pattern[str] = _CODE_NAMES) -> bool:
    return element.get("data-line-number") is not None or bool(names.search(element.get("class") or ""))


def _is_gutter(element: Any, *, alone: bool = False) -> bool:
    """Return whether an element has only rising numbers; one or none counts if names say so or it is ``alone``."""
    texts = filter(None, map(str.strip, element.itertext()))
    first = next(texts, "")
    if not first:
        return _names_code(element, _GUTTER_NAMES)
    if not first[0].isdecimal():
        return False
    numbers = " ".join((first, *texts)).split()
    if not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return False
    if len(numbers) < _MANY_NUMBERS:
        return alone or any(_names_code(each, _GUTTER_NAMES) for each in element.iter("*"))
    return _count_up(numbers)


def _count_up(numbers: Iterable[str]) -> bool:
    return all(int(second) == int(first) + 1 for first, second in pairwise(numbers))


def _gutters(pre: Any) -> list[Any]:
    """Return the elements next to code, or at its beginning, that contain its line numbers."""
    if _is_gutter(pre):
        return []
    firsts = [each[0] for each in (pre, *islice(pre.iter("code"), 1)) if len(each) and not each.text]
    found = [first for first in firsts if tag_of(first) and first.getnext() is not None and _is_gutter(first)]
    for outer in (pre, *islice(pre.iterancestors(), _LEVELS)):
        if outer.tag in ("body", "article", "main", "section", "li", "tr") or (
            outer is not pre and len(outer) > _MOST_BESIDE
        ):
            break
        around = [each for each in (outer.getprevious(), outer.getnext()) if each is not None]
        found += [each for each in around if each.tag in _GUTTER_TAGS and _is_gutter(each)]
    return list(dict.fromkeys(found))


def _without_numbers(pre: Any) -> None:
    """Remove elements with line numbers from the beginnings of lines, and empty ones that CSS fills with numbers."""
    for each in [*pre.iter("td", "div", "span")]:
        if _GUTTER_NAMES.search(each.get("class") or "") and not all_text(each).strip():
            drop(each)
    leaves = [
        element
        for element in pre.iter("span", "a", "em", "i", "b", "td", "div", "small", "code")
        if not len(element) and (text := (element.text or "").strip(_AROUND_NUMBER)).isdecimal() and len(text) < 8
    ]
    named = [each for each in leaves if _GUTTER_NAMES.search(f"{each.get('class') or ''} {each.get('id') or ''}")]
    if not named:
        leaves = [each for each in leaves if _begins_line(each, pre)]
        alike = [each for each in leaves if (each.tag, each.get("class")) == (leaves[0].tag, leaves[0].get("class"))]
        if len(alike) >= _MANY_NUMBERS and _count_up(each.text.strip(_AROUND_NUMBER) for each in alike):
            named = alike
    spaced = bool(named) and all((each.tail or "").startswith(" ") for each in named)
    for each in named:
        if spaced:
            each.tail = writable(each.tail[1:])
        drop(each)


def _begins_line(element: Any, pre: Any) -> bool:
    while element is not pre:
        last, outer = element.getprevious(), element.getparent()
        if last is not None and not last.tail:
            if _breaks_off(last) or (isinstance(last.tag, str) and _is_line(last)):
                return True
            text = next(last.itertext(), "") if isinstance(last.tag, str) else ""  # a comment has no text
        else:
            text = (outer.text or "") if last is None else last.tail
        if text:
            return str(text).rstrip(" ").endswith("\n")
        if last is None and outer is not pre and _is_line(outer):
            return True
        element = outer if last is None else last
    return True


def _is_line(element: Any) -> bool:
    """Return whether an element in code represents one or more lines."""
    return _are_lines(tag_of(element), element.get("style") or "", element.get("class") or "")


@lru_cache(maxsize=1024)
def _are_lines(tag: str, style: str, names: str) -> bool:
    if GROUPS[tag] in (Group.BOUNDARY, Group.PREFORMATTED):
        return True
    return bool(_BLOCK_STYLE.search(style) or _LINE_NAMES.search(names))


def _as_lines(pre: Any) -> None:
    """End each element that is a line with a newline; convert elements that would split the code to <span>."""
    for element in [*pre.iter()][:0:-1]:
        tag = tag_of(element)
        if not tag or tag == "br":
            continue
        cuts = GROUPS[tag] > Group.BREAK
        if _is_line(element):
            if cuts and not _begins_line(element, pre):
                add_before(element, "\n")
            if not _ends_line(element):
                add_text(element, ["\n"])
        if cuts:
            element.tag = "span"


def _ends_line(element: Any) -> bool:
    """Return whether a newline is at the end of an element, or directly after it."""
    following = element.getnext()
    broken = following is not None and following.tag == "br" and not element.tail
    if broken or (element.tail or "").lstrip(" ").startswith("\n"):
        return True
    return _breaks_off(element)


def _breaks_off(element: Any) -> bool:
    """Return whether an element's content ends in a newline."""
    while len(element):
        if element[-1].tail:
            return str(element[-1].tail).rstrip(" ").endswith("\n")
        element = element[-1]
    return element.tag == "br" or (element.text or "").endswith("\n")


def _without_labels(pre: Any) -> None:
    """Remove the buttons in and next to code, and the name of its language above it."""
    around = [pre, *islice(pre.iterancestors(), _LEVELS)]
    named = (*around[:3], *pre.iter("code"))
    found = [_DECLARED.search(f"{each.get('class') or ''} lang-{each.get('data-lang') or ''}") for each in named]
    stated = {match[1].lower() for match in found if match}
    for outer in around:
        if outer is not pre and (not _names_code(outer) or len(outer) > _MOST_BESIDE):
            break
        holder = outer.getparent()
        is_code = _names_code(outer) or (holder is not None and _names_code(holder))
        for each in (*islice(outer.itersiblings(preceding=True), _NEAR), *islice(outer.itersiblings(), _NEAR)):
            if tag_of(each) in _LABEL_TAGS and _is_label(each, stated, is_code=is_code):
                drop(each)
    for each in [*pre.iter("button")]:
        drop(each)


def _is_label(element: Any, stated: AbstractSet[str], *, is_code: bool) -> bool:
    """Return whether a small element has only buttons and the stated languages, or any language if it ``is_code``."""
    inside = [*islice(element.iter("*"), _MOST_INSIDE)]
    texts = [text for text in map(str.strip, islice(element.itertext(), _MOST_INSIDE)) if text]
    if len(inside) == _MOST_INSIDE or not texts or max(map(len, texts)) > _LONGEST_LABEL:
        return False
    is_code = is_code or any(each.tag == "button" or _COPY_NAMES.search(each.get("class") or "") for each in inside)
    known = stated | code_languages() | _OTHER_LABELS if is_code else stated
    return all(text.lower() in known or (is_code and _COPY.fullmatch(text)) for text in texts)
