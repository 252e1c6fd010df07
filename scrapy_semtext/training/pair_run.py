"""Training of the pair models: ``semtext dev train pairs`` and ``faq``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.page_kinds.model import load_kinds
from scrapy_semtext.qa.pair_models import PairModels, load_pair_models, save_pair_models
from scrapy_semtext.training.comment_pages import comment_pages
from scrapy_semtext.training.datasets import read_all
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.faq_fit import faq_rows, fit_faq
from scrapy_semtext.training.pair_pages import PairPage, read_pair_pages
from scrapy_semtext.training.post_fit import example_of, fit_posts
from scrapy_semtext.training.thread_variants import thread_variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_semtext.training.boosting import TreeTrainingJob
    from scrapy_semtext.training.post_fit import PostExample

_NEEDED = {"posts": "whose posts are known", "faq": "with the pairs of a FAQ", "none": "without pairs"}


def train_pairs(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the pair models, write them into the folder of a bundle, and return their training record.

    Of the domains that the job holds out, only pages without posts are excluded, because posts are evidence for labels;
    threads and FAQ pages are used.

    Raises TrainingError if no page has posts or none is an FAQ; DatasetError for unusable data.
    """
    pages = _pages(job)
    examples = examples_of(pages, progress)
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


def examples_of(pages: Iterable[PairPage], progress: bool) -> list[PostExample]:
    """Return the examples of the pages that have any."""
    ready = map(example_of, tqdm(list(pages), disable=not progress, desc="pages"))
    return [example for example in ready if example is not None]


def without_variants(examples: Iterable[PostExample]) -> list[PostExample]:
    """Return the examples of pages that are not variants of threads."""
    return [example for example in examples if example.page.role != "variant"]
