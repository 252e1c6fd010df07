"""Titles of boxes in the text, such as "Warning" or the line that opens one: content where what they stand above is."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import Scope, TextBlock

# A title has at most so many words; so far around the first element that holds it and the text is the box.
_MOST_WORDS, _LEVELS = 8, 4
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:admonition(?:block)?|alert|aside|attention|callout|caution|custom-block|danger|hint|important"
    r"|information-macro|note|notice|tip|warning)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def with_titles(blocks: Sequence[TextBlock], keep: NDArray[np.bool_], words: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which blocks are main content, (blocks,), with the titles of boxes in it.

    ``blocks`` are those of a page, ``keep`` says which are main content so far, ``words`` how many words each has.
    """
    result: NDArray[np.bool_] = keep.copy()
    for place in (~keep[:-1] & keep[1:] & (words[:-1] <= _MOST_WORDS)).nonzero()[0].tolist():
        block = blocks[place]
        if not block.link_chars and block.scope.tag != "button" and _LETTER.search(block.text):
            before = blocks[place - 1].scope if place else None
            result[place] = _heads_box(block.scope, blocks[place + 1].scope, before)
    return result


def _heads_box(scope: Scope, following: Scope, before: Scope | None) -> bool:
    """Whether a block in an element is the first one in a box that the next block stands in, too."""
    outside = set() if before is None else set(before.ancestry())
    beside = set(following.ancestry())
    shared = (around for around in scope.ancestry() if around in beside)
    return any(
        around not in outside and (around.tag == "details" or _NAMES.search(around.names))
        for around in islice(shared, _LEVELS)
    )
