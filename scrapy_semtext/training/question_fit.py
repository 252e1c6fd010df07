"""Fit the model that identifies the question of a thread (see `scrapy_semtext.qa.question`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.question import Option, ThreadDescription, options_of
from scrapy_semtext.training.boosting import fit_trees, stacked
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.post_labels import MATCH, posts_f1, word_f1, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.nodes import PageNodes
    from scrapy_semtext.training.boosting import Part
    from scrapy_semtext.training.pair_pages import PairPage
    from scrapy_semtext.utils.arrays import Floats

_MODEL = {
    "objective": "binary",
    "num_leaves": 7,
    "learning_rate": 0.06,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
}
_ROUNDS = 400
# Weights of pages, and of variants by kind. Most real pages begin with the opening post.
_AS_IT_IS = 4.0
_VARIANTS = {"title": 1.0, "later": 1.0, "moved": 2.0, "first": 2.0, "tree": 1.0, "rewritten": 1.0}
_CLOSE, _LEAST = 0.02, 0.5  # an option is right if it is nearly as good as the best, and the best is good


class FoundThread(NamedTuple):
    """A thread with the posts found by models fitted without its engine, and the scores of all its nodes."""

    page: PairPage
    nodes: PageNodes
    posts: Sequence[int]
    scores: Floats


def fit_question(threads: Iterable[FoundThread], seed: int) -> TreeEnsemble:
    """Fit the model to threads. Raises TrainingError if no thread has a known opening post."""
    parts = list(_rows(threads))
    if not parts:
        raise TrainingError("There is no thread whose opening post is known and whose posts are found.")
    return fit_trees(*stacked(parts), _MODEL, _ROUNDS, seed)


def _rows(threads: Iterable[FoundThread]) -> Iterator[Part]:
    """Yield the options of each thread whose opening post is known and among them."""
    for thread in threads:
        options = options_of(thread.nodes, thread.posts, thread.scores)
        quality = _qualities(thread, options)
        if thread.page.opening is None or quality.max() < _LEAST:
            continue
        title = title_of(thread.nodes.root)
        description = ThreadDescription(thread.nodes, thread.posts, thread.scores, title, thread.page.url)
        rows = np.array([description.features(option) for option in options], dtype=np.float32)
        weight = _VARIANTS[thread.page.kind] if thread.page.role == "variant" else _AS_IT_IS
        yield rows, quality >= quality.max() - _CLOSE, np.full(len(options), weight)


def _qualities(thread: FoundThread, options: Sequence[Option]) -> Floats:
    """Return each option's quality: the F1 of its answers times the similarity of its opening post to the truth."""
    page, nodes = thread.page, thread.nodes
    texts = dict(zip(thread.posts, clean_bodies(nodes, thread.posts), strict=True))
    opening = words_of(page.opening or "")
    answers = page.posts[1:] if page.opening else page.posts
    of_answers: dict[int, float] = {}
    found = []
    for option in options:
        count = len(option.answers)
        if count not in of_answers:
            of_answers[count] = posts_f1([texts[node] for node in option.answers], answers)
        if option.question is None:
            likeness = float(not page.opening)
        else:
            if option.question not in texts:
                texts[option.question] = clean_bodies(nodes, [option.question])[0]
            likeness = word_f1(words_of(texts[option.question]), opening)
        found.append(of_answers[count] * likeness * (likeness >= MATCH))
    return np.array(found)
