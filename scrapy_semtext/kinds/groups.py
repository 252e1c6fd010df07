"""What repeats on a page: elements of one look beside each other, and linked blocks of one look wherever they stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.compiled import elements as compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import TextBlock
    from scrapy_semtext.structure.layout import Layout

#: How many groups of siblings are described, and by what.
GROUPS = 3
GROUP = "log_count chars links log_mean_chars prose headings blocks images linked".split()

#: What describes the linked blocks of one look.
TEASERS = "log_count mean_chars chars gap first last distinct".split()

_LEAST = 3
_LOOKED_AT = 8
# A link counts as a teaser by so many characters at most, and from so many on.
_MOST_CHARS, _LEAST_CHARS = 80, 15


def groups(layout: Layout, totals: NDArray[np.float64]) -> list[float]:
    """The groups of like siblings that hold most text (teasers, posts, products), none inside another.

    ``totals``: (columns, scopes), of which the first five are characters, those in links, blocks, characters of prose,
    headings.
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
    found: list[float] = []
    for group in heaviest:
        first, last = firsts[group], lasts[group]
        if all(last <= begin or end <= first for begin, end in taken):
            taken.append((first, last))
            found += _group(layout, totals, members[ends[group] - times[group] : ends[group]])
            if len(taken) == GROUPS:
                break
    return found + [0.0] * (GROUPS * len(GROUP) - len(found))


def _group(layout: Layout, totals: NDArray[np.float64], own: NDArray[np.int64]) -> list[float]:
    count = len(own)
    chars, links, blocks, prose, headings = totals[:5, own].sum(1).tolist()
    looked_at = [layout.scopes[at].element for at in own[:_LOOKED_AT].tolist()]
    return [
        math.log1p(count),
        chars / totals[0, 0],
        links / chars,
        math.log1p(chars / count),
        prose / chars,
        headings / count,
        blocks / count,
        _with_images(looked_at) / len(looked_at),
        np.count_nonzero(totals[1, own]) / count,
    ]


def _with_images(elements: list[Any]) -> int:
    if compiled is not None:
        found: int = compiled.holding(elements, b"img")
        return found
    return sum(next(element.iter("img"), None) is not None for element in elements)


def teasers(
    blocks: Sequence[TextBlock], layout: Layout, chars: NDArray[np.float64], linked: NDArray[np.bool_]
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
