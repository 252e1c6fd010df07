"""Addresses as a crawl queues and takes them, with the patterns that they are counted under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.crawling.addresses import Pattern, pattern_of

if TYPE_CHECKING:
    from scrapy_semtext.crawling.roles import Guess

ASIDE = "other "  #: Before the patterns of links that act on pages, which are learnt apart.
IN_SITEMAP = "sitemap"  #: The place of addresses that the site lists as pages of its own.


class NewAddress(NamedTuple):
    """An address that was found, with the first guess at what is behind it."""

    url: str
    guess: Guess
    place: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An address that is being fetched.

    ``place`` is where its link stood, ``depth`` the number of links from a start address.
    """

    id: int
    url: str
    host: str
    pattern: Pattern
    role: str
    place: str
    depth: int


def stored_pattern(fine: str, url: str) -> Pattern:
    """Return a pattern as it was counted for an address."""
    return Pattern(fine, (ASIDE if fine.startswith(ASIDE) else "") + pattern_of(url).coarse)


def pattern_aside(url: str) -> Pattern:
    """Return the pattern of what acts on pages: it would be fetched if it shared that of pages that are of use."""
    return stored_pattern(ASIDE + pattern_of(url).fine, url)
