"""Scores of a text against the truth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_WORD = re.compile(r"\w+")


class PRF(NamedTuple):
    """Precision, recall and their harmonic mean, each 0 to 1."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[str]:
    r"""Return the lower-cased words (``\w+``) of a text."""
    return _WORD.findall(text.lower())


def word_prf(predicted: str, truth: str) -> PRF:
    """Compare two texts as bags of words, the measure of the WCXB benchmark."""
    found, expected = Counter(words(predicted)), Counter(words(truth))
    return prf((found & expected).total(), found.total(), expected.total())


def prf(overlap: float, predicted: float, expected: float) -> PRF:
    """Return precision, recall and F1 from counts; all 1 if ``predicted`` and ``expected`` are 0."""
    if not predicted and not expected:
        return PRF(1.0, 1.0, 1.0)
    if not overlap:
        return PRF(0.0, 0.0, 0.0)
    precision, recall = overlap / predicted, overlap / expected
    return PRF(precision, recall, 2 * precision * recall / (precision + recall))


def mean_prf(rows: Iterable[PRF]) -> PRF:
    """Return the mean of each column, zeros for no rows."""
    table = list(rows)
    return PRF(*(sum(column) / len(table) for column in zip(*table, strict=True))) if table else PRF(0.0, 0.0, 0.0)
