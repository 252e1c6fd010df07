"""Addresses on their way through the frontier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrapy_semtext.crawling.addresses import Pattern
    from scrapy_semtext.crawling.roles import Guess

#: The place of addresses that the site lists as pages of its own.
IN_SITEMAP = "sitemap"


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
