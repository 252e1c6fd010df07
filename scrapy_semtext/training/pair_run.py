"""The training of the pair models, and what they find out of fold: ``semtext dev train pairs``, ``evaluate pairs``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.output.title import title_of
from scrapy_semtext.page_kinds.model import load_kinds
from scrapy_semtext.qa.pair_models import PairModels, load_pair_models, save_pair_models
from scrapy_semtext.qa.reader import find_page_posts, read_pairs
from scrapy_semtext.training.comment_pages import comment_pages
from scrapy_semtext.training.datasets import read_all
from scrapy_semtext.training.errors import TrainingError
from scrapy_semtext.training.faq_fit import faq_rows, fit_faq
from scrapy_semtext.training.pair_pages import (
    PairPage,
    folds_of,
    read_pair_pages,
)
from scrapy_semtext.training.post_fit import example_of, fit_posts
from scrapy_semtext.training.thread_variants import thread_variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.boosting import TreeTrainingJob
    from scrapy_semtext.training.post_fit import PostExample

_FOLDS = 6
_NEEDED = {"posts": "whose posts are known", "faq": "with the pairs of a FAQ", "none": "without pairs"}


def train_pairs(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the pair models, write them into the folder of a bundle, and return their training record.

    Of the domains that the job holds out, only pages without posts are left out, since posts are evidence for labels.
    Threads and FAQ pages are used: they are evaluated by `out_of_fold_pairs`.

    Raises TrainingError if no page has posts or none is a FAQ; DatasetError for unusable data.
    """
    pages = _pages(job)
    examples = _examples(pages, progress)
    posts = fit_posts(examples, job.seed, kinds=load_kinds(job.out), progress=progress)
    faq = fit_faq(faq_rows(example.page for example in _without_variants(examples)), job.seed)
    record = {**job.record(), "pages": _counted(pages)}
    save_pair_models(job.out, PairModels(posts, faq, record))
    return record


def train_faq(job: TreeTrainingJob, *, progress: bool = True) -> dict[str, Any]:
    """Train the FAQ model only, write it into the pair models of a bundle, and return its training record.

    Raises TrainingError if no page is a FAQ; DatasetError for unusable data; BundleError for unusable models.
    """
    allowed = (page for page in read_pair_pages(job.data) if job.any_licence or page.shippable)
    pages = [page for page in allowed if page.says_pairs and (page.role != "none" or not job.keeps_out(page))]
    _check_roles(pages, ("faq", "none"))
    model = fit_faq(faq_rows(tqdm(pages, disable=not progress, desc="pages")), job.seed)
    record = {**job.record(), "pages": _counted(pages)}
    models = load_pair_models(job.out)
    save_pair_models(job.out, replace(models, faq=model, training={**models.training, "faq": record}))
    return record


def out_of_fold_pairs(
    paths: Sequence[Path], *, seed: int = 1, any_licence: bool = False, progress: bool = True
) -> Iterator[tuple[PairPage, list[QAPair]]]:
    """Yield the pairs of every page, found without markup by models fitted without its engine and its domain.

    So for the variants of threads (`thread_variants`).

    Engines are divided into six folds of similar size. Pages whose licence does not allow to distribute models are
    read, but only trained on with ``any_licence``.
    """
    pages = _with_made(list(read_pair_pages(paths)), paths, seed, any_licence=any_licence)
    examples = {example.page.id: example for example in _examples(pages, progress)}
    rows = {example.page.id: faq_rows([example.page]) for example in _without_variants(examples.values())}
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
        lists = [part for example in _without_variants(ready) for part in rows[example.page.id]]
        models = PairModels(fit_posts(ready, seed), fit_faq(lists, seed))
        yield from ((page, _read(page, models)) for page in tested)


def _with_made(pages: list[PairPage], paths: Sequence[Path], seed: int, *, any_licence: bool) -> list[PairPage]:
    """The pages, and those made of them: articles with comments, and variants of threads."""
    commented = comment_pages(read_all(paths), pages, seed, any_licence=any_licence)
    return [*pages, *commented, *thread_variants(pages, seed)]


def _is_read(page: PairPage) -> bool:
    return page.says_pairs or page.role == "variant"


def _pages(job: TreeTrainingJob) -> list[PairPage]:
    allowed = [page for page in read_pair_pages(job.data) if job.any_licence or page.shippable]
    allowed = _with_made(allowed, job.data, job.seed, any_licence=job.any_licence)
    pages = [page for page in allowed if page.role in ("posts", "variant", "faq") or not job.keeps_out(page)]
    _check_roles(pages, _NEEDED)
    return pages


def _check_roles(pages: Sequence[PairPage], roles: Iterable[str]) -> None:
    for role in roles:
        if not any(page.role == role for page in pages):
            raise TrainingError(f"There is no page {_NEEDED[role]} among the data; the models need such pages.")


def _counted(pages: Iterable[PairPage]) -> dict[str, int]:
    return dict(Counter(f"{page.dataset} {page.role}" for page in pages))


def _examples(pages: Iterable[PairPage], progress: bool) -> list[PostExample]:
    ready = map(example_of, tqdm(list(pages), disable=not progress, desc="pages"))
    return [example for example in ready if example is not None]


def _without_variants(examples: Iterable[PostExample]) -> list[PostExample]:
    return [example for example in examples if example.page.role != "variant"]


def _read(page: PairPage, models: PairModels) -> list[QAPair]:
    parsed = describe(page.html, page.url)
    return read_pairs(find_page_posts(parsed, models.posts), title_of(parsed.root), page.url, models)
