"""Fit the trees that label blocks by the structure of the page: ``semtext dev train structure``.

Pages have equal weights, half by blocks and half by words. Pages that are not articles count twice, because most pages
of the public sets are articles; a site counts at most as much as a dozen pages. The trees are fitted first to all
columns and then to those with the greatest gain, so that few have to be computed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.features.table import PageTable
from scrapy_semtext.labelers.structure_trees import (
    ALL_COLUMNS,
    NameTable,
    StructureModel,
    StructureTrees,
    block_columns,
    scope_words,
)
from scrapy_semtext.labelers.structure_trees import HEAD as STRUCTURE_FILES
from scrapy_semtext.read.posts import load_pair_models
from scrapy_semtext.read.threads import blocks_in_posts, find_posts
from scrapy_semtext.train.corpus import prepare_page
from scrapy_semtext.train.fit import HeadTraining, Trees, frequent_words, named
from scrapy_semtext.tree.nodes import matrix_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.read.posts import PostModels
    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.tree.scopes import ElementTypes


_ARTICLES = (None, "article", "news")

_TREES = Trees(250, leaves=31, rate=0.1, least=60, max_bin=63)
_COLUMNS = 260  # number of columns kept
_MOST_PAGES = 12  # a site with more pages counts as much as one with this many
_WORDS, _LEAST_DOMAINS = 500, 25  # maximum number of words considered, and minimum number of domains that use one


@dataclass(slots=True)
class StructureExample:
    """A training page.

    ``rows``: (blocks, ALL_COLUMNS) float32; ``labels``: (blocks,) bool; ``weights``: (blocks,); ``looks``,
    ``parent``, ``depth`` and ``of_block`` as in `ScopeTree`.
    """

    domain: str
    rows: NDArray[np.float32]
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]
    looks: ElementTypes
    parent: NDArray[np.int64]
    depth: NDArray[np.int64]
    of_block: NDArray[np.int64]


def structure_examples(page: AnnotatedPage, models: PostModels | None = None) -> list[StructureExample]:
    """Return the example of a page; none if it has no blocks or too little of its true text.

    ``models`` find its posts; with None it has no posts.
    """
    example = prepare_page(page, lambda described: described, scored=False)
    if example is None:
        return []
    described, counts = example.input, example.words
    (posts,) = [None] if models is None else find_posts([described], models)
    layout = described.layout()
    weights = (0.5 * (counts + 1) / (counts + 1).sum() + 0.5 / len(counts)) * example.known
    made = StructureExample(
        page.domain,
        matrix_of(block_columns(PageTable([described]), [blocks_in_posts(described, posts)]).values()),
        example.labels,
        weights if page.page_type in _ARTICLES else 2 * weights,
        layout.element_types,
        layout.parent,
        layout.depth,
        layout.of_block,
    )
    return [made]


def fit_structure(
    examples: Sequence[StructureExample], seed: int = 1, *, settings: Trees = _TREES, columns: int = _COLUMNS
) -> StructureTrees:
    """Fit trees to all columns, and then to the columns with the greatest gain. Raises ValueError without pages."""
    if not examples:
        raise ValueError("There are no pages to fit structure trees to.")
    vocabulary = _vocabulary(examples)
    table = _table(examples, vocabulary)
    labels = np.concatenate([example.labels for example in examples]).astype(np.float32)
    pages = Counter(example.domain for example in examples)
    weights = np.concatenate([example.weights / max(1, pages[example.domain] / _MOST_PAGES) for example in examples])
    weights *= len(weights) / weights.sum()
    first = settings.boosted((table, labels, weights), seed)
    gains = first.feature_importance("gain")
    chosen = np.sort(np.argsort(-gains, kind="stable")[:columns])
    chosen = chosen[gains[chosen] > 0]
    trees = settings.fit((table[:, chosen], labels, weights), seed)
    return StructureTrees(trees, *named(chosen.tolist(), ALL_COLUMNS, vocabulary))


def _vocabulary(examples: Sequence[StructureExample]) -> list[str]:
    """Return the most frequent words of tags and names."""
    pages = (
        (example.domain, (word for look in example.looks.pairs for word in scope_words(*look))) for example in examples
    )
    return frequent_words(pages, _WORDS, _LEAST_DOMAINS)


def _table(examples: Sequence[StructureExample], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """Return the rows of all pages with the closeness of the vocabulary's words."""
    names = NameTable(vocabulary)
    table = np.empty((sum(len(e.labels) for e in examples), len(ALL_COLUMNS) + len(vocabulary)), dtype=np.float32)
    begin = 0
    for example in examples:
        end = begin + len(example.labels)
        table[begin:end, : len(ALL_COLUMNS)] = example.rows
        near = names.nearness(example.looks, example.parent, example.depth, example.of_block)
        table[begin:end, len(ALL_COLUMNS) :] = near.T
        begin = end
    return table


#: At run time the posts of each page are found before the trees are used, so they are found here as well.
HEAD = HeadTraining(
    files=STRUCTURE_FILES,
    reader=lambda job: partial(structure_examples, models=load_pair_models(job.out).posts),
    fit=lambda examples, job: StructureModel(fit_structure(examples, job.seed)),
    needs="pages with at least half of their true text",
)
