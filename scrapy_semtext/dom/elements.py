"""One look through a page's tree: the elements that name the page, how often others come, and where its links lead."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom.address import address_of
from scrapy_semtext.dom.tree import named_elements

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_semtext.dom.address import Address

#: An element that names the page or says what it is about, its tag (<meta>, <link>, <title> or <h1>), what it says
#: something of, and whether it stands in the head. The third is the property or the name of <meta>, the rel of <link>,
#: in lower case, "title" for the title of the page (a drawing has titles, too), and "" for all else.
Naming = tuple[Any, str, str, bool]

#: The elements that are counted, but for links.
COUNTED = tuple("img code video iframe input select textarea button time figure label option svg".split())

_TITLED = frozenset(("head", "html", "body"))
_NO_TARGET = ("javascript:", "mailto:", "tel:")
_WHOLE = ("http://", "https://", "//")


class Links(NamedTuple):
    """How many different ``addresses`` the links of a page have, and how many of these lead where.

    ``below`` that of the page itself, ``beside`` it, to other hosts (``external``); how many come more than once
    (``twice``), or have the number of a page (``paged``) or a ``query``. How many links have no address (``empty``), or
    one within the page (``anchors``).
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
    """What was found in a tree: ``naming`` in page order; ``counts``: how often each of COUNTED comes."""

    naming: list[Naming]
    counts: list[int]
    links: Links


class _Near(NamedTuple):
    """How addresses near that of a page begin: on its host, below it, and beside it; "" where there are none."""

    host: str
    below: str
    beside: str


_NUMBERS = {tag.encode(): number for number, tag in enumerate(COUNTED)}


def elements_of(root: etree._Element, url: str | None) -> Elements:
    """Look through the tree of a page at ``url``, in time linear in the tree."""
    near = _near(address_of(url))
    elements = [*root.iter("a", *COUNTED)]
    tags = Counter([element.tag for element in elements])
    targets = Counter([(link.get("href") or "").strip() for link in elements if link.tag == "a"])
    return Elements(_naming(root), [tags[tag] for tag in COUNTED], _links(targets, near))


def _near(address: Address) -> _Near:
    path = address.path.rstrip("/")
    return _Near(
        address.host.removeprefix("www."),
        f"{path}/" if path else "",
        f"{path.rpartition('/')[0]}/" if path.count("/") > 1 else "",
    )


def _naming(root: etree._Element) -> list[Naming]:
    head = root.find("head")
    in_head = frozenset() if head is None else frozenset(head.iter("meta", "link", "title", "h1"))
    return [(element, str(element.tag), _key(element), element in in_head) for element in named_elements(root)]


def _key(element: etree._Element) -> str:
    if element.tag == "meta":
        return (element.get("property") or element.get("name") or "").lower()
    if element.tag == "link":
        return (element.get("rel") or "").lower()
    parent = element.getparent()
    return "title" if element.tag == "title" and (parent is None or parent.tag in _TITLED) else ""


def _links(targets: Counter[str], near: _Near) -> Links:
    count = below = beside = external = empty = twice = paged = query = anchors = 0
    for target, times in targets.items():
        if not target or target.startswith(_NO_TARGET):
            empty += times
            continue
        if target[0] == "#":
            anchors += times
            continue
        count += 1
        twice += times > 1
        local = target
        if target.startswith(_WHOLE):
            there, slash, rest = target.partition("//")[2].partition("/")
            if there.removeprefix("www.") != near.host:
                external += 1
                continue
            local = slash + rest
        if near.below and local.startswith(near.below) and len(local) > len(near.below):
            below += 1
        elif near.beside and local.startswith(near.beside):
            beside += 1
        paged += "page=" in target or "/page/" in target or "?p=" in target
        query += "?" in target
    return Links(count, below, beside, external, empty, twice, paged, query, anchors)
