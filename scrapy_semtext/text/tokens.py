"""Tokens of texts: runs of letters, digits and underscores, which are the words of the word F1."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_semtext.text.characters import Characters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.utils.arrays import Floats

_TOKEN = re.compile(r"\w+")
# Most English text is ASCII except for the quotation marks and dashes of Windows-1252. Such text is encoded, bytes that
# are in no token are translated to spaces, and the result is split, in half the time of the pattern. All letters of the
# code page have their lower-case forms on it.
LATIN = "cp1252"
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace")
_LOWER = "".join(each.lower() if _TOKEN.match(each) else " " for each in _CHARACTERS).encode(LATIN)


def in_latin(text: str) -> bytes | None:
    """Return a text encoded as `LATIN`, or None if it has characters outside that code page."""
    if text.isascii():
        return text.encode("ascii")
    if text[0] not in _CHARACTERS:  # rules out most text in other scripts
        return None
    latin = text.encode(LATIN, "replace")  # faster than an exception
    return latin if latin.count(b"?") == text.count("?") else None


def lower_tokens(text: str) -> list[str]:
    """Return the tokens of a text in lower case, in order."""
    latin = in_latin(text)
    if latin is None:
        return _TOKEN.findall(text.lower())
    return latin.translate(_LOWER).decode("ascii" if text.isascii() else LATIN).split()


def word_counts(texts: Sequence[str]) -> Floats:
    """Return how many tokens each text has; (texts,)."""
    return Characters(texts).word_counts()
