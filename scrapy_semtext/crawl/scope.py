"""Which URLs a crawl may fetch, and which links of a page it follows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from scrapy_semtext.crawl.links import can_be_page
from scrapy_semtext.utils.address import asked, domain_of, host_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.crawl.links import PageLink
    from scrapy_semtext.crawl.patterns import Outcome


#: Which links are followed: all; only links on lists; only items and next pages of the given lists; none.
Strategy = Literal["all", "lists", "next-pages", "given"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)


@dataclass(slots=True)
class CrawlScope:
    """Limits the URLs of a crawl.

    ``urls`` are the start URLs; without ``allow``, the crawl stays on their hosts or, with ``by_domain``, on their
    registered domains. ``allow`` and ``deny`` are regular expressions that are searched for in the whole URL, in the
    form in which it is requested.
    """

    urls: Sequence[str]
    allow: Sequence[str] = ()
    deny: Sequence[str] = ()
    strategy: Strategy = "all"
    by_domain: bool = False
    _starts: set[str | None] = field(init=False)
    _sites: set[str] = field(init=False)
    _allow: list[re.Pattern[str]] = field(init=False)
    _deny: list[re.Pattern[str]] = field(init=False)

    def __post_init__(self) -> None:
        """Raise re.error for an invalid regular expression."""
        self._starts = {asked(url) for url in self.urls}
        self._sites = {self._site(url) for url in self.urls}
        self._allow = [re.compile(pattern) for pattern in self.allow]
        self._deny = [re.compile(pattern) for pattern in self.deny]

    def reaches(self, url: str) -> bool:
        """Return whether a URL may be requested, whether it is that of a page, a sitemap or a redirect."""
        address = asked(url)
        return address is not None and (self._site(address) in self._sites or self._allows(address))

    def holds(self, url: str) -> bool:
        """Return whether the page at a URL may be fetched and harvested."""
        address = asked(url) or ""
        if not can_be_page(url) or any(each.search(text) for each in self._deny for text in (address, url)):
            return False
        return address in self._starts or self._allows(address) if self._allow else self.reaches(url)

    def follows(self, link: PageLink, outcome: Outcome) -> bool:
        """Return whether to follow a link of a page that turned out to be ``outcome``."""
        if self.strategy == "given" or (self.strategy != "all" and outcome != "list"):
            return False
        if self.strategy == "next-pages" and link.position not in ("next", "record"):
            return False
        return self.holds(link.url)

    def _site(self, url: str) -> str:
        return domain_of(host_of(url)) if self.by_domain else host_of(url)

    def _allows(self, address: str) -> bool:
        return any(pattern.search(address) for pattern in self._allow)
