"""What a crawl has learnt of a host, to be kept while other hosts have their turn and over a restart."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from scrapy_semtext.crawling.companions import Companions
from scrapy_semtext.crawling.discussions import Discussions
from scrapy_semtext.crawling.patterns import HostPatterns


@dataclass(slots=True)
class HostState:
    """What was learnt of a host, and counts of this run: addresses in flight, pages learnt from, addresses fetched."""

    patterns: HostPatterns = field(default_factory=HostPatterns)
    companions: Companions = field(default_factory=Companions)
    discussions: Discussions = field(default_factory=Discussions)
    in_flight: int = 0
    learnt: int = 0
    fetched: int = 0

    def to_json(self) -> str:
        """Return what was learnt."""
        pages = {"companions": self.companions.to_dict(), "discussions": self.discussions.to_dict()}
        return json.dumps({**self.patterns.to_dict(), **pages})

    @classmethod
    def from_json(cls, text: str) -> HostState:
        """Restore what `to_json` gave."""
        values = json.loads(text)
        companions, discussions = values.pop("companions"), values.pop("discussions")
        return cls(HostPatterns.from_dict(values), Companions.from_dict(companions), Discussions.from_dict(discussions))
