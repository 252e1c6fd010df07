"""The contents of pages that were fetched, in the file of a frontier: under which address a text was seen before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.crawling.contents import MOST_BITS, bits_between

if TYPE_CHECKING:
    import sqlite3

    from scrapy_semtext.crawling.contents import Signature

_SCHEMA = """
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
        database.executescript(_SCHEMA)

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
