"""Determines what a page yields for a crawl: whether it is an item, and the links to queue."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.crawling.addresses import Views, address_key
from scrapy_semtext.crawling.contents import Signature, signature_of
from scrapy_semtext.crawling.entries import NewAddress
from scrapy_semtext.crawling.links import first_page, following_page, have_same_title, page_links, with_next
from scrapy_semtext.crawling.outcomes import RepeatedText, is_source_code, outcome_of_page
from scrapy_semtext.crawling.patterns import LinkGain
from scrapy_semtext.crawling.roles import Guess, chapters_of, guess_of
from scrapy_semtext.qa.page_number import is_later_address, number_in_address, without_page_in_address
from scrapy_semtext.qa.thread_pages import canonical_url
from scrapy_semtext.utils.address import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.crawling.entries import Entry
    from scrapy_semtext.crawling.frontier import Frontier
    from scrapy_semtext.crawling.links import PageLink
    from scrapy_semtext.crawling.patterns import Outcome
    from scrapy_semtext.crawling.scope import CrawlScope
    from scrapy_semtext.page import Page

_FIRST = Guess("content", 0.95)  # for the first page of an item, if a later page of it was found
_LEAST_RECORDS = 3
_KNOWN_LISTS = 3  # in a row, after which next pages are unlikely to have anything new
_OWN = 1 / 3  # minimum share of the main text of an item that other pages of its pattern do not have
_STALE = 0.4  # factor for the guess for the next page of a list without new items


class PageOutcome(NamedTuple):
    """What a page turned out to be, and the URL of the next page if it is an item that continues there."""

    outcome: Outcome
    following: str | None = None


class Harvest:
    """Determines what the pages of a crawl yield, and updates the frontier.

    With ``stops_at_known``, the next page of a list is not followed if all records of three lists in a row are done.
    """

    def __init__(self, frontier: Frontier, scope: CrawlScope) -> None:
        self._frontier = frontier
        self._scope = scope
        self.stops_at_known = False
        self._known_lists: Counter[tuple[str, str]] = Counter()
        self._repeated = RepeatedText()

    def read(self, root: Any, page: Page, entry: Entry) -> PageOutcome:
        """Return what a page turned out to be, and queue its links. ``root`` is the tree of the page."""
        url = page.url or entry.url
        links = page_links(root, page)
        outcome = was = self._outcome(root, page, entry, links)
        if outcome == "list":
            links = with_next(links, root, page)
        is_redirected = address_key(url) != address_key(entry.url)
        met = url if is_redirected and self._frontier.is_elsewhere(url, entry) else self.known(page, entry, outcome)
        if outcome == "known":
            met = None
        elif met is not None:
            outcome = "duplicate"
        elif outcome == "item" and (first := self._first_elsewhere(root, page, entry)) is not None:
            outcome, met = "later", first if is_redirected else None
            self._frontier.forget_content(entry)  # it is fetched again as the next page of the page before it
        elif is_redirected:
            met = url if self._frontier.state_of(url) == "waiting" else None
            self._frontier.cover(entry, [url])
        if outcome == "item":
            self._cover_canonical(root, url, entry)
            self._frontier.host(entry.host).companions.learn(url, links)
        read_as: Outcome = "item" if outcome == "known" else outcome
        gain = LinkGain() if outcome == "duplicate" else self.queue_links(links, entry, read_as)
        self._frontier.learn(entry, outcome, gain, met if was != "list" else None)
        goes_on = outcome in ("item", "known")
        return PageOutcome(outcome, self.following(root, page, entry, links) if goes_on else None)

    def _outcome(self, root: Any, page: Page, entry: Entry, links: Sequence[PageLink]) -> Outcome:
        """Return what a page is, regardless of other pages with the same content."""
        if entry.is_known and self.stops_at_known:
            return "known"
        outcome = outcome_of_page(page, links, self._frontier.host(entry.host).patterns, entry.pattern)
        if outcome == "item" and (self._repeated.own_share(entry, page) < _OWN or is_source_code(root, page)):
            outcome = "nothing"
        if self._scope.strategy == "given" and page.main_text:
            return "item"
        return "nothing" if outcome == "item" and self._frontier.is_companion(entry) else outcome

    def known(self, page: Page, entry: Entry, outcome: Outcome = "item") -> str | None:
        """Return the URL of an earlier page with the same content (for a list: the same records), or None."""
        signature = _signature(page, outcome)
        if signature is None:
            return None
        return self._frontier.same_content(entry, page.url or entry.url, page.title or "", signature)

    def following(self, root: Any, page: Page, entry: Entry, links: Iterable[PageLink]) -> str | None:
        """Return the URL of the next page of an item, which then belongs to the item; None if no page is left.

        Known pages of a known item are fetched again as long as the pages before them link to new items.
        """
        found = following_page(root, page)
        if found is None or not self._scope.holds(found):
            return None
        state = self._frontier.state_of(found)
        is_own = entry.is_known and state == "done" and not self._frontier.is_elsewhere(found, entry)
        if state in ("taken", "done") and not (is_own and self._frontier.has_new(link.url for link in links)):
            return None
        self._frontier.cover(entry, [found])
        return found

    def queue_links(self, links: Iterable[PageLink], entry: Entry, outcome: Outcome) -> LinkGain:
        """Queue the links of a page that are to be followed; return their expected gain.

        The next page of a list without new items gets a lower probability than other next pages.
        """
        links = [link for link in links if self._scope.follows(link, outcome)]
        if self.stops_at_known and outcome == "list" and self._is_at_known(links, entry):
            links = [link for link in links if link.position != "next"]
        links = self._without_first_pages(links, entry)
        views = Views([entry.url] if outcome == "item" else [link.url for link in links if link.position == "record"])
        chapters = chapters_of(links)
        others = [(link, guess_of(link, views, chapters)) for link in links if link.position != "next"]
        gain = self._queue(others, entry)
        factor = 1.0 if gain.items >= 1 or outcome != "list" else _STALE
        following = [(link, guess_of(link)) for link in links if link.position == "next"]
        self._queue([(link, Guess(role, factor * chance)) for link, (role, chance) in following], entry)
        return gain

    def _queue(self, links: Iterable[tuple[PageLink, Guess]], entry: Entry) -> LinkGain:
        addresses = (NewAddress(link.url, guess, link.position, entry.depth + 1) for link, guess in links)
        return self._frontier.add(addresses, via=entry)

    def _is_at_known(self, links: Sequence[PageLink], entry: Entry) -> bool:
        """Whether all records of a list, and of the lists before it with the same pattern, are done."""
        pattern = (entry.host, entry.pattern.fine)
        records = [link.url for link in links if link.position == "record"]
        is_known = len(records) >= _LEAST_RECORDS and all(self._frontier.state_of(url) == "done" for url in records)
        if not is_known:
            del self._known_lists[pattern]
            return False
        self._known_lists[pattern] += 1
        return self._known_lists[pattern] >= _KNOWN_LISTS

    def _without_first_pages(self, links: Sequence[PageLink], entry: Entry) -> list[PageLink]:
        """Leave out links to first pages that are known by a URL without a page number."""
        here = {address_key(entry.url), *(address_key(link.url) for link in links)}
        kept = []
        for link in links:
            if link.text == "1" and number_in_address(link.url) == 1:
                first = without_page_in_address(link.url)
                if address_key(first) in here or self._frontier.state_of(first) != "new":
                    continue
            kept.append(link)
        return kept

    def _first_elsewhere(self, root: Any, page: Page, entry: Entry) -> str | None:
        """Queue the first page of the item, if this page is a later page of one, and return its URL; else None.

        None is also returned if the first page is done in this crawl, since it did not lead to this page.
        """
        earlier = first_page(root, page)
        if earlier is None or not self._scope.holds(earlier):
            return None
        if self._frontier.state_of(earlier) == "done":
            title = self._frontier.title_of_known(earlier)  # it has grown since
            return earlier if title is not None and have_same_title(title, page.title) else None
        self._frontier.add([NewAddress(earlier, _FIRST, entry.place, entry.depth)], via=entry)
        return earlier

    def _cover_canonical(self, root: Any, url: str, entry: Entry) -> None:
        """Mark the canonical URL of an item as covered, unless the site gives the same one to different items."""
        patterns = self._frontier.host(entry.host).patterns
        canonical = canonical_url(root, url)
        same = address_key(canonical) == address_key(url)
        if same or host_of(canonical) != entry.host or is_later_address(url) or not patterns.trusts_canonical:
            return
        if self._frontier.state_of(canonical) == "done":  # with a different text
            patterns.trusts_canonical = False
        else:
            self._frontier.cover(entry, [canonical])


def _signature(page: Page, outcome: Outcome) -> Signature | None:
    if outcome != "list":
        return signature_of(page.main_text, page.title or "")
    if len(page.records) < _LEAST_RECORDS:
        return None
    addresses = sorted({record.url for record in page.records})
    found = signature_of("\n".join(addresses))
    return None if found is None else found._replace(near=None)
