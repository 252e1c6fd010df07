"""Gradient-boosted trees on the structure of the page, used separately or averaged with the network; their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.table import (
    PageTable,
    ParsedPage,
    PostBlocks,
    describe,
    description_columns,
    post_columns,
    post_logit_adjustment,
    structure_columns,
)
from scrapy_semtext.models.scores import Scores, highest_expected_f1, log_odds_of, probabilities_of
from scrapy_semtext.models.storage import SHIPPED, BundleError, TreeHead
from scrapy_semtext.words.words import FIRST_NAMES, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.features.table import Columns
    from scrapy_semtext.labelers.bundle import Labeler
    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.tree.scopes import ElementTypes
    from scrapy_semtext.utils.arrays import Floats, Ints, Singles


#: Where the blocks of each page are in its posts, None for a page without.
Posts = list[PostBlocks | None]

#: The weight of the structure trees in the mean of log-odds. Between 0.45 and 0.6 the word F1 on held-out domains
#: differs by less than 0.001, and in languages that are rare in training less is better
#: (research/notes/training-notes.md).
TREES_SHARE = 0.45

#: `Scores.flattening` of a page that is certainly a thread. On threads of engines outside the training data, the
#: probabilities of short lines are too low; with more weight, more of them are kept. Chosen on such threads and on
#: others (research/notes/paper-experiments.md).
THREAD_FLATTENING = 0.85

#: Subtracted from the log-odds of a block, times the logarithm of its number of words divided by ten (from 10 to 300
#: words). Long blocks are overrated on every kind of page except threads. Chosen by cross-validation and on page sets
#: outside the training data (research/notes/training-notes.md).
LENGTH_DISCOUNT = 0.2
_DISCOUNTED = (10.0, 300.0)

_MIN_PROBABILITY = 1e-6  # probabilities are clipped to this distance from 0 and 1

#: The expected F1 from which a page is labeled by the trees only. Chosen on held-out domains of training sets
#: (research/notes/training-notes.md).
MIN_TREES_F1 = 0.85


def scope_words(tag: str, names: str) -> Iterator[str]:
    """Yield the words of an element: its tag as ``<tag``, and those of its id and class names."""
    return chain((f"<{tag}",), *map(name_words, names.split()[:FIRST_NAMES]))


class NameTable:
    """The columns for a vocabulary of words in names around blocks."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.vocabulary = tuple(vocabulary)
        self._column_of = {word: column for column, word in enumerate(self.vocabulary)}
        self._of_tag = {word[1:]: column for word, column in self._column_of.items() if word.startswith("<")}

    def nearness(
        self, types: ElementTypes, parent: Ints, depth: Ints, of_block: Ints, out: Singles | None = None
    ) -> Singles:
        """Return how close each word is to each block, (words, blocks).

        The value is 1 on the block's scope itself, 1/2 one level up, 1/3 two levels up, and 0 if the word does not
        occur. ``types`` are those of the scopes; ``parent``, ``depth`` and ``of_block`` as in `ScopeTree`. Fills
        ``out`` if given.
        """
        by_depth = np.argsort(depth, kind="stable")
        index = np.empty_like(by_depth)
        index[by_depth] = np.arange(len(by_depth))
        near = self._own_words(types, by_depth)  # (scopes, words)
        parents = index[parent[by_depth]]
        levels = np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 2)).tolist()
        for begin, end in pairwise(levels):
            above, here = near.take(parents[begin:end], axis=0), near[begin:end]
            np.maximum(here, above / (1 + above), out=here)
        if out is None:
            out = np.empty((len(self.vocabulary), len(of_block)), dtype=np.float32)
        out[:] = near.take(index[of_block], axis=0).T
        return out

    def _own_words(self, types: ElementTypes, scopes: Ints) -> Singles:
        """Return 1 for the words of each of the ``scopes`` (see `scope_words`), 0 for others; (scopes, words)."""
        names, of_scope = types.names
        words, number, counts = types.first_words
        own = np.zeros((len(names), len(self.vocabulary)), dtype=np.float32)
        columns = np.array([self._column_of.get(word, -1) for word in words], dtype=np.int64)[number]
        known = np.flatnonzero(columns >= 0)
        own[np.arange(len(names)).repeat(counts)[known], columns[known]] = 1
        own = own.take(of_scope[scopes], axis=0)
        of_tags = types.by_tag(self._of_tag, -1)[scopes]
        known = np.flatnonzero(of_tags >= 0)
        own[known, of_tags[known]] = 1
        return own


def block_columns(table: PageTable, posts: Posts | None = None) -> Columns:
    """Return all columns of the blocks of pages, (blocks,) each.

    ``posts``: where the blocks of each page are in its posts; None if no page has any.
    """
    in_posts = [own for page, own in zip(table, posts or [None] * len(table), strict=True) if page.text_blocks]
    return structure_columns(table) | post_columns(in_posts, table) | description_columns(table)


#: The names of `block_columns`, in order.
ALL_COLUMNS = (*block_columns(PageTable([describe("<p>One block.</p>", None)])),)


@dataclass(slots=True)
class StructureTrees:
    """Trees over some of the columns of ALL_COLUMNS, and over the closeness of words.

    ``columns`` are names from ALL_COLUMNS; the columns of the vocabulary ``words`` follow them.
    """

    trees: TreeEnsemble
    columns: tuple[str, ...]
    words: tuple[str, ...]
    _names: NameTable = field(init=False, repr=False)
    _over_all: TreeEnsemble = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees were fitted to columns that do not exist."""
        if unknown := set(self.columns) - set(ALL_COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        self._names = NameTable(self.words)
        indexes = [*map(ALL_COLUMNS.index, self.columns), *range(len(ALL_COLUMNS), len(ALL_COLUMNS) + len(self.words))]
        self._over_all = self.trees.over(indexes, len(ALL_COLUMNS) + len(self.words))

    def log_odds(self, pages: Sequence[ParsedPage], posts: Posts | None = None) -> list[Floats]:
        """Return the log-odds of each block of each page being main content, (blocks,); ``posts`` of each page."""
        table, all_columns = PageTable.of(pages), len(ALL_COLUMNS)
        columns = np.empty((self._over_all.columns, len(table.blocks)), dtype=np.float32)
        if table.pages:
            tree = table.tree
            for row, column in zip(columns, block_columns(table, posts).values(), strict=False):
                row[:] = column
            self._names.nearness(tree.element_types, tree.parent, tree.depth, tree.of_block, columns[all_columns:])
        return table.split(self._over_all.scores(columns.T))


@dataclass(frozen=True, slots=True)
class StructureModel:
    """The trees, and a description of their training (``training``: data, seed, dates), for information."""

    trees: StructureTrees
    training: dict[str, Any] = field(default_factory=dict)


def _model(description: dict[str, Any], trees: dict[str, TreeEnsemble]) -> StructureModel:
    columns, words = tuple(description["columns"]), tuple(description["words"])
    return StructureModel(StructureTrees(trees["structure"], columns, words), description["training"])


HEAD = TreeHead(
    "structure",
    "structure trees",
    1,
    trees={"structure": "trees.trees"},
    build=_model,
    describe_model=lambda model: {"columns": list(model.trees.columns), "words": list(model.trees.words)},
)


def require_structure(folder: Path | None = None) -> StructureModel:
    """Load the trees like `load_structure`, but raise BundleError also if the bundle has none."""
    model = load_structure(folder)
    if model is None:
        raise BundleError(f"The bundle in {folder or SHIPPED} has no structure trees. {HEAD.repair}")
    return model


def load_structure(folder: Path | None = None) -> StructureModel | None:
    """Load the trees from the folder of a bundle (the shipped one by default); None if it has none.

    Raises BundleError as `TreeHead.read`.
    """
    return HEAD.read(folder) if HEAD.are_in(folder or SHIPPED) else None


class TreesLabeler:
    """Labels blocks by the structure trees only, without the words of the text.

    Its own labels (`Scores.viterbi`) are those of positive log-odds.
    """

    def __init__(self, trees: StructureTrees) -> None:
        self.trees = trees

    def score(self, pages: Sequence[ParsedPage], posts: Posts | None = None) -> list[Scores]:
        """Score pages, each independently, given their posts; a page without blocks gets empty scores."""
        return [Scores(probabilities_of(odds), odds > 0) for odds in self.trees.log_odds(pages, posts)]


class AveragedLabeler:
    """Averages the log-odds of another labeler, such as the network, with those of the structure trees.

    Their errors differ: the network sees the words in order, the trees see subtrees, repetition and the URL. The posts
    found on a page, which are features of the trees, also adjust the mean and the weights of blocks
    (`Scores.flattening`). The labeler's own labels (Viterbi) are those of the other labeler.
    """

    def __init__(self, labeler: Labeler, trees: StructureTrees) -> None:
        self.labeler = labeler
        self.trees = trees

    def score(self, pages: Sequence[ParsedPage], posts: Posts | None = None) -> list[Scores]:
        """Score pages, each independently, given their posts; a page without blocks gets empty scores."""
        table = PageTable.of(pages)
        # first the trees: they compute features for all pages at once, which are reused
        return self.averages(table, posts or [None] * len(table), self.trees.log_odds(table, posts))

    def averages(self, pages: Sequence[ParsedPage], posts: Posts, odds: Sequence[Floats]) -> list[Scores]:
        """Score pages, given their posts and the log-odds of their blocks by the trees, (blocks,) for each page."""
        found = zip(self.labeler.score(pages), odds, pages, posts, strict=True)
        return [_averaged_scores(scores, each, page, own, TREES_SHARE) for scores, each, page, own in found]


def _averaged_scores(
    scores: Scores, odds_of_trees: Floats, page: ParsedPage, posts: PostBlocks | None, share: float
) -> Scores:
    log_odds = averaged(scores.probabilities, odds_of_trees, page.word_counts(), posts, share)
    flattening = 0.0 if posts is None else THREAD_FLATTENING * posts.probability
    return Scores(probabilities_of(log_odds), scores.viterbi, flattening)


class CascadeLabeler:
    """Labels pages by the structure trees or, if the trees are unsure, by their average with another labeler.

    The trees are unsure about a page if the expected F1 of the blocks that they would keep is below MIN_TREES_F1. The
    Viterbi labels (`Scores.viterbi`) are those of the trees, or of the other labeler where the average is used.
    """

    def __init__(self, average: AveragedLabeler) -> None:
        self.average = average

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        """Score pages, each independently; a page without blocks gets empty scores."""
        table = PageTable.of(pages)
        odds = self.average.trees.log_odds(table)
        found = [
            _averaged_scores(Scores(probabilities_of(each), each > 0), each, page, None, 1.0)
            for each, page in zip(odds, table, strict=True)
        ]
        unsure = [
            index
            for index, (scores, page) in enumerate(zip(found, table, strict=True))
            if highest_expected_f1(scores.probabilities, page.word_counts()) < MIN_TREES_F1
        ]
        averages = self.average.averages(
            [table[index] for index in unsure], [None] * len(unsure), [odds[index] for index in unsure]
        )
        for index, scores in zip(unsure, averages, strict=True):
            found[index] = scores
        return found


def averaged(
    probabilities: Floats, tree_log_odds: Floats, words: Floats, posts: PostBlocks | None, share: float = TREES_SHARE
) -> Floats:
    """Return the mean of the log-odds of ``probabilities`` and (with weight ``share``) ``tree_log_odds``, (blocks,).

    The length discount for the ``words``, (blocks,), of blocks is subtracted, in proportion to the probability that the
    page is not a thread, and the adjustment for ``posts`` is added.
    """
    log_odds = (1 - share) * log_odds_of(probabilities, _MIN_PROBABILITY) + share * tree_log_odds
    if posts is None:
        return log_odds - _length_discount(words)
    log_odds = log_odds - (1 - posts.probability) * _length_discount(words)
    return log_odds + post_logit_adjustment(posts, probabilities_of(log_odds))


def _length_discount(words: Floats) -> Floats:
    discount: Floats = LENGTH_DISCOUNT * np.log(np.clip(words, *_DISCOUNTED) / _DISCOUNTED[0])
    return discount
