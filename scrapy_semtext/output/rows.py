"""Many small values of one class, made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_semtext.utils.extensions import walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    T = TypeVar("T")


def rows_of(kind: type[T], columns: Mapping[str, Sequence[Any]]) -> list[T]:
    """Return values of a dataclass with slots; ``columns`` has texts and numbers for each field, in the order of these.

    What is compiled makes them without a call of the class for each, and unknown to the garbage collector: texts and
    numbers are in no cycles. Raises ValueError for columns of different lengths.
    """
    if walk is None:
        return [kind(*row) for row in zip(*columns.values(), strict=True)]
    made: list[T] = walk.made(kind, tuple(columns), tuple(map(list, columns.values())))
    return made
