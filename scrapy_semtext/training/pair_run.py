"""The training of the pair models, and out-of-fold pairs: ``semtext train pairs``, ``semtext evaluate pairs``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.segmentation import search
from scrapy_semtext.output.title import title_of
from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.qa.models import PairModels, save_pair_models
from scrapy_semtext.qa.reader import PageInput, find_posts, read_pairs
from scrapy_semtext.training.comment_pages import comment_pages
from scrapy_semtext.training.datasets import read_all
from scrapy_semtext.training.faq_fit import FaqRows, faq_rows, fit_faq, joined
from scrapy_semtext.training.pair_pages import PairPage, folds_of, read_pair_pages
from scrapy_semtext.training.post_fit import PairTrainingError, example_of, fit_posts
from scrapy_semtext.training.thread_variants import thread_variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.post_fit import Example
    from scrapy_semtext.training.tree_job import TreeTrainingJob

_FOLDS = 6


def train_pairs(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the pair models, write them into the folder of a bundle, and return their training record.

    Of the domains that the job holds out, only pages without posts are left out, since posts are evidence for labels.
    Threads and FAQ pages are used: they are evaluated by `out_of_fold_pairs`.

    Raises PairTrainingError if no page has posts or none is a FAQ; DatasetError for unusable data.
    """
    pages = _pages(job)
    models = _fit(_examples(pages, progress), job.seed, progress)
    record = {**job.record(), "pages": dict(Counter(f"{page.dataset} {page.role}" for page in pages))}
    save_pair_models(job.out, PairModels(models.posts, models.faq, record))
    return record


def out_of_fold_pairs(
    paths: Sequence[Path], *, seed: int = 1, any_licence: bool = False, progress: bool = True
) -> Iterator[tuple[PairPage, list[QAPair]]]:
    """Yield the pairs of every page, found without markup by models fitted without its engine and its domain.

    So for the variants of threads (`thread_variants`).

    Engines are divided into six folds of similar size. Pages whose licence does not allow to distribute models are
    read, but only trained on with ``any_licence``.
    """
    pages = list(read_pair_pages(paths))
    threads = list(thread_variants(pages, seed))
    pages += comment_pages(read_all(paths), pages, seed, any_licence=any_licence)
    pages += threads
    examples = {example.page.id: example for example in _examples(pages, progress)}
    rows = {example.page.id: faq_rows([example]) for example in _without_variants(examples.values())}
    folds = folds_of(pages, _FOLDS)
    for held_out in tqdm(range(_FOLDS), disable=not progress, desc="folds"):
        tested = [page for page, where in zip(pages, folds, strict=True) if where == held_out and _is_read(page)]
        domains = {page.domain for page in tested}
        training = [
            page
            for page, where in zip(pages, folds, strict=True)
            if where != held_out and page.domain not in domains and (any_licence or page.shippable)
        ]
        ready = [examples[page.id] for page in training if page.id in examples]
        models = _fit(ready, seed, progress=False, rows=[rows[example.page.id] for example in _without_variants(ready)])
        yield from ((page, _read(page, models)) for page in tested)


def _is_read(page: PairPage) -> bool:
    return page.says_pairs or page.role == "variant"


def _pages(job: TreeTrainingJob) -> list[PairPage]:
    allowed = [page for page in read_pair_pages(job.data) if job.any_licence or page.shippable]
    variants = list(thread_variants(allowed, job.seed))
    allowed += comment_pages(read_all(job.data), allowed, job.seed, any_licence=job.any_licence)
    allowed += variants
    pages = [page for page in allowed if page.role in ("posts", "variant", "faq") or not job.keeps_out(page)]
    for role, what in (
        ("posts", "whose posts are known"),
        ("faq", "with the pairs of a FAQ"),
        ("none", "without pairs"),
    ):
        if not any(page.role == role for page in pages):
            raise PairTrainingError(f"There is no page {what} among the data; the pair models need such pages.")
    return pages


def _examples(pages: Iterable[PairPage], progress: bool) -> list[Example]:
    ready = map(example_of, tqdm(list(pages), disable=not progress, desc="pages"))
    return [example for example in ready if example is not None]


def _without_variants(examples: Iterable[Example]) -> list[Example]:
    return [example for example in examples if example.page.role != "variant"]


def _fit(examples: Sequence[Example], seed: int, progress: bool, rows: Sequence[FaqRows] | None = None) -> PairModels:
    """Fit all models; ``rows`` are the examples' for the FAQ model, if they are known already."""
    lists = joined(rows) if rows is not None else faq_rows(_without_variants(examples))
    return PairModels(fit_posts(examples, clean_bodies, seed, progress=progress), fit_faq(lists, seed))


def _read(page: PairPage, models: PairModels) -> list[QAPair]:
    root = tree.parse(page.html, page.url)
    (found,) = find_posts([PageInput(root, search(root), page.url)], models.posts)
    return read_pairs(found, title_of(root), page.url, models)
