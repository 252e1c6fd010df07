"""The images of a page's main content."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom.tree import nearest
from scrapy_semtext.output.addresses import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.dom.segmentation import Scope, TextBlock
    from scrapy_semtext.page import Block

# Where pages that load images late keep the address; best first.
_LATE = ("data-src", "data-original", "data-lazy-src", "data-lazyload", "data-url")
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx]")
_NO_PICTURE = re.compile(r"emoji|emoticon|smil(?:ey|ie)|avatar|(?:^|[\s_-])icons?(?:$|[\s_-])", re.IGNORECASE)
_PIXELS = re.compile(r"\s*(\d+)")
#: Images of fewer pixels on a side are icons.
_LEAST_PIXELS = 50


def main_images(
    root: Any, text_blocks: Sequence[TextBlock], blocks: Sequence[Block], base: str | None
) -> dict[Any, str]:
    """Return the <img> elements of the main content in page order, each with its absolute address; each address once.

    An image belongs to the main content if most of the text of the innermost element with text around it does. Outside
    the stretch from the first to the last main block, that element has to be inside the body.
    """
    if not any(block.is_main for block in blocks):
        return {}
    kept, all_text = _characters(text_blocks, blocks)
    found: dict[str, Any] = {}
    holders: dict[Any, Any] = dict(zip(all_text, all_text, strict=True))  # the innermost element with text around each
    for element, inside in _images(root, *_ends(text_blocks, blocks)):
        around = nearest(element.getparent(), holders)
        if around is None or 2 * kept[around] < all_text[around] or (not inside and around.tag in ("body", "html")):
            continue
        if address := address_of_image(element, base):
            found.setdefault(address, element)
    return {element: address for address, element in found.items()}


def _images(root: Any, start: Any, end: Any) -> list[tuple[Any, bool]]:
    """The images of a page but for icons, each with whether it stands from the element ``start`` to ``end``."""
    images = []
    first = last = 0
    for place, element in enumerate(root.iter("*")):
        if element is start:
            first = place
        if element is end:
            last = place
        if element.tag == "img" and not _is_icon(element):
            images.append((place, element))
    return [(element, first <= place <= last) for place, element in images]


def address_of_image(element: Any, base: str | None) -> str | None:
    """Return the absolute address of an <img> in its best quality; None if it has none but its data."""
    widest, best = -1.0, None
    for name in _SETS:
        for written, width in _candidates(element.get(name) or ""):
            if width > widest and (address := absolute(written, base)):
                widest, best = width, address
    addresses = (best, *(absolute(element.get(name), base) for name in (*_LATE, "src")))
    return next(filter(None, addresses), None)


def _candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """The addresses of a ``srcset``, each with its width or density, 0.0 without one."""
    address = ""
    for token in srcset.split():
        if not address:
            address = token.rstrip(",")
            if token.endswith(","):
                yield address, 0.0
                address = ""
        else:
            descriptor, _, following = token.partition(",")  # "800w,b.jpg": some leave out the space
            size = _SIZE.fullmatch(descriptor)
            yield address, float(size[1]) if size else 0.0
            address = following
    if address:
        yield address, 0.0


def _characters(text_blocks: Sequence[TextBlock], blocks: Sequence[Block]) -> tuple[Counter[Any], Counter[Any]]:
    """The characters of main blocks, and of all blocks, inside each element that holds text."""
    own: dict[Scope, list[int]] = {}
    for text_block, block in zip(text_blocks, blocks, strict=True):
        counts = own.setdefault(text_block.scope, [0, 0])
        counts[0] += len(block.text) * block.is_main
        counts[1] += len(block.text)
    kept: Counter[Any] = Counter()
    all_text: Counter[Any] = Counter()
    for scope, (main, every) in own.items():
        for outer in scope.ancestry():
            kept[outer.element] += main
            all_text[outer.element] += every
    return kept, all_text


def _ends(text_blocks: Sequence[TextBlock], blocks: Sequence[Block]) -> tuple[Any, Any]:
    """The elements of the first and the last text node of the main content."""
    main = [text_block for text_block, block in zip(text_blocks, blocks, strict=True) if block.is_main]
    return main[0].runs[0][0], main[-1].runs[-1][0]


def _is_icon(element: Any) -> bool:
    if _NO_PICTURE.search(element.get("class") or ""):
        return True
    sides = (_PIXELS.match(element.get(name) or "") for name in ("width", "height"))
    return any(side and int(side[1][:9]) < _LEAST_PIXELS and "%" not in side.string for side in sides)
