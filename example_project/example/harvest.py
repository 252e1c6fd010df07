"""What came of a crawl by the spider "qa", in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from example.settings import CAN_DEDUP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

#: How many lines of the file are shown: the shortest, which are the same in each run.
SHOWN = 2

_REASONS = {
    "duplicate": "near-identical to another",
    "votes": "voted down",
    "answer_short": "answer too short",
}


def harvest_summary(path: Path, stats: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that say how many pairs there were, and show some of the file."""
    yield from _counted("pages read", stats.get("semtext/pages", 0))
    yield from _counted("items (pages, and threads)", stats.get("item_scraped_count", 0))
    yield from _counted("pairs in them", stats.get("semtext/pairs", 0))
    for reason, words in _REASONS.items():
        if count := stats.get(f"semtext/pairs/dropped/{reason}"):
            yield from _counted(f"  {words}", count)
    if not CAN_DEDUP:
        yield "  near-identical pairs are kept: datasketch is not installed (pip install '.[dedup]')"
    yield from _counted("pairs kept", stats.get("semtext/pairs/kept", 0))
    yield ""
    lines = path.read_text(encoding="utf-8").splitlines()
    yield from sorted(lines, key=lambda line: (len(line), line))[:SHOWN]
    yield ""
    yield f"all {len(lines)} lines: {path}"


def _counted(what: str, count: int) -> Iterator[str]:
    yield f"{what + ':':<29}{count:>5}"
