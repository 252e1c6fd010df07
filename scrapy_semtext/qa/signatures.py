"""Signatures of nodes: numbers that are equal for nodes with the same tags and names on the way up the tree.

All functions take the nodes of a batch of pages. Numbers are never shared by nodes of different pages, and those of one
page follow each other without gaps, so that they serve as group numbers for the batch and for each of its pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import numbered
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_DIGITS, _ASCII_DIGITS = re.compile(r"\d+"), b"0123456789"
_MOST_CODES = 1 << 62


def number_element_types(pairs: Sequence[tuple[str, str]]) -> Ints:
    """Number tags with names, each pair of a tag and an attribute string; int64, (3, pairs).

    The rows: numbers of equal tags and names, digits aside; 1 where such names are left, else 0; numbers of equal tags.
    """
    tags = [tag for tag, _ in pairs]
    names = [_without_digits(names) if names else "" for _, names in pairs]
    own = numbered(zip(tags, names, strict=True))
    return np.array([own, [name != "" for name in names], numbered(tags)], dtype=np.int64)


def number_tag_paths(tags: Ints, parent: Ints, page: Ints) -> Ints:
    """Number equal sequences of tags from the root of a page down to a node; (nodes,).

    ``parent``: the parent of each node, a root being its own; ``page``: the page of each node. By doubling: a number of
    the next 2^k tags upward and that of the 2^k tags above these make one of 2^(k+1) tags.
    """
    end = len(parent)  # stands above all roots
    jump = np.append(np.where(parent == np.arange(end), end, parent), end)
    numbers = np.append(tags, -1)
    while True:
        numbers[:-1] = number_rows(numbers[:-1], numbers[jump[:-1]])
        if (jump == end).all():
            return number_rows(page, numbers[:-1])
        jump = jump[jump]


def signatures_of(numbers: Ints, parent: Ints, page: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """The four kinds of signatures of `scrapy_semtext.qa.node_table.NodeTable`, (nodes,) each.

    ``numbers``: (3, nodes), those of `number_element_types` by node; ``parent``, ``page``: as for `number_tag_paths`.
    """
    is_root = parent == np.arange(len(parent))

    def above(values: Ints) -> Ints:
        outer: Ints = np.where(is_root, -1, values[parent])
        return outer

    own, named = numbers[0], numbers[1] > 0
    whole = number_rows(page, own, above(own), above(above(own)))
    near = np.where(named | (above(numbers[1]) > 0), combine(own, above(own)), ~whole)
    ordinal = np.where(named, -1, _sibling_ranks(np.where(is_root, ~page, parent)))
    return (
        whole,
        number_rows(page, near),
        number_rows(page, np.where(named, own, ~whole)),
        number_rows(whole, ordinal, above(ordinal)),
    )


def number_rows(*columns: Ints) -> Ints:
    """Number equal rows from 0 on, in the order of the columns' values, the first column first; (rows,)."""
    return np.unique(combine(*columns), return_inverse=True)[1]


def combine(*columns: Ints) -> Ints:
    """One integer for each row, equal for equal rows, in the order of the columns' values; (rows,)."""
    codes, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        values = column - column.min(initial=0)
        count = int(values.max(initial=0)) + 1
        if size * count > _MOST_CODES:
            codes = np.unique(codes, return_inverse=True)[1]
            size = len(codes)
        codes, size = codes * count + values, size * count
    return codes


def _sibling_ranks(parent: Ints) -> Ints:
    """The rank of each node among those of the same parent, from 0 on; (nodes,)."""
    order = np.argsort(parent, kind="stable")
    ranks = np.empty(len(parent), dtype=np.int64)
    ranks[order] = np.arange(len(parent))
    return ranks - np.searchsorted(parent[order], parent)


@remembered(1 << 14)
def _without_digits(names: str) -> str:
    """The distinct names in an attribute, sorted, without digits."""
    names = " ".join(names.split())
    if names.isascii():
        names = names.encode("ascii").translate(None, _ASCII_DIGITS).decode("ascii")
    else:
        names = _DIGITS.sub("", names)
    return " ".join(sorted({*names.split(" ")}))
