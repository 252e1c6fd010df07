"""The attributes that elements of an outline keep."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from scrapy_semtext.text.folding import one_line
from scrapy_semtext.text.word_tables import code_languages
from scrapy_semtext.utils.address import parsed, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

# Classes and attributes that state the language of code. The first group of prefixes is followed by nothing else.
_PREFIXED = re.compile(
    r"(?:^|\s)(?:((?:mw-highlight-|shj-)?lang(?:uage)?[-:]|brush:\s*)|src-|sh_|highlight-(?:source-|text-(?=\w))?)"
    r"([\w+#.-]{1,40})"
)
_ATTRIBUTE = re.compile(r"data-(?:\w+-)*(?:lang|language|code-wrap|syntaxhighlighter-params)$")
_NO_LANGUAGE = frozenset("auto default no-highlight nohighlight none null plain undefined unknown".split())
# Next to such a class, another class may be the bare name of a language.
_CODE_CLASS = re.compile(r"code|highlight|hljs|listing|snippet|source|syntax", re.IGNORECASE)
_CODE = frozenset(("pre", "code", "samp"))
# Elements that may surround code, how many levels up its language is searched for, and among how many children.
_WRAPPERS = frozenset("div figure code span p section td tr tbody table".split())
_HIGHEST, _MOST_CHILDREN = 8, 6
#: The class of GitHub's alerts.
ALERT = re.compile(r"markdown-alert-(?:note|tip|important|warning|caution)\b")
_LINKS = frozenset(("", "http", "https", "mailto", "tel"))
_IGNORED_IN_URL = re.compile(r"[\t\n\r]")  # browsers ignore these as well, see the URL standard, "basic URL parser"
# Integer attributes, with the minimum and maximum that are kept; 1000 is the limit of the HTML standard.
_SPANS = (("colspan", 2, 1000), ("rowspan", 2, 1000))
_NUMBERS = {"td": _SPANS, "th": _SPANS, "ol": (("start", 0, 10**9),), "li": (("value", 0, 10**9),)}
_KEPT = {"abbr": "title", "dfn": "title", "img": "alt", "time": "datetime"}


def attributes_of(tag: str, element: Any) -> Iterator[tuple[str, str]]:
    """Yield the few attributes that carry meaning, for an element that is written as ``tag``."""
    for name, least, most in _NUMBERS.get(tag, ()):
        if (value := _number(element.get(name))) is not None and least <= value <= most:
            yield name, str(value)
    if tag == "ol" and element.get("reversed") is not None:
        yield "reversed", ""
    elif tag == "input":
        yield from (("type", "checkbox"), ("disabled", ""), *[("checked", "")] * (element.get("checked") is not None))
    elif tag in ("pre", "code"):
        if language := _language(element) if tag == "pre" else _stated_language(element, by_name=False):
            yield "class", f"language-{language}"
    elif tag == "blockquote" and (kind := ALERT.search(element.get("class") or "")):
        yield "class", kind[0]
    elif tag in _KEPT and (text := one_line(element.get(_KEPT[tag]))):
        yield _KEPT[tag], text


def _language(element: Any) -> str:
    """Return the language stated by preformatted text, the code in it or the elements around it; "" if none."""
    inner = (child for child in islice(element, _MOST_CHILDREN) if child.tag in _CODE)
    around = takewhile(_wraps_code, islice(element.iterancestors(), _HIGHEST))
    return next(filter(None, map(_stated_language, (element, *inner, *around))), "")


def _wraps_code(element: Any) -> bool:
    """Return whether an element around code contains little else."""
    is_wrapper = element.tag in _WRAPPERS or "-" in element.tag
    return is_wrapper and next(islice(element, _MOST_CHILDREN, None), None) is None


def _stated_language(element: Any, *, by_name: bool = True) -> str:
    """Return the language that an element's attributes state or, with ``by_name``, the name of one of its classes."""
    stated = [element.get("class") or ""]
    stated += (value if ":" in value else f"lang-{value}" for name, value in element.items() if _ATTRIBUTE.match(name))
    names: list[tuple[str, str]] = [(name, prefix) for prefix, name in _PREFIXED.findall(" ".join(stated).lower())]
    if by_name and (element.tag in _CODE or _CODE_CLASS.search(stated[0])):
        names += [(name, "") for name in (*stated[0].lower().split(), element.get("lang") or "")]
    for name, prefix in names:
        if name in code_languages() or (prefix and element.tag in _CODE and name not in _NO_LANGUAGE):
            return name
    return ""


def link_of(element: Any, base_url: str | None) -> str:
    """Return the URL of a link, absolute if there is a base; empty if there is no URL that is safe to follow."""
    href = _IGNORED_IN_URL.sub("", element.get("href") or "").strip("".join(map(chr, range(33))))
    found = resolved(href, base_url) if base_url and href else href
    address = None if found is None else parsed(found)
    return found if found and address is not None and address.scheme in _LINKS else ""


def _number(value: str | None) -> int | None:
    value = (value or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
