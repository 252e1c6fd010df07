"""The element of each record, by those of the titles: the largest around a title that holds no other title."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHARED = -1
#: At most so many elements behind a record, up to the next, belong to it.
_MOST_BEHIND = 6
#: The share of records that is most of them.
_MOST = 0.6


class Extents:
    """The records around some titles, elements in page order. Time is linear in the elements around them.

    ``elements``: that of each record. ``height``: how many levels most records stand above their titles; those that
    could be higher, such as a lone record in a box, are not. ``alike``: the share of records of that height or more.
    """

    def __init__(self, titles: Sequence[Any]) -> None:
        chains = _chains(titles)
        self.height = _usual_height(chains)
        self.alike = sum(len(chain) > self.height for chain in chains) / len(titles)
        self.elements = [chain[min(len(chain) - 1, self.height)] for chain in chains]


def elements_of_records(titles: Sequence[Any], columns: Sequence[int]) -> list[list[Any]]:
    """The elements of the record of each title, given the number of the column that it is of; titles in page order.

    A record has one element and, where most records of its column have as many, those behind it up to the next.
    """
    chains = _chains(titles)
    records: list[list[Any]] = [[] for _ in titles]
    for column in sorted(set(columns)):
        places = [place for place, number in enumerate(columns) if number == column]
        height = _usual_height([chains[place] for place in places])
        elements = [chains[place][min(len(chains[place]) - 1, height)] for place in places]
        for place, element, behind in zip(places, elements, _behind_each(elements), strict=True):
            records[place] = [element, *behind]
    return records


def _usual_height(chains: Sequence[Sequence[Any]]) -> int:
    heights = Counter(map(len, chains))
    return max(heights, key=lambda height: (heights[height], height)) - 1


def _behind_each(elements: Sequence[Any]) -> list[list[Any]]:
    """The elements between each record and the next, if most have as many."""
    following = [_between(one, other) for one, other in pairwise(elements)]
    counted = Counter(len(between) for between in following if between is not None)
    common, times = counted.most_common(1)[0] if counted else (0, 0)
    if not common or times < _MOST * len(following):
        return [[] for _ in elements]
    return [
        between if between is not None and len(between) <= common else [*islice(element.itersiblings("*"), common)]
        for element, between in zip(elements, [*following, None], strict=True)
    ]


def _chains(titles: Sequence[Any]) -> list[list[Any]]:
    """For each title the elements around it that hold no other, from the inside out, itself first."""
    owners: dict[Any, int] = {}
    chains: list[list[Any]] = [[] for _ in titles]
    for number, title in enumerate(titles):
        element = title
        while element is not None:
            owner = owners.get(element)
            if owner is None:
                owners[element] = number
                chains[number].append(element)
            elif owner == _SHARED:
                break
            else:
                owners[element] = _SHARED
            element = element.getparent()
    for number, chain in enumerate(chains):
        while chain and owners[chain[-1]] != number:
            chain.pop()
        if not chain:  # a title that holds another, as a heading may hold links
            chain.append(titles[number])
    return chains


def _between(one: Any, other: Any) -> list[Any] | None:
    """The elements between two siblings; None if they are none, or stand too far apart."""
    behind = [*islice(one.itersiblings("*"), _MOST_BEHIND + 1)]
    return behind[: behind.index(other)] if other in behind else None
