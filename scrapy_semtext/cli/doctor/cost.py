"""What a page costs on this machine."""

from __future__ import annotations

import time
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.cli.doctor.sample_page import sample_page
from scrapy_semtext.text.decoding import decode_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_semtext.extractor import Extractor

_SECONDS = 3.0
_LEAST = 3  # readings, of pages that take longer


def cost(extractor: Extractor, body: bytes | None = None) -> dict[str, float]:
    """Return the CPU time of a page by itself, and of its lxml parse: medians in milliseconds, for about three seconds.

    Without ``body`` each page is another one, made up of the same words. The first reading, which loads what is loaded
    on first use, does not count.
    """
    given = None if body is None else decode_html(body)
    extractor.read(sample_page(0))
    reading: list[float] = []
    parsing: list[float] = []
    sizes: list[int] = []
    end = time.monotonic() + _SECONDS
    for number in count(1):
        html = sample_page(number) if given is None else given
        parsing.append(seconds_of(parse_alone, html))
        reading.append(seconds_of(extractor.read, html))
        sizes.append(size_in_bytes(html))
        if number >= _LEAST and time.monotonic() > end:
            break
    ms, parse_ms = 1000 * median(reading), 1000 * median(parsing)
    return {"ms": ms, "parse_ms": parse_ms, "lxml_parses": ms / parse_ms, "bytes": median(sizes), "pages": len(sizes)}


def parse_alone(html: str) -> Any:
    """Parse a page by lxml: the unit of costs."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """The CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def size_in_bytes(html: str) -> int:
    """The size of a page in UTF-8."""
    return len(html.encode("utf-8", "replace"))
