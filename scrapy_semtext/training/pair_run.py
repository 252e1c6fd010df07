"""From page sets to pair models, and pages read by models that never saw their engine."""

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
from scrapy_semtext.training.engines import deal
from scrapy_semtext.training.faq_fit import FaqRows, faq_rows, fit_faq, joined
from scrapy_semtext.training.pair_pages import PairPage, read_pair_pages
from scrapy_semtext.training.post_fit import PairTrainingError, example_of, fit_posts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.post_fit import Example
    from scrapy_semtext.training.tree_plan import TreePlan

_FOLDS = 6


def train_pairs(plan: TreePlan, *, progress: bool = True) -> dict[str, Any]:
    """Train the pair models, write them into the folder of a bundle, and return their training record.

    Of the domains that labels are measured by, which the plan keeps out, pages without posts are not learned from:
    where posts are found is evidence for labels. Threads and FAQ pages are, as they are measured in another way
    (`cross_read`).

    Raises PairTrainingError if no page has posts or none is a FAQ; DatasetError for unusable data.
    """
    pages = _pages(plan)
    models = _fit(_examples(pages, progress), plan.seed, progress)
    record = {**plan.record(), "pages": dict(Counter(f"{page.dataset} {page.role}" for page in pages))}
    save_pair_models(plan.out, PairModels(models.posts, models.faq, record))
    return record


def cross_read(
    paths: Iterable[Path], *, seed: int = 1, any_licence: bool = False, progress: bool = True
) -> Iterator[tuple[PairPage, list[QAPair]]]:
    """Read every page by models fitted without its engine and its domain, and without markup.

    Engines are dealt to six folds so that these are of like size. Pages whose licence keeps them out of what ships are
    read, but only learned from with ``any_licence``.
    """
    pages = list(read_pair_pages(paths))
    examples = {example.page.id: example for example in _examples(pages, progress)}
    rows = {example.page.id: faq_rows([example]) for example in examples.values()}
    folds = deal([page.engine for page in pages], _FOLDS)
    for out in tqdm(range(_FOLDS), disable=not progress, desc="folds"):
        left = [page for page, where in zip(pages, folds, strict=True) if where == out]
        domains = {page.domain for page in left}
        learned = [
            page
            for page, where in zip(pages, folds, strict=True)
            if where != out and page.domain not in domains and (any_licence or page.shippable)
        ]
        ready = [examples[page.id] for page in learned if page.id in examples]
        models = _fit(ready, seed, progress=False, rows=[rows[example.page.id] for example in ready])
        yield from ((page, _read(page, models)) for page in left)


def _pages(plan: TreePlan) -> list[PairPage]:
    allowed = (page for page in read_pair_pages(plan.data) if plan.any_licence or page.shippable)
    pages = [page for page in allowed if page.role != "none" or not plan.keeps_out(page)]
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


def _fit(examples: Sequence[Example], seed: int, progress: bool, rows: Sequence[FaqRows] | None = None) -> PairModels:
    """Fit all models; ``rows`` are the examples' for the FAQ model, if they are known already."""
    lists = joined(rows) if rows is not None else faq_rows(examples)
    return PairModels(fit_posts(examples, clean_bodies, seed, progress=progress), fit_faq(lists, seed))


def _read(page: PairPage, models: PairModels) -> list[QAPair]:
    root = tree.parse(page.html, page.url)
    (found,) = find_posts([PageInput(root, search(root), page.url)], models.posts)
    return read_pairs(found, root, title_of(root), page.url, models)
