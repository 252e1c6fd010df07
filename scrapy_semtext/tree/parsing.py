"""Parsing of any HTML text into a tree of lxml elements.

libxml2 does the parsing. It misreads five kinds of pages, which are detected and repaired here:

- pages nested deeper than 2,048 elements: libxml2 stops there and drops the rest of the page;
- text after ``</html>``: libxml2 adds it next to the root, browsers to the body (HTML standard, 13.2.6.4.19);
- markup in ``<noframes>``: libxml2 keeps it as text;
- an unclosed ``<title>``: it swallows the whole page;
- lone surrogates, which cannot be encoded in UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from itertools import chain
from operator import methodcaller
from types import SimpleNamespace
from typing import Any, TypeVar

from lxml import etree

from scrapy_semtext.limits import TooManyAttributesError
from scrapy_semtext.utils.address import resolved
from scrapy_semtext.utils.extensions import walk
from scrapy_semtext.words.word_tables import WORDS
from scrapy_semtext.words.words import language_tag

Value = TypeVar("Value")
#: Elements nested deeper are moved up to this depth, as browsers do: 512 is the limit of Blink and WebKit.
MAX_DEPTH = 512
#: The maximum number of attributes of an element. libxml2's time grows with its square: 10,000 take 1/8 second.
MAX_ATTRIBUTES = 1_000
#: Elements without an end tag (HTML standard, 13.1.2), including obsolete ones.
VOID = frozenset(WORDS["void"])
#: Elements whose text contains neither markup nor character references (HTML standard, 13.1.2).
_RAW = frozenset("script style xmp iframe noembed noframes plaintext".split())
# XML_ERR_RESOURCE_LIMIT of libxml2 (xmlerror.h), which lxml 6.0.0 does not define.
_RESOURCE_LIMIT = 114
#: Characters that libxml2 accepts in parsing but lxml rejects when text is set.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# ASCII white space as defined by `str.strip`. Stripping bytes is faster than stripping text.
_ASCII = 127
_SPACES = bytes(code for code in range(_ASCII) if chr(code).isspace())

_OPEN_TITLE = re.compile(rb"<title\b[^>]*>[^<]*", re.IGNORECASE)
_TITLE_END = re.compile(r"</title\s*>", re.IGNORECASE | re.ASCII)

_LANGUAGE = re.compile(r"\s*([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*)\s*(?:,|;|$)")


@dataclass(frozen=True, slots=True)
class ParsedHTML:
    """A page that was parsed elsewhere: its text, and the root of its tree as libxml2 built it."""

    html: str
    root: etree._Element


def parse(html: str, url: str | None = None) -> etree._Element:
    """Return the ``<html>`` element of a page; an empty page gives an empty element.

    The only error raised is TooManyAttributesError, for an element with too many attributes: null bytes, lone
    surrogates, a wrongly declared encoding, unclosed elements and any depth are fine. ``url`` becomes that of the
    document.
    """
    data = _bytes(html)
    url = _bytes(url).decode() if url else None
    root = _parsed_to_any_depth(data, url)
    if _has_unclosed_title(root, html):
        root = _parsed(_OPEN_TITLE.sub(rb"\g<0></title>", data, count=1), url)
    if _has_late_text(root):
        _rejoin(root)
    for frameless in _unparsed_noframes(root):
        _open_noframes(frameless)
    return root


def parse_or_reuse(html: str, url: str | None, parsed: ParsedHTML | None) -> etree._Element:
    """Return the root of ``parsed``, unchanged, if `parse` would return the same for this page; otherwise parse it.

    ``parsed`` is not used if its text differs, if libxml2 misreads the page, or if its tree's base URL is not ``url``.
    """
    if parsed is None or parsed.html is not html:
        return parse(html, url)
    root = parsed.root
    # Scrapy applies a <base> wherever it is to the document's URL, while libxml2 only reads it in the head.
    elsewhere = root.base != url and root.find("head/base") is None
    return parse(html, url) if elsewhere or _is_misread(root, html) else root


def require_few_attributes(html: str | bytes) -> None:
    """Raise TooManyAttributesError for a page with an element of more than :data:`MAX_ATTRIBUTES`.

    Must be called before libxml2 builds a tree. The time is linear; most pages are cleared without any parsing.
    """
    data = html if isinstance(html, bytes) else _bytes(html)
    if len(data) > 2 * MAX_ATTRIBUTES and (walk is None or walk.most_attributes(data) > MAX_ATTRIBUTES):
        _events(data, SimpleNamespace(start=_require_few, close=bool))


def _is_misread(root: etree._Element, html: str) -> bool:
    """Return whether `parse` would repair this tree of libxml2."""
    return (
        root.getroottree().parser is None  # so it is unknown whether it stopped early
        or _stopped_early(root)
        or _has_unclosed_title(root, html)
        or _has_late_text(root)
        or bool(_unparsed_noframes(root))
    )


def language(root: etree._Element) -> str | None:
    """Return the language tag that the page declares, such as ``de`` or ``pt-BR``, in the case of BCP 47, or None.

    It is read from ``lang`` and ``xml:lang`` of ``<html>``, then from ``<meta http-equiv="content-language">``.
    """
    metas = (meta for meta in root.iter("meta") if (meta.get("http-equiv") or "").strip().lower() == "content-language")
    for value in chain((root.get("lang"), root.get("xml:lang")), (meta.get("content") for meta in metas)):
        if match := _LANGUAGE.match(value or ""):
            return language_tag(match[1])
    return None


def base_url(root: etree._Element, url: str | None = None) -> str | None:
    """Return the URL that links of the page are relative to: its ``<base href>``, resolved against ``url``."""
    for base in root.iter("base"):
        href = (base.get("href") or "").strip()
        if href:
            found = resolved(href, url)
            return url if found is None else found
    return url


def _bytes(text: str) -> bytes:
    """Return the text in UTF-8, stripped and without null bytes.

    Pairs of surrogates are joined, and lone ones replaced by U+FFFD.
    """
    try:
        data = text.encode("utf-8").strip(_SPACES)
    except UnicodeEncodeError:
        text = text.strip().replace("\x00", "")
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
    if data and (data[0] > _ASCII or data[-1] > _ASCII):  # perhaps non-ASCII white space
        data = text.strip().encode("utf-8")
    return data.replace(b"\x00", b"")


def _parsed(data: bytes, url: str | None = None) -> etree._Element:
    """Parse like parsel, but to plain elements, which are cheaper to create than those of lxml.html."""
    require_few_attributes(data)
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    address: Any = url  # lxml-stubs does not allow None
    root: etree._Element | None = etree.fromstring(data or b"<html/>", parser, base_url=address)
    return etree.fromstring(b"<html/>", parser, base_url=address) if root is None else root


def _parsed_to_any_depth(data: bytes, url: str | None = None) -> etree._Element:
    """Parse a page, flattening elements that are nested too deep for libxml2."""
    root = _parsed(data, url)
    return _parsed(_bytes(str(_events(data, _Flattener()))), url) if _stopped_early(root) else root


def _stopped_early(root: etree._Element) -> bool:
    """Return whether libxml2 dropped the rest of the page because it is nested too deep."""
    parser = root.getroottree().parser
    last = parser.error_log.last_error if parser is not None else None
    return last is not None and last.type == _RESOURCE_LIMIT


def _has_unclosed_title(root: etree._Element, html: str) -> bool:
    """Return whether an unclosed <title> swallowed the page."""
    body = next(root.iterchildren("body"), None)
    if body is not None or "<" not in (root.findtext("head/title") or ""):
        return False
    return not _TITLE_END.search(html.replace("\x00", ""))


def _has_late_text(root: etree._Element) -> bool:
    """Return whether libxml2 put elements or text next to the root, as further roots; comments are allowed there."""
    return next(root.itersiblings("html"), None) is not None


def _unparsed_noframes(root: etree._Element) -> list[etree._Element]:
    """Return the <noframes> elements whose markup libxml2 kept as text."""
    return [element for element in root.iter("noframes") if "<" in (element.text or "")]


def _rejoin(root: etree._Element) -> None:
    """Move what libxml2 put next to the root to the end of the body."""
    bodies = root.findall("body")
    target = bodies[-1] if bodies else root
    texts: list[str | None] = []  # text to be added after the last child of target
    for extra_root in list(root.itersiblings("html")):
        texts.append(extra_root.text)
        for child in list(extra_root):
            is_body = child.tag == "body"
            texts.append(child.text if is_body else None)
            if inner := list(child) if is_body else [child]:
                add_text(target, texts)
                target.extend(inner)
                texts = []
            texts.append(child.tail if is_body else None)
    add_text(target, texts)


def _open_noframes(element: etree._Element) -> None:
    """Parse the content of <noframes> as HTML5 does; libxml2 keeps it as unparsed text."""
    body = _parsed_to_any_depth(_bytes(element.text or "")).find("body")
    element.text = None
    if body is not None:
        add_text(element, [body.text])
        element.extend(list(body))


def add_text(parent: Any, texts: Iterable[str | None], first: str = "") -> None:
    """Add texts after the last child of an element, and ``first`` before all its content."""
    text = "".join(filter(None, texts))
    if first:
        parent.text = writable(first + (parent.text or ""))
    if text and len(parent):
        parent[-1].tail = writable((parent[-1].tail or "") + text)
    elif text:
        parent.text = writable((parent.text or "") + text)


def writable(text: str) -> str:
    """Return a text without the characters that lxml cannot write."""
    return _UNWRITABLE.sub("", text)


def _events(data: bytes, target: Any) -> Any:
    """Return the result of a parser target for a page, without building a tree; lxml-stubs lacks types for it."""
    parser = etree.HTMLParser(target=target, huge_tree=True, recover=True, encoding="utf-8")
    return etree.fromstring(data, parser)


def _require_few(tag: str, attributes: dict[str, str]) -> None:
    """Raise TooManyAttributesError for a start tag with too many attributes."""
    if (count := len(attributes)) > MAX_ATTRIBUTES:
        raise TooManyAttributesError(f"a <{tag[:50]}> has {count:,} attributes, more than {MAX_ATTRIBUTES:,}")


class _Flattener:
    """A parser target that writes the page again, at most :data:`MAX_DEPTH` levels deep; its events have no limit.

    An element below that depth becomes a leaf at that depth if it is void or has text; otherwise it is dropped.
    """

    def __init__(self) -> None:
        self._out: list[str] = []
        self._open: list[str] = []  # up to MAX_DEPTH tags, plus that of an open leaf
        self._deeper = 0  # levels below MAX_DEPTH
        self._waiting: tuple[str, dict[str, str]] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._deeper and len(self._open) < MAX_DEPTH:
            self._write_start(tag, attributes)
            return
        self._close_leaf()
        self._deeper += 1
        self._waiting = (tag, attributes)
        if tag in VOID:
            self._open_leaf()

    def data(self, text: str) -> None:
        if self._waiting and not text.isspace():
            self._open_leaf()
        raw = bool(self._open) and self._open[-1] in _RAW
        self._out.append(text if raw else escape(text, quote=False))

    def end(self, _tag: str) -> None:
        if self._deeper:
            self._close_leaf()
            self._deeper -= 1
        else:
            self._write_end()

    def close(self) -> str:
        return "".join(self._out)

    def _open_leaf(self) -> None:
        """Write the start tag of the waiting element, which has text or is void."""
        if self._waiting:
            self._write_start(*self._waiting)
            self._waiting = None

    def _close_leaf(self) -> None:
        """Forget the waiting element, and write the end tag of the open leaf."""
        self._waiting = None
        if len(self._open) > MAX_DEPTH:
            self._write_end()

    def _write_start(self, tag: str, attributes: dict[str, str]) -> None:
        self._open.append(tag)
        pairs = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
        self._out.append(f"<{tag}{pairs}>")

    def _write_end(self) -> None:
        tag = self._open.pop()
        if tag not in VOID:
            self._out.append(f"</{tag}>")


def add_before(element: Any, text: str) -> None:
    """Insert a text directly before an element."""
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        before.tail = writable((before.tail or "") + text)
    else:
        parent.text = writable((parent.text or "") + text)


def drop(dropped: Any) -> None:
    """Remove an element from its tree, keeping the text after it."""
    if dropped.tail:
        add_before(dropped, dropped.tail)
    dropped.tail = None
    dropped.getparent().remove(dropped)


def from_outside_in(
    inner: Any, known: dict[Any, Value], around: Callable[[Any], Any], compute: Callable[[Any, Value | None], Value]
) -> Value | None:
    """Return the value of an element, computed from that of the one ``around`` it; None for None.

    Values are computed from the outermost element without a known value inwards, and stored in ``known``.
    """
    unknown = []
    while inner is not None and inner not in known:
        unknown.append(inner)
        inner = around(inner)
    value = None if inner is None else known[inner]
    for element in reversed(unknown):
        value = known[element] = compute(element, value)
    return value


def nearest(element: Any, known: dict[Any, Value | None]) -> Value | None:
    """Return the known value of an element or its nearest ancestor, or None; it is stored for those between."""
    return from_outside_in(element, known, methodcaller("getparent"), lambda _, outer: outer)


def with_ancestors(elements: Iterable[Any]) -> set[Any]:
    """Return elements, ignoring None, together with all their ancestors."""
    found: set[Any] = set()
    for element in elements:
        holder = element
        while holder is not None and holder not in found:
            found.add(holder)
            holder = holder.getparent()
    return found
