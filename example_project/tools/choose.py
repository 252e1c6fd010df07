"""Which pages may lie in the repository, and which of them do: rules, no taste.

Pages come from WCXB (CC BY 4.0) and, for questions, from Stack Exchange (CC BY-SA); WCXB pages are those of the domains
that training never sees. Among the pages that fit, the one with the smallest hash goes first, so that nobody picks
pages that look good and anybody with the page sets gets the same choice.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from typing import TYPE_CHECKING

from parsel import Selector

from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.train.datasets import AnnotatedPage, may_ship, read_pages, split_side

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

# Private mailboxes (companies write under their own domain) and keys that a scanner of repositories would report.
_PRIVATE_MAIL = re.compile(
    r"[\w.+-]@(?:gmail|googlemail|yahoo|hotmail|outlook|live|aol|icloud|gmx|qq)\.", re.IGNORECASE
)
_KEY = re.compile(
    r"AIza[\w-]{35}|AKIA[0-9A-Z]{16}|[sr]k_live_\w{10}|gh[pousr]_\w{30}|xox[bpars]-|-----BEGIN [A-Z ]*PRIVATE"
)
_STACK_EXCHANGE = re.compile(
    r"(?:(?:stackoverflow|serverfault|superuser|askubuntu|stackapps|stackexchange)\.com|mathoverflow\.net)$"
)
_FAQ_MARKUP = re.compile(r'"FAQPage"|schema\.org/FAQPage')

#: Forums on which people write of their own illness: open to read, but nothing to copy about.
LEFT_OUT = frozenset({"alsforums.com"})

#: The share of a page's true words that its HTML must have in it.
TEXT_SHARE = 0.8

#: What the WCXB set asks to be said of it, and where it is.
WCXB_CREDIT = "Murrough Foley, Web Content Extraction Benchmark (WCXB), 2025, CC BY 4.0"
WCXB_HOME = "https://github.com/Murrough-Foley/web-content-extraction-benchmark"


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Let the user say where the page sets are: ``--data``, or the environment variable SEMTEXT_DATA."""
    parser.add_argument(
        "--data",
        default=os.environ.get("SEMTEXT_DATA"),
        required="SEMTEXT_DATA" not in os.environ,
        help="folder with wcxb_dev.jsonl.xz and qa_dev.jsonl.xz (default: the environment variable SEMTEXT_DATA)",
    )


def in_order(pages: Iterable[AnnotatedPage], salt: str) -> list[AnnotatedPage]:
    """Sort pages by a hash of their ids; another salt gives an unrelated order."""
    return sorted(pages, key=lambda page: hashlib.sha256(f"{salt}/{page.dataset}/{page.id}".encode()).digest())


def packed_size(html: str) -> int:
    """Return the size of a page in bytes once compressed, which is what it costs the repository."""
    return len(pack(html))


def pack(text: str) -> bytes:
    """Compress a text so that the same text always gives the same bytes."""
    return gzip.compress(text.encode(), 9, mtime=0)


def unseen_wcxb(data: Path, limit: int) -> Iterator[AnnotatedPage]:
    """Yield the WCXB pages of the test side of the split, at most ``limit`` bytes each once compressed."""
    for page in read_pages(data / "wcxb_dev.jsonl.xz"):
        if page.domain not in LEFT_OUT and split_side(page.domain) == "test" and is_fit(page, limit):
            yield page


def stack_exchange(data: Path, limit: int) -> Iterator[AnnotatedPage]:
    """Yield Stack Exchange questions of qa_dev that come with a stated free licence, whatever side they are on."""
    for page in read_pages(data / "qa_dev.jsonl.xz"):
        if is_stack_exchange(page) and may_ship(page) and is_fit(page, limit):
            yield page


def is_stack_exchange(page: AnnotatedPage) -> bool:
    """Whether a page is of the Stack Exchange network, whose posts are under CC BY-SA."""
    return _STACK_EXCHANGE.match(page.domain) is not None


def is_fit(page: AnnotatedPage, limit: int) -> bool:
    """Whether a page is small enough, holds its text, and no private mail address or secret-looking key."""
    private = _PRIVATE_MAIL.search(page.html) or _KEY.search(page.html)
    return not private and packed_size(page.html) <= limit and holds_text(page)


def holds_text(page: AnnotatedPage) -> bool:
    """Whether a page's HTML has its true text in it; on some pages a script would have fetched it."""
    runs = Selector(page.html).xpath("//text()[not(ancestor::script or ancestor::style)]").getall()
    return word_prf(" ".join(runs), page.text).recall >= TEXT_SHARE


def has_faq(page: AnnotatedPage) -> bool:
    """Whether a page says by schema.org markup that it holds frequently asked questions."""
    return _FAQ_MARKUP.search(page.html) is not None


def first_of_each(
    pages: Iterable[AnnotatedPage], key: Callable[[AnnotatedPage], str], most: int
) -> list[AnnotatedPage]:
    """Return the pages in their order, but no more than ``most`` with the same key."""
    counts: dict[str, int] = {}
    kept = []
    for page in pages:
        counts[key(page)] = counts.get(key(page), 0) + 1
        if counts[key(page)] <= most:
            kept.append(page)
    return kept
