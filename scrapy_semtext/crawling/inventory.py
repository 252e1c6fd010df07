"""The outcomes of the URLs of a crawl, for its summary and its report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from scrapy_semtext.crawling.entries import Entry

_EXAMPLES = 3


class Failures(NamedTuple):
    """A reason why URLs failed, the number of these URLs, and some examples."""

    reason: str
    number: int
    examples: list[str]


class Waiting(NamedTuple):
    """The number of waiting URLs of a pattern; ``role`` is the role of the links to them."""

    host: str
    pattern: str
    role: str
    number: int


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
            "SELECT host, pattern, MAX(role), COUNT(*) FROM addresses WHERE state = 0"
            " GROUP BY host, pattern ORDER BY 4 DESC, 1, 2 LIMIT ?"
        )
        return [Waiting(*row) for row in self._rows(query, most)]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._database.execute(query, values).fetchall()
