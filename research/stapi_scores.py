"""Agreement of segments with annotated ones (the STAPI task).

Two texts are compared word by word after aligning them. An annotated segment has the label of most of its words; words
without alignment count as irrelevant.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The classes of segments; irrelevant text is none of the document.
IRRELEVANT = "irrelevance"
LABELS = ("title", "prose", "miscellany", IRRELEVANT)

#: A text with its label.
Labeled = tuple[str, str]

_WORD = re.compile(r"\w+")
# For more pairs of words, frequent words are ignored: the alignment would take minutes.
_LARGE = 4e7


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def matches(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return where two texts agree, as (begin in the first, begin in the second, words)."""
    matcher = SequenceMatcher(None, first, second, autojunk=len(first) * len(second) >= _LARGE)
    return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]


def places_of(annotated: Sequence[Labeled], texts: Sequence[str]) -> list[list[int]]:
    """Align annotated segments to the texts of a page: for each word of each segment the index of its text, or -1."""
    split = [words(text) for text, _ in annotated]
    own = [(word, number) for number, text in enumerate(texts) for word in words(text)]
    found = [-1] * sum(map(len, split))
    for a, b, size in matches([word for part in split for word in part], [word for word, _ in own]):
        found[a : a + size] = [number for _, number in own[b : b + size]]
    result, at = [], 0
    for part in split:
        result.append(found[at : at + len(part)])
        at += len(part)
    return result


def label_by(annotated: Sequence[Labeled], places: Sequence[Sequence[int]], count: int) -> list[str | None]:
    """Give each of ``count`` texts the label that most of its aligned words have; None where none is aligned."""
    votes: list[Counter[str]] = [Counter() for _ in range(count)]
    for (_, label), numbers in zip(annotated, places, strict=True):
        for number in numbers:
            if number >= 0:
                votes[number][label] += 1
    return [vote.most_common(1)[0][0] if vote else None for vote in votes]


@dataclass(slots=True)
class SectionScores:
    """Counts over pages. ``confusion`` counts annotated segments by (label, found label)."""

    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    covered: int = 0
    total: int = 0

    def add(self, annotated: Sequence[Labeled], places: Sequence[Sequence[int]], labels: Sequence[str]) -> None:
        """Count one page; ``places`` is its alignment to texts, ``labels`` are the predicted labels of these."""
        for (_, label), numbers in zip(annotated, places, strict=True):
            if not numbers:
                continue
            given = [labels[number] if number >= 0 else IRRELEVANT for number in numbers]
            self.confusion[label, Counter(given).most_common(1)[0][0]] += 1
            if label != IRRELEVANT:
                self.total += len(given)
                self.covered += sum(one != IRRELEVANT for one in given)

    @property
    def coverage(self) -> float:
        """The share of the words of relevant segments that were found relevant."""
        return self.covered / self.total if self.total else 0.0

    def weighted_f1(self, labels: Sequence[str] = ("title", "prose")) -> float:
        """The F1 of these labels, weighted by how often they are true, over all segments."""
        return weighted(self.confusion, labels)[2]

    def relevance(self) -> tuple[float, float]:
        """Precision and recall of relevant and irrelevant, weighted."""
        counts: Counter[tuple[str, str]] = Counter()
        for (label, found), n in self.confusion.items():
            counts[str(label != IRRELEVANT), str(found != IRRELEVANT)] += n
        return weighted(counts, ("True", "False"))[:2]


def weighted(confusion: Counter[tuple[str, str]], labels: Sequence[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of labels, weighted by how often each is true."""
    total = sum(n for (label, _), n in confusion.items() if label in labels) or 1
    sums = [0.0, 0.0, 0.0]
    for label in labels:
        hits = confusion[label, label]
        expected = sum(n for (true, _), n in confusion.items() if true == label)
        predicted = sum(n for (_, found), n in confusion.items() if found == label)
        precision, recall = hits / (predicted or 1), hits / (expected or 1)
        f1 = 2 * hits / ((predicted + expected) or 1)
        for column, value in enumerate((precision, recall, f1)):
            sums[column] += value * expected / total
    return sums[0], sums[1], sums[2]
