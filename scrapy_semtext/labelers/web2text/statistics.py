"""What Web2Text counts in the text of a block; counts of a node are the sums of those of its blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.segmentation import TextBlock

#: The columns of `counts`; those from "copyright" on are 0 or 1.
COUNTS = (
    "characters",
    "words",
    "word characters",
    "stop words",
    "capitals",
    "punctuation",
    "digits",
    "sentences",
    "link characters",
    "copyright",
    "email",
    "url",
    "year",
)

# The paper's marks, and what stands for them in Chinese and Japanese.
_MARKS = ".,?;:!。，、？；：！"
_QUESTION_MARKS = "?？"
_PUNCTUATION = re.compile(f"[{_MARKS}]")
_SENTENCE_END = re.compile(r"(?<![.?!])[.?!]+(?=\s|$)|[。？！]+|\n")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_EMAIL = re.compile(r"\w@\w[\w-]*\.\w")
_URL = re.compile(r"\b(?:https?|ftp)://[^\s/]")
_YEAR = re.compile(r"\b\d{4}\b")


def counts(blocks: Sequence[TextBlock], stop: frozenset[str]) -> NDArray[np.float64]:
    """Count in each block's text; (blocks, COUNTS)."""
    return np.array([_row(block, stop) for block in blocks], dtype=np.float64).reshape(-1, len(COUNTS))


def endings(blocks: Sequence[TextBlock]) -> NDArray[np.bool_]:
    """Whether each block ends with a punctuation mark, and whether with a question mark; (blocks, 2)."""
    rows = [(block.text[-1] in _MARKS, block.text[-1] in _QUESTION_MARKS) for block in blocks]
    return np.array(rows, dtype=np.bool_).reshape(-1, 2)


def _row(block: TextBlock, stop: frozenset[str]) -> list[int]:
    text = block.text
    words = _WORD.findall(text)
    return [
        len(text),
        len(words),
        sum(map(len, words)),
        sum(word in stop for word in map(str.lower, words)),
        sum(word[0].isupper() for word in words),
        len(_PUNCTUATION.findall(text)),
        len(_DIGIT.findall(text)),
        _sentences(text),
        block.link_chars,
        "©" in text,
        _EMAIL.search(text) is not None,
        _URL.search(text) is not None,
        _YEAR.search(text) is not None,
    ]


def _sentences(text: str) -> int:
    """How many sentences; what stands behind the last end of one is one too, and so is a line."""
    return sum(_WORD.search(part) is not None for part in _SENTENCE_END.split(text)) or 1
