"""The addresses of a crawl, in a SQLite file: which wait, which are done, and which to fetch next.

What a page gave (its outcome, its item) and that it is done are written at once, so that a crawl that was killed
goes on without losing or doubling an item.
"""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from scrapy_semtext.crawling.addresses import Pattern, address_key, differing_keys, host_of, pattern_of
from scrapy_semtext.crawling.contents import MOST_BITS, bits_between
from scrapy_semtext.crawling.patterns import LEAVE, HostPatterns
from scrapy_semtext.crawling.roles import Guess
from scrapy_semtext.crawling.schema import SCHEMA, forget_contents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scrapy_semtext.crawling.contents import Signature
    from scrapy_semtext.crawling.patterns import Outcome

_WAITING, _TAKEN, _DONE = 0, 1, 2
_STATES: tuple[Literal["waiting", "taken", "done"], ...] = ("waiting", "taken", "done")
_MOST_COMPARED = 50  # contents that a near-identical text is looked for in, for each band
ASIDE = "other "  #: Before the patterns of links that act on pages, which are learnt apart
_MOST_STEPS = 4  # pages on the way to an item that get credit for it
_SAVED_EVERY = 50  # pages after which the patterns of a host are saved


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


@dataclass(slots=True)
class _Host:
    patterns: HostPatterns
    in_flight: int = 0
    learnt: int = 0
    fetched: int = 0


class Frontier:
    """The addresses of a crawl. ``path`` is the file of a job, None for a crawl that is not to be resumed.

    Hosts take turns. Of each, the pattern that is most likely to give items goes first, and those that give nothing
    are left. What is kept in memory of a host is bounded.
    """

    def __init__(self, path: Path | None = None, *, per_host: int = 8, most_of_host: int | None = None) -> None:
        """``per_host``: the most addresses of a host that are fetched at the same time; ``most_of_host``: in all."""
        self._database = sqlite3.connect("" if path is None else path, isolation_level=None)  # "": a temporary file
        self.database = self._database  # for Inventory
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.executescript(SCHEMA)
        self._per_host = per_host
        self._most_of_host = most_of_host
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._fetching: set[int] = set()
        (self._round,) = self._database.execute("SELECT MAX(round) FROM rounds").fetchone()
        self._resume()

    def add(self, addresses: Iterable[NewAddress], via: Entry | None = None) -> float:
        """Queue addresses that are new; return how many pages of use are expected of them, later pages of lists aside.

        ``via`` is the address of the page that links to them.
        """
        gain = 0.0
        with self._database:
            self._database.execute("BEGIN")
            for address in addresses:
                gain += self._add(address, None if via is None else via.id)
        return gain

    def know(self, urls: Iterable[str]) -> None:
        """Take the items of an earlier crawl for done; pages that link to them count as if they led to items."""
        with self._database:
            self._database.execute("BEGIN")
            for url in urls:
                host, pattern = host_of(url), pattern_of(url)
                query = "INSERT OR IGNORE INTO addresses (key, url, host, pattern, state, outcome)"
                values = (self._key(url), url, host, pattern.fine, _DONE, "known")
                if self._database.execute(f"{query} VALUES (?, ?, ?, ?, ?, ?)", values).rowcount:
                    self._host(host).patterns.learn(pattern, "item")

    def state_of(self, url: str) -> Literal["new", "waiting", "taken", "done"]:
        """Return whether an address is new, queued, being fetched or done."""
        found = self._database.execute("SELECT state FROM addresses WHERE key = ?", (self._key(url),)).fetchone()
        return "new" if found is None else _STATES[found[0]]

    def take(self) -> Entry | None:
        """Return the address to fetch next, None if there is none for now."""
        for host in list(self._hosts):
            state = self._hosts[host]
            if state.in_flight >= self._per_host or state.fetched == self._most_of_host:
                continue
            entry = self._take_of(host, state)
            if entry is not None:
                self._hosts.move_to_end(host)
                return entry
        return None

    def claim(self, url: str, before: Entry) -> Entry | None:
        """Take an address that was fetched as the next page of ``before``; None if it is taken or done elsewhere."""
        host, pattern, key = host_of(url), pattern_of(url), self._key(url)
        self._database.execute("DELETE FROM addresses WHERE key = ? AND owner = ?", (key, before.id))
        if self.state_of(url) in ("taken", "done"):
            return None
        self.add([NewAddress(url, Guess("content", 1.0), before.place, before.depth)])
        (identity,) = self._database.execute("SELECT id FROM addresses WHERE key = ?", (key,)).fetchone()
        return self._taken(Entry(identity, url, host, pattern, "content", before.place, before.depth))

    def learn(self, entry: Entry, outcome: Outcome, gain: float = 0.0) -> None:
        """Let the patterns of the host know what a page turned out to be."""
        host = self._hosts[entry.host]
        host.patterns.learn(entry.pattern, outcome, gain, place=entry.place)
        host.learnt += 1
        if outcome == "item":
            self._credit(entry.id)
        if host.learnt % _SAVED_EVERY == 0:
            self._save(entry.host, host)

    def finish(self, entry: Entry, outcome: Outcome, item: str | None = None) -> bool:
        """Mark an address as done, with its item as JSON if it has one; return False if it was done before."""
        with self._database:
            self._database.execute("BEGIN")
            done = self._database.execute(
                "UPDATE addresses SET state = ?, outcome = ? WHERE id = ? AND state != ?",
                (_DONE, outcome, entry.id, _DONE),
            )
            if done.rowcount and item is not None:
                self._database.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", (entry.id, item, self._round))
        self.release(entry)
        return bool(done.rowcount)

    def release(self, entry: Entry) -> None:
        """Make way for another address of the host, as this one was fetched, though its item may be on its way."""
        if entry.id in self._fetching:
            self._fetching.remove(entry.id)
            self._hosts[entry.host].in_flight -= 1

    @property
    def in_flight(self) -> int:
        """The number of addresses that are being fetched."""
        return len(self._fetching)

    def cover(self, entry: Entry, urls: Iterable[str]) -> None:
        """Note that addresses need not be fetched, as they belong to the item of another one."""
        with self._database:
            self._database.execute("BEGIN")
            for url in urls:
                self._cover(entry, url)

    def same_content(self, entry: Entry, url: str, title: str, signature: Signature) -> str | None:
        """Return the address of an earlier page of the host with the same content; None, and remember it, if none.

        Near-identical texts are the same if their titles are.
        """
        found = self._exact(entry, signature) or self._near(entry, title, signature)
        if found is None:
            self._remember(entry, url, title, signature)
        elif entry.host in self._hosts:
            self._hosts[entry.host].patterns.suspect(differing_keys(found, url))
        return found

    def patterns(self, host: str) -> HostPatterns:
        """Return what is known of the patterns of a host."""
        return self._host(host).patterns

    def items(self) -> Iterator[str]:
        """Yield the items of the current round as JSON, in the order in which their addresses were found."""
        rows = self._database.execute("SELECT item FROM items WHERE round = ? ORDER BY address", (self._round,))
        for (item,) in rows:
            yield item

    def outcomes(self) -> dict[str, int]:
        """Return how many pages turned out to be what."""
        return dict(self._database.execute("SELECT outcome, COUNT(*) FROM addresses WHERE state = 2 GROUP BY outcome"))

    def waiting(self) -> int:
        """Return how many addresses wait, those of patterns that are left among them."""
        return sum(tally.queued for host in self._hosts.values() for tally in host.patterns.fine.values())

    def left(self) -> dict[str, int]:
        """Return the patterns that are left with addresses that wait, each after its host, and how many."""
        return {
            f"{name}{fine.removeprefix(ASIDE)}": count
            for name, host in self._hosts.items()
            for fine, count in host.patterns.left().items()
        }

    def complete_round(self) -> None:
        """Note that nothing is left to fetch."""
        self._database.execute("UPDATE rounds SET complete = 1 WHERE round = ?", (self._round,))

    def begin_round(self, starts: Iterable[str] = ()) -> bool:
        """Let start addresses, lists and what failed be fetched again, for new items; go on with an incomplete round.

        Returns whether the round before this one is complete: all its items are known.
        """
        lists = "(SELECT id FROM addresses WHERE state = 2 AND outcome IN ('list', 'failed'))"
        with self._database:
            self._database.execute("BEGIN")
            (complete,) = self._database.execute(
                "SELECT complete FROM rounds WHERE round = ?", (self._round,)
            ).fetchone()
            if not complete:
                return bool(self._round)
            self._round += 1
            self._database.execute("INSERT INTO rounds VALUES (?, 0)", (self._round,))
            again = [(self._key(url),) for url in starts]
            self._database.executemany("UPDATE addresses SET outcome = 'list' WHERE key = ?", again)
            forget_contents(self._database, lists)
            self._database.execute(f"DELETE FROM addresses WHERE owner IN {lists}")  # noqa: S608  no values in it
            self._database.execute(f"DELETE FROM addresses WHERE id IN {lists}")  # noqa: S608
        return True

    def close(self) -> None:
        """Save what was learnt, and close the file."""
        for name, host in self._hosts.items():
            self._save(name, host)
        self._database.close()

    def _add(self, address: NewAddress, via: int | None) -> float:
        host = host_of(address.url)
        patterns = self._host(host).patterns
        role, probability = address.guess
        pattern = pattern_of(address.url)
        if role == "other":  # otherwise what acts on pages would be fetched where pages are of use
            pattern = _stored(ASIDE + pattern.fine, address.url)
        added = self._database.execute(
            "INSERT OR IGNORE INTO addresses (key, url, host, pattern, state, role, place, depth, via)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._key(address.url), address.url, host, pattern.fine, _WAITING, role, *address[2:], via),
        )
        if not added.rowcount:
            return 0.0 if via is None else self._meet(address.url, via)
        patterns.link(pattern, probability, is_next=role == "next", place=address.place)
        chance = patterns.probability(pattern)
        return chance if role == "content" and chance >= LEAVE else 0.0

    def _meet(self, url: str, via: int) -> float:
        """Credit the pages that led to an item of an earlier crawl; return its use, 0 for other addresses."""
        query = "SELECT id FROM addresses WHERE key = ? AND outcome = 'known' AND via IS NULL"
        found = self._database.execute(query, (self._key(url),)).fetchone()
        if found is None:
            return 0.0
        self._database.execute("UPDATE addresses SET via = ? WHERE id = ?", (via, found[0]))
        self._credit(found[0])
        return 1.0

    def _credit(self, identity: int) -> None:
        """Let the patterns of the pages that led to an item know of it."""
        for steps in range(_MOST_STEPS):
            found = self._database.execute(
                "SELECT above.id, above.url, above.pattern, above.outcome FROM addresses"
                " JOIN addresses AS above ON above.id = addresses.via WHERE addresses.id = ?",
                (identity,),
            ).fetchone()
            if found is None:
                return
            identity, url, fine, outcome = found
            if outcome != "item" and fine is not None:
                self._host(host_of(url)).patterns.credit(_stored(fine, url), steps + 1)

    def _take_of(self, name: str, host: _Host) -> Entry | None:
        while (fine := host.patterns.best()) is not None:
            found = self._database.execute(
                "SELECT id, url, role, place, depth FROM addresses WHERE host = ? AND pattern = ? AND state = 0"
                " ORDER BY id LIMIT 1",
                (name, fine),
            ).fetchone()
            if found is None:  # its addresses were covered meanwhile
                host.patterns.fine[fine].queued = 0
                continue
            identity, url, role, place, depth = found
            return self._taken(Entry(identity, url, name, _stored(fine, url), role, place, depth))
        return None

    def _taken(self, entry: Entry) -> Entry:
        self._database.execute("UPDATE addresses SET state = ? WHERE id = ?", (_TAKEN, entry.id))
        host = self._hosts[entry.host]
        host.patterns.take(entry.pattern)
        host.in_flight += 1
        host.fetched += 1
        self._fetching.add(entry.id)
        return entry

    def _cover(self, entry: Entry, url: str) -> None:
        key = self._key(url)
        known = self._database.execute("SELECT id, state, pattern FROM addresses WHERE key = ?", (key,)).fetchone()
        if known is None:
            self._database.execute(
                "INSERT INTO addresses (key, url, host, state, outcome, owner) VALUES (?, ?, ?, ?, 'duplicate', ?)",
                (key, url, host_of(url), _DONE, entry.id),
            )
        elif known[1] == _WAITING and known[0] != entry.id:
            self._database.execute(
                "UPDATE addresses SET state = ?, outcome = 'duplicate', owner = ? WHERE id = ?",
                (_DONE, entry.id, known[0]),
            )
            self._host(host_of(url)).patterns.take(_stored(known[2], url))

    def _exact(self, entry: Entry, signature: Signature) -> str | None:
        found = self._database.execute(
            "SELECT url FROM contents WHERE host = ? AND exact = ? AND owner != ? LIMIT 1",
            (entry.host, signature.exact, entry.id),
        ).fetchone()
        return None if found is None else found[0]

    def _near(self, entry: Entry, title: str, signature: Signature) -> str | None:
        for band, value in enumerate(signature.bands):
            rows = self._database.execute(
                "SELECT url, title, near, owner FROM bands JOIN contents ON contents.rowid = content"
                " WHERE bands.host = ? AND band = ? AND value = ? LIMIT ?",
                (entry.host, band, value, _MOST_COMPARED),
            )
            for url, other, near, owner in rows:
                same = owner != entry.id and other == title and signature.near is not None
                if same and bits_between(int(near), signature.near or 0) <= MOST_BITS:
                    return str(url)
        return None

    def _remember(self, entry: Entry, url: str, title: str, signature: Signature) -> None:
        near = None if signature.near is None else str(signature.near)  # an integer of SQLite has a sign
        added = self._database.execute(
            "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?)",
            (entry.id, entry.host, url, title, signature.exact, near),
        ).lastrowid
        self._database.executemany(
            "INSERT INTO bands VALUES (?, ?, ?, ?)",
            [(entry.host, band, value, added) for band, value in enumerate(signature.bands)],
        )

    def _key(self, url: str) -> str:
        host = self._hosts.get(host_of(url))
        return address_key(url, () if host is None else host.patterns.ignored)

    def _host(self, name: str) -> _Host:
        if name not in self._hosts:
            saved = self._database.execute("SELECT state FROM hosts WHERE host = ?", (name,)).fetchone()
            patterns = HostPatterns() if saved is None else HostPatterns.from_dict(json.loads(saved[0]))
            self._hosts[name] = _Host(patterns)
        return self._hosts[name]

    def _save(self, name: str, host: _Host) -> None:
        state = json.dumps(host.patterns.to_dict())
        self._database.execute("INSERT OR REPLACE INTO hosts VALUES (?, ?)", (name, state))

    def _resume(self) -> None:
        """Queue again what was being fetched when an earlier run ended, and forget what it covered."""
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute("UPDATE addresses SET state = 0 WHERE state = 1")
            undone = "(SELECT id FROM addresses WHERE state = 0)"
            self._database.execute(
                f"UPDATE addresses SET state = 0, owner = NULL, outcome = NULL"  # noqa: S608  no values in it
                f" WHERE owner IN {undone} AND pattern IS NOT NULL"
            )
            self._database.execute(f"DELETE FROM addresses WHERE owner IN {undone}")  # noqa: S608
            forget_contents(self._database, undone)
        for host, pattern, url, count in self._database.execute(
            "SELECT host, pattern, MIN(url), COUNT(*) FROM addresses WHERE state = 0 GROUP BY host, pattern"
        ).fetchall():
            self._host(host).patterns.wait(_stored(pattern, url), count)


def _stored(fine: str, url: str) -> Pattern:
    """Return a pattern as it was counted for an address."""
    return Pattern(fine, (ASIDE if fine.startswith(ASIDE) else "") + pattern_of(url).coarse)
