"""What a page says of itself in its head, and which of its text blocks say the same.

The summary in a page's <meta> elements mostly is the beginning of the main content, or says the same in other words, so
the blocks that hold its words tell where the main content is, in any language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.text.tokens import TokenTable, lower_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml import etree
    from numpy.typing import NDArray

_NAMES = frozenset(("description", "og:description"))
# Characters of the shortest words that are compared: shorter ones mostly are function words.
_LONG = 4
# Characters of a block that are compared.
_COMPARED = 1500


class Description(NamedTuple):
    """A page's description beside its blocks.

    ``text``: the description, "" without one; ``share``: (blocks,) of the words of each block, how many the description
    has, 0 to 1; ``coverage``: (blocks,) of the different words of the description, how many each block has, 0 to 1.
    """

    text: str
    share: NDArray[np.float64]
    coverage: NDArray[np.float64]


def description_of(metas: Iterable[etree._Element], texts: Sequence[str]) -> Description:
    """Return a page's description, the longest if it has several, and how the texts of its blocks compare with it.

    ``metas`` are elements of the page, with all of its <meta> among them.
    """
    text = max(_descriptions(metas), key=len, default="")
    words = frozenset(token for token in lower_tokens(text) if len(token) >= _LONG)
    if not words or not texts:
        return Description(text, np.zeros(len(texts)), np.zeros(len(texts)))
    tokens = TokenTable.of([block[:_COMPARED].lower() for block in texts], _LONG)
    found = tokens.matches(words)
    matches, distinct = (
        np.bincount([block for block, _ in each], minlength=len(texts)) for each in (found, set(found))
    )
    return Description(text, matches / np.maximum(tokens.counts(), 1), distinct / len(words))


def _descriptions(metas: Iterable[etree._Element]) -> Iterator[str]:
    for meta in metas:
        if meta.tag != "meta":
            continue
        if (meta.get("name") or "").lower() in _NAMES or meta.get("property") == "og:description":
            yield meta.get("content") or ""
