"""A thread of a fictional forum engine, and the pairs that the shipped models extract from a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.features.table import describe
from scrapy_semtext.read.posts import load_pair_models
from scrapy_semtext.read.threads import PairSource, find_posts, pairs_of_pages
from scrapy_semtext.read.title import title_of

if TYPE_CHECKING:
    from scrapy_semtext.page import QAPair

#: No forum engine writes pages like these: the names are made up, one page has none at all.
_WORDS = "kettle spring valve rubber seal handle water boil steam light switch cable plate lid spout base".split()


def sentence(seed: int, length: int = 24) -> str:
    return (
        " ".join(_WORDS[(seed * 7 + place * place + place) % len(_WORDS)] for place in range(length)).capitalize() + "."
    )


def kettle_thread(posts: int, first: int = 1) -> str:
    """Return a page with this many posts; ``first`` is the number of the first of them in the thread."""
    records = "".join(
        f"""<section class="wortmeldung" id="w{number}">
          <header><a href="/mitglied/{number % 9}">Member{number % 9}</a>
          <time>{number % 28 + 1}.05.2024 10:{number % 60:02}</time> <span>#{number}</span></header>
          <div class="inhalt"><p>{sentence(number)}</p><p>{sentence(number + 3, 12)}</p></div>
          <footer><a href="/reply">Antworten</a> <a href="/cite">Zitieren</a></footer></section>"""
        for number in range(first, first + posts)
    )
    return (
        "<html><head><title>Why does my kettle leak?</title></head><body><nav><a href='/'>Forum</a>"
        f" <a href='/neu'>New topics</a></nav><main><h1>Why does my kettle leak?</h1>{records}</main>"
        "<p>Imprint and contact</p></body></html>"
    )


def read_pairs_of(html: str, url: str | None = None) -> list[QAPair]:
    parsed, models = describe(html, url), load_pair_models()
    (posts,) = find_posts([parsed], models.posts)
    return pairs_of_pages([PairSource(parsed.raw_tree, posts, title_of(parsed.root), url)], models)[0]
