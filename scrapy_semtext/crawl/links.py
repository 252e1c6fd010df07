"""URLs and links of a crawl: which URLs lead to one page, what similar ones share, and the links of a page.

Companion pages are pages that a site has for each of its items, at a URL derived from that of the item: discussions,
histories, feeds, reply forms, print views. An item links to its own companion but rarely to those of other items, which
distinguishes companions from pages that share part of a URL by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import unquote, urlencode
from zlib import crc32

from scrapy_semtext.read.lists import Addresses, next_page_of, next_pages_of, steady_names
from scrapy_semtext.read.thread_pages import (
    canonical_url,
    is_page_of,
    number_in_address,
    page_number_of,
    previous_url,
    without_page_in_address,
    without_page_number,
)
from scrapy_semtext.tree.elements import rough_text
from scrapy_semtext.tree.parsing import base_url
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of, asked, host_of, parsed, query_of
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import letters_of, one_line
from scrapy_semtext.words.word_tables import alternatives

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from scrapy_semtext.page import Page


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
_FILE = re.compile(rf"\.(?:{alternatives('files')})$", re.IGNORECASE)
_MAX_URL_CHARS = 600  # characters of a URL that is followed
_DEEPEST, _MAX_REPEATS = 16, 3  # segments of a path, and how often one of them may occur

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{1,20}")
_VALUE = re.compile(r"[a-z]{1,14}")  # a query value that may select a view
_PREFIX = re.compile(r"([^\W\d_]{2,20})[:.]")
_ENDING = re.compile(r"\.[a-z]{2,5}$")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_MAX_SHAPED = 40  # characters of a segment that is kept but for its numbers
_MAX_TOKENS, _MAX_NAMES = 6, 2  # of a segment such as "thread-17-page-2", of which few are words
_LONG_TOKEN = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{4,})*")

#: In a pattern, before the code of a place.
AT = " @"
_NAME = "{}"  # in a template, the name of the item
#: The number of items that have to link to their companion before its template counts, and the number if it is below.
_LEAST, _MIN_BELOW = 3, 6
_MAX_MISSES = 0.25  # pages that contradict a template, as a share of those that support it
_FAMILY = 2  # templates that share a word before a colon; all URLs with this word are then companions
_MAX_TEMPLATES = 200  # of a host
_MAX_TEMPLATE_CHARS = 300  # characters of a template

_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_PREFIXED = re.compile(r"([^\W\d_]\w{1,30}):.")

#: Where on a page a link stands: in the title of a record, beside it, in main content, in a menu, or elsewhere. A link
#: to the next page of the list is "next" wherever it stands.
Position = Literal["next", "record", "beside", "text", "navigation", "elsewhere"]

_MENUS = ("nav", "header", "footer")
_IN_TURNS = 1.5  # changes between two alternating kinds of links, as a share of the more frequent kind
_ALMOST = 0.6  # share of the words of the longest link texts in a row that titles have
_MAX_VIEWS = 20  # shorter queries of a URL that are compared with those of other links
_MANY = 10  # links with similar URLs, from which on none is the link to the next page
_LEVELS = 3  # elements around a link that may be its block
_HEADING_LEVELS = 2  # elements around a link that may be a heading
_MAX_LINKS = 2000  # of a page
_MAX_TEXT_CHARS = 200  # characters of the text of a link that are kept


class Pattern(NamedTuple):
    """The group that a link belongs to, and the form of its URL.

    Links of one group have URLs of one form and stand at one place of a template: ``fine`` is the form and, for a link,
    the code of the tags and names around it. ``coarse`` is the form, which all links to similar pages share.
    """

    fine: str
    coarse: str

    @property
    def place(self) -> str:
        """The code of the place of its links; "" if it is unknown."""
        return self.fine.rpartition(AT)[2] if AT in self.fine else ""


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
        for key, value in query_of(parts.query)
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
    queries = [Counter(query_of(parts.query)) for parts in (first, second)]
    return {*((queries[0] - queries[1]) + (queries[1] - queries[0]))}


def can_be_page(url: str) -> bool:
    """Return whether a URL may lead to a page: not to a file of another type, and not into a loop of folders."""
    address = parsed(url) if len(url) <= _MAX_URL_CHARS and asked(url) is not None else None
    if address is None or _FILE.search(address.path):
        return False
    segments = [segment for segment in address.path.split("/") if segment]
    repeats = max(Counter(segment for segment in segments if not segment.isdecimal()).values(), default=0)
    return len(segments) <= _DEEPEST and repeats < _MAX_REPEATS


def may_follow(url: str, later: str) -> bool:
    """Return whether ``later`` may be a later page of the same item or list: the URLs differ only in a number."""
    return _DIGITS.sub("#", url.rstrip("/")) == _DIGITS.sub("#", later.rstrip("/")) or is_page_of(url, later)


@remembered(4096)
def pattern_of(url: str) -> Pattern:
    """Return the pattern of a URL.

    Folders, scripts and query values that are a single word are kept. Numbers become "#", other names "*", and a single
    word at the end of the path "w". A query without values is like a path.
    """
    parts = parsed(url)
    if parts is None:
        return Pattern("", "")
    *folders, last = _PATH_SESSION.sub("", parts.path).split("/")[1:] or [""]
    query = [(key, value) for key, value in query_of(parts.query) if not _names_visitor(key, value)]
    is_script = bool(query) and _WORD.fullmatch(_ENDING.sub("", last)) is not None
    form = "/".join(["", *map(_folder, folders), last if is_script else _last_form(last)])
    if query:
        form += "?" + "&".join(sorted(_part_form(key, value) for key, value in query))
    return Pattern(form, form)


def _part_form(key: str, value: str) -> str:
    """The form of a part of a query; without a value, it may be a path."""
    if value:
        return f"{_DIGITS.sub('#', key)}={_value(value)}"
    *folders, last = key.split("/")
    return "/".join([*map(_folder, folders), last if _WORD.fullmatch(last) else _last_form(last)])


def _names_visitor(key: str, value: str) -> bool:
    return _VISITOR.fullmatch(key) is not None and (
        len(value) >= _SHORTEST_TOKEN or not key.lower().endswith("sid") or not value
    )


def _folder(segment: str) -> str:
    return segment if _WORD.fullmatch(segment) else _shape(segment)


def _last_form(segment: str) -> str:
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
    tokens = _TOKEN.findall(segment[:_MAX_SHAPED])
    names = sum(map(str.isalpha, tokens))
    is_numbered = tokens and names < len(tokens) <= _MAX_TOKENS and names <= _MAX_NAMES and tokens[0].isalpha()
    return _DIGITS.sub("#", segment) if is_numbered and len(segment) < _MAX_SHAPED else "*"


def _value(value: str) -> str:
    if _DIGITS.sub("", value) in ("", ".", "-", ":"):
        return "#"
    prefix = _PREFIX.match(value)
    return value if _VALUE.fullmatch(value) else f"{prefix[0]}*" if prefix else "*"


class _AddressPart(NamedTuple):
    """A part of a URL: a segment of its path, or the value of a key of its query."""

    text: str
    key: str | None = None


@dataclass(slots=True)
class Template:
    """The evidence about URLs with the name of an item in one place: pages that support or contradict companions there.

    ``names`` are the first items that supported them; ``is_below`` says whether the URLs begin with the item's URL.
    """

    hits: int = 0
    misses: int = 0
    names: list[str] = field(default_factory=list)
    is_below: bool = False

    @property
    def is_companion(self) -> bool:
        """Whether the URLs are companion pages."""
        least = _MIN_BELOW if self.is_below else _LEAST
        return len(self.names) >= _LEAST and self.hits >= least and self.misses <= _MAX_MISSES * self.hits


@dataclass(slots=True)
class Companions:
    """The companions of the items of one host, learnt from the links of these items."""

    templates: dict[str, Template] = field(default_factory=dict)
    _families: set[str] | None = None

    def learn(self, url: str, links: Iterable[PageLink]) -> None:
        """Learn from the links of an item; ``url`` is its URL."""
        names, host, key = _names(url), host_of(url), address_key(url)
        own = {template for template, _ in _templates(url)}
        values = {place.text for place in _places(url) if place.key is not None} or names
        found: dict[str, tuple[str, bool]] = {}  # the templates that the page supports
        against = {template for template in own & self.templates.keys() if self.templates[template].is_below}
        for link in links:
            if host_of(link.url) != host or address_key(link.url) == key:
                continue
            is_content = link.position in ("record", "text", "next")
            for template, name in _templates(link.url):
                if name not in names or is_content or not _may_accompany(url, link.url):
                    against.add(template)
                elif template not in own and not _has_any(template, values):
                    found[template] = name, _is_below(url, link.url)
        for template in against & self.templates.keys():
            self.templates[template].misses += 1
        for template, (name, is_below) in found.items():
            self._speak_for(template, name, is_below=is_below)
        self._families = None

    def holds(self, url: str) -> bool:
        """Return whether a URL is a companion page."""
        if any(template in self.templates and self.templates[template].is_companion for template, _ in _templates(url)):
            return True
        return not self.families.isdisjoint(_words(url))

    @property
    def families(self) -> set[str]:
        """The words before a colon that several templates share: prefixes of pages about the site or its items."""
        if self._families is None:
            words = (word for each, found in self.templates.items() if found.is_companion for word in _words_of(each))
            self._families = {word for word, count in Counter(words).items() if count >= _FAMILY}
        return self._families

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values for JSON."""
        return {name: [each.hits, each.misses, each.names, each.is_below] for name, each in self.templates.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Companions:
        """Restore the state from the result of `to_dict`."""
        return cls({name: Template(*each) for name, each in values.items()})

    def _speak_for(self, template: str, name: str, *, is_below: bool) -> None:
        if template not in self.templates:
            if len(self.templates) >= _MAX_TEMPLATES:
                self._forget()
            self.templates[template] = Template(is_below=is_below)
        found = self.templates[template]
        found.hits += 1
        if name not in found.names and len(found.names) < _LEAST:
            found.names.append(name)

    def _forget(self) -> None:
        """Forget the templates that the fewest items support, the older ones first."""
        rare = sorted(self.templates, key=lambda each: self.templates[each].hits)
        for template in rare[: _MAX_TEMPLATES // 10]:
            del self.templates[template]


def _places(url: str) -> list[_AddressPart]:
    parts = parsed(url)
    if parts is None:
        return []
    path = [_AddressPart(unquote(segment)) for segment in parts.path.strip("/").split("/")]
    query = sorted(query_of(parts.query))
    return [*path, *(_AddressPart(value, key) for key, value in query)]


@remembered(4096)  # most links are on each page of a site
def _templates(url: str) -> tuple[tuple[str, str], ...]:
    """Return the templates that a URL may match, each with the name that the URL has in it."""
    places = _places(url)
    shown = [_shown(place, _DIGITS.sub("#", place.text)) for place in places]
    found = []
    for number, place in enumerate(places):
        for before, name, behind in _cuts(place):
            part = _shown(place, f"{_DIGITS.sub('#', before)}{_NAME}{behind}")
            template = "/".join([*shown[:number], part, *shown[number + 1 :]])
            if name and len(template) <= _MAX_TEMPLATE_CHARS:
                found.append((template, name))
    return tuple(found)


def _shown(place: _AddressPart, text: str) -> str:
    return text if place.key is None else f"?{place.key}={text}"


def _cuts(place: _AddressPart) -> Iterator[tuple[str, str, str]]:
    """Yield the text before a name, the name and the text after it; the name is the whole part or follows a colon."""
    before, text = "", place.text
    if place.key is not None and "/" in text:  # a URL in a query
        folders, _, text = text.rstrip("/").rpartition("/")
        before = f"{'/' if folders else ''}"
    ending = _ENDING.search(text)
    behind = ending[0] if ending else ""
    text = text.removesuffix(behind)
    yield before, text, behind
    word, colon, rest = text.partition(":")
    if colon:
        yield f"{before}{word}:", rest, behind


def _names(url: str) -> set[str]:
    """The names of an item in its URL: the last part of the path, a number beside it, and the values of the query."""
    places = _places(url)
    path = [_ENDING.sub("", place.text) for place in places if place.key is None]
    names = {place.text for place in places if place.key is not None} | {*path[-1:]}
    if len({name.isdecimal() for name in path[-2:]}) == 2:
        names.update(path[-2:])
    return {name for name in names if len(name) > 1 or name.isdecimal()}


def _has_any(template: str, names: set[str]) -> bool:
    """Whether a template contains a name of the item elsewhere, so that it would match no other item."""
    return any(part.rpartition("=")[2] in names for part in template.split("/"))


def _may_accompany(url: str, other: str) -> bool:
    """Whether ``other`` is neither a later page of an item nor the item itself, shortened or in another language."""
    if number_in_address(other) is not None or may_follow(url, other) or _is_below(other, url):
        return False
    own, places = Counter(_places(url)), Counter(_places(other))
    added = [*(places - own)]
    if any(_LANGUAGE.fullmatch(place.text) for place in added):
        return False
    is_path = all(place.key is None for place in (*own, *places))
    is_swap = (
        is_path and own.total() == places.total() and len(added) == 1 and _last_segment(url) == _last_segment(other)
    )
    return not (is_swap and ":" not in added[0].text)


def _last_segment(url: str) -> str:
    return address_of(url).path.rstrip("/").rpartition("/")[2]


def _is_below(url: str, other: str) -> bool:
    one, two = address_of(url), address_of(other)
    return not one.query and not two.query and two.path.startswith(f"{one.path.rstrip('/')}/")


def _words(url: str) -> Iterator[str]:
    """Yield the words before a colon at the beginning of parts of a URL."""
    return (found[1] for place in _places(url) if (found := _PREFIXED.match(place.text)))


def _words_of(template: str) -> Iterator[str]:
    """Yield the words before a colon in a template, except one directly before the name of an item."""
    for part in template.split("/"):
        found = _PREFIXED.match(part.rpartition("=")[2])
        if found and _NAME not in part:
            yield found[1]


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link to another page: ``url`` is absolute, ``text`` its visible text, ``rel`` the words of its rel attribute.

    ``is_heading``: whether it stands in a heading or contains one. ``like`` is the number of links of the page whose
    URLs have the same pattern, including this one. ``place`` is a code of the tags and names of the elements around it.
    """

    url: str
    text: str
    position: Position
    rel: tuple[str, ...] = ()
    is_heading: bool = False
    like: int = 1
    place: str = ""


def next_page(root: Any, page: Page) -> str | None:
    """Return the URL of the next page: the one read with the records, else the one found in the links of the page.

    Without an explicit link, it is the link whose URL differs from the page's URL by the next higher page number.
    """
    base = base_url(root, page.url) or ""
    return page.next_page or next_page_of(root, page.url, base) or _next_by_number(root, page.url or "", base)


def _next_by_number(root: Any, url: str, base: str) -> str | None:
    addresses = Addresses(base)
    own = number_in_address(url)
    numbers = {
        number: found
        for link in root.iter("a")
        if (found := addresses(link.get("href")))
        and (number := number_in_address(found)) is not None
        and number > (1 if own is None else own)
        and may_follow(url, found)
    }
    return numbers[min(numbers)] if numbers else None


def page_links(root: Any, page: Page) -> list[PageLink]:
    """Return the links of a page in page order, one for each URL, in linear time."""
    addresses = Addresses(base_url(root, page.url) or "")
    records = {record.url for record in page.records}
    following = next_page(root, page) if page.records or page.is_overview else None
    if following and without_page_in_address(following) in records:
        following = None  # a later page of a thread that is listed
    main = _MainBlocks(page)
    menus = {link for menu in root.iter(*_MENUS) if not _is_of_content(menu) for link in menu.iter("a")}
    places = _Places()
    found: dict[str, PageLink] = {}
    for link, url in islice(_followed(root, addresses), _MAX_LINKS):
        text, is_heading = rough_text(link)[:_MAX_TEXT_CHARS], _is_heading(link)
        before = found.get(address_key(url))
        if before is None or (text and not before.text) or (is_heading and not before.is_heading):
            position: Position = "record" if url in records else _position(link, main, menus)
            rel = tuple((link.get("rel") or "").lower().split())
            found[address_key(url)] = PageLink(
                url, text, "next" if url == following else position, rel, is_heading, place=places.code_of(link)
            )
    return _counted(_without_views(list(found.values()), page.url or ""))


def with_next(links: list[PageLink], root: Any, page: Page) -> list[PageLink]:
    """Return the links of a page that turned out to be a list, with the link to its next page marked as "next"."""
    if any(link.position == "next" for link in links):
        return links
    following = next_page(root, page)
    return [replace(link, position="next") if link.url == following and link.like < _MANY else link for link in links]


class _Places:
    """Codes of the places of links: the tags and ids around a link, and its class and that of its parent.

    Elements further out may have classes of a single record, such as its category, and ids with digits are its name.
    """

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def code_of(self, link: Any) -> str:
        """Return the code of the place of a link."""
        near = [steady_names(each.get("class") or "") for each in (link, link.getparent()) if each is not None]
        return f"{crc32('|'.join(near).encode(), self._around(link)):x}"

    def _around(self, element: Any) -> int:
        found = self._known.get(element)
        if found is None:
            outer, name = element.getparent(), element.get("id") or ""
            around = 0 if outer is None or outer.tag == "body" else self._around(outer)
            own = f"{element.tag} {'' if _DIGITS.search(name) else name}"
            found = self._known[element] = crc32(own.encode(), around)
        return found


def _followed(root: Any, addresses: Addresses) -> Iterator[tuple[Any, str]]:
    for link in root.iter("a", "area"):
        url = addresses(link.get("href"))
        if url and can_be_page(url) and link.get("download") is None:
            yield link, url


def _is_of_content(menu: Any) -> bool:
    """Whether a header or footer belongs to an article, not to the page."""
    return menu.tag != "nav" and next(menu.iterancestors("article", "section", "main", "li"), None) is not None


def _is_heading(link: Any) -> bool:
    around = islice(link.iterancestors(), _HEADING_LEVELS)
    return any(each.tag in HEADING_LEVELS for each in around) or next(link.iter(*HEADING_LEVELS), None) is not None


class _MainBlocks:
    """The elements that are blocks of main content, found by their texts; each element is examined once."""

    def __init__(self, page: Page) -> None:
        self._texts = {one_line(block.text) for block in page.blocks if block.is_main}
        self._longest = max(map(len, self._texts), default=0)
        self._known: dict[Any, bool] = {}

    def __contains__(self, element: Any) -> bool:
        found = self._known.get(element)
        if found is None:
            found = self._known[element] = element.tag not in ("body", "html") and self._text(element) in self._texts
        return found

    def _text(self, element: Any) -> str | None:
        """The text of an element, or None if it is longer than any block."""
        parts: list[str] = []
        length = 0
        for part in element.itertext():
            parts.append(part)
            length += len(one_line(part))
            if length > self._longest:
                return None
        return one_line("".join(parts))


def _position(link: Any, main: _MainBlocks, menus: set[Any]) -> Position:
    if link in menus:
        return "navigation"
    around = list(islice(link.iterancestors(), _LEVELS))
    if any(each.get("role") == "navigation" for each in around):
        return "navigation"
    return "text" if any(each in main for each in (link, *around)) else "elsewhere"


def _counted(links: list[PageLink]) -> list[PageLink]:
    patterns = [(host_of(link.url), pattern_of(link.url).fine) for link in links]
    counts = Counter(patterns)
    beside = _beside_titles(links, patterns)
    return [
        replace(link, like=counts[pattern], position="beside" if pattern in beside else link.position)
        for link, pattern in zip(links, patterns, strict=True)
    ]


def _without_views(links: Sequence[PageLink], url: str) -> list[PageLink]:
    """Mark the links to views as standing beside what they show: a thread sorted, printed or from some post on.

    Their URLs add to the query of another link, or of the page at ``url``. If the records of a list were read with the
    URLs of views, the other links are those of the records. Several views each are only those of a thread on its page:
    lists and scripts add to their own URL those of what they list.
    """
    marked = [*links]
    is_list = any(link.position == "record" for link in links)
    for views in _views(links, url):
        shown = {*views.values()}
        if 2 * len(shown) <= len(views) and (is_list or shown != {len(links)}):
            continue
        for place, base in views.items():
            is_record = links[place].position == "record"
            marked[place] = replace(links[place], position="beside")
            if is_record and base < len(links):
                marked[base] = replace(links[base], position="record")
    return marked


def _views(links: Sequence[PageLink], url: str) -> Iterator[dict[int, int]]:
    """Yield, for each form of views, the number of each view in ``links`` and of what it shows; the page comes last.

    A URL without a query that is the only one shown may be that of a script.
    """
    urls = [*(link.url for link in links), url]
    parts = [(host_of(each), address_of(each).path, frozenset(query_of(address_of(each).query))) for each in urls]
    known = {each: place for place, each in reversed([*enumerate(parts)])}
    forms: dict[str, dict[int, int]] = {}
    for place, (link, (host, path, query)) in enumerate(zip(links, parts, strict=False)):
        if link.position == "next" or number_in_address(link.url) is not None:
            continue
        added = chain.from_iterable(combinations(sorted(query), count) for count in range(1, len(query) + 1))
        less = ((host, path, query - {*each}) for each in islice(added, _MAX_VIEWS))
        base = next((known[each] for each in less if each in known), None)
        if base is not None:
            forms.setdefault(pattern_of(link.url).coarse, {})[place] = base
    for views in forms.values():
        shown = {*views.values()}
        if len(shown) > 1 or any(parts[base][2] for base in shown):
            yield views


def _beside_titles(links: Sequence[PageLink], patterns: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """The patterns of links that stand beside the titles of records, such as links to the last post."""
    rows: dict[tuple[str, str], list[int]] = {}
    for place, (link, pattern) in enumerate(zip(links, patterns, strict=True)):
        if link.position == "record":
            rows.setdefault(pattern, []).append(place)
    found = set()
    for one, other in combinations(rows, 2):
        order = sorted([(place, one) for place in rows[one]] + [(place, other) for place in rows[other]])
        changes = sum(first[1] != second[1] for first, second in pairwise(order))
        if changes >= _IN_TURNS * max(len(rows[one]), len(rows[other])):
            words = [len(" ".join({links[place].text for place in rows[each]}).split()) for each in (one, other)]
            is_first = other[1].startswith(one[1]) or words[0] >= _ALMOST * words[1]
            found.add(one if one[1].startswith(other[1]) or not is_first else other)
    return found


def following_page(root: Any, page: Page) -> str | None:
    """Return the URL of the next page of an item, or None if no linked page may belong to the same item.

    The URLs of the pages of an item differ only in a number. The URL may also be that of the next item: `are_of_one`
    decides this once the page is fetched.
    """
    url = page.url or ""
    base = base_url(root, page.url) or ""
    candidates = chain((page.next_page,), next_pages_of(root, page.url, base), (_next_by_number(root, url, base),))
    return next((each for each in candidates if each and may_follow(url, each)), None)


def first_page(root: Any, page: Page) -> str | None:
    """Return the URL of the first, or an earlier, page of an item if ``page`` is a later page of it; else None."""
    url = page.url or ""
    number = page_number_of(root, url, [block.text for block in page.blocks])
    candidates: list[str | None] = []
    if number.address or number.previous_page:
        candidates = [canonical_url(root, url), previous_url(root, url), without_page_in_address(url)]
        candidates = [each for each in candidates if each and may_follow(each, url)]
    if (number.current or 1) > 1:  # for instance if the URL names a post on the page
        candidates += _first_of_pager(root, url)
    return next((each for each in candidates if each and address_key(each) != address_key(url)), None)


def _first_of_pager(root: Any, url: str) -> Iterator[str]:
    """Yield the URLs of links with the text "1" whose path is that of the page, or one above it."""
    addresses, own = Addresses(base_url(root, url) or ""), address_of(url)
    for link in root.iter("a"):
        if rough_text(link) == "1" and (found := without_page_in_address(addresses(link.get("href")) or "")):
            path = address_of(found).path.rstrip("/")
            if path and host_of(found) == own.host and f"{own.path}/".startswith(f"{path}/"):
                yield found


def are_of_one(first: Page, later: Page) -> bool:
    """Return whether two pages belong to one item: their titles are equal except for the page number."""
    return have_same_title(first.title, later.title)


def have_same_title(one: str | None, other: str | None) -> bool:
    """Return whether two titles are equal except for the page number."""
    titles = [letters_of(without_page_number(title or "")) for title in (one, other)]
    return bool(titles[0]) and titles[0] == titles[1]
