"""What repeats on a page: elements of one look beside each other, and linked blocks of one look wherever they stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock

#: How many groups of siblings are described, and by what.
GROUPS = 3
GROUP = "log_count chars links log_mean_chars prose headings blocks images linked".split()

#: What describes the linked blocks of one look.
TEASERS = "log_count mean_chars chars gap first last distinct".split()

_LEAST = 3
# So many columns of what the elements hold are summed up.
_SUMMED = 5
_LOOKED_AT = 8
# A link counts as a teaser by so many characters at most, and from so many on.
_MOST_CHARS, _LEAST_CHARS = 80, 15


def groups(layout: ScopeTree, totals: NDArray[np.float64]) -> list[float]:
    """The groups of like siblings that hold most text (teasers, posts, products), none inside another.

    ``totals``: (columns, scopes), of which the first five are characters, those in links, blocks, characters of prose,
    headings.
    """
    sums = np.empty((GROUPS, _SUMMED + 2))
    members = _heaviest(layout, totals, sums)
    found: list[float] = []
    for own, row in zip(members, sums.tolist(), strict=False):
        elements = [layout.scopes[at].element for at in own]
        found += _group(elements, *row, whole=totals[0, 0])
    return found + [0.0] * (GROUPS * len(GROUP) - len(found))


def _heaviest(layout: ScopeTree, totals: NDArray[np.float64], sums: NDArray[np.float64]) -> list[list[int]]:
    """The first members of those groups.

    Writes how many members each has, the sums of `_SUMMED` columns, and how many have links: (GROUPS, _SUMMED + 2).
    """
    of_scope = layout.alike
    times = np.bincount(of_scope)
    chars = np.where(times < _LEAST, 0.0, np.bincount(of_scope, totals[0]))
    members = np.argsort(of_scope, kind="stable")
    ends = times.cumsum()
    firsts = layout.first[members[ends - times]].tolist()
    lasts = layout.last[members[ends - 1]].tolist()
    heaviest = np.argsort(-chars, kind="stable")[: np.count_nonzero(chars)].tolist()
    taken: list[tuple[int, int]] = []
    found: list[list[int]] = []
    for group in heaviest:
        first, last = firsts[group], lasts[group]
        if all(last <= begin or end <= first for begin, end in taken):
            own = members[ends[group] - times[group] : ends[group]]
            sums[len(found)] = len(own), *totals[:_SUMMED, own].sum(1), np.count_nonzero(totals[1, own])
            found.append(own[:_LOOKED_AT].tolist())
            taken.append((first, last))
            if len(taken) == GROUPS:
                break
    return found


def _group(
    elements: list[Any],
    count: float,
    chars: float,
    links: float,
    blocks: float,
    prose: float,
    headings: float,
    linked: float,
    *,
    whole: float,
) -> list[float]:
    return [
        math.log1p(count),
        chars / whole,
        links / chars,
        math.log1p(chars / count),
        prose / chars,
        headings / count,
        blocks / count,
        _with_images(elements) / len(elements),
        linked / count,
    ]


def _with_images(elements: list[Any]) -> int:
    return sum(next(element.iter("img"), None) is not None for element in elements)


def teasers(
    blocks: Sequence[TextBlock], layout: ScopeTree, chars: NDArray[np.float64], linked: NDArray[np.bool_]
) -> list[float]:
    """The linked blocks of one look that hold most text, those that follow each other counting less (menus).

    The look is that of the block's element and of the one around it. ``chars``: (blocks,), ``linked``: (blocks,),
    whether most of a block is in links.
    """
    places = np.flatnonzero(linked)
    scopes, of_scope = layout.of_block[places], layout.looks.of_scope
    numbers = of_scope[scopes] * len(layout.looks.different) + of_scope[layout.parent[scopes]]
    looks: dict[int, list[int]] = {}
    for look, at in zip(numbers.tolist(), places.tolist(), strict=True):
        looks.setdefault(look, []).append(at)
    best: list[int] = []
    most = 0.0
    lengths = chars.tolist()
    for group in looks.values():
        if len(group) >= _LEAST:
            weight = sum(min(lengths[at], _MOST_CHARS) for at in group if lengths[at] > _LEAST_CHARS)
            weight *= 1.0 if _gap(group) > 1.5 else 0.3
            if weight > most:
                best, most = group, weight
    if not best:
        return [0.0] * len(TEASERS)
    held = sum(lengths[at] for at in best)
    return [
        math.log1p(len(best)),
        held / len(best),
        held / chars.sum(),
        _gap(best),
        best[0] / len(blocks),
        best[-1] / len(blocks),
        len({blocks[at].text for at in best}) / len(best),
    ]


def _gap(group: Sequence[int]) -> float:
    return (group[-1] - group[0]) / (len(group) - 1)
