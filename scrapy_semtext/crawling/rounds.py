"""The rounds of a job: each but the first one looks for what is new since the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from scrapy_semtext.crawling.known_contents import KnownContents


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
