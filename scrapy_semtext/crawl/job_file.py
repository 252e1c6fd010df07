"""What a crawl keeps: signatures of contents, and the SQLite file of a job with its rounds.

Failures of the file, such as a full disk, are all raised as JobError and remembered. Each round of a job after the
first looks for items that are new since the round before.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from zlib import crc32

import numpy as np

from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from typing_extensions import Self

    from scrapy_semtext.crawl.patterns import Outcome


_T = TypeVar("_T")

_WORD = re.compile(r"[^\W_]+")
_SHINGLE = 4  # words
_MIN_WORDS = 100  # shorter texts have to be equal: too large a share of few words may differ
_MAX_WORDS = 5000
_BANDS = 4
#: Bits in which the signatures of near-identical texts may differ; one of the bands is then equal.
MAX_BITS = 3


class Signature(NamedTuple):
    """``exact`` is equal for equal letters; ``near``, None for short texts, differs in few bits if nearly identical."""

    exact: int
    near: int | None

    @property
    def bands(self) -> tuple[int, ...]:
        """Parts of ``near``, of which near-identical texts share at least one; empty without ``near``."""
        return () if self.near is None else tuple(self.near >> 16 * band & 0xFFFF for band in range(_BANDS))


def signature_of(text: str, title: str = "") -> Signature | None:
    """Return the signature of a text, or None without letters. Case, punctuation and white space do not count.

    A title at the beginning of the text does not count either, as it may be in only one of two texts of a page.
    """
    words = _WORD.findall(text.removeprefix(title).casefold())
    if not words:
        return None
    digest = blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest()
    exact = int.from_bytes(digest, "big", signed=True)
    return Signature(exact, _near(words[:_MAX_WORDS]) if len(words) >= _MIN_WORDS else None)


def _near(words: list[str]) -> int:
    """Return the SimHash of the shingles of words, 64 bits."""
    shingles = {" ".join(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)}
    codes = [shingle.encode("utf-8", "replace") for shingle in sorted(shingles)]
    halves = np.array([(crc32(code), crc32(code, 0x9E3779B9)) for code in codes], dtype=">u4")  # (shingles, 2)
    bits = np.unpackbits(halves.view(np.uint8), axis=1)  # (shingles, 64)
    return int.from_bytes(np.packbits(2 * bits.sum(axis=0, dtype=np.int64) > len(codes)).tobytes(), "big")


#: The tables of the file of a crawl.
SCHEMA = """
CREATE TABLE IF NOT EXISTS addresses (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, url TEXT, host TEXT, pattern TEXT, state INTEGER, role TEXT,
    place TEXT, depth INTEGER, via INTEGER, outcome TEXT, owner INTEGER);
CREATE INDEX IF NOT EXISTS waiting ON addresses (host, pattern, id) WHERE state = 0;
CREATE INDEX IF NOT EXISTS owned ON addresses (owner) WHERE owner IS NOT NULL;
CREATE TABLE IF NOT EXISTS items (address INTEGER PRIMARY KEY, item TEXT, round INTEGER);
CREATE TABLE IF NOT EXISTS messages (
    address INTEGER PRIMARY KEY, host TEXT, page BLOB, due INTEGER, written INTEGER);
CREATE TABLE IF NOT EXISTS threads (address INTEGER PRIMARY KEY, probability REAL);
CREATE TABLE IF NOT EXISTS rounds (round INTEGER PRIMARY KEY, complete INTEGER);
INSERT OR IGNORE INTO rounds VALUES (0, 0);
CREATE TABLE IF NOT EXISTS failures (address INTEGER PRIMARY KEY, reason TEXT);
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, state TEXT);
CREATE TABLE IF NOT EXISTS contents (owner INTEGER, host TEXT, url TEXT, title TEXT, exact INTEGER, near TEXT);
CREATE INDEX IF NOT EXISTS exact_contents ON contents (host, exact);
CREATE TABLE IF NOT EXISTS bands (host TEXT, band INTEGER, value INTEGER, content INTEGER);
CREATE INDEX IF NOT EXISTS near_contents ON bands (host, band, value);
"""
#: The number of items, lists or pages of lists that each page was the first to link to.
_LED = (
    "(SELECT via AS id, COUNT(*) AS led FROM addresses WHERE outcome IN ('known', 'list') AND via IS NOT NULL"
    " GROUP BY via)"
)
#: An item that led to this many others is a page that lists them, such as a board that reads as a thread; so are all
#: items of a pattern if it is true of half of them.
_MIN_LED = 3
_BOARDS = f"""
SELECT id FROM addresses JOIN {_LED} USING (id) WHERE outcome = 'known' AND led >= {_MIN_LED}
UNION SELECT id FROM addresses WHERE outcome = 'known' AND (host, pattern) IN (
    SELECT host, pattern FROM addresses LEFT JOIN {_LED} USING (id) WHERE outcome = 'known'
    GROUP BY host, pattern HAVING 2 * SUM(COALESCE(led, 0) >= {_MIN_LED}) >= COUNT(*))
"""  # noqa: S608  no values in it
_LISTS = f"""
SELECT id FROM addresses JOIN {_LED} USING (id)
WHERE outcome IN ('list', 'nothing') AND role NOT IN ('next', 'later')
"""  # noqa: S608
_FAILED = """
SELECT id FROM addresses JOIN failures ON address = id
WHERE outcome = 'failed' AND reason NOT IN ('status 404', 'status 410')
"""
_MAX_COMPARED = 50  # contents per band that a text is compared with


class JobError(Exception):
    """The file of a crawl cannot be read or written; the message says which file, why, and what to do."""


class JobFile(sqlite3.Connection):
    """A connection whose methods raise JobError if the file or the disk, not the statement, is at fault."""

    #: The path of the file (None for a temporary one), and the last failure.
    path: Path | None = None
    failure: JobError | None = None

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute a statement. Raises JobError."""
        return self._tried(super().execute, *arguments)

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute a statement for each of the parameters. Raises JobError."""
        return self._tried(super().executemany, *arguments)

    def executescript(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute statements. Raises JobError."""
        return self._tried(super().executescript, *arguments)

    def __enter__(self) -> Self:
        """Begin a transaction. Raises JobError."""
        self.execute("BEGIN")
        return super().__enter__()

    def __exit__(self, *about: object) -> Any:
        """Commit, or roll back after an exception. Raises JobError."""
        return self._tried(super().__exit__, *about)

    def _tried(self, method: Callable[..., _T], *arguments: Any) -> _T:
        try:
            return method(*arguments)
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
                (host, band, value, _MAX_COMPARED),
            )
            for url, other, near, its_owner in rows:
                same = its_owner != owner and other == title and signature.near is not None
                if same and (int(near) ^ (signature.near or 0)).bit_count() <= MAX_BITS:
                    return str(url)
        return None


class HeldPages:
    """The pages that are held until all are read, by the id of their URL.

    These are single messages, to be joined to threads, and threads that may be articles with comments.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, address: int, host: str, page: Page) -> None:
        """Store a page."""
        kept = zlib.compress(page.to_json().encode())
        self._database.execute("INSERT OR REPLACE INTO messages VALUES (?, ?, ?, 0, 0)", (address, host, kept))

    def hosts(self) -> list[str]:
        """Return the hosts with held pages."""
        return [host for (host,) in self._database.execute("SELECT DISTINCT host FROM messages ORDER BY host")]

    def of_host(self, host: str) -> Iterator[tuple[int, Page]]:
        """Yield the ids and pages of a host."""
        for (address,) in self._database.execute("SELECT address FROM messages WHERE host = ?", (host,)).fetchall():
            yield address, self.page(address)

    def page(self, address: int) -> Page:
        """Return the page of an id."""
        (kept,) = self._database.execute("SELECT page FROM messages WHERE address = ?", (address,)).fetchone()
        return Page.of_json(zlib.decompress(kept))

    def mark_due(self, address: int, count: int) -> bool:
        """Mark the item of ``count`` pages that begins with a page as due; False if as many were written already."""
        query = "UPDATE messages SET due = ? WHERE address = ? AND written < ?"
        return self._database.execute(query, (count, address, count)).rowcount > 0

    def urls(self) -> list[tuple[int, str]]:
        """Return the id and URL of each page."""
        query = "SELECT id, url FROM messages JOIN addresses ON id = address ORDER BY id"
        return self._database.execute(query).fetchall()

    def add_thread(self, address: int, probability: float) -> None:
        """Store the probability of an item, held or not, that it is a thread."""
        self._database.execute("INSERT OR REPLACE INTO threads VALUES (?, ?)", (address, probability))

    def shares(self) -> list[tuple[str, str, int, float]]:
        """Return, by host and pattern, the number of items, also those on their way, and the sum of probabilities."""
        query = (
            "SELECT host, pattern, COUNT(*), TOTAL(probability) FROM addresses LEFT JOIN threads ON id = address"
            " WHERE owner IS NULL AND (outcome IN ('item', 'known') OR state = 1) GROUP BY 1, 2"
        )
        return self._database.execute(query).fetchall()

    def leave_out(self) -> int:
        """Return the number of pages that are in no item, and were not counted before."""
        return self._database.execute("UPDATE messages SET due = -1 WHERE due = 0").rowcount

    def write(self, address: int) -> bool:
        """Record that the item that begins with a page is written; return False if it was not due."""
        query = "UPDATE messages SET written = due WHERE address = ? AND written < due"
        return self._database.execute(query, (address,)).rowcount > 0


class Rounds:
    """The rounds in the file of a crawl; ``number`` is the number of the current one."""

    def __init__(self, database: sqlite3.Connection, contents: KnownContents) -> None:
        self._database, self._contents = database, contents
        self.number: int = database.execute("SELECT MAX(round) FROM rounds").fetchone()[0]

    def complete(self) -> None:
        """Record that nothing is left to fetch."""
        self._database.execute("UPDATE rounds SET complete = 1 WHERE round = ?", (self.number,))

    def begin(self, starts: Iterable[str] = ()) -> list[tuple[str, str, str, Outcome]]:
        """Begin a round if the current one is complete; return the pages that count as not fetched again.

        These are the start URLs (``starts`` are their keys), lists, all pages that led to items, and failed URLs; each
        has its host, pattern, URL and outcome. Next pages of lists, lists that led to nothing and missing pages are
        removed, so that they are fetched if they are linked again; the others wait with their outcome. Items become
        "known": those that wait do not yield an item.
        """
        (complete,) = self._database.execute("SELECT complete FROM rounds WHERE round = ?", (self.number,)).fetchone()
        if not complete:
            return []
        self.number += 1
        again = "(SELECT id FROM addresses WHERE state = 0 AND outcome IS NOT NULL)"
        found_again = "(SELECT id FROM addresses WHERE state = 2 AND outcome IN ('list', 'failed'))"
        with self._database:
            run = self._database.execute
            run("INSERT INTO rounds VALUES (?, 0)", (self.number,))
            run("UPDATE addresses SET outcome = 'known' WHERE outcome = 'item'")
            keys = [(key,) for key in starts]
            self._database.executemany("DELETE FROM addresses WHERE key = ? AND owner IS NOT NULL", keys)
            self._database.executemany("UPDATE addresses SET state = 0, depth = 0 WHERE key = ? AND state = 2", keys)
            run(f"UPDATE addresses SET state = 0 WHERE id IN ({_BOARDS} UNION {_LISTS} UNION {_FAILED})")  # noqa: S608
            columns = "SELECT host, pattern, url, outcome FROM addresses WHERE id IN"
            pages: list[Any] = run(f"{columns} {again} OR id IN {found_again}").fetchall()
            self._contents.forget(again)
            self._contents.forget(found_again)
            run("UPDATE addresses SET outcome = NULL WHERE state = 0 AND outcome = 'failed'")
            run(f"UPDATE addresses SET via = 0 WHERE via IN {found_again}")  # noqa: S608  its id may be used again
            run(f"DELETE FROM addresses WHERE owner IN {found_again}")  # noqa: S608
            run(f"DELETE FROM addresses WHERE id IN {found_again}")  # noqa: S608
        return pages

    def resume(self) -> None:
        """Queue the URLs again that were being fetched when an earlier run ended, and forget the URLs they covered."""
        with self._database:
            self._database.execute("UPDATE addresses SET state = 0 WHERE state = 1")
            undone = "(SELECT id FROM addresses WHERE state = 0 AND outcome IS NULL)"
            self._database.execute(
                f"UPDATE addresses SET state = 0, owner = NULL, outcome = NULL"  # noqa: S608  no values in it
                f" WHERE owner IN {undone} AND pattern IS NOT NULL"
            )
            self._database.execute(f"DELETE FROM addresses WHERE owner IN {undone}")  # noqa: S608
            self._contents.forget(undone)
