"""The training of the model that scores candidate lists of questions (`scrapy_semtext.qa.faq_reader`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.output.markup import qa_pairs_from_markup
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.faq_candidates import faq_candidates
from scrapy_semtext.qa.faq_features import FEATURES, faq_features
from scrapy_semtext.training.boosting import fit_trees
from scrapy_semtext.training.scoring import prf, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.inference.trees import TreeEnsemble
    from scrapy_semtext.qa.faq_candidates import FaqCandidate
    from scrapy_semtext.training.pair_pages import PairPage
    from scrapy_semtext.training.post_fit import Example

#: Minimal word F1 of question and answer for a match.
MATCH = 0.8

_KNOWN_WEIGHT = 8.0  # of a page with known pairs, relative to other pages
_LEAST_FOUND = 0.5  # minimal F1 of the best candidate for a page's markup to be used
_SETTINGS = {
    "objective": "cross_entropy",
    "num_leaves": 7,
    "learning_rate": 0.05,
    "min_data_in_leaf": 10,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 3.0,
}
_ROUNDS = 200

Truth = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FaqRows:
    """Candidates as rows: features, the F1 of their pairs against the page's, weights and the pages' domains."""

    matrix: NDArray[np.float32]
    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    domains: tuple[str, ...]


def faq_rows(examples: Iterable[Example]) -> FaqRows:
    """The training rows of pages.

    All candidates are used on pages with known pairs (stated by the page set or by FAQPage markup) and on threads,
    which have no list of questions. On other pages, which are not annotated, candidates that contain questions are left
    out.
    """
    matrices, labels, weights, domains = [], [], [], []
    for example in examples:
        if not example.page.says_pairs:
            continue
        matrix, label, weight = _page_rows(example)
        matrices.append(matrix)
        labels.append(label)
        weights.append(np.full(len(label), weight / np.sqrt(max(len(label), 1))))
        domains += [example.page.domain] * len(label)
    empty = np.zeros((0, len(FEATURES)), dtype=np.float32)
    return FaqRows(
        np.vstack([empty, *matrices]), np.concatenate([[], *labels]), np.concatenate([[], *weights]), tuple(domains)
    )


def joined(parts: Iterable[FaqRows]) -> FaqRows:
    """The rows of several sets of pages as one."""
    found = list(parts)
    return FaqRows(
        np.vstack([part.matrix for part in found]),
        np.concatenate([part.labels for part in found]),
        np.concatenate([part.weights for part in found]),
        tuple(domain for part in found for domain in part.domains),
    )


def fit_faq(rows: FaqRows, seed: int) -> TreeEnsemble:
    """Fit trees that predict the F1 of a row."""
    return fit_trees(rows.matrix, rows.labels, {**_SETTINGS, "seed": seed}, _ROUNDS, weights=rows.weights)


def known_pairs(page: PairPage) -> Truth:
    """The pairs that the page set states of a page, or its FAQPage markup; none if neither does."""
    if page.role == "faq":
        return [(pair.questions[0], pair.answer) for pair in page.pairs or ()]
    if page.role != "none" or "FAQPage" not in page.html:
        return []
    return [(pair.question, pair.answer) for pair in qa_pairs_from_markup(page.html, page.url)]


def _page_rows(example: Example) -> tuple[NDArray[np.float32], NDArray[np.float64], float]:
    page, nodes = example.page, example.nodes
    candidates = faq_candidates(nodes)
    matrix = faq_features(nodes, candidates, title_of(nodes.scopes[0].element), page.url)
    truth = known_pairs(page)
    if truth:
        labels = _labels(candidates, truth)
        if page.role == "none" and labels.max(initial=0.0) < _LEAST_FOUND:
            return matrix[:0], labels[:0], 0.0  # the pairs of the markup are not visible on the page
        return matrix, labels, _KNOWN_WEIGHT
    if page.role == "none":
        matrix = matrix[~_may_be_lists(matrix)]
    return matrix, np.zeros(len(matrix)), 1.0


def _labels(candidates: Sequence[FaqCandidate], truth: Truth) -> NDArray[np.float64]:
    expected = _bags(truth)
    found = ([(pair.question, pair.answer) for pair in candidate.pairs] for candidate in candidates)
    return np.array([_f1(_bags(pairs), expected) for pairs in found], dtype=np.float64)


def _may_be_lists(matrix: NDArray[np.float32]) -> NDArray[np.bool_]:
    asking, before, faq, question = (
        matrix[:, FEATURES.index(name)] for name in ("asking", "faq_before", "names_faq", "names_question")
    )
    result: NDArray[np.bool_] = (asking >= 0.5) | ((before + faq + question > 0) & (asking >= 0.2))
    return result


Bags = list[tuple["Counter[str]", "Counter[str]"]]


def _bags(truth: Truth) -> Bags:
    return [(_bag(question), _bag(answer)) for question, answer in truth]


def _bag(text: str) -> Counter[str]:
    return Counter(words(text))


def _f1(found: Bags, truth: Bags) -> float:
    """The F1 of pairs; each true pair is matched once."""
    open_ = list(truth)
    hits = 0
    for question, answer in found:
        for place, (true_question, true_answer) in enumerate(open_):
            if _agree(question, true_question) and _agree(answer, true_answer):
                del open_[place]
                hits += 1
                break
    return prf(hits, len(found), len(truth)).f1


def _agree(found: Counter[str], truth: Counter[str]) -> bool:
    return prf((found & truth).total(), found.total(), truth.total()).f1 >= MATCH
