"""The cost of a page on this machine: a given page, or a generated one, because no real page ships with the package."""

from __future__ import annotations

import random
import re
import time
from functools import cache
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.inference.storage import SHIPPED
from scrapy_semtext.text.decoding import html_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy_semtext.extractor import Extractor

_SECONDS = 3.0
_LEAST = 3  # minimum number of measurements, for pages that take long

# Parts of the generated page besides words.
_SCRIPT = "window.dataLayer=window.dataLayer||[];(function(a,b){var c=b.createElement('script');c.async=1})(window);"
_STYLE = ".card{display:flex;margin:0 auto;padding:12px 16px;border:1px solid #ddd;background:#fff}"
_ICON = "<svg class='icon' viewBox='0 0 16 16'><g><path d='M1 1h14v14H1z'/><path d='M4 8h8'/></g></svg>"
_WRAPPERS = ("col-12 col-md-6", "card shadow-sm", "card-body p-3", "media align-items-center", "card-text")


def cost(extractor: Extractor, body: bytes | None = None) -> dict[str, float]:
    """Return the CPU time of a page, and of parsing it with lxml: medians in milliseconds, measured for three seconds.

    Without ``body`` each page is a different one, generated from the same words. The first run, which loads everything
    that is loaded on first use, is not counted.
    """
    given = None if body is None else html_text(body)
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
    """Parse a page with lxml, which is the unit of costs."""
    return etree.fromstring(html.encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8", huge_tree=True))


def seconds_of(function: Callable[..., Any], *arguments: Any) -> float:
    """Return the CPU seconds of a call."""
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def size_in_bytes(html: str) -> int:
    """Return the size of a page in UTF-8."""
    return len(html.encode("utf-8", "replace"))


def sample_page(seed: int) -> str:
    """Return an article with menus, a table, cards and a footer: about 125 KB, 1,800 elements and 2,600 words.

    Its words are those of the model card, in an order that depends on ``seed``.
    """
    return "".join(_parts(random.Random(seed)))  # noqa: S311  no secret


def _parts(chance: random.Random) -> Iterator[str]:
    yield f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{_words(chance, 7)} | Site</title>"
    yield f"<style>{_STYLE * 300}</style><script>{_SCRIPT * 400}</script></head>"
    yield f"<body class='single'><header><nav class='menu'><ul>{_links(chance, 80)}</ul></nav></header><main>"
    yield f"<article><h1>{_words(chance, 7)}</h1><p class='byline'>By <a href='/author'>A. Writer</a>, 3 May 2024</p>"
    for number in range(30):
        if number % 6 == 0:
            yield f"<h2>{_words(chance, 5)}</h2>"
        yield f"<p>{_words(chance, 25)} <a href='/a/{number}'>{_words(chance, 3)}</a> <em>{_words(chance, 2)}</em> "
        yield f"{_words(chance, chance.randint(10, 50))}.</p>"
    rows = "".join(f"<tr><td>{_words(chance, 2)}</td><td>{number}</td></tr>" for number in range(20))
    yield f"<ul>{_links(chance, 12)}</ul><table>{rows}</table></article></main><aside class='sidebar'>"
    for number in range(40):
        yield "".join(f"<div class='{names}'>" for names in _WRAPPERS)
        yield f"<a href='/p/{number}'><img src='/i/{number}.jpg' alt='' loading='lazy'>{_ICON}"
        yield f"<h3>{_words(chance, 6)}</h3></a><span class='date'>2 days ago</span>{'</div>' * len(_WRAPPERS)}"
    yield f"</aside><footer><ul>{_links(chance, 60)}</ul><p>Copyright. All rights reserved.</p></footer></body></html>"


def _links(chance: random.Random, number: int) -> str:
    return "".join(
        f"<li class='nav-item'><a href='/{place}'>{_ICON}<span>{_words(chance, 2)}</span></a></li>"
        for place in range(number)
    )


def _words(chance: random.Random, number: int) -> str:
    return " ".join(chance.choices(_vocabulary(), k=number))


@cache
def _vocabulary() -> list[str]:
    """Return the words of the model card with repetitions, so that frequent words stay frequent."""
    return re.findall(r"[A-Za-z]{2,}", (SHIPPED / "MODEL_CARD.md").read_text(encoding="utf-8"))
