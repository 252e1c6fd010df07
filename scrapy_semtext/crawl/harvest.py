"""What a fetched page is (an item, a list or nothing), and what it yields: an item, links, the next page."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from scrapy_semtext.crawl.frontier import OF_AUTHOR, Guess, NewAddress, chapters_of, guess_of
from scrapy_semtext.crawl.job_file import Signature, signature_of
from scrapy_semtext.crawl.links import (
    address_key,
    first_page,
    following_page,
    have_same_title,
    page_links,
    pattern_of,
    with_next,
)
from scrapy_semtext.crawl.patterns import LinkGain, shown_form
from scrapy_semtext.read.dates import is_dated
from scrapy_semtext.read.thread_pages import (
    canonical_url,
    is_url_of_later_page,
    number_in_address,
    without_page_in_address,
)
from scrapy_semtext.utils.address import host_of
from scrapy_semtext.words.characters import letters_of, one_line
from scrapy_semtext.words.words import UNSPACED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.crawl.frontier import Entry, Frontier
    from scrapy_semtext.crawl.job_file import HeldPages
    from scrapy_semtext.crawl.kept_pages import KeptPages
    from scrapy_semtext.crawl.links import PageLink, Pattern
    from scrapy_semtext.crawl.patterns import HostPatterns, Outcome
    from scrapy_semtext.crawl.scope import CrawlScope
    from scrapy_semtext.page import Page


# The minimum of letters and digits of the text of an item; one of a script without spaces says as much as two or three.
_MIN_LETTERS, _UNSPACED, _UNSPACED_WEIGHT = 80, re.compile(f"[{UNSPACED}]"), 2.5
_MIN_RECORDS = 3
_ALL = 9  # times as much main text below one or two linked headings as above them
_LINKED = 0.5  # share of the main text, or of the answers, that is linked
_MIN_TITLE, _ROW = 8, 0.25  # characters of a title, and its share of a row of a list
_WORDS = 3  # minimum in a title that may be followed by other text; names rarely have more
_MAX_ROWS = 50
_MIN_SOURCE, _SOURCE = 400, 0.7  # characters of a file of source code, and its share of the text of its page
# With this many pages of a pattern, of which this share had the same outcome, a doubtful page gets that outcome.
_MIN_PAGES, _SHARE, _DOUBTFUL = 5, 0.8, 0.95
_SURE = 0.9  # the probability from which an overview needs no links to its entries, as a script may add them

_MAX_PATTERNS, _MAX_BLOCKS = 500, 100  # whose text is remembered

_NEXT = Guess("next", 0.95)
_FIRST = Guess("content", 0.95)  # for the first page of an item, if a later page of it was found
_KNOWN_LISTS = 3  # in a row, after which next pages are unlikely to have anything new
_OWN = 1 / 3  # minimum share of the main text of an item that other pages of its pattern do not have
_STALE = 0.4  # factor for the guess for the next page of a list without new items


def outcome_of_page(
    page: Page, links: Sequence[PageLink], patterns: HostPatterns, pattern: Pattern
) -> Literal["item", "list", "nothing"]:
    """Classify a page by its text, links and kind and, if these leave doubt, by other pages of its pattern.

    ``links`` are all links of the page. Links with the pattern of the page itself, such as recently viewed products, do
    not make it a list, unless it surely is one.
    """
    if (page.overview_probability or 0.0) < _SURE:
        own = pattern_of(page.url or "").fine
        links = [link for link in links if pattern_of(link.url).fine != own]
    unspaced = 0 if page.main_text.isascii() else len(_UNSPACED.findall(page.main_text))
    letters = sum(map(str.isalnum, page.main_text)) + (_UNSPACED_WEIGHT - 1) * unspaced
    has_text = bool(page.qa_pairs) or letters >= _MIN_LETTERS
    if (
        _is_made_of_links(page, links, patterns)
        or _has_rows(page, links)
        or (_lists_others(page, patterns, pattern) and _has_links(page, links))
    ):
        return "list"
    if has_text:
        return "item"
    return "list" if len(page.records) >= _MIN_RECORDS else "nothing"


def _has_links(page: Page, links: Sequence[PageLink]) -> bool:
    """Whether a page has links outside its menus, as lists do, or is surely a list."""
    outside = sum(link.position != "navigation" for link in links)
    is_sure = (page.overview_probability or 0.0) >= _SURE
    return is_sure or max(outside, len(page.records)) >= _MIN_RECORDS


def _has_rows(page: Page, links: Sequence[PageLink]) -> bool:
    """Whether most supposed answers are links to similar URLs, or begin with one, as on an overview of threads."""
    answers = [one_line(pair.answer) for pair in page.qa_pairs[:_MAX_ROWS]]
    if len(answers) < _MIN_RECORDS:
        return False
    titles: dict[str, set[str]] = {}  # the texts of links to each pattern
    authors = _authors(page)
    for link in links:
        text = one_line(link.text)
        is_title = len(text) >= _MIN_TITLE and text not in authors
        if link.position != "navigation" and link.like >= _MIN_RECORDS and is_title:
            titles.setdefault(pattern_of(link.url).fine, set()).add(text)
    enough = _LINKED * len(answers)
    return any(
        sum(any(_is_row(answer, text) for text in texts) for answer in answers) > enough
        for texts in titles.values()
        if len(texts) > enough  # the subject of a thread may be linked in each of its posts
    )


def _is_row(answer: str, title: str) -> bool:
    """Whether a text is a title with little else, or begins with one; names and dates are not titles."""
    is_title = len(title.split()) >= _WORDS and not any(map(str.isdigit, title))
    return title in answer and (len(title) > _ROW * len(answer) or (is_title and answer.startswith(title)))


def is_source_code(root: Any, page: Page) -> bool:
    """Return whether a page shows a source file in one element, as those that documentation links to."""
    whole = sum(len(one_line(block.text)) for block in page.blocks)
    if page.qa_pairs or whole < _MIN_SOURCE:
        return False
    listings = (each for each in root.iter("pre", "div") if each.tag == "pre" or each.get("class") == "fragment")
    longest = max((len(one_line("".join(each.itertext()))) for each in listings), default=0)
    return longest > _SOURCE * whole


def _is_made_of_links(page: Page, links: Sequence[PageLink], patterns: HostPatterns) -> bool:
    """Whether the main text consists of links or stands below linked headings, as on a list not detected as one."""
    inside = [link for link in links if link.position in ("text", "record")]
    linked = sum(len(link.text) for link in inside)
    if not page.qa_pairs and len(inside) >= _MIN_RECORDS and linked > _LINKED * len(page.main_text):
        return True
    titles = {one_line(link.text): link.is_heading for link in links if _may_be_title(link, page, patterns)}
    authors = [name for name in titles.keys() & _authors(page) if len(name.split()) <= _WORDS]
    if len(authors) > _LINKED * len(titles):  # above the posts of a thread
        return False
    if len(titles) < _MIN_RECORDS and not all(titles.values()):
        return False
    return _stands_below(page, titles)


def _may_be_title(link: PageLink, page: Page, patterns: HostPatterns) -> bool:
    """Whether a link may be the title of an item of a list."""
    here, own = host_of(page.url or ""), letters_of(page.title or "")
    if host_of(link.url) != here or address_key(link.url) == here:  # the name of the site
        return False
    if is_dated(link.text) or (own and letters_of(link.text).endswith(own)):  # of a post, or a reply to the thread
        return False
    return link.like > 1 and (link.is_heading or (link.like >= _MIN_RECORDS and _is_item(link, patterns)))


def _is_item(link: PageLink, patterns: HostPatterns) -> bool:
    """Whether a link is the title of a likely item; dates are not titles."""
    tally = patterns.coarse.get(pattern_of(link.url).coarse)
    is_known = tally is not None and tally.items >= _MIN_RECORDS and tally.item_share >= _LINKED
    return is_known and len(link.text) >= _MIN_TITLE


def _authors(page: Page) -> set[str]:
    """The names of the authors of the pairs and comments on a page."""
    names = [name for pair in page.qa_pairs for name in (pair.author, pair.question_author)]
    return {name for name in (*names, *(comment.author for comment in page.comments)) if name}


def _stands_below(page: Page, heads: Mapping[str, bool]) -> bool:
    """Whether linked titles have main text below them: at least three and most of it, or fewer and nearly all.

    If there are fewer than three, most of those in headings have some: the last heading beside an article has all of
    it. ``heads`` says which titles are headings; the others may be those of a list of the latest items beside it.
    """
    below: dict[str, int] = {}
    head = ""
    titles = [title for title in heads if len(title.split()) >= _WORDS]
    own, texts = one_line(page.title or ""), [one_line(block.text) for block in page.blocks]
    is_once = texts.count(own) == 1  # what follows belongs to the page
    for block, text in zip(page.blocks, texts, strict=True):
        if is_once and text == own:
            head = ""
        found = text if text in heads else next(filter(text.startswith, titles), None)
        head = head if found is None else found
        if block.is_main and (letters := len(text) - len(found or "")):
            below[head] = below.get(head, 0) + letters
    before = below.pop("", 0)
    is_list = len(below) >= _MIN_RECORDS
    return (is_list or 2 * len(below) > sum(heads.values())) and sum(below.values()) > before * (1 if is_list else _ALL)


def _lists_others(page: Page, patterns: HostPatterns, pattern: Pattern) -> bool:
    tally = patterns.coarse.get(pattern.coarse)
    known = 0 if tally is None else tally.items + tally.lists
    probability = page.overview_probability or 0.0
    if tally is not None and known >= _MIN_PAGES and 1 - _DOUBTFUL < probability < _DOUBTFUL:
        if tally.items >= _SHARE * known:
            return False
        if tally.lists >= _SHARE * known:
            return True
    return bool(page.is_overview)


class RepeatedText:
    """Remembers the main text of the latest two pages of each pattern."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[str, str], list[set[int]]] = OrderedDict()

    def own_share(self, entry: Entry, page: Page) -> float:
        """Return the share of the main text of a page that is in no block of these pages; remember its blocks.

        It is 1 for the first page of a pattern.
        """
        texts = [one_line(block.text) for block in page.blocks if block.is_main][:_MAX_BLOCKS]
        latest = self._seen.pop((entry.host, entry.pattern.coarse), [])
        known = {code for codes in latest for code in codes}
        self._seen[entry.host, entry.pattern.coarse] = [*latest[-1:], set(map(hash, texts))]
        if len(self._seen) > _MAX_PATTERNS:
            self._seen.popitem(last=False)
        letters = sum(map(len, texts))
        own = sum(len(text) for text in texts if hash(text) not in known)
        return own / letters if letters else 1.0


class AlikePages:
    """Whether pages of a form of URL that were read as threads, and are held, are articles with comments.

    They are if the mean probability of the form's items that they are threads is below 0.5. A form with few items is
    judged by all items of its host.
    """

    def __init__(self, held: HeldPages) -> None:
        self._held = held
        self._items, self._threads = Counter[tuple[str, str]](), defaultdict[tuple[str, str], float](float)
        for host, pattern, items, threads in held.shares():
            for group in ((host, shown_form(pattern)), (host, "")):
                self._items[group] += items
                self._threads[group] += threads

    def are_articles(self, url: str) -> bool:
        """Whether pages with URLs of this form that were read as threads are articles."""
        host, form = host_of(url), pattern_of(url).coarse
        group = (host, form if self._items[host, form] >= _MIN_PAGES else "")
        return 2 * self._threads[group] < self._items[group]

    def due(self) -> Iterator[tuple[int, Page]]:
        """Mark the held articles that no item was written for as due; yield their URL ids and pages."""
        for address, url in self._held.urls():
            if self.are_articles(url) and self._held.mark_due(address, 1):
                yield address, self._held.page(address)


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
        self.kept: KeptPages | None = None  # gets the texts of links
        self._known_lists: Counter[tuple[str, str]] = Counter()
        self._repeated = RepeatedText()

    def read(self, root: Any, page: Page, entry: Entry) -> PageOutcome:
        """Return what a page turned out to be, and queue its links. ``root`` is the tree of the page."""
        url = page.url or entry.url
        links = page_links(root, page)
        if self.kept is not None:
            self.kept.keep_links(links)
        was = self._outcome(root, page, entry, links)
        if was == "list":
            links = with_next(links, root, page)
        is_redirected = address_key(url) != address_key(entry.url)
        outcome, met = self._met(root, page, entry, was, is_redirected=is_redirected)
        if outcome == "item":
            self._cover_canonical(root, url, entry)
            self._frontier.host(entry.host).companions.learn(url, links)
        read_as: Outcome = "item" if outcome == "known" else outcome
        gain = LinkGain() if outcome == "duplicate" and is_redirected else self.queue_links(links, entry, read_as, page)
        if outcome == "duplicate" and gain.items >= 1:  # a list whose main text is furniture
            outcome, met = "list", None
        self._frontier.learn(entry, outcome, gain, met if was != "list" else None)
        goes_on = outcome in ("item", "known") and page.message is None
        return PageOutcome(outcome, self.following(root, page, entry, links) if goes_on else None)

    def _met(
        self, root: Any, page: Page, entry: Entry, outcome: Outcome, *, is_redirected: bool
    ) -> tuple[Outcome, str | None]:
        """Return what a page is, given other pages of the crawl, and the URL of the one that it is or belongs to."""
        url = page.url or entry.url
        met = url if is_redirected and self._frontier.is_elsewhere(url, entry) else self.known(page, entry, outcome)
        if outcome == "known":
            return outcome, None
        if met is not None:
            return "duplicate", met
        if outcome == "item" and (first := self._first_elsewhere(root, page, entry)) is not None:
            self._frontier.forget_content(entry)  # it is fetched again as the next page of the page before it
            return "later", first if is_redirected else None
        if not is_redirected:
            return outcome, None
        waits = self._frontier.state_of(url) == "waiting"
        self._frontier.cover(entry, [url])
        return outcome, url if waits else None

    def _outcome(self, root: Any, page: Page, entry: Entry, links: Sequence[PageLink]) -> Outcome:
        """Return what a page is, regardless of other pages with the same content."""
        if entry.is_known and self.stops_at_known:
            return "known"
        if page.message is not None:
            return "item"
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
        is_done = state in ("taken", "done") and not (is_own and self._frontier.has_new(link.url for link in links))
        return None if is_done else found

    def leave_out(self, entry: Entry, following: str | None) -> None:
        """Queue the next page of an item that is not wanted: it may be a list that was taken for an item."""
        if following is not None:
            self._frontier.add([NewAddress(following, _NEXT, "next", entry.depth + 1)], via=entry)

    def queue_links(self, links: Iterable[PageLink], entry: Entry, outcome: Outcome, page: Page) -> LinkGain:
        """Queue the links of a page that are to be followed; return their expected gain.

        Links to authors of its posts lead to what boards list too.
        The next page of a list without new items gets a lower probability than other next pages.
        """
        links = [link for link in links if self._scope.follows(link, outcome)]
        if self.stops_at_known and outcome == "list" and self._is_at_known(links, entry):
            links = [link for link in links if link.position != "next"]
        links = self._without_first_pages(links, entry)
        chapters, people = chapters_of(links), _authors(page) if outcome == "item" else ()
        others = [
            (link, OF_AUTHOR if link.text in people and link.position != "record" else guess_of(link, chapters))
            for link in links
            if link.position != "next"
        ]
        gain = self._queue(others, entry)
        factor = 1.0 if gain.items >= 1 or outcome != "list" else _STALE
        following = [(link, guess_of(link)) for link in links if link.position == "next"]
        self._queue([(link, Guess(role, factor * chance)) for link, (role, chance) in following], entry)
        return gain

    def _queue(self, links: Iterable[tuple[PageLink, Guess]], entry: Entry) -> LinkGain:
        depth = entry.depth + 1
        addresses = (NewAddress(link.url, guess, link.position, depth, link.place) for link, guess in links)
        return self._frontier.add(addresses, via=entry)

    def _is_at_known(self, links: Sequence[PageLink], entry: Entry) -> bool:
        """Whether all records of a list, and of the lists before it with the same pattern, are done."""
        pattern = (entry.host, entry.pattern.coarse)
        records = [link.url for link in links if link.position == "record"]
        is_known = len(records) >= _MIN_RECORDS and all(self._frontier.state_of(url) == "done" for url in records)
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
        earlier = first_page(root, page) if page.message is None else None
        if earlier is None or not self._scope.holds(earlier):
            return None
        if self._frontier.state_of(earlier) == "done":
            title = self._frontier.title_of_known(earlier)  # it has grown since
            return earlier if title is not None and have_same_title(title, page.title) else None
        self._frontier.add([NewAddress(earlier, _FIRST, entry.place, entry.depth)], via=entry)
        return earlier

    def _cover_canonical(self, root: Any, url: str, entry: Entry) -> None:
        """Mark the canonical URL of an item as covered."""
        canonical = canonical_url(root, url)
        if host_of(canonical) == entry.host and not is_url_of_later_page(url):
            self._frontier.cover(entry, [canonical])


def _signature(page: Page, outcome: Outcome) -> Signature | None:
    if (message := page.message) is not None:
        return signature_of(f"{message.author} {message.date} {message.subject} {message.text}")
    if outcome != "list":
        return signature_of(page.main_text, page.title or "")
    if len(page.records) < _MIN_RECORDS:
        return None
    addresses = sorted({record.url for record in page.records})
    found = signature_of("\n".join(addresses))
    return None if found is None else found._replace(near=None)
