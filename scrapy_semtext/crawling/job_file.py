"""The SQLite file of a crawl: its tables, the contents seen so far, and the rounds of a job.

Failures, such as a full disk, are all raised as JobError and remembered. Each round of a job after the first looks for
items that are new since the round before.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from scrapy_semtext.crawling.contents import MOST_BITS, bits_between

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
_MOST_COMPARED = 50  # contents per band that a text is compared with


class JobError(Exception):
    """The file of a crawl cannot be read or written; the message says which file, why, and what to do."""


class JobFile(sqlite3.Connection):
    """A connection whose methods raise JobError if the file or the disk, not the statement, is at fault."""

    #: The path of the file (None for a temporary one), and the last failure.
    path: Path | None = None
    failure: JobError | None = None

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute a statement. Raises JobError."""
        try:
            return super().execute(*arguments)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Execute a statement for each of the parameters. Raises JobError."""
        try:
            return super().executemany(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        """Execute statements. Raises JobError."""
        try:
            return super().executescript(sql)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def __exit__(self, *about: object) -> Any:
        """Commit, or roll back after an exception. Raises JobError."""
        try:
            return super().__exit__(*about)  # type: ignore[arg-type]
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def _noted(self, error: sqlite3.DatabaseError) -> Exception:
        """Return the exception to raise for an error."""
        if not (isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError):
            return error  # the statement is at fault
        name = "the temporary file of the crawl" if self.path is None else str(self.path)
        broken = not isinstance(error, sqlite3.OperationalError)
        advice = (
            "it is damaged or not the file of a crawl: name another folder"
            if broken
            else "make sure that the disk has free space; what was saved before is intact"
        )
        self.failure = JobError(f"{name} cannot be used: {error} ({advice})")
        return self.failure


def open_job(path: Path | None) -> JobFile:
    """Open the file of a crawl; None opens a temporary file. Raises JobError."""
    try:
        job = sqlite3.connect("" if path is None else path, isolation_level=None, factory=JobFile)
    except sqlite3.Error as error:
        raise JobError(f"{path or 'a temporary file'} cannot be opened: {error}") from error
    job.path = path
    job.execute(f"PRAGMA journal_mode = {'MEMORY' if path is None else 'WAL'}")
    job.execute(f"PRAGMA synchronous = {'OFF' if path is None else 'NORMAL'}")
    return job


class KnownContents:
    """The contents of pages; ``owner`` is always the id of the URL of a page."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def find(self, owner: int, host: str, title: str, signature: Signature) -> str | None:
        """Return the URL of another page of a host with the same content, or None if there is none.

        Near-identical texts count as the same if their titles are equal.
        """
        found = self._database.execute(
            "SELECT url FROM contents WHERE host = ? AND exact = ? AND owner != ? LIMIT 1",
            (host, signature.exact, owner),
        ).fetchone()
        return self._near(owner, host, title, signature) if found is None else str(found[0])

    def remember(self, owner: int, host: str, url: str, title: str, signature: Signature) -> None:
        """Store the content of a page."""
        near = None if signature.near is None else str(signature.near)  # integers of SQLite are signed
        added = self._database.execute(
            "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?)", (owner, host, url, title, signature.exact, near)
        ).lastrowid
        self._database.executemany(
            "INSERT INTO bands VALUES (?, ?, ?, ?)",
            [(host, band, value, added) for band, value in enumerate(signature.bands)],
        )

    def forget(self, owners: str) -> None:
        """Forget the contents of pages; ``owners`` is a query for their URLs."""
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
    """The rounds in the file of a crawl; ``number`` is the number of the current one."""

    def __init__(self, database: sqlite3.Connection, contents: KnownContents) -> None:
        self._database, self._contents = database, contents
        (self.number,) = database.execute("SELECT MAX(round) FROM rounds").fetchone()

    def complete(self) -> None:
        """Record that nothing is left to fetch."""
        self._database.execute("UPDATE rounds SET complete = 1 WHERE round = ?", (self.number,))

    def begin(self, starts: Iterable[str] = ()) -> bool:
        """Begin a round if the current one is complete: start URLs, lists and failed URLs then count as new again.

        ``starts`` are the keys of the start URLs. Returns whether the previous round is complete.
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
        """Queue the URLs again that were being fetched when an earlier run ended, and forget the URLs they covered."""
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
