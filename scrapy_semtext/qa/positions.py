"""Some of a page's pairs, with what each answers counted anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.page import QAPair


def renumbered(pairs: Sequence[QAPair], positions: Mapping[int, int]) -> list[QAPair]:
    """Return some of the pairs with ``answer_to`` as it is when they stand elsewhere.

    ``positions`` gives the new position, counted from 1, for the place of each pair that is kept, counted from 0; pairs
    are returned in its order. Where what a pair answers is not kept, ``answer_to`` becomes the position of the nearest
    answer above that is, or None. Time is linear in the pairs.
    """
    nearest: dict[int, int | None] = {**positions}
    kept = []
    for place in positions:
        pair, answer_to = pairs[place], _position_above(pairs, place, nearest)
        kept.append(pair if pair.answer_to == answer_to else replace(pair, answer_to=answer_to))
    return kept


def _position_above(pairs: Sequence[QAPair], place: int, nearest: dict[int, int | None]) -> int | None:
    """The new position of the nearest kept answer above a pair; None for the question.

    ``nearest`` has the position of each pair that is kept; for those that are not, the position of the nearest answer
    above is added.
    """
    passed = []
    above = _place_above(pairs, place)
    while above is not None and above not in nearest:
        nearest[above] = None  # until it is known; pairs that answer each other in a circle end here
        passed.append(above)
        above = _place_above(pairs, above)
    position = None if above is None else nearest[above]
    nearest.update(dict.fromkeys(passed, position))
    return position


def _place_above(pairs: Sequence[QAPair], place: int) -> int | None:
    answer_to = pairs[place].answer_to
    return answer_to - 1 if answer_to is not None and 1 <= answer_to <= len(pairs) else None
