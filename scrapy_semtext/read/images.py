"""The images of a page's main content, and absolute URLs from attributes and markup."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, islice, takewhile
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from scrapy_semtext.read.schema import Item, as_list
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.parsing import base_url, nearest
from scrapy_semtext.utils.address import address_of, resolved
from scrapy_semtext.words.cues import remembered_search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.page import Block
    from scrapy_semtext.tree.segmentation import Scope, TextBlock


_IMAGES = ("img", "amp-img")
# Attributes with the URL of a lazily loaded image, and those for a smaller or a larger one; others have file names.
_LAZY_NAMES = re.compile(r"(?:data-)?(?:lazy-?)?(?:src|original|lazyload|url)|load-src", re.IGNORECASE)
_LARGE_NAMES = re.compile(r"full|hi(?:gh)?-?(?:def|dpi|res)|large|max|orig|retina|zoom", re.IGNORECASE)
_SMALL_NAMES = re.compile(r"avatar|icon|low|lqip|medium|placeholder|poster|preview|small|thumb|tiny", re.IGNORECASE)
_FILE = re.compile(r"[^{}\s]+\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]\S*)?", re.IGNORECASE)
_NO_ADDRESS = re.compile(r"[{}]|\b(?:blank|clear|loading|placeholder|pixel|spacer|transparent|1x1)[\w-]*\.\w+$")
# A URL and its descriptor, as in "a.jpg 800w,b.jpg": some pages omit the space after the comma.
_CANDIDATE = re.compile(r"(\S*[^\s,])(?:,+(?=\s|$)|\s+([^\s,]*),?|$)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx]")
_NO_PICTURE = re.compile(r"emoji|emoticon|smil(?:ey|ie)|avatar|(?:^|[\s_-])icons?(?:$|[\s_-])", re.IGNORECASE)
_PIXELS = re.compile(r"\s*(\d+)")
_MAX_CAPTION_LEVELS = 3  # ancestors of an image or a text that may be elements for captioned images
_element_of = attrgetter("element")
_says_caption = remembered_search(re.compile(r"caption|figure|photo-?credit", re.IGNORECASE))
#: Images with fewer pixels on a side are icons.
_MIN_PIXELS = 50
_FALLBACK_TAGS = ("noscript", "object")  # <object> replaces <noscript> in the middle of a line


def absolute(address: str | None, base: str | None) -> str | None:
    """Return a web URL as absolute; None for other URLs, and if a required base is missing.

    ``base`` is the URL that those of the page are relative to.
    """
    found = resolved("".join(address.split()), base) if address else None
    parts = address_of(found)
    return found if parts.scheme in ("http", "https") and parts.netloc else None


def stated_address(value: Any, base: str | None) -> str | None:
    """Return the URL in a property of a schema.org item; None if the value is the text of an element."""
    return absolute(value, base) if isinstance(value, str) else None


def image_addresses(value: Any, by_id: Mapping[str, Item], base: str | None) -> list[str]:
    """Return the distinct URLs of a property ``image``: of the images themselves, or of items that have one.

    ``by_id`` are the items of the page by their ``@id``, which may define an image that the property only refers to.
    """
    found: dict[str, None] = {}
    for image in as_list(value):
        item = image
        if isinstance(image, dict) and "@id" in image and not image.keys() & {"url", "contentUrl"}:
            item = by_id.get(str(image["@id"]), image)
        candidates = [item.get("contentUrl"), item.get("url")] if isinstance(item, dict) else [item]
        if address := next(filter(None, (stated_address(candidate, base) for candidate in candidates)), None):
            found[address] = None
    return list(found)


def main_images(
    root: Any, text_blocks: Sequence[TextBlock], blocks: Sequence[Block], base: str | None
) -> dict[Any, str]:
    """Return the <img> elements of the main content in page order with their absolute URLs; each URL once.

    An image belongs to the main content if most of the text in the innermost text-bearing element around it does,
    ignoring captions. Before the first main block and after the last, that element must be inside the body.
    """
    main = [text_block for text_block, block in zip(text_blocks, blocks, strict=True) if block.is_main]
    if not main:
        return {}
    main_count, count = _characters(text_blocks, blocks)
    found: dict[str, Any] = {}
    fallbacks = set()
    holders: dict[Any, Any] = dict(zip(count, count, strict=True))  # the innermost element with text
    for element, inside in _images(root, main[0].runs[0][0], main[-1].runs[-1][0]):
        fallbacks.add(_fallback_of(element))
        holder = nearest(element.getparent(), holders)
        if holder is None or 2 * main_count[holder] < count[holder] or (not inside and holder.tag in ("body", "html")):
            continue
        if element not in fallbacks and (address := address_of_image(element, base)):
            found.setdefault(address, element)
    return {element: address for address, element in found.items()}


def with_captions(blocks: Sequence[TextBlock], main: Sequence[TextBlock], images: Iterable[Any]) -> list[TextBlock]:
    """Return the main blocks, plus the captions of kept images that have no main text next to them."""
    ancestors = {outer for image in images for outer in islice(image.iterancestors(), _MAX_CAPTION_LEVELS)}
    ancestors -= {scope.element for last in {block.scope for block in main} for scope in last.ancestry()}
    kept = set(main)
    return [
        block
        for block in blocks
        if block in kept or (_is_caption(block) and not ancestors.isdisjoint(map(_element_of, _scopes_around(block))))
    ]


def _is_caption(block: TextBlock) -> bool:
    """Return whether a block is in an element for captioned images, and is not a link."""
    tags = ("figure", "figcaption")
    is_in = any(scope.tag in tags or _says_caption(scope.names) for scope in _scopes_around(block))
    return is_in and 2 * block.link_chars <= len(block.text)


def _scopes_around(block: TextBlock) -> Iterator[Scope]:
    """Yield the scopes around a block that may be elements for captioned images."""
    return islice(block.scope.ancestry(), _MAX_CAPTION_LEVELS)


def _images(root: Any, start: Any, end: Any) -> list[tuple[Any, bool]]:
    """Return a page's images except icons, each with whether it is between the elements ``start`` and ``end``."""
    images = []
    first = last = 0
    for index, element in enumerate(root.iter("*")):
        if element is start:
            first = index
        if element is end:
            last = index
        if element.tag in _IMAGES and not _is_icon(element):
            images.append((index, element))
    return [(element, first <= index <= last) for index, element in images]


def _fallback_of(element: Any) -> Any:
    """Return the <noscript> version after an image, None without one."""
    behind = element.getnext()
    if behind is None and (parent := element.getparent()) is not None:
        behind = parent.getnext()
    return behind.find(".//img") if behind is not None and behind.tag in _FALLBACK_TAGS else None


def address_of_image(element: Any, base: str | None) -> str | None:
    """Return the absolute URL of an <img> in its best quality; None if it only has inline data."""
    fallback = _fallback_of(element)
    found = [*(_addresses(fallback) if fallback is not None else ()), *_addresses(element)]
    before = chain(element.itersiblings(preceding=True), element.iterancestors())
    for source in takewhile(lambda each: each.tag == "source", before):
        cut = source.get("media") is not None  # may be cropped for small screens
        found += ((each, 0.0 if cut or size < _MIN_PIXELS else size) for each, size in _addresses(source))
    ranked = sorted(found, key=itemgetter(1), reverse=True)
    usable = (absolute(address, base) for address, _ in ranked if not _NO_ADDRESS.search(address))
    return next(filter(None, usable), None)


def _addresses(element: Any) -> Iterator[tuple[str, float]]:
    """Yield the URLs of an image in any attribute, each with its width or density; below 1 if not stated."""
    for name, value in element.items():
        if name.endswith("srcset"):
            yield from _candidates(value)
        elif name == "src":
            yield value, 0.1
        elif _SMALL_NAMES.search(name):
            continue
        elif _LAZY_NAMES.fullmatch(name) or (name.startswith("data-") and _FILE.fullmatch(value.strip())):
            yield value, 0.9 if _LARGE_NAMES.search(name) else 0.8


def _candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """Yield the URLs of a ``srcset``, each with its width or density, 0.7 if not stated."""
    for address, descriptor in _CANDIDATE.findall(srcset):
        size = _SIZE.fullmatch(descriptor)
        yield address, float(size[1]) if size else 0.7


def _characters(text_blocks: Sequence[TextBlock], blocks: Sequence[Block]) -> tuple[Counter[Any], Counter[Any]]:
    """Count the characters of main blocks, and of all blocks but other captions, inside each text-bearing element."""
    counts_of: dict[Scope, list[int]] = {}
    for text_block, block in zip(text_blocks, blocks, strict=True):
        if not block.is_main and _is_caption(text_block):
            continue
        counts = counts_of.setdefault(text_block.scope, [0, 0])
        counts[0] += len(block.text) * block.is_main
        counts[1] += len(block.text)
    main_count: Counter[Any] = Counter()
    all_count: Counter[Any] = Counter()
    for scope, (main, count) in counts_of.items():
        for outer in scope.ancestry():
            main_count[outer.element] += main
            all_count[outer.element] += count
    return main_count, all_count


def _is_icon(element: Any) -> bool:
    """Return whether an image is an icon, emoji or avatar by its names or its stated size."""
    if _NO_PICTURE.search(element.get("class", "")):
        return True
    sides = (_PIXELS.match(element.get(name, "")) for name in ("width", "height"))
    return any(side and int(side[1][:9]) < _MIN_PIXELS and "%" not in side.string for side in sides)


@reader("images", ("blocks",))
def images_reader(reading: Reading, _: Models) -> dict[Any, str]:
    """Find the images of the main content."""
    root, page = reading.parsed.root, reading.page
    return main_images(root, reading.parsed.text_blocks, page.blocks, base_url(root, page.url))
