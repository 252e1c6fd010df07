"""The elements of a page: those that name it, counts of others, link targets, and the text of an element.

The text is all of it, its visible text on one line, or its blocks, without comments, processing instructions and the
text after the element.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import main_text, segment
from scrapy_semtext.tree.segmentation import are_separate_words
from scrapy_semtext.tree.tags import GROUPS, Group, displays_of
from scrapy_semtext.utils.address import Address, host_named
from scrapy_semtext.utils.extensions import walk
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


#: The tags of elements that name a page.
NAMING = ("meta", "link", "title", "h1", "h2", "h3", "h4", "h5", "h6")
#: The elements that are counted, besides links.
COUNTED = tuple("img code video iframe input select textarea button time figure label option svg".split())
#: Tags of elements that may need conversion to letters, see `scrapy_semtext.tree.letters`.
LETTERED = tuple(
    "h1 h2 h3 h4 h5 h6 dt caption figcaption sup sub ruby q img math script template button noscript pre table code"
    " br ol blockquote style".split()
)
#: The tag with which elements are listed that an attribute may make displayed otherwise than others of their tag.
ODD = ""

_NAMES = frozenset((*NAMING, *LETTERED))
_NAMING, _LETTERED = frozenset(NAMING), frozenset(LETTERED)
_CLASSES: Any = etree.XPath("descendant-or-self::*/@class", smart_strings=False)
# Elements that are skipped besides group 1: <noscript> and <template> may repeat the page's text.
_UNREAD = frozenset(("noscript", "template", "head"))
_INLINE = (Group.INLINE, Group.LINK)
_SKIPPED = (Group.REMOVED, Group.SWALLOWER, Group.VOID)
# An end tag, or an element that needs none. A start tag on its own may be part of the text: "use a <div> there".
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|p|li|img|hr)\b[^<>]*>", re.IGNORECASE)

_TITLED = frozenset(("head", "html", "body"))
_NO_TARGET = ("javascript:", "mailto:", "tel:")
_PAGE_SIGNS = ("page=", "/page/", "?p=")
_NOWHERE = "\0"  # the beginning of no target
_ABSOLUTE = ("http://", "https://", "//")


class Naming(NamedTuple):
    """An element that names or describes the page, its tag (one of NAMING), its key, and whether it is in the head.

    The key is the property or name of <meta> or the rel of <link>, in lower case; "title" for the title of the page
    (drawings have titles, too); and "" for everything else.
    """

    element: Any
    tag: str
    key: str
    in_head: bool


class Links(NamedTuple):
    """Counts of the links of a page.

    ``addresses``: number of distinct targets; of these, how many are ``below`` or ``beside`` the URL of the page, on
    other hosts (``external``), occur more than once (``twice``), have a page number (``paged``) or a ``query``.
    ``empty``: links without a URL; ``anchors``: links within the page.
    """

    addresses: int
    below: int
    beside: int
    external: int
    empty: int
    twice: int
    paged: int
    query: int
    anchors: int


class Elements(NamedTuple):
    """The result of `elements_of`, in page order.

    ``counts``: the number of elements of each tag in COUNTED; ``targets``: the target of each link, None if it has
    none; ``lettered``: the elements of LETTERED with their tags, and those listed as ODD.
    """

    naming: list[Naming]
    counts: list[int]
    targets: list[str | None]
    lettered: list[tuple[Any, str]]


def elements_of(root: etree._Element) -> Elements:
    """Collect the elements of a page, in time linear in the tree."""
    named = [(element, str(element.tag)) for element in root.iter("a", *COUNTED, *_NAMES)]
    counts = Counter([tag for _, tag in named])
    head = root.find("head")
    in_head = frozenset() if head is None else frozenset(head.iter(*NAMING))
    naming = [Naming(each, tag, _key(each, tag), each in in_head) for each, tag in named if tag in _NAMING]
    targets = [link.get("href") for link, tag in named if tag == "a"]
    lettered = [(element, ODD) for element in odd_elements(root)]
    lettered += [(element, tag) for element, tag in named if tag in _LETTERED]
    return Elements(naming, [counts[tag] for tag in COUNTED], targets, lettered)


def odd_elements(root: etree._Element) -> list[etree._Element]:
    """Return the elements with an attribute that may tell that they are displayed in an odd way, in page order."""
    names_of = {classes: classes.lower().split() for classes in _CLASSES(root)}
    odd_names = displays_of({*chain.from_iterable(names_of.values())}).keys()
    odd_classes = {classes for classes, names in names_of.items() if not odd_names.isdisjoint(names)}
    if walk is None:
        return [element for element in root.iter("*") if _may_be_odd(element.tag, element.get, odd_classes)]
    found: list[etree._Element] = walk.odd_elements(root, odd_classes)
    return found


def _may_be_odd(tag: Any, get: Callable[[str], str | None], odd_classes: set[str]) -> bool:
    """Return whether `odd_elements` returns an element; ``get`` returns the value of an attribute."""
    if tag == "dialog" or (tag == "a" and (get("href") or "")[:1] == "#"):
        return True
    if get("style") or get("role") or get("hidden") is not None or get("aria-hidden") == "true":
        return True
    return get("class") in odd_classes


def _key(element: etree._Element, tag: str) -> str:
    """Return the key of one of the elements that name a page (see `Naming`)."""
    if tag == "meta":
        return (element.get("property") or element.get("name") or "").lower()
    if tag == "link":
        return (element.get("rel") or "").lower()
    if tag != "title":
        return ""
    parent = element.getparent()
    return "title" if parent is None or parent.tag in _TITLED else ""


def count_links(targets: Sequence[str | None], address: Address) -> Links:
    """Count the links of the page at ``address`` from their ``targets``."""
    path = address.path.rstrip("/")
    below = f"{path}/" if path else _NOWHERE
    beside = f"{path.rpartition('/')[0]}/" if path.count("/") > 1 else _NOWHERE
    found: Counter[str] = Counter()
    for target, times in Counter([(target or "").strip() for target in targets]).items():
        kind = _kind_of_link(target, address, below, beside)
        if kind in ("empty", "anchors"):
            found[kind] += times
            continue
        found.update((kind, "addresses"))
        found["twice"] += times > 1
        if kind != "external":
            found["paged"] += any(sign in target for sign in _PAGE_SIGNS)
            found["query"] += "?" in target
    return Links(**{name: found[name] for name in Links._fields})


def _kind_of_link(target: str, address: Address, below: str, beside: str) -> str:
    """Return which field of `Links` counts a link by its target, "" for another link of the site."""
    if not target or target.startswith(_NO_TARGET):
        return "empty"
    if target[0] == "#":
        return "anchors"
    if target.startswith(_ABSOLUTE):
        host, slash, path = target.partition("//")[2].partition("/")
        if host_named(host) != address.host:
            return "external"
        target = slash + path
    if target.startswith(below) and target != below:
        return "below"
    return "beside" if target.startswith(beside) else ""


def all_text(element: Any) -> str:
    """Return all text in an element exactly as written, including that of scripts and drawings."""
    return "".join(element.itertext())


def text_line(element: Any) -> str:
    """Return all text in an element on one line."""
    return one_line(all_text(element))


def rough_text(element: Any) -> str:
    """Return all text in an element on one line, with a space between the texts of different elements."""
    return one_line(" ".join(element.itertext()))


def text_of(element: Any) -> str:
    """Return an element's text as the page displays it, one line per block."""
    blocks = segment(element)
    return main_text(blocks, [True] * len(blocks))


def text_of_html(html: str) -> str:
    """Return the text of a string that may be HTML, doubly escaped HTML, or plain text."""
    if _MARKUP.search(html):
        return text_of(parse(html))
    plain = unescape(html).replace("\xa0", " ")
    if plain.lstrip().startswith("<") and _MARKUP.search(plain):
        return text_of(parse(plain))
    # Indentation in plain text remains from tags that were removed.
    lines = (line.strip() for line in plain.splitlines())
    return "\n".join(line for line in lines if line)


def shown_text(element: Any) -> str:
    """Return the text of a small element on one line, without scripts, drawings and controls; cheaper than blocks."""
    if not len(element):
        return one_line(element.text)
    return " ".join(shown_lines(element))


def shown_lines(element: Any) -> list[str]:
    """Return the non-empty lines of an element's text, one for each block. Not recursive."""
    lines: list[str] = []
    line: list[str] = []
    open_elements = [(element, iter(element), True)]
    _add_to_line(line, element.text, element)
    while open_elements:
        outer, children, is_inline = open_elements[-1]
        for child in children:
            if is_read(child):
                is_child_inline = GROUPS[child.tag] in _INLINE
                if not is_child_inline:
                    _end_line(lines, line)
                _add_to_line(line, child.text, child)
                if len(child):
                    open_elements.append((child, iter(child), is_child_inline))
                    break
                if not is_child_inline:
                    _end_line(lines, line)
            _add_to_line(line, child.tail, child, is_tail=True)
        else:
            open_elements.pop()
            if not is_inline:
                _end_line(lines, line)
            if open_elements:
                _add_to_line(line, outer.tail, outer, is_tail=True)
    _end_line(lines, line)
    return lines


def _add_to_line(line: list[str], text: str | None, element: Any, *, is_tail: bool = False) -> None:
    """Add the text in or after an element to a line; words of different elements are separated if necessary."""
    if text:
        if line and line[-1][-1].isalnum() and text[0].isalnum() and are_separate_words(element, is_tail):
            line.append(" ")
        line.append(text)


def _end_line(lines: list[str], line: list[str]) -> None:
    """End a line: add its text to ``lines`` unless it is blank, and empty ``line``."""
    if line:
        if text := one_line("".join(line)):
            lines.append(text)
        line.clear()


def is_read(element: Any) -> bool:
    """Return whether an element's text is visible, unlike that of a comment, script or control."""
    tag = element.tag
    return isinstance(tag, str) and tag not in _UNREAD and GROUPS[tag] not in _SKIPPED
