"""Rewrite non-letter content of a page's tree as letters, so that every consumer gets the same text.

Exponents become superscript letters (10⁶) and note marks get brackets (1902[2]); ruby annotations are put in brackets,
quotations in quotation marks; formulas become TeX if the page has it; emoji images become their alternative text. A
declarative shadow root replaces the content of its host. Signs that link a heading to itself are removed, and buttons
and similar controls in the middle of a line become part of the line.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom.code_lines import may_be_code, mend_code, mend_table
from scrapy_semtext.dom.element_text import all_text, shown_text, text_line
from scrapy_semtext.dom.tags import GROUPS, HEADING_LEVELS, Group, tag_of
from scrapy_semtext.dom.tree import add_text, drop, writable
from scrapy_semtext.text.languages import primary_language
from scrapy_semtext.text.word_tables import paragraphs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.dom.segmentation import Run, TextBlock

# Soft hyphen, zero-width space, word joiner and byte order mark. Joiners are letters of some scripts and part of emoji.
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
#: An invisible character.
UNSEEN = re.compile(f"[{_UNSEEN}]")

_RAISED = dict(zip("-–0123456789+−=()nxk", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿˣᵏ", strict=True))
_LOWERED = dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True))
_PLAIN = str.maketrans({written: letter for letter, written in (*_RAISED.items(), *_LOWERED.items())})
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
_MOST_EMOJI = 40  # maximum number of characters of an alternative text
_FORMULA = re.compile(r"katex|mathjax|mjx|mwe-math|math|ltx_|equation", re.IGNORECASE)
_STYLES = ("{\\displaystyle", "{\\textstyle")
_LEVELS = 6  # ancestors of a formula that may have its other forms, and preceding siblings that are examined

# Elements that may be in the middle of a line, and elements with lines of text, in which a button is part of a
# sentence.
_CONTROLS = ("button", "noscript", "template")
_HOLDING = frozenset((*HEADING_LEVELS, *"p li dt dd td th caption figcaption summary".split()))
_MOST_BESIDE, _MOST_WITHIN = 8, 40  # elements next to a control, and in it, that are examined

_SIGN = re.compile(r"\W*")
_PERMALINK = re.compile(r"(?:perma|direct |anchor|\W*)?(?:link|anchor)\b.*|copy.*", re.IGNORECASE)
_ANCHOR_NAMES = re.compile(r"anchor|perma|hash-?link|header-?link|heading-?link|self-?link", re.IGNORECASE)


def needing_letters(found: Iterable[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Return those elements, given with their tags, that `write_letters` has to process."""
    return [(element, tag) for element, tag in found if tag not in _ONLY_IF or _ONLY_IF[tag](element)]


def write_letters(found: Iterable[tuple[Any, str]]) -> None:
    """Rewrite elements, given with their tags in page order, as letters."""
    for element, tag in found:
        if element.getparent() is not None and element.tag == tag:
            MENDERS[tag](element)


def plain_letters(text: str) -> str:
    """Return the text of an exponent or index as it was before `write_letters`."""
    return text[2:-1] if text.startswith("^(") else text.translate(_PLAIN)


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


def _before(element: Any) -> str:
    """Return the text directly before an element in its parent."""
    for last in islice(element.itersiblings(preceding=True), _LEVELS):
        if text := (last.tail or "") or (all_text(last) if isinstance(last.tag, str) else ""):
            return text
    return element.getparent().text or ""


def _write(element: Any, text: str) -> None:
    """Replace an element by a text-only one."""
    element.clear(keep_tail=True)
    element.tag, element.text = "span", writable(text)


def _rewrite(element: Any, text: str) -> None:
    """Replace all content of an element by a text; white space at its ends is kept."""
    raw = all_text(element)
    element[:] = []
    element.text = writable(raw.replace(raw.strip(), text) if raw.strip() else text)


def _raise(sup: Any) -> None:
    whole, around = text_line(sup), sup.getparent()
    text = whole.replace(" ", "")
    link = around if around.tag == "a" else sup.find(".//a")
    before = _before(link if link is around else sup)[-1:]
    names = " ".join([each.get(name, "") for each in (sup, link) if each is not None for name in ("class", "id")])
    # a letter is only a note mark directly after a word or a sign
    is_note = bool(_NOTE.fullmatch(whole)) and (not whole.isalpha() or (before != "" and not before.isspace()))
    if link is not None and is_note and ("#" in link.get("href", "") or _NOTE_NAMES.search(names)):
        add_text(link if link is not around and text_line(link) == whole else sup, "]", "[")
    elif (sup.tail or "").lstrip()[:1] in ("/", "⁄") and text.isdecimal():  # a fraction
        add_text(sup, "", " " * before.isdecimal())
    elif _PRICE.search(f"{names} {around.get('class') or ''}"):
        return
    elif _POWER.fullmatch(text):
        _rewrite(sup, "".join(map(_RAISED.__getitem__, text)))
    elif _UNRAISED.fullmatch(text) and not _ORDINAL.fullmatch(text):
        _rewrite(sup, f"[{whole}]" if "," in text and not before.isdecimal() else f"^({text})")


def _lower(sub: Any) -> None:
    text = text_line(sub)
    if text.isascii() and text.isdecimal() and ((sub.tail or "")[:1].isdecimal() or _before(sub)[-1:].isdecimal()):
        _rewrite(sub, "".join(map(_LOWERED.__getitem__, text)))


def _bracket(ruby: Any) -> None:
    """Show the brackets around ruby annotations, adding them if necessary."""
    for reading in ruby.iter("rt"):
        last = reading.getprevious()
        if last is not None and last.tag == "rp":
            continue
        if text_line(reading):
            add_text(reading, ")", "(")
    for bracket in list(ruby.iter("rp")):
        bracket.tag = "span"


def _quote(quotation: Any) -> None:
    """Add the language's quotation marks around a quotation without any."""
    around = list(quotation.iterancestors())
    language = next(filter(None, (element.get("lang") for element in (quotation, *around))), "")
    signs = _QUOTES.get(primary_language(language), "“”‘’")
    if all_text(quotation).lstrip()[:1] not in _SIGNS and _before(quotation)[-1:] not in _SIGNS:
        inner = sum(element.tag == "q" for element in around) % 2 * 2
        add_text(quotation, signs[inner + 1], signs[inner])


def _has_letters(image: Any) -> bool:
    """Return whether an image is an emoji or a formula."""
    alt = image.get("alt")
    if not alt:
        return False
    names = image.get("class") or ""
    if _TEX_NAMES.search(names):
        return True
    if len(alt) > _MOST_EMOJI:
        return False
    address = (image.get("src") or "")[:200]
    if "emoji" in address or "smil" in address or _EMOJI_NAMES.search(names):
        return True
    return not alt.isascii() and bool(_EMOJI.fullmatch(alt.strip()))


def _picture(image: Any) -> None:
    _write(image, _plain_tex(image.get("alt")))


def _plain_tex(tex: str) -> str:
    tex = tex.strip()
    for style in _STYLES:
        if tex.startswith(style) and tex.endswith("}"):
            tex = tex[len(style) : -1]
    return tex.strip("$ \n")


def _formula(math: Any) -> None:
    """Replace all forms of a formula by one: TeX if the page has it, otherwise a line of letters."""
    holder = math
    for outer in islice(math.iterancestors(), _LEVELS):
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
    _write(holder, _plain_tex(stated or math.get("alttext") or "") or _in_a_line(math))


def _is_tex(element: Any) -> bool:
    return element.tag == "script" and (element.get("type") or "").startswith("math/tex")


def _tex(script: Any) -> None:
    """Show a formula's TeX instead of MathJax output, unless both have the same letters."""
    tex = _plain_tex(unescape(script.text or ""))
    shown, last = [], script.getprevious()
    while last is not None and "MathJax" in (last.get("class") or "") and not (last.tail or "").strip():
        shown.append(last)
        last = last.getprevious()
    if "".join("".join(map(all_text, shown)).split()) == "".join(tex.split()):
        drop(script)
        return
    for each in shown:
        drop(each)
    _write(script, tex)


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
    return part if len(part) < 2 or part.isalnum() else f"({part})"


def _open(template: Any) -> None:
    """Move the content of a declarative shadow root into its host, and the host's content into its slots."""
    host, tail, template.tail = template.getparent(), template.tail, None
    light: dict[str, list[Any]] = {}
    for child in host:
        if child is not template:
            light.setdefault(child.get("slot") or "", []).append(child)
    for slot in template.iter("slot"):
        name = slot.get("name") or ""
        given = light.pop(name, [])
        if given or (not name and (host.text or tail or "").strip()):
            slot[:], slot.text = given, None
            if not name:
                slot.text, host.text, tail = writable((host.text or "") + (tail or "")), None, None
    template.tag, template.tail = "div", tail
    template.attrib.clear()


def _permalinks(heading: Any) -> list[Any]:
    """Return the links in a heading that lead to itself and consist only of a sign or words that say so."""
    found, whole = [], -1
    for link in heading.iter("a") if len(heading) else ():
        names = link.get("class")
        is_named = names and _ANCHOR_NAMES.search(names)
        if is_named or "#" in link.get("href", ""):
            text = text_line(link)
            said = _PERMALINK.fullmatch(text) and (is_named or text[:5].lower() in ("perma", "direc"))
            if said or _SIGN.fullmatch(text):
                whole = whole if whole >= 0 else len(text_line(heading))
                found += [link] * (whole > len(text))
    return found


def _unlink(heading: Any) -> None:
    for link in _permalinks(heading):  # the link may carry the name of the anchor
        link[:], link.text = [], None


def _beside(control: Any, *, before: bool) -> str:
    """Return the text before or after a control in its line, "" at either end of the line."""
    element, around = control, control.getparent()
    for _ in range(_MOST_BESIDE):
        last = element.getprevious()
        text = element.tail if not before else around.text if last is None else last.tail
        if text and not text.isspace():
            return str(text)
        inner = last if before else element.getnext()
        group = GROUPS[tag_of(around if inner is None else inner)]
        if inner is None and (group not in (Group.INLINE, Group.LINK) or around.getparent() is None):
            return ""
        element, around = (around, around.getparent()) if inner is None else (inner, around)
        if inner is not None and group >= Group.BREAK and inner.tag not in _CONTROLS:
            return ""
        if inner is not None and tag_of(inner) and group > Group.SWALLOWER and (text := shown_text(inner)):
            return text
    return ""


def _is_in_line(control: Any) -> bool:
    """Return whether a control is between two texts of a line: one without visible text, or a button in a sentence."""
    within = list(islice(control.iterdescendants(), _MOST_WITHIN))
    if len(within) == _MOST_WITHIN or any(GROUPS[tag_of(each)] > Group.BREAK for each in within):
        return False
    if control.tag == "button":
        around = islice(control.iterancestors(), _MOST_BESIDE)
        outer = (each.tag for each in around if GROUPS[each.tag] not in (Group.INLINE, Group.LINK))
        if "hidden" in control.attrib or "style" in control.attrib or next(outer, "") not in _HOLDING:
            return False
    elif shown_text(control):
        return False
    return bool(_beside(control, before=True) and _beside(control, before=False))


def _into_line(control: Any) -> None:
    if not shown_text(control):
        control.tag = "object"
        return
    spaces = (
        " " * (edge.isalnum()) for edge in (_beside(control, before=False)[:1], _beside(control, before=True)[-1:])
    )
    control.tag = "span"
    add_text(control, next(spaces), next(spaces))


def _is_shadow(template: Any) -> bool:
    """Return whether a template is a shadow root at the beginning of its host element."""
    return template.getprevious() is None and any(name.startswith("shadowroot") for name in template.attrib)


_HEADED = (*HEADING_LEVELS, "dt", "caption", "figcaption")
#: The functions that rewrite elements, by tag.
MENDERS: dict[str, Callable[[Any], None]] = {
    **dict.fromkeys(_HEADED, _unlink),
    "sup": _raise,
    "sub": _lower,
    "ruby": _bracket,
    "q": _quote,
    "img": _picture,
    "math": _formula,
    "script": _tex,
    "template": lambda template: (_open if _is_shadow(template) else _into_line)(template),
    "button": _into_line,
    "noscript": _into_line,
    "pre": mend_code,
    "table": mend_table,
}
_ONLY_IF: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_HEADED, _permalinks),
    "img": _has_letters,
    "script": _is_tex,
    "template": lambda template: _is_shadow(template) or _is_in_line(template),
    "button": _is_in_line,
    "noscript": _is_in_line,
    "table": may_be_code,
}
