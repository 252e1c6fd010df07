"""Where sentences end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Signs that end a sentence, behind them perhaps brackets, quotation marks and footnotes, then space and no closing or
# joining sign; or a full stop of Chinese or Japanese, which needs no space.
_END = re.compile(
    r"""(?<![.!?…])[.!?…]+['"“”‘’«»)\]]*(?:\[\d+\])*\s+(?=[^\s,;:)\]–—-])|[。！？][」』】”’)]*\s*""",
)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_ABBREVIATIONS = frozenset(
    """
    approx art bzw ca capt cf ch co col corp dept dr ed eds eg esp est et etc ex fig figs gen gov inc jr lt ltd max min
    mme mr mrs ms mt nos nr op pp prof rep rev sec sen sgt sr st str tel usw vgl vol vs
    """.split()
)
_LONGEST = 8  # characters that an abbreviation is looked for in


def sentence_starts(text: str, begin: int, end: int) -> Iterator[int]:
    """Yield where the sentences of ``text[begin:end]`` begin, but for the first.

    A dot behind an abbreviation or an initial ends no sentence, nor does any sign before a small letter.
    """
    for found in _END.finditer(text, begin, end):
        at = found.end()
        if at < end and not text[at].islower() and not _is_abbreviated(text, found.start(), begin):
            yield at


def _is_abbreviated(text: str, at: int, begin: int) -> bool:
    """Whether the sign at a place is the dot of an abbreviation or an initial."""
    if text[at] != ".":
        return False
    word = _LAST_WORD.search(text[max(begin, at - _LONGEST) : at])
    return word is not None and ((len(word[0]) == 1 and word[0] != "I") or word[0].lower() in _ABBREVIATIONS)
