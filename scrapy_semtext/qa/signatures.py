"""Numbers by which elements of a page are told to be alike: by tags, by names, by those of the elements around them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.scope_tree import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ElementTypes

    Ints = NDArray[np.int64]

_DIGITS = re.compile(r"\d+")


def numbers_of(types: ElementTypes, parent: Ints) -> Ints:
    """Number the scopes of a page, parents before their children, from 0 on in the order of the first of each kind.

    (4, scopes): numbers of equal tags and names, digits aside; whether there are such names; numbers of equal tags; of
    equal tags all the way from the root. ``types``: their tags and names; ``parent``: that of each scope, -1 for the
    first; (scopes,).
    """
    of_looks = _of_looks(types.pairs)
    numbers = np.empty((4, len(parent)), dtype=np.int64)
    numbers[:3] = of_looks[:, types.of_scope]
    known: dict[tuple[int, int], int] = {}
    paths: list[int] = []
    for tag, above in zip(numbers[2].tolist(), parent.tolist(), strict=True):
        paths.append(known.setdefault((paths[above] if above >= 0 else -1, tag), len(known)))
    numbers[3] = paths
    return numbers


def _of_looks(different: list[tuple[str, str]]) -> Ints:
    """The first three of these numbers, of tags with names; (3, looks)."""
    tags = [tag for tag, _ in different]
    names = [_without_digits(names) if names else "" for _, names in different]
    own = numbered(zip(tags, names, strict=True))
    return np.array([own, [name != "" for name in names], numbered(tags)], dtype=np.int64)


def signatures_of(numbers: Ints, parent: Ints) -> Ints:
    """The four kinds of signatures of `scrapy_semtext.qa.nodes.PageNodes`, (4, nodes), from `numbers_of`.

    ``parent``: that of each node, -1 for the first; (nodes,).
    """

    def above(values: NDArray[Any]) -> Ints:
        outer: Ints = np.append(values, -1)[parent]
        return outer

    own, named = numbers[0], numbers[1] > 0
    whole = _equal(own, above(own), above(above(own)))
    near = np.where(named | (above(numbers[1]) > 0), _codes(own, above(own)), ~whole)
    ordinal = np.where(named, -1, _places(parent))
    return np.stack([whole, _equal(near), _equal(np.where(named, own, ~whole)), _equal(whole, ordinal, above(ordinal))])


def _places(parent: Ints) -> Ints:
    """The place of each node among those of the same parent, from 0 on; (nodes,)."""
    order = np.argsort(parent, kind="stable")
    places = np.empty(len(parent), dtype=np.int64)
    places[order] = np.arange(len(parent))
    return places - np.searchsorted(parent[order], parent)


def _equal(*columns: Ints) -> Ints:
    """Numbers of equal rows, from 0 on; (rows,). Of three columns each may have two million numbers."""
    return np.unique(_codes(*columns), return_inverse=True)[1]


def _codes(*columns: Ints) -> Ints:
    """Numbers of equal rows, in the order of the columns; (rows,)."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values = column - column.min(initial=0)
        codes = codes * (values.max(initial=0) + 1) + values
    return codes


@lru_cache(maxsize=1 << 14)
def _without_digits(names: str) -> str:
    """The different names in an attribute, in their order as text, without digits."""
    return " ".join(sorted({_DIGITS.sub("", name) for name in names.split()}))
