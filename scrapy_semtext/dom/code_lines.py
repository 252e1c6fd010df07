"""Code that a page lays out by elements, put into the lines of a <pre>: without line numbers, buttons and labels."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom.element_text import all_text, rough_text
from scrapy_semtext.dom.tags import GROUPS, Group, tag_of
from scrapy_semtext.dom.tree import add_text, drop, writable

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE_NAMES = re.compile(
    r"code|highlight|hljs|prism|shiki|syntax|snippet|gist|blob|chroma|rouge|crayon|sourceCode|language-", re.IGNORECASE
)
_GUTTER_NAMES = re.compile(r"gutter|line-?n(?:o|um)|ln-num|hljs-ln-n|blob-num|(?:^|\s)lnt?(?:$|\s)", re.IGNORECASE)
_LINE_NAMES = re.compile(r"(?:^|[\s_-])line(?:$|\s|\d|-\d)", re.IGNORECASE)
_BLOCK_STYLE = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table-row)", re.IGNORECASE)
_DECLARED = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:)[-\s]?([\w+#-]+)", re.IGNORECASE)
_LANGUAGES = frozenset(
    "apache asm bash bat batch c c# c++ clojure cmake cmd console cpp csharp css csv dart diff docker dockerfile elixir "
    "erlang f# fortran fsharp go golang graphql groovy haskell hcl html http ini java javascript js json json5 jsonc jsx "
    "julia kotlin latex less lisp lua makefile markdown mathematica matlab md nginx nim nix objective-c ocaml output perl "
    "php plaintext powershell prolog proto protobuf ps1 py python python3 r rb rs ruby rust scala scss sh shell solidity "
    "sql svelte swift terminal terraform tex text toml ts tsx txt typescript vb vim vue xml yaml yml zig zsh".split()
)
_COPY_NAMES = re.compile(r"copy|clipboard|clip-?btn", re.IGNORECASE)
_COPY = re.compile(
    r"cop(?:y|ied|ier|iar|ia)\b.*|kopieren|kopiert|kopieer|kopiuj|(?:с)?копировать|コピー(?:する)?|复制.*|複製.*|복사.*|"
    r"run|raw|view raw|wrap|toggle .*|expand|collapse|download|open in .*",
    re.IGNORECASE,
)
_LABEL_TAGS = frozenset("div span button a small figcaption p header".split())
_LEVELS = 4  # how far around code its numbers and buttons are looked for
_NEAR = 3  # how many siblings on each side
_LONGEST_LABEL = 30
_MANY_NUMBERS = 2


def mend_code(pre: Any) -> None:
    """Leave the text of code alone in a <pre>, a line of code a line."""
    for gutter in _gutters(pre):
        drop(gutter)
    _without_labels(pre)
    if len(pre):
        for table in pre.iter("table"):
            _without_indents(table)
        _without_numbers(pre)
        _as_lines(pre)


def mend_table(table: Any) -> None:
    """Make one <pre> of a table of lines of code, whose other column has their numbers."""
    if table.find(".//pre") is not None or table.find(".//table") is not None:
        return
    gutters = []
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        if len(cells) < 2 or not _is_gutter(cells[0], alone=True):
            return
        if not (
            _names_code(cells[0], _GUTTER_NAMES) or _names_code(cells[-1]) or cells[-1].find(".//code") is not None
        ):
            return
        gutters += [cell for cell in cells[:-1] if _is_gutter(cell, alone=True)]
    if not gutters:
        return
    for gutter in gutters:
        drop(gutter)
    _without_indents(table)
    table.tag = "pre"
    mend_code(table)


def _without_indents(table: Any) -> None:
    """Take out the white space between the rows and the cells of a table."""
    for row in table.iter("table", "thead", "tbody", "tr"):
        row.text = None
        for cell in row:
            cell.tail = None


def may_be_code(table: Any) -> bool:
    """Whether a table, what is right around it or its first cells have names of code."""
    cells = [cell for cell in islice(table.iter("td"), 2) if _names_code(cell) or _names_code(cell, _GUTTER_NAMES)]
    return bool(cells) or any(map(_names_code, (table, *islice(table.iterancestors(), 2))))


def _names_code(element: Any, names: re.Pattern[str] = _CODE_NAMES) -> bool:
    return element.get("data-line-number") is not None or bool(names.search(element.get("class") or ""))


def _is_gutter(element: Any, *, alone: bool = False) -> bool:
    """Whether an element holds rising numbers and nothing else; of one or none, if its names say so or it is ``alone``."""
    texts = islice(filter(None, map(str.strip, element.itertext())), None)
    first = next(texts, "")
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    if not first:
        return element.get("data-line-number") is not None or bool(_GUTTER_NAMES.search(names))
    if not first[0].isdecimal():
        return False
    numbers = " ".join((first, *texts)).split()
    if not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return False
    if len(numbers) < _MANY_NUMBERS:
        return alone or bool(_GUTTER_NAMES.search(names))
    return all(int(second) == int(number) + 1 for number, second in pairwise(numbers))


def _gutters(pre: Any) -> list[Any]:
    """The elements beside code, or first in it, that hold the numbers of its lines."""
    if _is_gutter(pre):
        return []
    firsts = [each[0] for each in (pre, *islice(pre.iter("code"), 1)) if len(each) and not each.text]
    found = [first for first in firsts if tag_of(first) and first.getnext() is not None and _is_gutter(first)]
    for outer in (pre, *islice(pre.iterancestors(), _LEVELS)):
        if outer.tag in ("body", "article", "main", "section", "li", "tr"):
            break
        found += [
            beside for beside in (outer.getprevious(), outer.getnext()) if beside is not None and _is_beside(beside)
        ]
    return list(dict.fromkeys(found))


def _is_beside(element: Any) -> bool:
    return tag_of(element) in ("td", "th", "pre", "div", "code", "span", "ol", "ul") and _is_gutter(element)


def _without_numbers(pre: Any) -> None:
    """Take out elements that begin the lines of code with their numbers, or show none but by style."""
    for each in [*pre.iter("td", "div", "span")]:
        if _GUTTER_NAMES.search(each.get("class") or "") and not all_text(each).strip():
            drop(each)
    leaves = [
        element
        for element in pre.iter("span", "a", "em", "i", "b", "td", "div", "small", "code")
        if not len(element) and (text := (element.text or "").strip(" \t\n.:|")).isdecimal() and len(text) < 8
    ]
    named = [each for each in leaves if _GUTTER_NAMES.search(f"{each.get('class') or ''} {each.get('id') or ''}")]
    if not named:
        leaves = [each for each in leaves if _begins_line(each, pre)]
        if leaves:
            alike = [
                each for each in leaves if (each.tag, each.get("class")) == (leaves[0].tag, leaves[0].get("class"))
            ]
            values = [int(each.text.strip(" \t\n.:|")) for each in alike]
            if len(values) >= _MANY_NUMBERS and all(second == first + 1 for first, second in pairwise(values)):
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
            text = next(last.itertext(), "")
        else:
            text = (outer.text or "") if last is None else last.tail
        if text:
            return str(text).rstrip(" ").endswith("\n")
        if last is None and outer is not pre and _is_line(outer):
            return True
        element = outer if last is None else last
    return True


def _is_line(element: Any) -> bool:
    """Whether an element in code is a line, or lines, of it."""
    return _are_lines(tag_of(element), element.get("style") or "", element.get("class") or "")


@lru_cache(maxsize=1024)
def _are_lines(tag: str, style: str, names: str) -> bool:
    if GROUPS[tag] in (Group.BOUNDARY, Group.PREFORMATTED):
        return True
    return bool(_BLOCK_STYLE.search(style) or _LINE_NAMES.search(names))


def _as_lines(pre: Any) -> None:
    """End each line that is an element by a newline; elements that would cut the code become <span>."""
    for element in [*pre.iter()][:0:-1]:
        tag = tag_of(element)
        if not tag or tag == "br":
            continue
        cuts = GROUPS[tag] > Group.BREAK
        if _is_line(element):
            if cuts and not _begins_line(element, pre):
                _add_before(element, "\n")
            if not _ends_line(element):
                add_text(element, ["\n"])
        if cuts:
            element.tag = "span"


def _ends_line(element: Any) -> bool:
    """Whether a newline stands at the end of an element, or right behind it."""
    following = element.getnext()
    broken = following is not None and following.tag == "br" and not element.tail
    if broken or (element.tail or "").lstrip(" ").startswith("\n"):
        return True
    return _breaks_off(element)


def _breaks_off(element: Any) -> bool:
    """Whether the last that is in an element is a newline."""
    while len(element):
        if element[-1].tail:
            return str(element[-1].tail).rstrip(" ").endswith("\n")
        element = element[-1]
    return element.tag == "br" or (element.text or "").endswith("\n")


def _add_before(element: Any, text: str) -> None:
    last, outer = element.getprevious(), element.getparent()
    if last is None:
        outer.text = writable((outer.text or "") + text)
    else:
        last.tail = writable((last.tail or "") + text)


def _without_labels(pre: Any) -> None:
    """Take out the buttons in and beside code, and the name of its language above it."""
    around = [pre, *islice(pre.iterancestors(), _LEVELS)]
    names = [f"{each.get('class') or ''} {each.get('data-lang') or ''}" for each in (*around[:3], *pre.iter("code"))]
    stated = {match[1].lower() for each in names if (match := _DECLARED.search(each))}
    for outer in around:
        if outer is not pre and not _names_code(outer):
            break
        holder = outer.getparent()
        is_named = _names_code(outer) or (holder is not None and _names_code(holder))
        near = (*islice(outer.itersiblings(preceding=True), _NEAR), *islice(outer.itersiblings(), _NEAR))
        for each in near:
            if tag_of(each) in _LABEL_TAGS and _is_label(each, stated, is_named):
                drop(each)
    for each in [*pre.iter("button")]:
        drop(each)


def _is_label(element: Any, stated: set[str], is_named: bool) -> bool:
    """Whether an element has only the name of a language and buttons; it is ``stated``, or names say that it is code."""
    texts = [text for text in map(str.strip, islice(element.itertext(), _NEAR * 3)) if text]
    copies = (
        element.tag == "button"
        or _COPY_NAMES.search(element.get("class") or "")
        or element.find(".//button") is not None
    )
    if not texts:
        return False
    return (
        all(
            text.lower() in stated
            or (copies and _COPY.fullmatch(text))
            or ((is_named or copies) and (text.lower() in _LANGUAGES or _COPY.fullmatch(text)))
            for text in texts
        )
        and len(rough_text(element)) <= _LONGEST_LABEL
    )
