"""Passages that stand on a page more than once: copies for other widths of screen, clones of carousels, teasers.

Such a passage is content once. On threads it is left as it is, as there a repeated passage is a quotation.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

#: Words from which on a passage counts once. Shorter ones are labels, cells and the like, which content repeats.
LEAST_WORDS = 10

#: What stands there more often is of the content itself, such as what documentation says of many things alike.
MOST_TIMES = 3

#: Where the page is likelier than this to be a thread, its repetitions are quotations.
MOST_THREAD = 0.5


def without_repeats(texts: Sequence[str], keep: NDArray[np.bool_], words: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which blocks are main content, (blocks,), without passages that stand among them before.

    ``texts`` and ``words`` are those of the page's blocks, (blocks,); ``keep``: which are main content so far. A
    passage is a run of blocks, as long as can be, each with the text of one block of an earlier run in the same order,
    case and white space aside, and none with a text that more than three of them have. It is left out if it has ten
    words.
    """
    kept = keep.nonzero()[0].tolist()
    result: NDArray[np.bool_] = keep.copy()
    comparable = _comparable([texts[place] for place in kept], words[kept].tolist())
    if len(set(comparable)) == len(comparable):
        return result
    for begin, end in _repeated(comparable):
        passage = kept[begin:end]
        if words[passage].sum() >= LEAST_WORDS:
            result[passage] = False
    return result


def _comparable(texts: Sequence[str], words: Sequence[float]) -> list[str]:
    """The texts without case and extra white space, but for those that no other can be like.

    Others have another number of words, or begin with another letter; no text begins with white space.
    """
    keys = [(length, text[:1].lower()) for text, length in zip(texts, words, strict=True)]
    times = Counter(keys)
    shared = [times[key] > 1 for key in keys]
    return [" ".join(text.lower().split()) if alike else text for text, alike in zip(texts, shared, strict=True)]


def _repeated(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the runs of texts, from and to (exclusive), that stand before in the same order."""
    times = Counter(texts)
    first: dict[str, int] = {}
    earlier = [
        first.setdefault(text, place) if times[text] <= MOST_TIMES else place for place, text in enumerate(texts)
    ]
    begin = 0
    while begin < len(texts):
        end = begin + 1
        if earlier[begin] < begin:
            while end < len(texts) and earlier[end] == earlier[end - 1] + 1 and earlier[end] < end:
                end += 1
            yield begin, end
        begin = end
