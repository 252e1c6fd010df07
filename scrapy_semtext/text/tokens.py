"""Runs of letters, digits and underscores: words as the word F1 counts them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_RUN = re.compile(r"\w+")
# Text of ASCII and of the Latin page of Windows, which has the quotation marks and dashes that make much of English
# text more than ASCII: cutting it at spaces, once all that no run has is one, takes half the time. Letters have their
# small ones on the same page.
LATIN = "cp1252"
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace")
_IN_RUNS = bytes(code if _RUN.match(character) else ord(" ") for code, character in enumerate(_CHARACTERS))
_IN_RUNS_LOW = "".join(" " if code == ord(" ") else _CHARACTERS[code].lower() for code in _IN_RUNS).encode(LATIN)


def in_latin(text: str) -> bytes | None:
    """A text in `LATIN`, None if it has other characters."""
    if text.isascii():
        return text.encode("ascii")
    if text[0] not in _CHARACTERS:  # most text in other scripts: no need to try
        return None
    latin = text.encode(LATIN, "replace")  # takes less than an exception
    return latin if latin.count(b"?") == text.count("?") else None


def count_of_runs(text: str) -> int:
    """How many runs of word characters a text has."""
    latin = in_latin(text)
    return len(_RUN.findall(text)) if latin is None else len(latin.translate(_IN_RUNS).split())


def runs_in_lower_case(text: str) -> list[str]:
    """The runs of word characters of a text in lower case, in order."""
    latin = in_latin(text)
    if latin is None:
        return _RUN.findall(text.lower())
    return latin.translate(_IN_RUNS_LOW).decode("ascii" if text.isascii() else LATIN).split()


def word_counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """How many words each text has, as the word F1 counts them: runs of letters, digits and underscores."""
    return np.fromiter(map(count_of_runs, texts), np.float64, len(texts))
