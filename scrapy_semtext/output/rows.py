"""Many small values of one class, made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    T = TypeVar("T")


def rows_of(kind: type[T], columns: Mapping[str, Sequence[Any]]) -> list[T]:
    """Return values of a class; ``columns`` has the values of each of its fields, in their order.

    Raises ValueError for columns of different lengths.
    """
    return [kind(*row) for row in zip(*columns.values(), strict=True)]
