"""Addresses as a crawl queues and takes them, with the patterns that they are counted under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.crawling.addresses import Pattern, pattern_of

if TYPE_CHECKING:
    from scrapy_semtext.crawling.roles import Guess

_APART = ("other", "later")  # roles of links

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


def pattern_of_link(url: str, role: str) -> Pattern:
    """Return the pattern that a link counts for: what acts on pages, and what leads to later ones, is learnt apart.

    Such links would be followed otherwise where pages of the same form are of use.
    """
    return stored_pattern((f"{role} " if role in _APART else "") + pattern_of(url).fine, url)


def stored_pattern(fine: str, url: str) -> Pattern:
    """Return the pattern of an address as it was counted under its fine pattern."""
    apart = fine.removesuffix(without_role(fine))
    return Pattern(fine, apart + pattern_of(url).coarse)


def without_role(fine: str) -> str:
    """Return a fine pattern as that of addresses, whatever the role of the links to them."""
    role, _, rest = fine.partition(" ")
    return rest if role in _APART else fine
