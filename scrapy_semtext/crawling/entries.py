"""Data types of the frontier: URLs that were found or are being fetched, and the state of their hosts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.crawling.companions import Companions
from scrapy_semtext.crawling.patterns import HostPatterns

if TYPE_CHECKING:
    from scrapy_semtext.crawling.addresses import Pattern
    from scrapy_semtext.crawling.roles import Guess

#: The place of URLs that the site lists in a sitemap or feed.
IN_SITEMAP = "sitemap"


@dataclass(slots=True)
class HostState:
    """What was learnt about a host, and counts of this run: URLs in flight, pages learnt from, URLs fetched."""

    patterns: HostPatterns = field(default_factory=HostPatterns)
    companions: Companions = field(default_factory=Companions)
    in_flight: int = 0
    learnt: int = 0
    fetched: int = 0

    def to_json(self) -> str:
        """Return what was learnt, as JSON."""
        return json.dumps({**self.patterns.to_dict(), "companions": self.companions.to_dict()})

    @classmethod
    def from_json(cls, text: str) -> HostState:
        """Restore the state from the result of `to_json`."""
        values = json.loads(text)
        companions = values.pop("companions")
        return cls(HostPatterns.from_dict(values), Companions.from_dict(companions))


class NewAddress(NamedTuple):
    """A URL that was found, with the first guess of its role."""

    url: str
    guess: Guess
    place: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A URL that is being fetched.

    ``place`` is where its link stood, ``depth`` the number of links from a start URL. ``is_known``: it is an item of an
    earlier crawl, and fetched again only for its links.
    """

    id: int
    url: str
    host: str
    pattern: Pattern
    role: str
    place: str
    depth: int
    is_known: bool = False
