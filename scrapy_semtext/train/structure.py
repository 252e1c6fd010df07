"""Fit the trees that label blocks by the structure of the page: ``semtext dev train structure``.

Pages have equal weights, half by blocks and half by words. Pages that are not articles count twice, because most pages
of the public sets are articles; a site counts at most as much as a dozen pages. The trees are fitted first to all
columns and then to those with the greatest gain, so that few have to be computed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from tqdm import tqdm

from scrapy_semtext.features.table import PageTable
from scrapy_semtext.labelers.structure_trees import (
    ALL_COLUMNS,
    NameTable,
    StructureModel,
    StructureTrees,
    save_structure,
    scope_words,
    structure_columns,
)
from scrapy_semtext.read.posts import load_pair_models
from scrapy_semtext.read.threads import blocks_in_posts, find_posts
from scrapy_semtext.train.boosting import boosted, ensemble_of, frequent_words
from scrapy_semtext.train.corpus import prepare_page
from scrapy_semtext.train.datasets import TrainingError
from scrapy_semtext.train.posts import has_posts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.read.posts import PostModels
    from scrapy_semtext.train.boosting import TreeTrainingJob
    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.tree.scopes import ElementTypes


_ARTICLES = (None, "article", "news")

_SETTINGS = {
    "objective": "binary",
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "max_bin": 63,
}
_ROUNDS, _COLUMNS = 250, 260  # number of trees, and number of columns kept
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


def structure_example(page: AnnotatedPage, models: PostModels | None = None) -> StructureExample | None:
    """Create an example from a page; None if it has no blocks or too little of its true text.

    ``models`` find its posts; with None it has no posts.
    """
    example = prepare_page(page, lambda described: described, scored=False)
    if example is None:
        return None
    described, counts = example.input, example.words
    in_posts = None
    if models is not None:
        ((nodes, posts),) = find_posts([described], models)
        if nodes is not None and posts is not None:
            in_posts = blocks_in_posts(nodes, posts, described.text_blocks)
    layout = described.layout()
    weights = (0.5 * (counts + 1) / (counts + 1).sum() + 0.5 / len(counts)) * example.known
    return StructureExample(
        page.domain,
        np.ascontiguousarray(structure_columns(PageTable([described]), [in_posts]).T),
        example.labels,
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
    """Create examples from pages; unusable pages are skipped. ``post_models`` returns a page's models of posts."""
    bar = tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress)
    examples = (structure_example(page, None if post_models is None else post_models(page)) for page in bar)
    return [example for example in examples if example is not None]


def train_structure(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Fit the structure trees, write them into the folder of a bundle, and return their training record.

    If there are pages with known posts, the trees also use the features of posts, which the pair models in the folder
    find. Raises TrainingError if there are no pages to train on, DatasetError for unusable data.
    """
    pages = list(job.pages())
    threads = sum(has_posts(page) for page in pages)
    posts = load_pair_models(job.out).posts
    examples = structure_examples(pages, (lambda _: posts) if threads else None, progress=progress)
    if not examples:
        raise TrainingError(
            "There are no pages to learn from: none are left after the split by domain and the check of licences. "
            "Give more pages."
        )
    trees = fit_structure(examples, job.seed)
    counted = Counter(page.dataset for page in pages)
    record = {**job.record(), "pages": dict(sorted(counted.items())), "threads": threads}
    save_structure(job.out, StructureModel(trees, record))
    return record


def fit_structure(
    examples: Sequence[StructureExample], seed: int = 1, *, rounds: int = _ROUNDS, columns: int = _COLUMNS
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
    first = boosted(lightgbm.Dataset(table, labels, weight=weights), _SETTINGS, rounds, seed)
    gains = first.feature_importance("gain")
    chosen = np.sort(np.argsort(-gains, kind="stable")[:columns])
    chosen = chosen[gains[chosen] > 0]
    booster = boosted(lightgbm.Dataset(table[:, chosen], labels, weight=weights), _SETTINGS, rounds, seed)
    names = tuple(ALL_COLUMNS[place] for place in chosen if place < len(ALL_COLUMNS))
    near = tuple(vocabulary[place - len(ALL_COLUMNS)] for place in chosen if place >= len(ALL_COLUMNS))
    return StructureTrees(ensemble_of(booster), names, near)


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
