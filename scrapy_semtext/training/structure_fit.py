"""Fit the trees that label blocks by the structure of the page (LightGBM, of the extra scrapy-semtext[train]).

Pages have equal weights, half by blocks and half by words; pages that are not articles count twice, since most pages of
the public sets are. The trees are fitted once to all columns and then to those that gave the most, so that few have to
be computed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lightgbm
import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.name_features import NameTable, scope_words
from scrapy_semtext.features.page_table import PageTable
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.labelers.structure_trees import ALL_COLUMNS, StructureTrees, structure_columns
from scrapy_semtext.qa.reader import find_page_posts
from scrapy_semtext.text.tokens import word_counts
from scrapy_semtext.training.alignment import CONTENT_SHARE, aligned_shares
from scrapy_semtext.training.boosting import ensemble_of
from scrapy_semtext.training.scoring import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ElementTypes
    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.datasets import AnnotatedPage

# A page that holds less of its true text would have wrong labels.
_LEAST_RECALL = 0.5
_ARTICLES = (None, "article", "news")

_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "verbose": -1,
    "deterministic": True,
}


@dataclass(frozen=True, slots=True)
class FitSettings:
    """The number of trees, of words that are tried, and of columns that are kept."""

    rounds: int = 150
    words: int = 500
    least_domains: int = 25
    columns: int = 260
    seed: int = 1
    threads: int = 1


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


def structure_example(page: AnnotatedPage, models: PostModels | None = None) -> StructureExample | None:
    """Make an example of a page; None if it has no blocks or too little of its true text.

    ``models`` find its posts, and must not have been fitted to it; with None it has no posts.
    """
    described = describe(page.html, page.url)
    blocks = described.text_blocks
    if not blocks:
        return None
    texts = [block.text for block in blocks]
    labels = np.array([share >= CONTENT_SHARE for share in aligned_shares(texts, page.text)])
    counts = word_counts(texts)
    if counts[labels].sum() < _LEAST_RECALL * len(words(page.text)):
        return None
    if models is not None:
        find_page_posts(described, models)
    layout = described.layout()
    weights = 0.5 * (counts + 1) / (counts + 1).sum() + 0.5 / len(blocks)
    return StructureExample(
        page.domain,
        np.ascontiguousarray(structure_columns(PageTable([described])).T),
        labels,
        weights if page.page_type in _ARTICLES else 2 * weights,
        layout.element_types,
        layout.parent,
        layout.depth,
        layout.of_block,
    )


def structure_examples(
    pages: Iterable[AnnotatedPage],
    post_models: Callable[[AnnotatedPage], PostModels] | None = None,
    *,
    progress: bool = False,
) -> list[StructureExample]:
    """Make examples of pages; unusable pages are left out. ``post_models`` returns the models of posts for a page."""
    bar = tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress)
    examples = (structure_example(page, None if post_models is None else post_models(page)) for page in bar)
    return [example for example in examples if example is not None]


def fit_structure(examples: Sequence[StructureExample], settings: FitSettings | None = None) -> StructureTrees:
    """Fit trees to all columns, and then to the columns with the greatest gain. Raises ValueError without pages."""
    settings = settings or FitSettings()
    if not examples:
        raise ValueError("There are no pages to fit structure trees to.")
    vocabulary = _vocabulary(examples, settings)
    table = _table(examples, vocabulary)
    labels = np.concatenate([example.labels for example in examples]).astype(np.float32)
    weights = np.concatenate([example.weights for example in examples])
    weights *= len(weights) / weights.sum()
    first = _boosted(table, labels, weights, settings)
    gains = first.feature_importance("gain")
    chosen = np.sort(np.argsort(-gains, kind="stable")[: settings.columns])
    chosen = chosen[gains[chosen] > 0]
    booster = _boosted(table[:, chosen], labels, weights, settings)
    columns = tuple(ALL_COLUMNS[place] for place in chosen if place < len(ALL_COLUMNS))
    near = tuple(vocabulary[place - len(ALL_COLUMNS)] for place in chosen if place >= len(ALL_COLUMNS))
    return StructureTrees(ensemble_of(booster), columns, near)


def _boosted(
    table: NDArray[np.float32], labels: NDArray[np.float32], weights: NDArray[np.float64], settings: FitSettings
) -> lightgbm.Booster:
    parameters = {**_SETTINGS, "seed": settings.seed, "num_threads": settings.threads}
    return lightgbm.train(parameters, lightgbm.Dataset(table, labels, weight=weights), settings.rounds)


def _vocabulary(examples: Sequence[StructureExample], settings: FitSettings) -> list[str]:
    """The words of tags and names with the highest document frequency by domain."""
    domains: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for example in examples:
        found = {word for look in example.looks.pairs for word in scope_words(*look)}
        fresh = {(example.domain, word) for word in found} - seen
        seen |= fresh
        domains.update(sorted(word for _, word in fresh))
    ranked = sorted(domains.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, count in ranked[: settings.words] if count >= settings.least_domains]


def _table(examples: Sequence[StructureExample], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """The rows of all pages with the nearness of the vocabulary's words."""
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
