"""The frontier of a crawl: its URLs by host, in order of the probability that their pages are items.

The URLs are stored in a SQLite file, with the outcome and the item of each page in one transaction with its state, so
that a killed crawl can be resumed without losing or duplicating items. Rules for its place, its words and its URL give
a first guess of what a link is for; `scrapy_semtext.crawl.patterns` corrects it by what the pages turn out to be.
"""

from __future__ import annotations

import json
import re
from collections import Counter, OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import unquote

from scrapy_semtext.crawl.job_file import SCHEMA, HeldPages, JobError, KnownContents, Rounds, open_job
from scrapy_semtext.crawl.links import Companions, Pattern, address_key, differing_parts, pattern_of
from scrapy_semtext.crawl.patterns import (
    LEAVE,
    HostPatterns,
    LinkGain,
    pattern_of_link,
    role_of,
    shown_form,
    stored_pattern,
)
from scrapy_semtext.read.thread_pages import number_in_address
from scrapy_semtext.utils.address import address_of, host_of, query_of
from scrapy_semtext.words.word_tables import WORDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from scrapy_semtext.crawl.job_file import Signature
    from scrapy_semtext.crawl.links import PageLink, Pattern
    from scrapy_semtext.crawl.patterns import Outcome


#: The place of URLs that the site lists in a sitemap or feed.
IN_SITEMAP = "sitemap"

#: What the page behind a link is: an item or a list, the next page of a list, a later page of a list or a thread, or
#: a page that no harvest needs; or no link, but a start of the crawl.
Role = Literal["content", "next", "later", "other", "start"]

#: The probability that a page is useful, by the position of its link.
_PRIORS = {"next": 0.95, "record": 0.9, "beside": 0.3, "text": 0.5, "navigation": 0.45, "elsewhere": 0.4}
#: Later pages are reached from the pages before them: other links to them are a last resort.
_LATER, _NUMBER, _OTHER = 0.15, 0.25, 0.02
_WORDS, _HEADING = 4, 0.15  # words of a link that names an item, and what one in a heading is likelier to lead to
_ALIKE = 5  # links of a page that form a list
_CALM = 3  # links without an action word, for each link with one, in a table of contents

# Words in links and URLs that act on a page or show it in another way.
_ACTIONS = frozenset(WORDS["actions"])
# Query keys that sort, filter or act, and keys that name an action.
_VIEW_KEYS = re.compile(
    r"(?:sort|order|dir|direction|sortby|order_?by|sort_?order|asc|desc|view|mode|action|do|act|print|replyto\w*|reply|"
    r"quote|share|format|output|filter\w*|per_?page|limit|display|lang|redirect\w*|return\w*|next|rev|diff|"
    r"color|colour|size|brand|price|like|vote|highlight|q|query|search)(?:\[.*\])?",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[/=&?.;:]+")
_MAX_JOINED = 2  # words joined by "_" that may be an action; more are a title
_SPLIT = re.compile(r"[^\w-]+")

#: The state of a URL.
State = Literal["new", "waiting", "taken", "done", "later"]

_WAITING, _TAKEN, _DONE = 0, 1, 2
_STATES: tuple[State, ...] = ("waiting", "taken", "done")
_MAX_STEPS = 4  # pages on the path to an item that get credit for it
_SAVED_EVERY = 50  # pages after which the patterns of a host are saved
_NO_GAIN = LinkGain()
_EXAMPLES = 3  # of URLs that failed


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
    code: str = ""  # of the place, see PageLink


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


class Failures(NamedTuple):
    """A reason why URLs failed, the number of these URLs, and some examples."""

    reason: str
    number: int
    examples: list[str]


class Waiting(NamedTuple):
    """The number of waiting URLs of a pattern, and one of them; ``role`` is the role of the links to them."""

    host: str
    pattern: str
    role: str
    number: int
    example: str


class Inventory:
    """Reads the outcomes of URLs from the file of a crawl, and records why some failed.

    ``key_of`` returns a key that is equal for URLs of the same page.
    """

    def __init__(self, database: sqlite3.Connection, key_of: Callable[[str], str]) -> None:
        self._database = database
        self._key_of = key_of

    def fail(self, entry: Entry, reason: str) -> None:
        """Record why a URL could not be fetched or read."""
        self._rows("INSERT OR REPLACE INTO failures VALUES (?, ?)", entry.id, reason)

    def outcomes(self) -> dict[str, int]:
        """Return the number of finished URLs by outcome."""
        return dict(self._rows("SELECT outcome, COUNT(*) FROM addresses WHERE state = 2 GROUP BY outcome"))

    def hosts(self) -> dict[str, Counter[str]]:
        """Return the number of URLs of each host by outcome; unfinished URLs count as "waiting"."""
        found: dict[str, Counter[str]] = {}
        rows = self._rows("SELECT host, state, outcome, COUNT(*) FROM addresses GROUP BY host, state, outcome")
        for host, state, outcome, count in rows:
            found.setdefault(host, Counter())[outcome if state == 2 else "waiting"] += count
        return found

    def outcome_of(self, url: str) -> str:
        """Return what the page at a URL turned out to be; "" for an unknown URL.

        Later pages of an item, and a URL that the item was redirected to, have the outcome of the item.
        """
        query = (
            "SELECT own.outcome, above.outcome FROM addresses AS own"
            " LEFT JOIN addresses AS above ON above.id = own.owner WHERE own.key = ?"
        )
        for outcome, of_owner in self._rows(query, self._key_of(url)):
            return str(of_owner or outcome or "")
        return ""

    def failures(self) -> list[Failures]:
        """Return the reasons why URLs failed, the most frequent first."""
        failed = "FROM failures JOIN addresses ON id = address WHERE outcome = 'failed'"
        counts = self._rows(f"SELECT reason, COUNT(*) {failed} GROUP BY reason ORDER BY 2 DESC, 1")
        query = f"SELECT url {failed} AND reason = ? ORDER BY id LIMIT {_EXAMPLES}"
        return [Failures(reason, count, [url for (url,) in self._rows(query, reason)]) for reason, count in counts]

    def waiting(self, most: int) -> list[Waiting]:
        """Return the patterns with the most waiting URLs."""
        query = (
            "SELECT host, pattern, MAX(role), COUNT(*), MIN(url) FROM addresses WHERE state = 0"
            " GROUP BY host, pattern ORDER BY 4 DESC, 1, 2 LIMIT ?"
        )
        return [Waiting(*row) for row in self._rows(query, most)]

    def forms(self) -> dict[tuple[str, str], Counter[str]]:
        """Return the number of URLs of each host and form by outcome, as `hosts`; parts of items do not count."""
        found: dict[tuple[str, str], Counter[str]] = {}
        query = "SELECT host, pattern, state, outcome, COUNT(*) FROM addresses WHERE owner IS NULL GROUP BY 1, 2, 3, 4"
        for host, pattern, state, outcome, count in self._rows(query):
            form = found.setdefault((host, shown_form(pattern)), Counter())
            form[outcome if state == 2 else "waiting"] += count
        return found

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._database.execute(query, values).fetchall()


class Guess(NamedTuple):
    """The role of a link, and the probability that the page behind it is useful to a harvest (0 to 1)."""

    role: Role
    probability: float


_COMPANION = OF_AUTHOR = Guess("other", _OTHER)


def guess_of(link: PageLink, chapters: Container[str] = ()) -> Guess:
    """Return the first guess of what a link is for; action words are ignored in ``chapters``, see `chapters_of`."""
    if link.position == "next":
        return Guess("next", _PRIORS["next"])
    probability = _PRIORS[link.position]
    if "nofollow" in link.rel or "search" in link.rel or "author" in link.rel:
        probability *= 0.4
    parts = address_of(link.url)
    keys = [key for key, _ in query_of(parts.query)]
    if link.url not in chapters and _acts(link, parts.path, parts.query):
        return Guess("other", _OTHER if link.position != "record" else 0.2)
    if any(map(_VIEW_KEYS.fullmatch, keys)):
        return Guess("other", 0.15 * probability)
    if number_in_address(link.url) is not None:
        return Guess("later", _LATER)
    if link.position != "record":
        if link.text and not any(map(str.isalpha, link.text)):  # a number or an arrow
            return Guess("later", _NUMBER)
        probability += 0.15 * (len(link.text.split()) >= _WORDS) + 0.1 * (link.like >= _ALIKE)
        probability += _HEADING * link.is_heading - 0.1 * (not link.text)
    return Guess("content", min(probability, 0.95))


def chapters_of(links: Iterable[PageLink]) -> set[str]:
    """Return the URLs that contain an action word but stand in a table of contents or a list of articles.

    There, at least five links to the same folder, or three in headings at the same place of the template, have no such
    word, and three times as many as those that have one.
    """
    contents: dict[tuple[int, str, str], tuple[list[str], list[str]]] = {}
    for link in links:
        parts = address_of(link.url)
        acts = _acts(link, parts.path, parts.query)
        if not parts.query:
            folder = parts.path.rpartition("/")[0]
            contents.setdefault((_ALIKE, folder, link.position), ([], []))[acts].append(link.url)
        if link.is_heading:
            contents.setdefault((_CALM, link.place, "heading"), ([], []))[acts].append(link.url)
    return {
        url
        for (least, *_), (calm, acting) in contents.items()
        if len(calm) >= max(least, _CALM * len(acting))
        for url in acting
    }


def _acts(link: PageLink, path: str, query: str) -> bool:
    """Whether a word of the URL or of the link text says that the link does not lead to content."""
    parts = _PARTS.split(unquote(f"{path}&{query}").lower())
    words = [word for part in parts for word in _joined(part)]
    if not _ACTIONS.isdisjoint(words[:-1] if path.count("/") > 1 and link.position == "record" else words):
        return True
    text = _SPLIT.split(link.text.lower())
    is_title = len(text) > 1 and "_".join(text) in (part.replace("-", "_") for part in parts)
    acts = text[0] in _ACTIONS or "-".join(text[:2]) in _ACTIONS
    return len(text) <= 3 and acts and link.position != "record" and not is_title


def _joined(part: str) -> list[str]:
    words = part.split("_")
    return words if len(words) <= _MAX_JOINED else [part]


class Frontier:
    """The URLs of a crawl. ``path`` is the file of a job, or None for a crawl that cannot be resumed.

    Hosts take turns. Within a host, the pattern most likely to yield items goes first, and patterns that yield nothing
    are skipped. The memory used per host is bounded.
    """

    def __init__(self, path: Path | None = None, *, per_host: int = 8, most_of_host: int | None = None) -> None:
        """``per_host`` is the maximum number of concurrent requests per host, ``most_of_host`` the maximum in total.

        Raises JobError, as all methods do, if the file cannot be used or the disk is full.
        """
        self._database = open_job(path)
        self._database.executescript(SCHEMA)
        self._contents = KnownContents(self._database)
        self.inventory = Inventory(self._database, self._key)
        self.held = HeldPages(self._database)
        self._per_host = per_host
        self._most_of_host = most_of_host
        self._hosts: dict[str, HostState] = {}
        self._turns: OrderedDict[str, None] = OrderedDict()  # hosts that may have something to fetch
        self._fetching: set[int] = set()
        self._rounds = Rounds(self._database, self._contents)
        self._rounds.resume()
        self._count_waiting()

    def add(self, addresses: Iterable[NewAddress], via: Entry | None = None) -> LinkGain:
        """Queue the URLs that are new; return their expected gain, not counting later pages of lists.

        ``via`` is the entry of the page that links to them.
        """
        use, items = 0.0, 0.0
        with self._database:
            for address in addresses:
                found = self._add(address, None if via is None else via.id)
                if found is None:
                    met = _NO_GAIN if via is None else self._meet(address.url, via.id)
                    use, items = use + met.use, items + met.items
                elif address.guess.role == "content" and not role_of(found.fine):
                    patterns = self.host(host_of(address.url)).patterns
                    chance = patterns.probability(found)
                    use += chance if chance >= LEAVE else 0.0
                    items += patterns.is_likely_item(found)
        return LinkGain(use, items)

    def state_of(self, url: str) -> State:
        """Return the state of a URL; "later" means that it is done because it is a later page of an item."""
        found = self._row("SELECT state, outcome FROM addresses WHERE key = ?", self._key(url))
        if found is None:
            return "new"
        return "later" if found[1] == "later" else _STATES[found[0]]

    def is_elsewhere(self, url: str, entry: Entry) -> bool:
        """Return whether a URL is fetched, or being fetched, as another entry than this one or as a part of one."""
        query = "SELECT 1 FROM addresses WHERE key = ? AND state != 0 AND id != ? AND owner IS NOT ?"
        return self._row(query, self._key(url), entry.id, entry.id) is not None

    def take(self) -> Entry | None:
        """Return the URL to fetch next, or None if there is none at the moment."""
        for name in list(self._turns):
            host = self._hosts[name]
            if host.in_flight >= self._per_host:
                continue
            entry = None if host.fetched == self._most_of_host else self._take_of(name, host)
            if entry is not None:
                self._turns.move_to_end(name)
                return entry
            if not host.in_flight:  # this changes only when more is learnt about the host
                del self._turns[name]
        return None

    def take_start(self) -> Entry | None:
        """Return a start URL, or one that led to items in an earlier round, that was skipped because of similar URLs.

        None if there is none.
        """
        query = (
            "SELECT id, url, host, pattern, role, place, depth, outcome = 'known' FROM addresses"
            " WHERE state = 0 AND (depth = 0 OR outcome IS NOT NULL)"
        )
        for identity, url, host, fine, *about in self._database.execute(query):
            if self._hosts[host].fetched != self._most_of_host:
                return self._taken(Entry(identity, url, host, stored_pattern(fine), *about))
        return None

    def has_new(self, urls: Iterable[str]) -> bool:
        """Return whether any of the URLs is a likely item that is not done."""
        query = "SELECT pattern FROM addresses WHERE key = ? AND state != 2 AND role = 'content'"
        found = ((url, self._row(query, self._key(url))) for url in urls)
        return any(
            row is not None and self.host(host_of(url)).patterns.is_likely_item(stored_pattern(row[0]))
            for url, row in found
        )

    def claim(self, url: str, before: Entry) -> Entry | None:
        """Return a separate entry for the next page of ``before``, already fetched; None if it is taken or done."""
        host, key = host_of(url), self._key(url)
        self._database.execute("DELETE FROM addresses WHERE key = ? AND owner = ?", (key, before.id))
        if self.state_of(url) not in ("new", "waiting"):
            return None
        self.add([NewAddress(url, Guess("content", 1.0), before.place, before.depth)])
        (identity,) = self._row("SELECT id FROM addresses WHERE key = ?", key)
        pattern = self.host(host).patterns.counted(pattern_of(url))
        return self._taken(Entry(identity, url, host, pattern, "content", before.place, before.depth))

    def learn(self, entry: Entry, outcome: Outcome, gain: LinkGain = _NO_GAIN, met: str | None = None) -> None:
        """Update the patterns of the host with the outcome of a page; ``met`` is another URL of the same item."""
        host = self._hosts[entry.host]
        if met is not None:
            host.patterns.meet(entry.pattern, met)
        host.patterns.learn(entry.pattern, outcome, gain, is_met=met is not None)
        self._turns.setdefault(entry.host)
        host.learnt += 1
        if outcome == "item":
            self._credit(entry.id)
        if host.learnt % _SAVED_EVERY == 0:
            self._save(entry.host, host)

    def finish(self, entry: Entry, outcome: Outcome, item: str | None = None) -> bool:
        """Mark a URL as done, with its item as JSON if it has one; return False if it was already done."""
        with self._database:
            done = self._database.execute(
                "UPDATE addresses SET state = ?, outcome = ? WHERE id = ? AND state != ?",
                (_DONE, outcome, entry.id, _DONE),
            )
            is_new = done.rowcount or self.held.write(entry.id)
            if is_new and item is not None:
                self._database.execute(
                    "INSERT OR REPLACE INTO items VALUES (?, ?, ?)", (entry.id, item, self._rounds.number)
                )
        self.release(entry)
        return bool(is_new)

    def release(self, entry: Entry) -> None:
        """Free the slot of a URL that was fetched, although its item may still be in the pipeline."""
        if entry.id in self._fetching:
            self._fetching.remove(entry.id)
            host = self._hosts[entry.host]
            host.in_flight -= 1
            host.patterns.land(entry.pattern)

    @property
    def in_flight(self) -> int:
        """The number of URLs that are being fetched."""
        return len(self._fetching)

    def cover(self, entry: Entry, urls: Iterable[str]) -> None:
        """Mark URLs as not to be fetched because they belong to the item of ``entry``."""
        with self._database:
            for url in urls:
                self._cover(entry, url)

    def is_companion(self, entry: Entry) -> bool:
        """Return whether a URL is a companion page of an item, and neither a start URL nor found in a list."""
        return self._is_companion(entry.url, entry.place, entry.depth)

    def same_content(self, entry: Entry, url: str, title: str, signature: Signature) -> str | None:
        """Return the URL of an earlier page of the host with the same content; if there is none, store it, return None.

        Near-identical texts count as the same if their titles are equal.
        """
        found = self._contents.find(entry.id, entry.host, title, signature)
        if found is None:
            self._contents.remember(entry.id, entry.host, url, title, signature)
        elif entry.host in self._hosts:
            self._hosts[entry.host].patterns.suspect(differing_parts(found, url))
        return found

    def title_of_known(self, url: str) -> str | None:
        """Return the title of an item of an earlier crawl; None for other URLs, or if it is unknown."""
        query = (
            "SELECT title FROM contents WHERE host = ? AND owner ="
            " (SELECT id FROM addresses WHERE key = ? AND outcome = 'known')"
        )
        found = self._row(query, host_of(url), self._key(url))
        return None if found is None else str(found[0])

    def forget_content(self, entry: Entry) -> None:
        """Forget the content of a page, so that another page with it is not a duplicate."""
        self._contents.forget(f"(SELECT {entry.id})")

    def host(self, name: str) -> HostState:
        """Return the state of a host: its patterns, the companion pages of its items, and counts."""
        if name not in self._hosts:
            saved = self._row("SELECT state FROM hosts WHERE host = ?", name)
            self._hosts[name] = HostState() if saved is None else HostState.from_json(saved[0])
        return self._hosts[name]

    @property
    def round_number(self) -> int:
        """The number of the current round."""
        return self._rounds.number

    def items(self, *, earlier: bool = False) -> Iterator[str]:
        """Yield the items of the current round, or those of ``earlier`` ones, as JSON, in the order of their URLs."""
        query = f"SELECT item FROM items WHERE round {'<' if earlier else '='} ? ORDER BY address"  # noqa: S608
        for (item,) in self._database.execute(query, (self._rounds.number,)):
            yield item

    def waiting(self) -> int:
        """Return how many URLs are waiting, including those of skipped patterns."""
        return sum(tally.queued for host in self._hosts.values() for tally in host.patterns.fine.values())

    def complete_round(self) -> None:
        """Record that nothing is left to fetch."""
        self._rounds.complete()

    def begin_round(self, starts: Iterable[str] = ()) -> bool:
        """Begin a round that looks for new items, or go on with the last one if it is incomplete.

        A round fetches start URLs, lists, all pages that led to items, and failed URLs again. Returns whether an
        earlier round was completed, so that old items are known.
        """
        last_number = self._rounds.number
        refetched = self._rounds.begin([self._key(url) for url in starts])
        if self._rounds.number > last_number:
            for (host,) in self._database.execute("SELECT host FROM hosts").fetchall():
                self.host(host).patterns.renew()
            for host, fine, _, outcome in refetched:
                self.host(host).patterns.unlearn(stored_pattern(fine), outcome)
            self._count_waiting()
        return self._rounds.number > 0

    @property
    def failure(self) -> JobError | None:
        """The error if the file could not be written; URLs not written are fetched again when the crawl is resumed."""
        return self._database.failure

    def close(self) -> None:
        """Save what was learnt, if the file can be written, and close it."""
        with suppress(JobError):
            for name, host in self._hosts.items():
                self._save(name, host)
        self._database.close()

    def _add(self, address: NewAddress, via: int | None) -> Pattern | None:
        """Queue a URL; return its pattern, or None if it is not new."""
        host = host_of(address.url)
        is_companion = self._is_companion(address.url, address.place, address.depth)
        role, probability = _COMPANION if is_companion else address.guess
        pattern = self.host(host).patterns.counted(pattern_of_link(address.url, role, address.code))
        key, found_at = self._key(address.url), {"place": address.place, "depth": address.depth, "via": via}
        added = self._insert(
            key=key, url=address.url, host=host, pattern=pattern.fine, state=_WAITING, role=role, **found_at
        )
        if not added.rowcount:
            if role == "next":
                self._promote(address, pattern, via)
            return None
        self._link(host, pattern, probability, is_next=role == "next", place=address.place)
        return pattern

    def _link(self, name: str, pattern: Pattern, probability: float, *, is_next: bool = False, place: str) -> None:
        """Count a waiting URL, and let its host take turns."""
        self.host(name).patterns.link(pattern, probability, is_next=is_next, place=place)
        self._turns.setdefault(name)

    def _promote(self, address: NewAddress, pattern: Pattern, via: int | None) -> None:
        """Turn a waiting URL of some later page into the next page of the list that was fetched."""
        query = "SELECT id, url, pattern FROM addresses WHERE key = ? AND state = 0 AND role = 'later'"
        if (known := self._row(query, self._key(address.url))) is not None:
            identity, url, fine = known
            found_at = {"place": address.place, "depth": address.depth, "via": via}
            self._update(identity, pattern=pattern.fine, role="next", **found_at)
            self.host(host_of(url)).patterns.drop(stored_pattern(fine))
            self._link(host_of(url), pattern, address.guess.probability, is_next=True, place=address.place)

    def _meet(self, url: str, via: int) -> LinkGain:
        """Credit the first page that links to a URL known from a sitemap, a feed or an earlier crawl.

        It counts as if the page had found the URL, since feeds have only the items of the first pages of a list.
        """
        query = "SELECT id, outcome FROM addresses WHERE key = ? AND via IS NULL AND (outcome = 'known' OR place = ?)"
        found = self._row(query, self._key(url), IN_SITEMAP)
        if found is None:
            return _NO_GAIN
        identity, outcome = found
        self._update(identity, via=via)
        is_item = outcome in ("item", "known")
        if is_item:
            self._credit(identity)
        elif outcome is None:
            is_item = self.host(host_of(url)).patterns.is_likely_item(pattern_of(url))
        return LinkGain(float(is_item), float(is_item))

    def _credit(self, identity: int) -> None:
        """Credit the patterns of the pages that led to an item."""
        for steps in range(_MAX_STEPS):
            query = (
                "SELECT above.id, above.url, above.pattern, above.outcome FROM addresses"
                " JOIN addresses AS above ON above.id = addresses.via WHERE addresses.id = ?"
            )
            if (found := self._row(query, identity)) is None:
                return
            identity, url, fine, outcome = found
            if outcome not in ("item", "known") and fine is not None:
                self.host(host_of(url)).patterns.credit(stored_pattern(fine), steps + 1)
                self._turns.setdefault(host_of(url))

    def _take_of(self, name: str, host: HostState) -> Entry | None:
        query = (
            "SELECT id, key, url, role, place, depth, outcome FROM addresses"
            " WHERE host = ? AND pattern = ? AND state = 0 ORDER BY id LIMIT 1"
        )
        while (fine := host.patterns.best()) is not None:
            if (found := self._row(query, name, fine)) is None:  # its URLs have been covered since
                host.patterns.fine[fine].queued = 0
                continue
            identity, key, url, role, place, depth, outcome = found
            pattern = stored_pattern(fine)
            if self._is_covered(key, url):
                self._update(identity, state=_DONE, outcome="duplicate")
                host.patterns.drop(pattern)
                continue
            if role != "other" and self._is_companion(url, place, depth):  # queued before this was known
                self._put_aside(identity, url, place, name, pattern)
                continue
            return self._taken(Entry(identity, url, name, pattern, role, place, depth, outcome == "known"))
        return None

    def _is_companion(self, url: str, place: str, depth: int) -> bool:
        return place not in (IN_SITEMAP, "record") and depth > 0 and self.host(host_of(url)).companions.holds(url)

    def _put_aside(self, identity: int, url: str, place: str, name: str, pattern: Pattern) -> None:
        """Queue a URL again, with the low probability of companion pages."""
        aside = self._hosts[name].patterns.counted(pattern_of_link(url, _COMPANION.role, pattern.place))
        self._update(identity, role=_COMPANION.role, pattern=aside.fine)
        self._hosts[name].patterns.drop(pattern)
        self._link(name, aside, _COMPANION.probability, place=place)

    def _is_covered(self, key: str, url: str) -> bool:
        """Whether a waiting URL leads to a known page, given the query keys since learnt to be irrelevant."""
        by_now = self._key(url)
        return by_now != key and self._row("SELECT 1 FROM addresses WHERE key = ?", by_now) is not None

    def _taken(self, entry: Entry) -> Entry:
        self._update(entry.id, state=_TAKEN)
        host = self._hosts[entry.host]
        host.patterns.take(entry.pattern)
        host.in_flight += 1
        host.fetched += 1
        self._turns.setdefault(entry.host)
        self._fetching.add(entry.id)
        return entry

    def _cover(self, entry: Entry, url: str) -> None:
        key = self._key(url)
        known = self._row("SELECT id, state, pattern FROM addresses WHERE key = ?", key)
        covered = {"state": _DONE, "outcome": "duplicate", "owner": entry.id}
        if known is None:
            self._insert(key=key, url=url, host=host_of(url), **covered)
        elif known[1] == _WAITING and known[0] != entry.id:
            self._update(known[0], **covered)
            self.host(host_of(url)).patterns.drop(stored_pattern(known[2]))

    def _row(self, query: str, *values: Any) -> Any:
        """Return the first row that a query finds, None if it finds none."""
        return self._database.execute(query, values).fetchone()

    def _insert(self, **values: Any) -> sqlite3.Cursor:
        """Add a URL with these values of columns, unless its key is known."""
        places = ", ".join("?" * len(values))
        query = f"INSERT OR IGNORE INTO addresses ({', '.join(values)}) VALUES ({places})"  # noqa: S608
        return self._database.execute(query, (*values.values(),))

    def _update(self, identity: int, **values: Any) -> None:
        """Set columns of a URL."""
        columns = ", ".join(f"{name} = ?" for name in values)
        self._database.execute(f"UPDATE addresses SET {columns} WHERE id = ?", (*values.values(), identity))  # noqa: S608

    def _key(self, url: str) -> str:
        host = self._hosts.get(host_of(url))
        return address_key(url, () if host is None else host.patterns.ignored)

    def _save(self, name: str, host: HostState) -> None:
        self._database.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?)", (name, host.to_json()))

    def _count_waiting(self) -> None:
        for host, pattern, count in self._database.execute(
            "SELECT host, pattern, COUNT(*) FROM addresses WHERE state = 0 GROUP BY host, pattern"
        ).fetchall():
            self.host(host).patterns.wait(stored_pattern(pattern), count)
            self._turns.setdefault(host)
