"""What a page says of itself in its head, and which of its text blocks say the same.

The summary in a page's <meta> elements mostly is the beginning of the main content, or says the same in other words, so
the blocks that hold its words tell where the main content is, in any language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.text.tokens import runs_in_lower_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml import etree
    from numpy.typing import NDArray

_NAMES = frozenset(("description", "og:description"))
# Function words are in any text; those of so many letters and more tell what a text is about.
_LONG = 4
# A block is compared by its beginning.
_LOOK = 1500


class Description(NamedTuple):
    """A page's description beside its blocks.

    ``text``: the description, "" without one; ``share``: (blocks,) of the words of each block, how many the description
    has, 0 to 1; ``coverage``: (blocks,) of the different words of the description, how many each block has, 0 to 1.
    """

    text: str
    share: NDArray[np.float64]
    coverage: NDArray[np.float64]


def description_of(named: Iterable[etree._Element], texts: Sequence[str]) -> Description:
    """Return a page's description, the longest if it has several, and how the texts of its blocks compare with it.

    ``named`` are elements of the page, with all of its <meta> among them.
    """
    text = max(_stated(named), key=len, default="")
    told = frozenset(_long_words(text))
    share, coverage = np.zeros(len(texts)), np.zeros(len(texts))
    if told:
        _compare(texts, told, share, coverage)
    return Description(text, share, coverage)


def _compare(
    texts: Sequence[str], told: frozenset[str], share: NDArray[np.float64], coverage: NDArray[np.float64]
) -> None:
    """Write the shares of a `Description` by its long words."""
    for place, block in enumerate(texts):
        words = _long_words(block[:_LOOK])
        if both := [word for word in words if word in told]:
            share[place] = len(both) / len(words)
            coverage[place] = len(set(both)) / len(told)


def _long_words(text: str) -> list[str]:
    return [word for word in runs_in_lower_case(text) if len(word) >= _LONG]


def _stated(named: Iterable[etree._Element]) -> Iterator[str]:
    for meta in named:
        if meta.tag != "meta":
            continue
        if (meta.get("name") or "").lower() in _NAMES or meta.get("property") == "og:description":
            yield meta.get("content") or ""
