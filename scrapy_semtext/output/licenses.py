"""The license of a page, as opposed to that of a photo, a song or another work that its text shows or names."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom.element_text import text_line
from scrapy_semtext.dom.tags import GROUPS, Group
from scrapy_semtext.output.images import absolute, stated_address
from scrapy_semtext.output.items import plain
from scrapy_semtext.text.word_tables import WORDS, alternatives

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.output.items import Item

_RIGHTS_META = WORDS["rights"]
_FREE = re.compile(r"//(?:www\.)?creativecommons\.org/(?:licenses|publicdomain)/", re.IGNORECASE)
_FREE_NAME = re.compile(r"\s*CC(?:0|[ -]BY(?:-(?:SA|NC|ND))*)(?: \d\.\d)?\s*", re.IGNORECASE)
_OTHER_WORK, _OWN_TEXT = (
    re.compile(rf"(?<![^\W\u2e80-\U0003ffff])(?:{alternatives(name)})(?![^\W\u2e80-\U0003ffff])", re.IGNORECASE)
    for name in ("other work", "own text")
)
_HOLDS_OTHER = re.compile(rf"(?:^|[\s/_-])(?:{alternatives('holds other work')})(?:$|[\s_-])", re.IGNORECASE)
_HOLDS_LICENSE = re.compile(alternatives("holds license"), re.IGNORECASE)
_FIGURES = frozenset(("figure", "figcaption", "caption"))
# The maximum number of links that are examined, and of elements around one whose names are.
_MOST, _NEAR = 20, 3


def license_of(root: Any, articles: Iterable[Item], metas: dict[str, str], base: str | None) -> str | None:
    """Return the URL or text of a page's license: of its markup, a link marked as license, one to Creative Commons.

    ``articles`` are the schema.org items of the page itself, ``metas`` its <meta> elements, ``base`` resolves URLs.
    """
    for item in articles:
        if stated := stated_address(item.get("license"), base) or plain(item.get("license")):
            return stated
    links = [link for link in root.iter("a", "link") if link.get("href")]
    kinds = (
        (link for link in links if "license" in (link.get("rel") or "").lower().split()),
        (link for link in links if _FREE.search(link.get("href"))),
        (link for link in links if _FREE_NAME.fullmatch(link.text or "") and not _FREE.search(link.get("href"))),
    )
    named, free, others = ([link for link in islice(kind, _MOST) if not _is_of_other(link)] for kind in kinds)
    addresses = (absolute(link.get("href"), base) for link in (*named, *filter(_is_of_page, free)))
    names = map(text_line, filter(_is_of_page, others))  # on Stack Exchange, the address is that of a help page
    return next(filter(None, (*addresses, *names, *map(metas.get, _RIGHTS_META))), None)


def _is_of_other(link: Any) -> bool:
    """Return whether a license is that of another work, because of its element or the words before it."""
    if any(outer.tag in _FIGURES for outer in link.iterancestors()):
        return True
    names = [*map(_names, islice(link.iterancestors(), _NEAR))]
    if any(map(_HOLDS_OTHER.search, names)) and not any(map(_HOLDS_LICENSE.search, names)):
        return True
    own = text_line(link)
    before = text_line(_block(link)).partition(own)[0] if own else ""
    other, text = _OTHER_WORK.search(before), _OWN_TEXT.search(before)
    return other is not None and (text is None or other.start() < text.start())


def _is_of_page(link: Any) -> bool:
    """Return whether a license is the page's, because of its element, the words around it, or as it stands alone."""
    text = text_line(_block(link))
    in_place = any(_HOLDS_LICENSE.search(_names(outer)) for outer in link.iterancestors())
    return in_place or text == text_line(link) or _OWN_TEXT.search(text) is not None


def _block(link: Any) -> Any:
    return next((outer for outer in link.iterancestors() if GROUPS[outer.tag] not in (Group.INLINE, Group.LINK)), link)


def _names(element: Any) -> str:
    return " ".join((element.tag, *(element.get(name) or "" for name in ("class", "id", "itemtype"))))
