"""URLs in a crawl: when two of them lead to the same page, and the pattern that similar URLs share."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlencode

from scrapy_semtext.qa.page_number import number_in_address, same_but_for_page, without_page_in_address
from scrapy_semtext.utils.address import address_of, asked, parsed
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# Query keys that identify the visitor or the referrer, not the content.
_VISITOR = re.compile(
    r"utm_\w+|fbclid|gclid|msclkid|mc_[ce]id|_ga|ref_?src|(?:php|asp\.?net_?|j|os)?sess(?:ion)?_?(?:id)?|\w*sess(?:ion)?id"
    r"|sid|s_?id|oscsid|zenid|cfid|cftoken",
    re.IGNORECASE,
)
_SHORTEST_TOKEN = 8  # characters of the value of a key in "sid", as it may also be a plain number
_PATH_SESSION = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#]*", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$", re.IGNORECASE)
_FIRST_PAGE = re.compile(r"(?:start|offset|st|from)=0", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:7z|avi|bin|bmp|bz2|css|csv|dmg|docx?|eot|epub|exe|gif|gz|ico|iso|jar|jpe?g|js|json|m4[av]|mkv|mov|mp[34]|"
    r"odt|ogg|pdf|png|pptx?|rar|rpm|rtf|svg|tar|tgz|tiff?|ttf|txt|wav|webm|webp|whl|woff2?|xlsx?|xz|zip|atom|rss|rdf|"
    r"xml|webmanifest|inv|map|patch|diff|asc|sig|ics)$",
    re.IGNORECASE,
)
_LONGEST = 600  # characters of a URL that is followed
_DEEPEST, _MOST_REPEATS = 16, 3  # segments of a path, and how often one of them may occur

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{1,20}")
_VALUE = re.compile(r"[a-z]{1,14}")  # a query value that may select a view
_PREFIX = re.compile(r"([^\W\d_]{2,20})[:.]")
_ENDING = re.compile(r"\.[a-z]{2,5}$")
_NUMBERED = re.compile(r"\d(?:\.[a-z]{2,5})?$")
_LONG_TOKEN = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{4,})*")
# The text that the URLs of later pages add to the URL of the first page, possibly before a file extension.
_ADDED = re.compile(r"[/?&;_.-]?(?:[a-z]{1,8}[-_=/]?)?\d{1,6}/?", re.IGNORECASE)


class Pattern(NamedTuple):
    """The common form of URLs of one kind; ``coarse`` is shared by more URLs than ``fine``."""

    fine: str
    coarse: str


def address_key(url: str, ignored: Collection[str] = ()) -> str:
    """Return a key that is equal for URLs of the same page: no scheme, fragment or session, and a sorted query.

    ``ignored`` holds query keys, and parts such as "page=1", that were found to make no difference on the site.
    """
    parts = parsed(url)
    if parts is None:
        return url
    path = _INDEX.sub("/", _PATH_SESSION.sub("", parts.path)).rstrip("/")
    query = sorted(
        (key, value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
        if key not in ignored
        and f"{key}={value}" not in ignored
        and not _names_visitor(key, value)
        and not _FIRST_PAGE.fullmatch(f"{key}={value}")
    )
    return f"{parts.host}{path}{'?' if query else ''}{urlencode(query)}"


def differing_parts(one: str, other: str) -> set[tuple[str, str]] | None:
    """Return the query keys and values that only one of two URLs has; None if more than the query differs."""
    first, second = address_of(one), address_of(other)
    if first.host != second.host or first.path.rstrip("/") != second.path.rstrip("/"):
        return None
    queries = [Counter(parse_qsl(parts.query, keep_blank_values=True)) for parts in (first, second)]
    return {*((queries[0] - queries[1]) + (queries[1] - queries[0]))}


class Views:
    """The URLs that show one of some pages, or a part of it, in another way: they add to the query of its URL."""

    def __init__(self, pages: Iterable[str]) -> None:
        self._queries: dict[tuple[str, str], list[frozenset[tuple[str, str]]]] = {}
        for url in pages:
            place, query = _place_and_query(url)
            self._queries.setdefault(place, []).append(query)

    def __contains__(self, url: object) -> bool:
        place, query = _place_and_query(str(url))
        return any(own < query for own in self._queries.get(place, ()))


def _place_and_query(url: str) -> tuple[tuple[str, str], frozenset[tuple[str, str]]]:
    parts = address_of(url)
    return (parts.host, parts.path.rstrip("/")), frozenset(parse_qsl(parts.query, keep_blank_values=True))


def can_be_page(url: str) -> bool:
    """Return whether a URL may lead to a page: not to a file of another type, and not into a loop of folders."""
    address = parsed(url) if len(url) <= _LONGEST and asked(url) is not None else None
    if address is None or _FILE.search(address.path):
        return False
    segments = [segment for segment in address.path.split("/") if segment]
    repeats = max(Counter(segment for segment in segments if not segment.isdecimal()).values(), default=0)
    return len(segments) <= _DEEPEST and repeats < _MOST_REPEATS


def may_follow(url: str, later: str) -> bool:
    """Return whether ``later`` may be a later page of the same item or list: the URLs differ only in a number."""
    one, other = url.rstrip("/"), later.rstrip("/")
    if _DIGITS.sub("#", one) == _DIGITS.sub("#", other) or same_but_for_page(one, other) or _adds_page(one, other):
        return True
    stem, end = _ENDING.sub("", one), _ENDING.sub("", other)
    return any(end.startswith(start) and _ADDED.fullmatch(end[len(start) :]) is not None for start in (one, stem))


def _adds_page(url: str, later: str) -> bool:
    """Whether ``later`` adds a page number, and possibly an order, to the query of ``url``."""
    one, other = address_of(url), address_of(later)
    same = one.host == other.host and one.path.rstrip("/") == other.path.rstrip("/")
    kept = {*parse_qsl(without_page_in_address(f"?{one.query}"))} <= {*parse_qsl(other.query)}
    return same and kept and number_in_address(later) is not None


@remembered(4096)
def pattern_of(url: str) -> Pattern:
    """Return the pattern of a URL.

    Folders and query values that are a single word are kept. Numbers become "#", other names "*", and a single word at
    the end of the path "w". The coarse pattern has the first folder, the number of folders, the file extension, and
    whether there are a number at the end and a query.
    """
    parts = parsed(url)
    if parts is None:
        return Pattern("", "")
    *folders, last = _PATH_SESSION.sub("", parts.path).split("/")[1:] or [""]
    fine = "/".join(["", *map(_folder, folders), _last(last)])
    query = sorted(
        (key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if not _names_visitor(key, value)
    )
    views = "&".join(f"{_DIGITS.sub('#', key)}={_value(value)}" for key, value in query)
    first = _folder(folders[0]) if folders else ""
    ending = _ENDING.search(last)
    numbered = "#" if _NUMBERED.search(last) else ""
    coarse = f"{first}/{len(folders)}/{numbered}{ending[0] if ending else ''}{'?' if query else ''}"
    return Pattern(fine + (f"?{views}" if views else ""), coarse)


def _names_visitor(key: str, value: str) -> bool:
    return _VISITOR.fullmatch(key) is not None and (
        len(value) >= _SHORTEST_TOKEN or not key.lower().endswith("sid") or not value
    )


def _folder(segment: str) -> str:
    return segment if _WORD.fullmatch(segment) else _shape(segment)


def _last(segment: str) -> str:
    """The pattern of the last segment; its file extension and a word before a colon or dot are kept."""
    ending = _ENDING.search(segment)
    name = segment[: ending.start()] if ending else segment
    prefix = _PREFIX.match(name)
    shape = f"{prefix[0]}*" if prefix else "w" if _WORD.fullmatch(name) else _shape(name)
    return shape + (ending[0] if ending else "")


def _shape(segment: str) -> str:
    if not segment:
        return ""
    if segment.isdecimal() or _LONG_TOKEN.fullmatch(segment):
        return "#"
    numbered = re.fullmatch(r"([^\W\d_]{1,8})[-_]?\d+", segment)
    return f"{numbered[1]}#" if numbered else "*"


def _value(value: str) -> str:
    if _DIGITS.sub("", value) in ("", ".", "-", ":"):
        return "#"
    return value if _VALUE.fullmatch(value) else "*"
