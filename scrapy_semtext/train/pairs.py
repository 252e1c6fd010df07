"""Training of the pair models: ``semtext dev train pairs`` and ``faq``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.read.faq import FaqCandidate, candidates_of_pages
from scrapy_semtext.read.faq_features import FEATURES, FaqPage, features_of_pages
from scrapy_semtext.read.kinds import load_kinds
from scrapy_semtext.read.markup import qa_pairs_from_markup
from scrapy_semtext.read.posts import HEAD as PAIR_FILES
from scrapy_semtext.read.posts import PairModels, load_pair_models
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.corpus import prf
from scrapy_semtext.train.datasets import Job, TrainingError
from scrapy_semtext.train.fit import HeadTraining, Trees, stacked
from scrapy_semtext.train.posts import MATCH, PairPage, Words, fit_posts, post_examples, read_pair_pages, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.train.fit import Part
    from scrapy_semtext.train.posts import PostExample
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Bools, Floats, Singles


_KNOWN_WEIGHT = 8.0  # of a page with known pairs, relative to other pages
# The elements of list questions, while paragraphs that ask are part of a text; and words that announce a list.
_TITLES = ("tag_heading", "tag_summary", "tag_dt", "tag_button", "tag_cell", "layout_bold", "layout_inside", "prefixed")
_NAMED = ("faq_before", "faq_heading", "faq_in_title", "faq_in_url", "names_faq", "names_question")
_LEAST_FOUND = 0.5  # minimum F1 of the best candidate for a page's markup to be used
_TREES = Trees(
    300,
    leaves=15,
    rate=0.05,
    least=10,
    objective="cross_entropy",
    feature_fraction=0.4,
    bagging_fraction=0.8,
    lambda_l2=3.0,
)

Bags = list[tuple[Words, Words]]


def faq_rows(page: PairPage) -> list[Part]:
    """Return the training rows of a page: features of candidates, and the F1 of their pairs against the page's.

    All candidates are used on pages with known pairs, if any (stated by the page set or by FAQPage markup), and on
    threads, which have no list of questions. On other pages, which are not annotated, candidates whose questions are
    titles, or that are called an FAQ, are skipped.
    """
    return [_rows(page, nodes)] if page.says_pairs and (nodes := page.nodes()).blocks else []


def fit_faq(rows: Iterable[Part], seed: int) -> TreeEnsemble:
    """Fit trees that predict the F1 of a row."""
    return _TREES.fit(stacked(rows), seed)


def _known_pairs(page: PairPage) -> Bags:
    """Return the pairs of a page stated by the page set, or else its FAQPage markup; none if neither does."""
    if page.role == "faq":
        return _bags((pair.questions[0], pair.answer) for pair in page.pairs or ())
    if page.role != "none" or "FAQPage" not in page.html:
        return []
    return _bags((pair.question, pair.answer) for pair in qa_pairs_from_markup(page.html, page.url))


def _rows(page: PairPage, nodes: PageNodes) -> Part:
    (candidates,) = candidates_of_pages([nodes])
    described = FaqPage(nodes, title_of(nodes.scopes[0].element), page.url, candidates)
    matrix = features_of_pages([described])
    truth = _known_pairs(page)
    labels = _labels(candidates, truth) if truth else np.zeros(len(matrix))
    if page.role == "none" and truth and labels.max(initial=0.0) < _LEAST_FOUND:
        matrix, labels = matrix[:0], labels[:0]  # the pairs in the markup are not visible on the page
    elif page.role == "none" and not truth:
        matrix = matrix[~_may_be_lists(matrix)]
        labels = labels[: len(matrix)]
    weight = _KNOWN_WEIGHT if truth or page.role == "faq" else 1.0
    return matrix, labels, np.full(len(labels), weight / np.sqrt(max(len(labels), 1)))


def _labels(candidates: Sequence[FaqCandidate], truth: Bags) -> Floats:
    found = (_bags((pair.question, pair.answer) for pair in candidate.pairs) for candidate in candidates)
    return np.array([_f1(pairs, truth) for pairs in found], dtype=np.float64)


def _may_be_lists(matrix: Singles) -> Bools:
    asking, bold, *others = (matrix[:, FEATURES.index(name)] for name in ("asking", "bold", *_TITLES, *_NAMED))
    is_title, is_named = sum(others[: len(_TITLES)]) > 0, sum(others[len(_TITLES) :]) > 0
    result: Bools = ((asking >= 0.5) & (is_title | (bold >= 0.5))) | ((asking >= 0.2) & is_named)
    return result


def _bags(pairs: Iterable[tuple[str, str]]) -> Bags:
    return [(words_of(question), words_of(answer)) for question, answer in pairs]


def _f1(found: Bags, truth: Bags) -> float:
    """Return the F1 of pairs; each true pair is matched once."""
    open_ = list(truth)
    hits = 0
    for pair in found:
        true_pair = next((each for each in open_ if all(map(_agree, pair, each))), None)
        if true_pair is not None:
            open_.remove(true_pair)
            hits += 1
    return prf(hits, len(found), len(truth)).f1


def _agree(found: Words, truth: Words) -> bool:
    return prf((found & truth).total(), found.total(), truth.total()).f1 >= MATCH


_NEEDED = {"posts": "whose posts are known", "faq": "with the pairs of a FAQ", "none": "without pairs"}


def _pages(job: Job) -> list[PairPage]:
    """Return the pages of a job with known pairs or without any.

    Of the domains that the job holds out, only pages without posts are left out, because posts are evidence for labels;
    threads and FAQ pages are used.
    """
    pages = [page for page in _allowed(job) if page.role in ("posts", "variant", "faq") or job.side_of(page) != "test"]
    return _checked(pages, ("posts", "none"))


def _faq_pages(job: Job) -> list[PairPage]:
    pages = [page for page in _allowed(job) if page.says_pairs]
    return _checked([page for page in pages if page.role != "none" or job.side_of(page) != "test"], ("faq", "none"))


def _allowed(job: Job) -> list[PairPage]:
    return [page for page in read_pair_pages(job.data) if job.any_licence or page.shippable]


def _checked(pages: list[PairPage], roles: Iterable[str]) -> list[PairPage]:
    for role in roles:
        if not any(page.role == role for page in pages):
            raise TrainingError(f"There is no page {_NEEDED[role]} among the data; the models need such pages.")
    return pages


def _fit_posts(examples: Sequence[PostExample], job: Job) -> PairModels:
    """Return the pair models of the bundle with other models of posts."""
    return replace(load_pair_models(job.out), posts=fit_posts(examples, job.seed, kinds=load_kinds(job.out)))


def _fit_threads(examples: Sequence[PostExample], job: Job) -> PairModels:
    """Return the pair models of the bundle with other models of threads."""
    models = load_pair_models(job.out)
    return replace(models, posts=fit_posts(examples, job.seed, kinds=models.posts.kinds, like=models.posts))


def _fit_faq(rows: Sequence[Part], job: Job) -> PairModels:
    """Return the pair models of the bundle with another model of question lists."""
    return replace(load_pair_models(job.out), faq=fit_faq(rows, job.seed))


#: The models of posts, which are all but that of question lists, whose record is kept.
HEAD = HeadTraining(
    files=PAIR_FILES,
    reader=lambda _: post_examples,
    fit=_fit_posts,
    needs="threads and pages without pairs",
    pages=_pages,
    set_of=lambda page: f"{page.dataset} {page.role}",
    training=lambda models, record: {**record, "faq": models.training.get("faq", {})},
)
#: The models of threads, without those of questions and comments; their record is added to that of the others.
THREADS = replace(HEAD, fit=_fit_threads, training=lambda models, record: {**models.training, "threads": record})
#: The model of question lists; its record is added to that of the other models.
FAQ = HeadTraining(
    files=PAIR_FILES,
    reader=lambda _: faq_rows,
    fit=_fit_faq,
    needs="FAQ pages with their pairs, and pages without pairs",
    pages=_faq_pages,
    set_of=HEAD.set_of,
    training=lambda models, record: {**models.training, "faq": record},
)
