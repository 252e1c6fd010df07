"""Reductions of a column of all pages of a batch to one value for each page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.utils.arrays import Floats, Ints


def first_maximum(values: NDArray[Any], page: Ints, pages: int) -> tuple[Ints, Floats]:
    """Return the index of the first greatest value of each page, and that value; (pages,) each.

    ``page``: (values,), the page of each value. -1 and minus infinity for pages without values.
    """
    most = np.full(pages, -np.inf)
    np.maximum.at(most, page, values)
    places = np.flatnonzero(values == most[page])[::-1]
    first = np.full(pages, -1)
    first[page[places]] = places  # of several values for one place numpy keeps the last
    return first, most
