"""Renumber a page's pairs after some of them were removed or reordered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.page import QAPair


def renumbered(pairs: Sequence[QAPair], positions: Mapping[int, int]) -> list[QAPair]:
    """Return the kept pairs in their new order, with ``answer_to`` adjusted to the new positions.

    ``positions`` maps the index of each kept pair, from 0, to its new position, from 1; pairs are returned in the order
    of the mapping. If the answer that a pair replies to is not kept, ``answer_to`` becomes the position of the nearest
    kept answer above it, or None. Time is linear in the pairs.
    """
    nearest: dict[int, int | None] = {**positions}
    kept = []
    for place in positions:
        pair, answer_to = pairs[place], _position_above(pairs, place, nearest)
        kept.append(pair if pair.answer_to == answer_to else replace(pair, answer_to=answer_to))
    return kept


def _position_above(pairs: Sequence[QAPair], place: int, nearest: dict[int, int | None]) -> int | None:
    """Return the new position of the nearest kept answer above a pair; None for the question.

    ``nearest`` maps kept pairs to their position; pairs not kept are added with the position of the nearest answer
    above.
    """
    passed = []
    above = _place_above(pairs, place)
    while above is not None and above not in nearest:
        nearest[above] = None  # until it is known; this also ends cycles of pairs that answer each other
        passed.append(above)
        above = _place_above(pairs, above)
    position = None if above is None else nearest[above]
    nearest.update(dict.fromkeys(passed, position))
    return position


def _place_above(pairs: Sequence[QAPair], place: int) -> int | None:
    answer_to = pairs[place].answer_to
    return answer_to - 1 if answer_to is not None and 1 <= answer_to <= len(pairs) else None
