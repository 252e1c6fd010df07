"""The scores as a Markdown table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from research.site_crawls.measure import Row

_HEADS = (
    "engine", "crawl", "pages", "lists", "budget", "requests", "found", "wasted", "word F1", "pair F1",
    "items", "no content", "fetched twice", "items twice", "in parts", "s",
)  # fmt: skip


def table(rows: Iterable[Row]) -> str:
    """A line for each crawl."""
    lines = [_HEADS, ("---", "---", *["--:"] * (len(_HEADS) - 2)), *map(_cells, rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _cells(row: Row) -> tuple[str, ...]:
    score = row.score
    counts = [score.pages, score.lists, row.budget, score.requests]
    shares = [score.found, score.wasted, score.words, score.pairs]
    rest = [score.items, score.others, score.twice, score.items_twice, score.in_parts]
    return (
        row.engine,
        row.way,
        *map(str, counts),
        *(f"{share:.3f}" for share in shares),
        *map(str, rest),
        f"{row.seconds:.0f}",
    )
