"""Training of the pair models: ``semtext dev train pairs`` and ``faq``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from scrapy_semtext.read.faq import FaqCandidate, candidates_of_pages
from scrapy_semtext.read.faq_features import FEATURES, CandidatePage, features_of_pages
from scrapy_semtext.read.kinds import load_kinds
from scrapy_semtext.read.markup import qa_pairs_from_markup
from scrapy_semtext.read.posts import PairModels, load_pair_models, save_pair_models
from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.boosting import fit_trees, stacked
from scrapy_semtext.train.comments import comment_pages
from scrapy_semtext.train.corpus import prf
from scrapy_semtext.train.datasets import TrainingError, read_all
from scrapy_semtext.train.posts import MATCH, PairPage, Words, example_of, fit_posts, read_pair_pages, words_of
from scrapy_semtext.train.threads import thread_variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.train.boosting import Part, TreeTrainingJob
    from scrapy_semtext.train.posts import PostExample
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Bools, Floats, Singles


_KNOWN_WEIGHT = 8.0  # of a page with known pairs, relative to other pages
# The elements of list questions, while paragraphs that ask are part of a text; and words that announce a list.
_TITLES = ("tag_heading", "tag_summary", "tag_dt", "tag_button", "tag_cell", "layout_bold", "layout_inside", "prefixed")
_NAMED = ("faq_before", "faq_heading", "faq_in_title", "faq_in_url", "names_faq", "names_question")
_LEAST_FOUND = 0.5  # minimum F1 of the best candidate for a page's markup to be used
_SETTINGS = {
    "objective": "cross_entropy",
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 10,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 3.0,
}
_ROUNDS = 300

Bags = list[tuple[Words, Words]]


def faq_rows(pages: Iterable[PairPage]) -> list[Part]:
    """Return the training rows of pages: features of candidates, and the F1 of their pairs against the page's.

    All candidates are used on pages with known pairs, if any (stated by the page set or by FAQPage markup), and on
    threads, which have no list of questions. On other pages, which are not annotated, candidates whose questions are
    titles, or that are called an FAQ, are skipped.
    """
    return [_rows(page, nodes) for page in pages if page.says_pairs and (nodes := page.nodes()).blocks]


def fit_faq(rows: Iterable[Part], seed: int) -> TreeEnsemble:
    """Fit trees that predict the F1 of a row."""
    return fit_trees(*stacked(rows), _SETTINGS, _ROUNDS, seed)


def _known_pairs(page: PairPage) -> Bags:
    """Return the pairs of a page stated by the page set, or else its FAQPage markup; none if neither does."""
    if page.role == "faq":
        return _bags((pair.questions[0], pair.answer) for pair in page.pairs or ())
    if page.role != "none" or "FAQPage" not in page.html:
        return []
    return _bags((pair.question, pair.answer) for pair in qa_pairs_from_markup(page.html, page.url))


def _rows(page: PairPage, nodes: PageNodes) -> Part:
    (candidates,) = candidates_of_pages([nodes])
    described = CandidatePage(nodes, candidates, title_of(nodes.scopes[0].element), page.url)
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


def train_pairs(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the pair models, write them into the folder of a bundle, and return their training record.

    Of the domains that the job holds out, only pages without posts are excluded, because posts are evidence for labels;
    threads and FAQ pages are used.

    Raises TrainingError if no page has posts or none is an FAQ; DatasetError for unusable data.
    """
    pages = _pages(job)
    examples = post_examples(pages, progress)
    posts = fit_posts(examples, job.seed, kinds=load_kinds(job.out), progress=progress)
    faq = fit_faq(faq_rows(example.page for example in without_variants(examples)), job.seed)
    record = {**job.record(), "pages": _counted(pages)}
    save_pair_models(job.out, PairModels(posts, faq, record))
    return record


def train_faq(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train only the FAQ model, write it into the pair models of a bundle, and return its training record.

    Raises TrainingError if no page is an FAQ; DatasetError for unusable data; BundleError for unusable models.
    """
    allowed = (page for page in read_pair_pages(job.data) if job.any_licence or page.shippable)
    pages = [page for page in allowed if page.says_pairs and (page.role != "none" or not job.keeps_out(page))]
    _check_roles(pages, ("faq", "none"))
    model = fit_faq(faq_rows(tqdm(pages, disable=not progress, desc="pages")), job.seed)
    record = {**job.record(), "pages": _counted(pages)}
    models = load_pair_models(job.out)
    save_pair_models(job.out, replace(models, faq=model, training={**models.training, "faq": record}))
    return record


def with_made(pages: list[PairPage], paths: Sequence[Path], seed: int, *, any_licence: bool) -> list[PairPage]:
    """Return the pages, and those derived from them: articles with comments, and variants of threads."""
    commented = comment_pages(read_all(paths), pages, seed, any_licence=any_licence)
    return [*pages, *commented, *thread_variants(pages, seed)]


def _pages(job: TreeTrainingJob) -> list[PairPage]:
    allowed = [page for page in read_pair_pages(job.data) if job.any_licence or page.shippable]
    allowed = with_made(allowed, job.data, job.seed, any_licence=job.any_licence)
    pages = [page for page in allowed if page.role in ("posts", "variant", "faq") or not job.keeps_out(page)]
    _check_roles(pages, _NEEDED)
    return pages


def _check_roles(pages: Sequence[PairPage], roles: Iterable[str]) -> None:
    for role in roles:
        if not any(page.role == role for page in pages):
            raise TrainingError(f"There is no page {_NEEDED[role]} among the data; the models need such pages.")


def _counted(pages: Iterable[PairPage]) -> dict[str, int]:
    return dict(Counter(f"{page.dataset} {page.role}" for page in pages))


def post_examples(pages: Iterable[PairPage], progress: bool) -> list[PostExample]:
    """Return the examples of the pages that have any."""
    ready = map(example_of, tqdm(list(pages), disable=not progress, desc="pages"))
    return [example for example in ready if example is not None]


def without_variants(examples: Iterable[PostExample]) -> list[PostExample]:
    """Return the examples of pages that are not variants of threads."""
    return [example for example in examples if example.page.role != "variant"]
