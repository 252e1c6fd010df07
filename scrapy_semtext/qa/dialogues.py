"""Pairs whose answers answer each other, as dialogues: one along each branch of replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def dialogues(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield the turns of each dialogue: the question, an answer, a reply to it, an answer to the reply and so on.

    ``rows`` are the pairs of one page (`scrapy_semtext.qa.pair_rows`). A last reply that nobody answers is left out, so
    that the number of turns is even. No dialogue is the beginning of another. Replies whose parent was filtered out are
    left out, with those to them.
    """
    depths = [row["depth"] or 1 for row in rows]  # items of spiders may have pairs without one
    above = _above(rows, depths)
    ends = [place for place in range(len(rows)) if place in above and depths[place] % 2]
    go_on = {above[parent] for end in ends if (parent := above[end]) is not None}
    for end in ends:
        if end not in go_on:
            branch = [*_branch(end, above)][::-1]
            yield [rows[branch[0]]["question"], *(rows[place]["answer"] for place in branch)]


def _above(rows: Sequence[Mapping[str, Any]], depths: Sequence[int]) -> dict[int, int | None]:
    """The place of what each row replies to, None for the question, of those from which that leads to the question."""
    places = {row["position"]: place for place, row in enumerate(rows)}
    above: dict[int, int | None] = {}
    for place in sorted(range(len(rows)), key=depths.__getitem__):  # parents come before replies
        answer_to = rows[place]["answer_to"]
        parent = None if answer_to is None else places.get(answer_to)
        if depths[place] == (1 if parent is None else depths[parent] + 1) and (parent is None or parent in above):
            above[place] = parent
    return above


def _branch(place: int | None, above: Mapping[int, int | None]) -> Iterator[int]:
    """The places of a row and of those above it."""
    while place is not None:
        yield place
        place = above[place]
