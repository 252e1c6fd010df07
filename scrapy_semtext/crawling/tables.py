"""The tables of the file of a crawl: under which address a text was seen before, and the rounds of a job.

Each round but the first one looks for what is new since the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.crawling.contents import MOST_BITS, bits_between

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from scrapy_semtext.crawling.contents import Signature

#: The tables of the file of a crawl.
SCHEMA = """
CREATE TABLE IF NOT EXISTS addresses (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, url TEXT, host TEXT, pattern TEXT, state INTEGER, role TEXT,
    place TEXT, depth INTEGER, via INTEGER, outcome TEXT, owner INTEGER);
CREATE INDEX IF NOT EXISTS waiting ON addresses (host, pattern, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS owned ON addresses (owner) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS items (address INTEGER PRIMARY KEY, item TEXT, round INTEGER);
CREATE TABLE IF NOT EXISTS rounds (round INTEGER PRIMARY KEY, complete INTEGER);
INSERT OR IGNORE INTO rounds VALUES (0, 0);
CREATE TABLE IF NOT EXISTS failures (address INTEGER PRIMARY KEY, reason TEXT);
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, state TEXT);
CREATE TABLE IF NOT EXISTS contents (owner INTEGER, host TEXT, url TEXT, title TEXT, exact INTEGER, near TEXT);
CREATE INDEX IF NOT EXISTS exact_contents ON contents (host, exact);
CREATE TABLE IF NOT EXISTS bands (host TEXT, band INTEGER, value INTEGER, content INTEGER);
CREATE INDEX IF NOT EXISTS near_contents ON bands (host, band, value);
"""
_MOST_COMPARED = 50  # contents that a near-identical text is looked for in, for each band


class KnownContents:
    """The contents of pages; ``owner`` is always the id of the address of a page."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def find(self, owner: int, host: str, title: str, signature: Signature) -> str | None:
        """Return the address of another page of a host with the same content, None if there is none.

        Near-identical texts are the same if their titles are.
        """
        found = self._database.execute(
            "SELECT url FROM contents WHERE host = ? AND exact = ? AND owner != ? LIMIT 1",
            (host, signature.exact, owner),
        ).fetchone()
        return self._near(owner, host, title, signature) if found is None else str(found[0])

    def remember(self, owner: int, host: str, url: str, title: str, signature: Signature) -> None:
        """Keep the content of a page."""
        near = None if signature.near is None else str(signature.near)  # an integer of SQLite has a sign
        added = self._database.execute(
            "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?)", (owner, host, url, title, signature.exact, near)
        ).lastrowid
        self._database.executemany(
            "INSERT INTO bands VALUES (?, ?, ?, ?)",
            [(host, band, value, added) for band, value in enumerate(signature.bands)],
        )

    def forget(self, owners: str) -> None:
        """Forget the contents of pages; ``owners`` is a query for their addresses."""
        contents = f"(SELECT rowid FROM contents WHERE owner IN {owners})"  # noqa: S608  no values in it
        self._database.execute(f"DELETE FROM bands WHERE content IN {contents}")  # noqa: S608
        self._database.execute(f"DELETE FROM contents WHERE owner IN {owners}")  # noqa: S608

    def _near(self, owner: int, host: str, title: str, signature: Signature) -> str | None:
        for band, value in enumerate(signature.bands):
            rows = self._database.execute(
                "SELECT url, title, near, owner FROM bands JOIN contents ON contents.rowid = content"
                " WHERE bands.host = ? AND band = ? AND value = ? LIMIT ?",
                (host, band, value, _MOST_COMPARED),
            )
            for url, other, near, its_owner in rows:
                same = its_owner != owner and other == title and signature.near is not None
                if same and bits_between(int(near), signature.near or 0) <= MOST_BITS:
                    return str(url)
        return None


class Rounds:
    """The rounds in the file of a crawl; ``number`` is that of the current one."""

    def __init__(self, database: sqlite3.Connection, contents: KnownContents) -> None:
        self._database, self._contents = database, contents
        (self.number,) = database.execute("SELECT MAX(round) FROM rounds").fetchone()

    def complete(self) -> None:
        """Note that nothing is left to fetch."""
        self._database.execute("UPDATE rounds SET complete = 1 WHERE round = ?", (self.number,))

    def begin(self, starts: Iterable[str] = ()) -> bool:
        """Begin a round if the current one is complete: start addresses, lists, and what failed, are then new again.

        ``starts`` are the keys of the start addresses. Returns whether the round before is complete.
        """
        lists = "(SELECT id FROM addresses WHERE state = 2 AND outcome IN ('list', 'failed'))"
        query = "SELECT complete FROM rounds WHERE round = ?"
        with self._database:
            self._database.execute("BEGIN")
            (complete,) = self._database.execute(query, (self.number,)).fetchone()
            if not complete:
                return bool(self.number)
            self.number += 1
            self._database.execute("INSERT INTO rounds VALUES (?, 0)", (self.number,))
            again = [(key,) for key in starts]
            self._database.executemany("UPDATE addresses SET outcome = 'list' WHERE key = ?", again)
            self._contents.forget(lists)
            self._database.execute(f"DELETE FROM addresses WHERE owner IN {lists}")  # noqa: S608  no values in it
            self._database.execute(f"DELETE FROM addresses WHERE id IN {lists}")  # noqa: S608
        return True

    def resume(self) -> None:
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
            self._contents.forget(undone)
