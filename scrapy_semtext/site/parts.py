"""The parts of a cleaned page, as in deboiler: title, headings, lists, breadcrumbs and main text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.dom.element_text import shown_text
from scrapy_semtext.dom.joining import main_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.output.title import title_of
from scrapy_semtext.text.folding import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.segmentation import TextBlock

_LISTS = frozenset(("ul", "ol", "menu", "dl"))
_DESCRIPTIONS = ("description", "og:description", "twitter:description")

# Elements with "breadcrumb" in a class, an id, a label or a type of schema.org.
_BREADCRUMBS: Any = etree.XPath(
    "descendant::*[not(self::script or self::style or self::body or self::html)]["
    " contains(translate(concat(@class, ' ', @id, ' ', @aria-label, ' ', @itemtype, ' ', @typeof),"
    " 'BREADCUM', 'breadcum'), 'breadcrumb')]",
    smart_strings=False,
)

# Characters between the links of breadcrumbs.
_SEPARATORS = " \t\n\r\xa0/\\|>»›→·•:–—-"


@dataclass(slots=True)
class CleanPage:
    """A page without the boilerplate of its site; attributes are named as in deboiler.

    ``headings``, ``lists`` (each the texts of its items) and ``main_text`` are of the kept blocks; ``breadcrumbs`` are
    the texts of the breadcrumb links.
    """

    url: str | None = None
    title: str | None = None
    description: str | None = None
    headings: list[str] = field(default_factory=list)
    breadcrumbs: list[str] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    main_text: str = ""


def clean_page(root: Any, blocks: Sequence[TextBlock], keep: Sequence[bool], url: str | None = None) -> CleanPage:
    """Return a page with the kept blocks alone; ``keep`` has an entry for each of ``blocks``."""
    kept = [block for block, stays in zip(blocks, keep, strict=True) if stays]
    return CleanPage(
        url=url,
        title=title_of(root),
        description=description_of(root),
        headings=[one_line(block.text) for block in kept if block.scope.tag in HEADING_LEVELS],
        breadcrumbs=breadcrumbs_of(root),
        lists=list(_lists(kept)),
        main_text=main_text(blocks, keep),
    )


def description_of(root: Any) -> str | None:
    """Return the description in the <meta> elements, None without one."""
    found: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").strip().lower()
        text = one_line(meta.get("content"))
        if text:
            found.setdefault(name, text)
    return next((found[name] for name in _DESCRIPTIONS if name in found), None)


def breadcrumbs_of(root: Any) -> list[str]:
    """Return the texts of the breadcrumbs, from the outermost; of several lists of breadcrumbs the longest."""
    trails = [_trail(element) for element in _BREADCRUMBS(root)]
    return max(trails, key=len, default=[])


def _trail(element: Any) -> list[str]:
    items = [item for item in element.iter("li") if item.find(".//li") is None]
    names = [shown_text(item).strip(_SEPARATORS) for item in items]
    if not items:
        links = list(element.iter("a"))
        names = [shown_text(link).strip(_SEPARATORS) for link in links]
        # the page itself is last, without a link
        names += [(link.tail or "").strip(_SEPARATORS) for link in links[-1:]]
    return [name for name in names if name]


def _lists(blocks: Sequence[TextBlock]) -> Iterator[list[str]]:
    """Yield the items of each kept list, in page order; nested lists are separate."""
    lists: dict[Any, list[str]] = {}
    for block in blocks:
        scope = next((scope for scope in block.scope.ancestry() if scope.tag in _LISTS), None)
        if scope is not None:
            items = lists.setdefault(scope, [])
            items += [line.strip() for line in block.text.splitlines() if line.strip()]
    yield from lists.values()
