"""The words by which a page shows that it is a thread or a Q&A page: in names, in short texts, in its address."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from scrapy_semtext.qa.nodes import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from scrapy_semtext.qa.candidates import Candidate
    from scrapy_semtext.qa.nodes import PageNodes

_LETTERS = re.compile(r"[^\W\d_]+")
# Letters of ASCII, and bytes of all others, stay; what is left is cut with `_LETTERS` only where it has such others.
_IN_WORDS = bytes(code if code > 127 or chr(code).isalpha() else 32 for code in range(256))
_SHORT = 30  # characters of a text that is a label, a button or a heading of a box
_LONGEST = 100  # characters of a word that is looked for in such texts; none is as long
_CLIP = 2.0
_BEST = (5, 20)
_OUTERMOST = 3  # elements whose names tell what the page as a whole is

# What threads and Q&A pages are called in addresses, and what their parts are called in names.
_ADDRESS = frozenset(
    """
    forum forums topic topics thread threads discussion discussions viewtopic showthread viewthread question questions
    post posts community board boards talk answers answer qa ask messages
    """.split()
)
_PARTS = tuple(
    frozenset(words.split())
    for words in (
        "answer answers",
        "question questions",
        "reply replies",
        "thread threads topic topics",
        "post posts message messages",
        "forum forums community board discussion discussions",
        "vote votes upvote accepted helpful",
    )
)
_ANY_PART = frozenset[str]().union(*_PARTS)
_LEVELS, _LOOKED_AT = 5, 10  # elements around a post, and posts, whose names are looked at

#: The names of `word_features`.
WORD_FEATURES = (
    *(f"{kind}_{what}" for kind in ("names", "labels") for what in ("sum", "best", "top")),
    "address",
    "address_words",
    *(f"near_{min(words)}" for words in _PARTS),
    "near_parts",
    "page_parts",
    "page_named",
)


#: Those of them that need no posts: what the gate goes by.
GATE_FEATURES = tuple(name for name in WORD_FEATURES if not name.startswith("near_"))


class Weights:
    """The log-odds of words in names and in labels, learned from threads and other pages."""

    def __init__(self, names: Mapping[str, float], labels: Mapping[str, float]) -> None:
        self.names = _weigher(names)
        self._labels = labels

    def labels(self, texts: list[str]) -> list[float]:
        """What `weighed` gives for the words of labels, which are all of the texts that are short enough."""
        return weighed(_words_of_labels(texts), self._labels)


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page: of all its class and id names, of its texts, and of its outermost names."""

    names: frozenset[str]
    texts: list[str]
    address: frozenset[str]
    outermost: frozenset[str]
    _weighed: list[tuple[Weights, list[float]]] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(cls, nodes: PageNodes, url: str | None) -> PageWords:
        """Collect the words of a page; ``url`` is its address if known."""
        looks = nodes.layout.element_types
        return cls(
            nodes.words,
            nodes.texts,
            frozenset(_address_words(url)),
            words_of([looks.words[look] for look in looks.of_scope[:_OUTERMOST].tolist()]),
        )

    @property
    def labels(self) -> frozenset[str]:
        """The words of labels: texts that are short."""
        return _words_of_labels(self.texts)

    def weighed(self, weights: Weights) -> list[float]:
        """What the weights of the names and of the labels say; the gate asks for the same as what comes behind it."""
        if not self._weighed or self._weighed[0][0] is not weights:
            self._weighed[:] = [(weights, [*weights.names(self.names), *weights.labels(self.texts)])]
        return self._weighed[0][1]

    def in_address(self) -> list[float]:
        """Whether the address has words of threads, and how many."""
        found = len(self.address & _ADDRESS)
        return [float(found > 0), float(found)]

    def of_page(self) -> list[float]:
        """How many of the parts of threads the page has names of, and whether its outermost elements have one."""
        parts = 0 if self.names.isdisjoint(_ANY_PART) else sum(not self.names.isdisjoint(part) for part in _PARTS)
        return [float(parts), float(not self.outermost.isdisjoint(_ANY_PART))]


def word_features(
    nodes: PageNodes,
    words: PageWords,
    candidate: Candidate,
    weights: Weights,
) -> list[float]:
    """The values of WORD_FEATURES for a page whose posts would be ``candidate``."""
    names = nodes.names_near(candidate[:_LOOKED_AT], _LEVELS)
    near = [float(not names.isdisjoint(part)) for part in _PARTS]
    return [*words.weighed(weights), *words.in_address(), *near, sum(near), *words.of_page()]


def gate_features(words: PageWords, weights: Weights) -> list[float]:
    """The values of GATE_FEATURES: of `word_features` those for which no posts have to be found."""
    return [*words.weighed(weights), *words.in_address(), *words.of_page()]


def _weigher(weights: Mapping[str, float]) -> Callable[[frozenset[str]], list[float]]:
    """What gives `weighed` for words by these weights."""
    return partial(weighed, weights=weights)


def weighed(words: AbstractSet[str], weights: Mapping[str, float]) -> list[float]:
    """The sum of the words' weights by the root of their number, and the means of the greatest 5 and 20."""
    known = [weight for weight in map(weights.get, words) if weight is not None]
    return _summed(-np.sort(-np.clip(np.array(known, dtype=np.float64), -_CLIP, _CLIP)))


def _summed(falling: NDArray[np.float64]) -> list[float]:
    """What `weighed` gives for weights from the greatest on."""
    if not len(falling):
        return [0.0, 0.0, 0.0]
    best = [float(np.add.reduce(falling[:most])) / min(most, len(falling)) for most in _BEST]
    return [float(np.add.reduce(falling)) / math.sqrt(len(falling)), *best]


def _words_of_labels(texts: list[str]) -> frozenset[str]:
    return _letters("\n".join([text for text in texts if len(text) <= _SHORT]).lower())


def _letters(text: str) -> frozenset[str]:
    """The runs of letters in a text. Those of ASCII are cut sooner than they are found."""
    words = frozenset(
        text.encode("utf-8", "surrogatepass").translate(_IN_WORDS).decode("utf-8", "surrogatepass").split()
    )
    if text.isascii():
        return words
    others = [word for word in words if not word.isascii()]
    return words.difference(others).union(*map(_LETTERS.findall, others)) if others else words


def _address_words(url: str | None) -> list[str]:
    if not url or not url.startswith(("http:", "https:")):
        return []
    try:
        parts = urlsplit(url.lower())
    except ValueError:
        return []
    return _LETTERS.findall(f"{parts.netloc} {parts.path} {parts.query}")
