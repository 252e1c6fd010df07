"""Markup that is rewritten as text before segmentation, so that every reader gets the same.

Code that is laid out with elements becomes the lines of a <pre>, without line numbers, buttons and labels. Exponents
become superscript letters (10⁶), and note marks get brackets (1902[2]), as do ruby annotations; quotations get
quotation marks; formulas become TeX if the page has it; emoji images become their alternative text. A declarative
shadow root replaces the content of its host. Signs that link a heading to itself, or a note to its mark, links for
editing a section, and what readers never see are removed. Buttons and similar controls in the middle of a line become
part of the line; lines laid out by style become lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from html import unescape
from itertools import islice, pairwise
from typing import Any

from scrapy_semtext.tree.elements import ODD, all_text, shown_text, text_line
from scrapy_semtext.tree.parsing import add_before, add_text, drop, writable
from scrapy_semtext.tree.segmentation import Run, TextBlock, is_read_aloud
from scrapy_semtext.tree.tags import (
    GROUPS,
    HEADING_LEVELS,
    PAGE_PARTS,
    Group,
    display_of,
    is_closed_dialog,
    is_unseen_style,
    tag_of,
)
from scrapy_semtext.words.word_tables import alternatives, code_languages, paragraphs
from scrapy_semtext.words.words import primary_language

_INLINE = (Group.INLINE, Group.LINK)

_CODE_NAMES = re.compile(alternatives("code"), re.IGNORECASE)
_GUTTER_NAMES = re.compile(r"gutter|line-?n(?:o|um)|ln-num|hljs-ln-n|blob-num|(?:^|\s)lnt?(?:$|\s)", re.IGNORECASE)
_LINE_NAMES = re.compile(r"(?:^|[\s_-])line(?:$|\s|\d|-\d)", re.IGNORECASE)
# Names of elements with code that is laid out with line breaks or a list.
_CODE_BLOCK = re.compile(
    r"(?:^|[\s_-])(?:bb|block|source|forum)?-?code-?(?:content|body|text|block|box|main|inner)?(?=$|\s|_\w)",
    re.IGNORECASE,
)
_SOURCE_BREAK = re.compile(r"(?<![ \t])[ \t]*[\r\n]\s*")
_BLOCK_STYLE = re.compile(r"(?<![\w-])display\s*:\s*(?:block|flex|grid|list-item|table-row)", re.IGNORECASE)
_DECLARED = re.compile(r"(?:^|\s)(?:lang(?:uage)?|highlight-source|brush:)[-\s]?([\w+#-]+)", re.IGNORECASE)
# Code is labeled with its language, or with one of these.
_OTHER_LABELS = frozenset("output plaintext terminal text txt".split())
_COPY_NAMES = re.compile(r"copy|clipboard|clip-?btn", re.IGNORECASE)
_COPY = re.compile(alternatives("copy"), re.IGNORECASE)
_GUTTER_TAGS = frozenset("td th pre div code span ol ul".split())
_LABEL_TAGS = frozenset("div span button a small figcaption p header".split())
_CODE_LEVELS = 4  # ancestors of code that are searched for its line numbers and buttons
_SIBLINGS = 3  # number of siblings on each side
_MAX_CHILDREN, _MAX_INSIDE = 6, 20  # maximum number of children of an ancestor of code, and of elements in a label
_MAX_LABEL_CHARS = 30
_MIN_NUMBERS = 2
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


def _spread_code(code: Any) -> None:
    """Convert code whose lines end in <br> or are the items of a list to a <pre>; its indentation is kept."""
    code.tag = "pre"
    for each in code.iter():
        # Outside of <pre>, a newline in the source is a space, or nothing at the beginning of a line.
        if each.text and tag_of(each):
            each.text = writable(_SOURCE_BREAK.sub(" ", each.text).replace("\xa0", " "))
        if each.tail and each is not code:
            tail = each.tail.lstrip(" \r\n") if tag_of(each) in ("br", "li") else each.tail
            each.tail = writable(_SOURCE_BREAK.sub(" ", tail).replace("\xa0", " "))
    mend_code(code)


def _spread_around(line: Any) -> None:
    """Convert the code around a line break or list to a <pre>, see `_spread_code`."""
    code = line.getparent()
    if code.tag in ("td", "th"):  # a cell stays one
        inner = code.makeelement("pre")
        inner.text, code.text = code.text, None
        inner.extend(list(code))
        code.append(inner)
        code = inner
    _spread_code(code)


def _is_in_code(line: Any) -> bool:
    """Return whether a line break or list is directly in an element named code that has nothing but lines."""
    code = line.getparent()
    if code.tag in ("pre", "code") or not _CODE_BLOCK.search(f"{code.get('class') or ''} {code.get('id') or ''}"):
        return False
    return all(GROUPS[tag_of(each)] <= Group.BREAK or each.tag in ("ol", "li") for each in code.iterdescendants("*"))


def mend_table(table: Any) -> None:
    """Convert a table with lines of code in one column, and their numbers in the other, to one <pre>."""
    if table.find(".//pre") is not None or table.find(".//table") is not None:
        return
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    if rows and all(len(cells) > 1 and _is_numbered(cells[0], cells[-1]) for cells in rows):
        for gutter in [cell for cells in rows for cell in cells[:-1] if _is_gutter(cell, allow_single=True)]:
            drop(gutter)
        _without_indents(table)
        table.tag = "pre"
        mend_code(table)


def _is_numbered(number: Any, line: Any) -> bool:
    """Return whether a cell contains the number of the line of code in another cell."""
    is_code = _names_code(number, _GUTTER_NAMES) or _names_code(line) or line.find(".//code") is not None
    return is_code and _is_gutter(number, allow_single=True)


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
    """Return whether an element has a line number as attribute, or ``names`` match its class."""
    return element.get("data-line-number") is not None or bool(names.search(element.get("class") or ""))


def _is_gutter(element: Any, *, allow_single: bool = False) -> bool:
    """Return whether an element has only rising numbers: two, one if ``allow_single``, or fewer if names say so."""
    texts = filter(None, map(str.strip, element.itertext()))
    first = next(texts, "")
    if not first:
        return _names_code(element, _GUTTER_NAMES)
    if not first[0].isdecimal():
        return False
    numbers = " ".join((first, *texts)).split()
    if not all(number.isdecimal() and len(number) < 8 for number in numbers):
        return False
    if len(numbers) < _MIN_NUMBERS:
        return allow_single or any(_names_code(each, _GUTTER_NAMES) for each in element.iter("*"))
    return _count_up(numbers)


def _count_up(numbers: Iterable[str]) -> bool:
    """Return whether each number is the number before it plus one."""
    return all(int(second) == int(first) + 1 for first, second in pairwise(numbers))


def _gutters(pre: Any) -> list[Any]:
    """Return the elements next to code, or at its beginning, that contain its line numbers."""
    if _is_gutter(pre):
        return []
    firsts = [each[0] for each in (pre, *islice(pre.iter("code"), 1)) if len(each) and not each.text]
    found = [first for first in firsts if tag_of(first) and first.getnext() is not None and _is_gutter(first)]
    for outer in (pre, *islice(pre.iterancestors(), _CODE_LEVELS)):
        if outer.tag in ("body", "article", "main", "section", "li", "tr") or (
            outer is not pre and len(outer) > _MAX_CHILDREN
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
        if len(alike) >= _MIN_NUMBERS and _count_up(each.text.strip(_AROUND_NUMBER) for each in alike):
            named = alike
    spaced = bool(named) and all((each.tail or "").startswith(" ") for each in named)
    for each in named:
        if spaced:
            each.tail = writable(each.tail[1:])
        drop(each)


def _begins_line(element: Any, pre: Any) -> bool:
    """Return whether an element inside ``pre`` is at the beginning of a line of code."""
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
    """Compute `_is_line`; cached because elements of code have few different classes."""
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
    around = [pre, *islice(pre.iterancestors(), _CODE_LEVELS)]
    named = (*around[:3], *pre.iter("code"))
    found = [_DECLARED.search(f"{each.get('class') or ''} lang-{each.get('data-lang') or ''}") for each in named]
    stated = {match[1].lower() for match in found if match}
    for outer in around:
        if outer is not pre and (not _names_code(outer) or len(outer) > _MAX_CHILDREN):
            break
        holder = outer.getparent()
        is_code = _names_code(outer) or (holder is not None and _names_code(holder))
        for each in (*islice(outer.itersiblings(preceding=True), _SIBLINGS), *islice(outer.itersiblings(), _SIBLINGS)):
            if tag_of(each) in _LABEL_TAGS and _is_label(each, stated, is_code=is_code):
                drop(each)
    for each in [*pre.iter("button")]:
        drop(each)


def _is_label(element: Any, stated: AbstractSet[str], *, is_code: bool) -> bool:
    """Return whether a small element has only buttons and the stated languages, or any language if it ``is_code``."""
    inside = [*islice(element.iter("*"), _MAX_INSIDE)]
    texts = [text for text in map(str.strip, islice(element.itertext(), _MAX_INSIDE)) if text]
    if len(inside) == _MAX_INSIDE or not texts or max(map(len, texts)) > _MAX_LABEL_CHARS:
        return False
    is_code = is_code or any(each.tag == "button" or _COPY_NAMES.search(each.get("class") or "") for each in inside)
    known = stated | code_languages() | _OTHER_LABELS if is_code else stated
    return all(text.lower() in known or (is_code and _COPY.fullmatch(text)) for text in texts)


# Soft hyphen, zero-width space, word joiner and byte order mark. Joiners are letters of some scripts and part of emoji.
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
#: An invisible character.
UNSEEN = re.compile(f"[{_UNSEEN}]")

_RAISED = dict(zip("-–0123456789+−=()nxk", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿˣᵏ", strict=True))
_LOWERED = dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True))
_TO_PLAIN = str.maketrans({written: letter for letter, written in (*_RAISED.items(), *_LOWERED.items())})
_POWER = re.compile(r"(?!\()(?:[0-9+\-−–=()]|(?<![a-z])[nxk](?![a-z]))+")
_UNRAISED = re.compile(r"[\d−–-](?:[\w.,/*·−–+-]*\w)?")  # an exponent without superscript letters, such as 1/2
_ORDINAL = re.compile(r"\d+\W?[a-zº°ª]+", re.IGNORECASE)
_NOTE = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*|[a-z]")
_NOTE_NAMES = re.compile(r"reference|foot|note|cite|\bfn|\bref", re.IGNORECASE)
_PRICE = re.compile(r"price|\bcents?\b|decimal|amount", re.IGNORECASE)
# Quotation marks, outer and inner, by language; “”‘’ for all other languages.
_QUOTES = {language: signs for signs, *others in map(str.split, paragraphs("quotes")[0]) for language in others}
_SIGNS = frozenset('"“”„‚‘«»‹›「『')

_EMOJI_NAMES = re.compile(r"emoji|emoticon|smil(?:ey|ie)", re.IGNORECASE)
_TEX_NAMES = re.compile(r"\b(?:la)?tex\b|math", re.IGNORECASE)
_EMOJI = re.compile("[#*0-9\u00a9\u00ae\u200d\u203c-\u3299\ufe0f\U0001f000-\U0001faff\U000e0020-\U000e007f]{1,30}")
_MAX_EMOJI_CHARS = 40  # maximum number of characters of an alternative text
_FORMULA = re.compile(r"katex|mathjax|mjx|mwe-math|math|ltx_|equation", re.IGNORECASE)
_STYLES = ("{\\displaystyle", "{\\textstyle")
_FORMULA_LEVELS = 6  # ancestors of a formula that may have its other forms, and preceding siblings that are examined
# Elements that may be in the middle of a line, and elements with lines of text, in which a button is part of a
# sentence.
_CONTROLS = ("button", "noscript", "template")
_HOLDING = frozenset((*HEADING_LEVELS, *"p li dt dd td th caption figcaption summary".split()))
_MAX_STEPS, _MAX_DESCENDANTS = 8, 40  # elements next to a control, and in it, that are examined

_SIGN = re.compile(r"\W*")
_PERMALINK = re.compile(r"(?:perma|direct |anchor|\W*)?(?:link|anchor)\b.*|copy.*", re.IGNORECASE)
_ANCHOR_NAMES = re.compile(r"anchor|perma|hash-?link|header-?link|heading-?link|self-?link", re.IGNORECASE)
# Links for editing, and what stands around their words; signs that lead from a note back to its mark.
_EDITS = re.compile(r"[?&](?:action|do|mode|veaction)=edit|[?&]edit\b|/edit(?:/|$)", re.IGNORECASE)
_BRACKETS = re.compile(r"[\s\[\](){}|/·]*")
_BACK = re.compile(r"\s*[\^↩↑⇑⇧⬆⤴↰⮌⮐⏎←⇐][\s\^↩↑⇑⇧⬆⤴↰⮌⮐⏎←⇐\ufe0e\ufe0f]*")
# A remark of editors in a text: "[citation needed]".
_REMARK = re.compile(r"\[[^\d\]]{4,40}\]")
_BEGINS_SENTENCE, _SENTENCE_ENDS = re.compile(r"[^\sa-zß-ÿ]"), (".", "!", "?", "。")
_LAID_OUT = re.compile(r"[a-z\d]+(?:_[a-z\d]+)*")
_NO_LINES = frozenset((*HEADING_LEVELS, "pre", "code"))  # their lines are read elsewhere, or are one
_KEEPS_LINES = re.compile(r"(?<![\w-])white-space:(?:pre|break-spaces)")
# Declarations in style sheets that matter here, selectors of one class, and boxes that open where a pointer is.
_ODD_DECLARATION = re.compile(r"clip(?:-path)?\s*:|:\s*-999|white-space\s*:\s*pre|display\s*:\s*block")
_ONE_CLASS = re.compile(r"\w*\.([\w-]+)(?::not\([^()]*\))*")
_OPENS_AT = re.compile(
    r":(?:hover|focus)(?:\s*[>+~]\s*|\s+)\w*\.([\w-]+)\s*\{[^{}]*(?:visibility:\s*visible|display:\s*(?:inline-)?block|opacity:\s*1)"
)
_MAX_RULES, _MAX_URL_CHARS = 40, 1000
_TEASER = re.compile(rf"\W{{0,4}}(?:{alternatives('read also')})\s*(?:[:：|»>›→–—-]\s*|$)", re.IGNORECASE)
_ADVERTISED = re.compile(rf"\W{{0,3}}(?:{alternatives('advertised')})\W{{0,3}}", re.IGNORECASE)
_MAX_TEASER_CHARS, _MIN_PARAGRAPH_CHARS = 220, 100


def needing_letters(found: Iterable[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Return those elements, given with their tags, that `write_letters` has to process."""
    return [(element, tag) for element, tag in found if tag not in _ONLY_IF or _ONLY_IF[tag](element)]


def write_letters(found: Sequence[tuple[Any, str]]) -> None:
    """Rewrite elements, given with their tags in page order, as letters."""
    if styles := [element for element, tag in found if tag == "style"]:
        _apply_styles(styles)
    for element, tag in found:
        is_same = tag in (element.tag, ODD) and element.getparent() is not None
        if is_same and tag in MENDERS and (tag not in _RECHECKED or _is_in_code(element)):
            MENDERS[tag](element)


def plain_letters(text: str) -> str:
    """Return the text of an exponent or index as it was before `write_letters`."""
    return text[2:-1] if text.startswith("^(") else text.translate(_TO_PLAIN)


def runs_with_unseen(blocks: Sequence[TextBlock]) -> list[Run]:
    """Return the text nodes of blocks that contain invisible characters."""
    texts = "".join([block.text for block in blocks if not block.text.isascii()])
    if not any(character in texts for character in _UNSEEN):
        return []
    runs = [run for block in blocks for run in block.runs]
    return [(element, is_tail) for element, is_tail in runs if UNSEEN.search(element.tail if is_tail else element.text)]


def without_unseen(runs: Iterable[Run]) -> None:
    """Remove the invisible characters from text nodes."""
    for element, is_tail in runs:
        name = "tail" if is_tail else "text"
        setattr(element, name, writable(UNSEEN.sub("", getattr(element, name))))


def teaser_lines(blocks: Sequence[TextBlock]) -> list[Any]:
    """Return the elements between paragraphs that only link to another text ("Read also:") or name advertisements."""
    found = []
    for index, block in enumerate(blocks):
        text = block.text
        if block.scope.tag not in ("p", "div") or len(text) > _MAX_TEASER_CHARS or "\n" in text:
            continue
        label = _TEASER.match(text) if block.link_chars else _ADVERTISED.fullmatch(text)
        if label is not None and label.end() + block.link_chars >= len(text) - 3:
            near = [each for each in blocks[max(0, index - 1) : index + 2] if len(each.text) > _MIN_PARAGRAPH_CHARS]
            is_flat = all(GROUPS[tag_of(each)] <= Group.BREAK for each in block.scope.element.iterdescendants())
            if is_flat and any(each.link_chars < 0.3 * len(each.text) for each in near):
                found.append(block.scope.element)
    return found


def _text_before(element: Any) -> str:
    """Return the text directly before an element in its parent."""
    for sibling in islice(element.itersiblings(preceding=True), _FORMULA_LEVELS):
        if text := (sibling.tail or "") or (all_text(sibling) if isinstance(sibling.tag, str) else ""):
            return text
    return element.getparent().text or ""


def _replace_by_text(element: Any, text: str) -> None:
    """Replace an element by a text-only one."""
    element.clear(keep_tail=True)
    element.tag, element.text = "span", writable(text)


def _replace_content(element: Any, text: str) -> None:
    """Replace all content of an element by a text; white space at its ends is kept."""
    raw = all_text(element)
    element[:] = []
    element.text = writable(raw.replace(raw.strip(), text) if raw.strip() else text)


def _superscript(sup: Any) -> None:
    """Show an exponent as superscript letters or as ^(1/2), and a note mark in brackets."""
    line, parent = text_line(sup), sup.getparent()
    text = line.replace(" ", "")
    link = parent if parent.tag == "a" else sup.find(".//a")
    last_char = _text_before(link if link is parent else sup)[-1:]
    names = " ".join([each.get(name, "") for each in (sup, link) if each is not None for name in ("class", "id")])
    # a letter is only a note mark directly after a word or a sign
    is_note = bool(_NOTE.fullmatch(line)) and (not line.isalpha() or (last_char != "" and not last_char.isspace()))
    if link is not None and _REMARK.fullmatch(line):
        drop(sup)
    elif link is not None and is_note and ("#" in link.get("href", "") or _NOTE_NAMES.search(names)):
        add_text(link if link is not parent and text_line(link) == line else sup, "]", "[")
    elif (sup.tail or "").lstrip()[:1] in ("/", "⁄") and text.isdecimal():  # a fraction
        add_text(sup, "", " " * last_char.isdecimal())
    elif _PRICE.search(f"{names} {parent.get('class') or ''}"):
        return
    elif _POWER.fullmatch(text):
        _replace_content(sup, "".join(map(_RAISED.__getitem__, text)))
    elif _UNRAISED.fullmatch(text) and not _ORDINAL.fullmatch(text):
        _replace_content(sup, f"[{line}]" if "," in text and not last_char.isdecimal() else f"^({text})")


def _subscript(sub: Any) -> None:
    """Show an index of digits next to another digit as subscript letters."""
    text = text_line(sub)
    if text.isascii() and text.isdecimal() and ((sub.tail or "")[:1].isdecimal() or _text_before(sub)[-1:].isdecimal()):
        _replace_content(sub, "".join(map(_LOWERED.__getitem__, text)))


def _bracket_ruby(ruby: Any) -> None:
    """Show the brackets around ruby annotations, adding them if necessary."""
    for reading in ruby.iter("rt"):
        previous = reading.getprevious()
        if previous is not None and previous.tag == "rp":
            continue
        if text_line(reading):
            add_text(reading, ")", "(")
    for bracket in list(ruby.iter("rp")):
        bracket.tag = "span"


def _quote(quotation: Any) -> None:
    """Add the language's quotation marks around a quotation without any."""
    ancestors = list(quotation.iterancestors())
    language = next(filter(None, (element.get("lang") for element in (quotation, *ancestors))), "")
    signs = _QUOTES.get(primary_language(language), "“”‘’")
    if all_text(quotation).lstrip()[:1] not in _SIGNS and _text_before(quotation)[-1:] not in _SIGNS:
        inner = sum(element.tag == "q" for element in ancestors) % 2 * 2
        add_text(quotation, signs[inner + 1], signs[inner])


def _quote_head(quotation: Any) -> Any:
    """Return the inline element before the text of a quotation that names its author ("Ann wrote:"), or None."""
    while len(quotation) and not (quotation.text or "").strip() and tag_of(first := quotation[0]):
        if GROUPS[first.tag] in _INLINE:
            is_head = first.tag == "cite" or text_line(first).endswith((":", "："))
            return first if is_head and (first.tail or "").strip() else None
        quotation = first
    return None


def _end_quote_head(quotation: Any) -> None:
    """End the line after the element that names the author of a quotation, if it has one."""
    head = _quote_head(quotation)
    if head is None:  # ended already, for a quotation inside this one
        return
    end = head.makeelement("br")
    end.tail, head.tail = head.tail, None
    head.addnext(end)


def _has_letters(image: Any) -> bool:
    """Return whether an image is an emoji or a formula."""
    alt = image.get("alt")
    if not alt:
        return False
    names = image.get("class") or ""
    if _TEX_NAMES.search(names):
        return True
    if len(alt) > _MAX_EMOJI_CHARS:
        return False
    address = (image.get("src") or "")[:200]
    if "emoji" in address or "smil" in address or _EMOJI_NAMES.search(names):
        return True
    return not alt.isascii() and bool(_EMOJI.fullmatch(alt.strip()))


def _plain_tex(tex: str) -> str:
    """Return TeX without its display style and the dollar signs around it."""
    tex = tex.strip()
    for style in _STYLES:
        if tex.startswith(style) and tex.endswith("}"):
            tex = tex[len(style) : -1]
    return tex.strip("$ \n")


def _formula(math: Any) -> None:
    """Replace all forms of a formula by one: TeX if the page has it, otherwise a line of letters."""
    holder = math
    for outer in islice(math.iterancestors(), _FORMULA_LEVELS):
        if (outer.tag in ("span", "div") and _FORMULA.search(outer.get("class") or "")) or outer.tag[:3] == "mjx":
            if next(islice(outer.iter("math"), 1, None), None) is not None or outer.find(".//script") is not None:
                break
            holder = outer
    following = holder.getnext()
    if following is not None and _is_tex(following):
        return  # the script has the TeX
    stated = next(
        (text for each in math.iter("annotation") if "tex" in each.get("encoding", "") and (text := each.text)), ""
    )
    _replace_by_text(holder, _plain_tex(stated or math.get("alttext") or "") or _in_a_line(math))


def _is_tex(element: Any) -> bool:
    """Return whether an element is a script that contains the TeX of a formula."""
    return element.tag == "script" and (element.get("type") or "").startswith("math/tex")


def _show_tex(script: Any) -> None:
    """Show a formula's TeX instead of MathJax output, unless both have the same letters."""
    tex = _plain_tex(unescape(script.text or ""))
    shown, previous = [], script.getprevious()
    while previous is not None and "MathJax" in (previous.get("class") or "") and not (previous.tail or "").strip():
        shown.append(previous)
        previous = previous.getprevious()
    if "".join("".join(map(all_text, shown)).split()) == "".join(tex.split()):
        drop(script)
        return
    for element in shown:
        drop(element)
    _replace_by_text(script, tex)


def _in_a_line(math: Any) -> str:
    """Return MathML as a line: exponents after "^", indices after "_", fractions with "/"; nesting is limited."""
    lines: dict[Any, str] = {}
    for element in reversed(list(math.iter("*"))):
        tag = element.tag.rpartition("}")[2].rpartition(":")[2]
        parts = [lines[child] for child in element if child in lines]
        if tag in ("annotation", "annotation-xml"):
            line = ""
        elif not len(element):
            line = " ".join((element.text or "").split())
        elif tag in ("msup", "mover", "msub", "munder", "mfrac", "msubsup", "munderover") and len(parts) > 1:
            signs = {"mfrac": "/", "msub": "_", "munder": "_"}.get(tag, "^")
            signs = "_^" if len(parts) > 2 else signs
            base = _grouped(parts[0]) if tag == "mfrac" else parts[0]
            line = base + "".join(sign + _grouped(part) for sign, part in zip(signs, parts[1:], strict=False))
        else:
            line = ("√" if tag == "msqrt" else "") + ("".join(parts) if tag != "msqrt" else _grouped("".join(parts)))
        lines[element] = line
    return lines[math]


def _grouped(part: str) -> str:
    """Return a part of a formula, in parentheses if it is more than a word or number."""
    return part if len(part) < 2 or part.isalnum() else f"({part})"


def _open_shadow_root(template: Any) -> None:
    """Move the content of a declarative shadow root into its host, and the host's content into its slots."""
    host, tail, template.tail = template.getparent(), template.tail, None
    children_of_slot: dict[str, list[Any]] = {}
    for child in host:
        if child is not template:
            children_of_slot.setdefault(child.get("slot") or "", []).append(child)
    for slot in template.iter("slot"):
        name = slot.get("name") or ""
        children = children_of_slot.pop(name, [])
        if children or (not name and (host.text or tail or "").strip()):
            slot[:], slot.text = children, None
            if not name:
                slot.text, host.text, tail = writable((host.text or "") + (tail or "")), None, None
    template.tag, template.tail = "div", tail
    template.attrib.clear()


def _permalinks(heading: Any) -> list[Any]:
    """Return the links in a heading that lead to itself and consist only of a sign or words that say so."""
    found, chars = [], -1  # characters of the heading
    for link in heading.iter("a") if len(heading) else ():
        names, address = link.get("class"), link.get("href", "")
        is_named = names and _ANCHOR_NAMES.search(names)
        if len(address) < _MAX_URL_CHARS and _EDITS.search(address):
            found.append(link)
        elif is_named or "#" in address:
            text = text_line(link)
            said = _PERMALINK.fullmatch(text) and (is_named or text[:5].lower() in ("perma", "direc"))
            if said or _SIGN.fullmatch(text):
                chars = chars if chars >= 0 else len(text_line(heading))
                found += [link] * (chars > len(text))
    return found


def _remove_permalinks(heading: Any) -> None:
    """Remove the links to a heading itself from it, but not the anchors that they may be, and links for editing."""
    for link in _permalinks(heading):
        outer = link.getparent()
        if not _EDITS.search(link.get("href", "")):
            link[:], link.text = [], None  # the link may carry the name of the anchor
        elif outer is not heading and _BRACKETS.fullmatch("".join(outer.itertext()).replace(all_text(link), "")):
            drop(outer)
        else:
            text_before, link.tail = _text_before(link).rstrip(" ["), (link.tail or "").lstrip(" ]")
            last = link.getprevious()
            if last is None:
                outer.text = text_before
            elif last.tail:
                last.tail = text_before
            drop(link)


def _text_beside(control: Any, *, before: bool) -> str:
    """Return the text before or after a control in its line, "" at either end of the line."""
    element, parent = control, control.getparent()
    for _ in range(_MAX_STEPS):
        previous = element.getprevious()
        text = element.tail if not before else parent.text if previous is None else previous.tail
        if text and not text.isspace():
            return str(text)
        sibling = previous if before else element.getnext()
        group = GROUPS[tag_of(parent if sibling is None else sibling)]
        if sibling is None and (group not in (Group.INLINE, Group.LINK) or parent.getparent() is None):
            return ""
        element, parent = (parent, parent.getparent()) if sibling is None else (sibling, parent)
        if sibling is not None and group >= Group.BREAK and sibling.tag not in _CONTROLS:
            return ""
        if sibling is not None and tag_of(sibling) and group > Group.SWALLOWER and (text := shown_text(sibling)):
            return text
    return ""


def _is_in_line(control: Any) -> bool:
    """Return whether a control is between two texts of a line: one without visible text, or a button in a sentence."""
    within = list(islice(control.iterdescendants(), _MAX_DESCENDANTS))
    if len(within) == _MAX_DESCENDANTS or any(GROUPS[tag_of(each)] > Group.BREAK for each in within):
        return False
    if control.tag == "button":
        around = islice(control.iterancestors(), _MAX_STEPS)
        outer = (each.tag for each in around if GROUPS[each.tag] not in (Group.INLINE, Group.LINK))
        if "hidden" in control.attrib or "style" in control.attrib or next(outer, "") not in _HOLDING:
            return False
    elif shown_text(control):
        return False
    return bool(_text_beside(control, before=True) and _text_beside(control, before=False))


def _into_line(control: Any) -> None:
    """Rewrite a button, template or noscript in a line as text of the line; remove it if it has no visible text."""
    if not shown_text(control):
        control.tag = "object"  # segmentation drops the content of this tag
        return
    control.tag = "span"
    next_char, last_char = _text_beside(control, before=False)[:1], _text_beside(control, before=True)[-1:]
    add_text(control, " " * next_char.isalnum(), first=" " * last_char.isalnum())


def _is_shadow(template: Any) -> bool:
    """Return whether a template is a shadow root at the beginning of its host element."""
    return template.getprevious() is None and any(name.startswith("shadowroot") for name in template.attrib)


def _display(element: Any, declared: str = "") -> Callable[[Any], None] | None:
    """Return how to rewrite an element that is displayed in an odd way, or None if it is not.

    ``declared``: what the style sheets of the page say of it, "pointed at" for a box that a pointer opens.
    """
    get, tag = element.get, element.tag
    classes, role, is_hidden = get("class") or "", get("role"), get("hidden") is not None
    style = "".join(f"{declared};{get('style') or ''}".lower().split())
    kind, inline = display_of(classes), GROUPS[tag] in _INLINE
    if kind == "unseen" or is_unseen_style(style):
        return drop if _is_small_part(element) and (inline or not is_read_aloud(text_line(element), classes)) else None
    if is_closed_dialog(element, classes, hidden=is_hidden):
        return drop if next(islice(element.iter(), _MAX_DESCENDANTS, None), None) is None else None
    if role == "tooltip":
        return drop if _is_small_part(element) else None
    if role == "heading" and not inline and not element.findall(".//*[p]"):
        return _to_heading
    if tag == "a" and (get("href") or "")[:1] == "#" and _BACK.fullmatch(all_text(element)):
        return _without_back_links
    if inline and ("pointedat" in style or kind == "pointed at" or get("aria-hidden") == "true"):
        return drop if _is_hint(element, named=kind != "" or declared != "") else None
    if kind == "glyphs":  # the name of an icon, which its font shows as a drawing
        return partial(_replace_by_text, text=" ") if _LAID_OUT.fullmatch(text_line(element)) else None
    if inline and tag != "a" and _BLOCK_STYLE.search(style):
        return _break_around if _NO_LINES.isdisjoint(each.tag for each in element.iterancestors()) else None
    if _KEEPS_LINES.search(style) and tag not in ("pre", "code"):
        is_flat = all(GROUPS[tag_of(each)] <= Group.BREAK for each in element.iterdescendants())
        return _keep_lines if is_flat and "\n" in all_text(element) else None
    return None


def _as_displayed(element: Any, declared: str = "") -> None:
    """Rewrite an element that is displayed in an odd way, as chosen by `_display`."""
    if (mend := _display(element, declared)) is not None:
        mend(element)


def _is_small_part(element: Any) -> bool:
    """Return whether an element is a small part of the page."""
    inside = [each.tag for each in islice(element.iter(), _MAX_DESCENDANTS)]
    return len(inside) < _MAX_DESCENDANTS and PAGE_PARTS.isdisjoint(inside) and "body" not in inside


def _is_hint(element: Any, *, named: bool) -> bool:
    """Return whether a box explains the word before it: it is ``named`` as one, or a sentence inside another."""
    before = _text_beside(element, before=True).rstrip()[-1:]
    if not before or not _is_small_part(element):
        return False
    is_between = before.isalnum() and _text_beside(element, before=False) != ""
    text = text_line(element)
    is_sentence = _BEGINS_SENTENCE.match(text) is not None and " " in text and text.endswith(_SENTENCE_ENDS)
    return named or (is_between and is_sentence)


def _to_heading(element: Any) -> None:
    """Convert an element with the role of a heading to <h1> to <h6>, <h2> if it has no level."""
    level = element.get("aria-level") or ""
    element.tag = f"h{level}" if level in ("1", "2", "3", "4", "5", "6") else "h2"


def _without_back_links(link: Any) -> None:
    """Remove a link from a note to its mark, and another one directly after it at the end of the note."""
    second = link.getnext()
    is_last = second is not None and second.getnext() is None and not f"{link.tail or ''}{second.tail or ''}".strip()
    if is_last and (second.get("href") or "")[:1] == "#":
        drop(second)
    drop(link)


def _break_around(element: Any) -> None:
    """End the lines before and after an inline element that is displayed as a block."""
    if _text_beside(element, before=True):
        element.addprevious(element.makeelement("br"))
    if _text_beside(element, before=False):
        end = element.makeelement("br")
        end.tail, element.tail = element.tail, None
        element.addnext(end)


def _keep_lines(element: Any) -> None:
    """Convert the line breaks in the texts of an element to <br>."""
    for inner in [*element.iter("*")]:
        first, *lines = (inner.text or "").strip("\n" * (inner is element)).split("\n")
        inner.text = first
        for line in reversed(lines):  # each becomes the first child: to find the last ones would take quadratic time
            inner.insert(0, inner.makeelement("br"))
            inner[0].tail = line
        if inner is not element and inner.tail:
            inner.tail, *lines = inner.tail.split("\n")
            for line in reversed(lines):
                line_break = inner.makeelement("br")
                line_break.tail = line
                tail, inner.tail = inner.tail, None
                inner.addnext(line_break)
                inner.tail = tail


def _rules(style: Any) -> dict[str, str]:
    """Return the declarations that matter here by the classes that a style sheet of the page has them for."""
    text = style.text or ""
    rules = dict.fromkeys(_OPENS_AT.findall(text)[:_MAX_RULES], "pointed at") if ":hover" in text else {}
    for found in islice(_ODD_DECLARATION.finditer(text), _MAX_RULES):
        begin = text.rfind("{", 0, found.start())
        if text.count("{", 0, begin) == text.count("}", 0, begin):  # not inside @media
            selectors = text[max(text.rfind("}", 0, begin), text.rfind("/", 0, begin)) + 1 : max(begin, 0)]
            for selector in map(str.strip, selectors.split(",")):
                if match := _ONE_CLASS.fullmatch(selector):
                    rules[match[1]] = text[begin + 1 : text.find("}", begin)]
    return rules


def _apply_styles(styles: Sequence[Any]) -> None:
    """Rewrite the elements that the style sheets of the page display in an odd way."""
    rules = {name: declared for style in styles for name, declared in _rules(style).items()}
    for element in [*styles[0].getroottree().getroot().iterfind(".//body//*[@class]")]:
        for name in element.get("class").split():
            if (declared := rules.get(name)) and element.getparent() is not None:
                _as_displayed(element, declared)


# The first of these in code converts all of it, so they are checked once more before they are rewritten.
_RECHECKED = ("br", "ol")
_HEADED = (*HEADING_LEVELS, "dt", "caption", "figcaption")
#: The functions that rewrite elements, by tag.
MENDERS: dict[str, Callable[[Any], None]] = {
    ODD: _as_displayed,
    **dict.fromkeys(_HEADED, _remove_permalinks),
    "sup": _superscript,
    "sub": _subscript,
    "ruby": _bracket_ruby,
    "q": _quote,
    "img": lambda image: _replace_by_text(image, _plain_tex(image.get("alt"))),
    "math": _formula,
    "script": _show_tex,
    "template": lambda template: (_open_shadow_root if _is_shadow(template) else _into_line)(template),
    "button": _into_line,
    "noscript": _into_line,
    "pre": mend_code,
    "table": mend_table,
    "code": _spread_code,
    **dict.fromkeys(_RECHECKED, _spread_around),
    "blockquote": _end_quote_head,
}
_ONLY_IF: dict[str, Callable[[Any], Any]] = {
    ODD: _display,
    "style": _rules,
    **dict.fromkeys(_HEADED, _permalinks),
    "img": _has_letters,
    "script": _is_tex,
    "template": lambda template: _is_shadow(template) or _is_in_line(template),
    "button": _is_in_line,
    "noscript": _is_in_line,
    "table": may_be_code,
    "code": lambda code: code.find(".//br") is not None and next(code.iterancestors("pre"), None) is None,
    **dict.fromkeys(_RECHECKED, _is_in_code),
    "blockquote": lambda quotation: _quote_head(quotation) is not None,
}
