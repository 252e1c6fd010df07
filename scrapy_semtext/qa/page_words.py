"""Features of words in names and in the URL that distinguish threads and Q&A pages from other pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.nodes import words_of
from scrapy_semtext.text.words import attribute_words
from scrapy_semtext.utils.address import address_of
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from scrapy_semtext.qa.node_table import NodeTable
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.qa.runs import CandidateSets
    from scrapy_semtext.utils.arrays import Floats, Ints

_LETTERS = re.compile(r"[^\W\d_]+")
_OUTERMOST = 3  # the number of outermost elements whose names describe the page as a whole

# Words for threads and Q&A pages in URLs, and words for their parts in names.
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
# The stem of "comment" in names, in English, German, and Romance and Slavic languages.
_COMMENTS = re.compile(r"[ck]omm?ent")
_LEVELS, _FIRST_POSTS = 5, 10  # elements around a post, and posts, whose names are used

#: The names of `word_features`.
WORD_FEATURES = (
    "address",
    "address_words",
    *(f"near_{min(words)}" for words in _PARTS),
    "near_parts",
    "page_parts",
    "page_named",
)
#: The subset that does not require posts.
PAGE_WORD_FEATURES = tuple(name for name in WORD_FEATURES if not name.startswith("near_"))


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page: of all its class and id names, of its URL, and of its outermost elements' names."""

    names: frozenset[str]
    address: frozenset[str]
    outermost: frozenset[str]

    @classmethod
    def of(cls, nodes: PageNodes, url: str | None) -> PageWords:
        """Collect the words of a page; ``url`` is its URL, if known."""
        types = nodes.layout.element_types
        return cls(
            nodes.words,
            frozenset(_address_words(url)),
            words_of([types.words[number] for number in types.of_scope[:_OUTERMOST].tolist()]),
        )

    @property
    def names_comments(self) -> bool:
        """Return whether a name on the page refers to readers' comments."""
        return _COMMENTS.search(" ".join(self.names)) is not None

    def _address_features(self) -> tuple[float, float]:
        """Return whether the URL has words for threads, and how many."""
        found = len(self.address & _ADDRESS)
        return float(found > 0), float(found)

    def _part_features(self) -> tuple[float, float]:
        """Return for how many parts of threads the page has names, and whether its outermost elements have one."""
        parts = 0 if self.names.isdisjoint(_ANY_PART) else sum(not self.names.isdisjoint(part) for part in _PARTS)
        return float(parts), float(not self.outermost.isdisjoint(_ANY_PART))

    def features(self) -> tuple[float, ...]:
        """Return the values of PAGE_WORD_FEATURES."""
        return *self._address_features(), *self._part_features()


def word_features(words: Floats, nodes: NodeTable, candidates: CandidateSets) -> Floats:
    """Return WORD_FEATURES for pages, given one candidate set of posts for each; (pages, features).

    ``words``: the values of PAGE_WORD_FEATURES for the same pages.
    """
    near = _near_features(nodes, candidates)
    at = PAGE_WORD_FEATURES.index("page_parts")
    return np.concatenate([words[:, :at], near, near.sum(1, keepdims=True), words[:, at:]], axis=1)


def _near_features(nodes: NodeTable, candidates: CandidateSets) -> Floats:
    """Return which parts of threads the elements around the first posts of each set name; (sets, parts)."""
    of_set, around = _first_posts(candidates)
    named = np.zeros(len(candidates), dtype=np.int64)
    parts = np.array([_parts_in(names) for _, names in nodes.element_types.pairs], dtype=np.int64)
    for _ in range(_LEVELS):
        np.bitwise_or.at(named, of_set, parts[nodes.element_types.of_scope[around]])
        around = nodes.parent[around]
    return (named[:, None] >> np.arange(len(_PARTS)) & 1).astype(np.float64)


def comment_names(nodes: NodeTable, candidates: CandidateSets) -> Floats:
    """Return the share of each set's first posts that are inside an element named for comments; (sets,)."""
    of_set, around = _first_posts(candidates)
    has_name = np.array([_COMMENTS.search(names.lower()) is not None for _, names in nodes.element_types.pairs])
    named = np.zeros(len(around), dtype=bool)
    for _ in range(_LEVELS):
        named |= has_name[nodes.element_types.of_scope[around]]
        around = nodes.parent[around]
    return np.bincount(of_set, named, len(candidates)) / np.bincount(of_set, minlength=len(candidates))


def _first_posts(candidates: CandidateSets) -> tuple[Ints, Ints]:
    """Return the first posts of each set: the numbers of their sets, and their nodes; (posts,) each."""
    runs = candidates.runs
    is_first = np.arange(len(candidates.members)) - runs.begins[runs.of_item] < _FIRST_POSTS
    return runs.of_item[is_first], candidates.members[is_first]


@remembered(1 << 14)
def _parts_in(names: str) -> int:
    """Return the parts of threads that an attribute names, as bit flags."""
    words = attribute_words(names).every
    return sum(1 << number for number, part in enumerate(_PARTS) if not part.isdisjoint(words))


def _address_words(url: str | None) -> list[str]:
    if not url or not url.startswith(("http:", "https:")):
        return []
    parts = address_of(url.lower())
    return _LETTERS.findall(f"{parts.netloc} {parts.path} {parts.query}")
