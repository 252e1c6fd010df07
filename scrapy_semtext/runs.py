"""Runs of letters, digits and underscores: words as the word F1 counts them."""

from __future__ import annotations

import re

_RUN = re.compile(r"\w+")
# All of ASCII that no run has as a space: in such text, which most is, cutting at spaces takes half the time.
_IN_RUNS = bytes(code if code < 128 and _RUN.match(chr(code)) else ord(" ") for code in range(256))
_IN_RUNS_LOW = _IN_RUNS.lower()


def count_of_runs(text: str) -> int:
    """How many runs of word characters a text has."""
    if text.isascii():
        return len(text.encode("ascii").translate(_IN_RUNS).split())
    return len(_RUN.findall(text))


def runs_in_lower_case(text: str) -> list[str]:
    """The runs of word characters of a text in lower case, in order."""
    if text.isascii():
        return text.encode("ascii").translate(_IN_RUNS_LOW).decode("ascii").split()
    return _RUN.findall(text.lower())
