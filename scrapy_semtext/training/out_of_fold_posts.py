"""Out-of-fold models of posts: for each training page, models fitted without its forum engine and its domain.

The features of posts that trees are trained on have to be as unreliable as on unknown engines; otherwise the trees
would trust them too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.training.comment_pages import comment_pages
from scrapy_semtext.training.datasets import fold
from scrapy_semtext.training.pair_pages import folds_of, is_community, pair_page
from scrapy_semtext.training.post_fit import example_of, fit_posts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.pair_pages import PairPage

_FOLDS = 6


class OutOfFoldPostModels:
    """Models of posts for each fold of engines; called with a page, it returns those fitted without the page's fold."""

    def __init__(
        self, pages: Sequence[AnnotatedPage], seed: int = 1, *, parts: int = _FOLDS, progress: bool = False
    ) -> None:
        """Fit models without each of ``parts`` folds, to the ``pages`` of which it is known whether they have posts.

        Sets without any thread or forum page are left out, as in the training of pair models. Raises PairTrainingError
        if too few pages have posts.
        """
        sets = {page.dataset for page in pages if is_community(page)}
        known = [pair_page(page) for page in pages if page.dataset in sets]
        known += comment_pages((page for page in pages if page.dataset in sets), known, seed)
        folds = folds_of(known, parts)
        self._of_engine = {page.engine: where for page, where in zip(known, folds, strict=True)}
        self._of_domain = {page.domain: where for page, where in zip(known, folds, strict=True)}
        self._models = _fitted(known, folds, parts, seed, progress)

    def __call__(self, page: AnnotatedPage) -> PostModels:
        """The models fitted without the page's engine or, if the engine is unknown, without its domain."""
        where = self._of_engine.get(pair_page(page).engine, self._of_domain.get(page.domain))
        return self._models[fold(page.domain, 1, len(self._models)) if where is None else where]


def _fitted(known: Sequence[PairPage], folds: Sequence[int], parts: int, seed: int, progress: bool) -> list[PostModels]:
    bar = tqdm(known, desc="preparing posts", unit=" pages", disable=not progress)
    examples = {place: example for place, page in enumerate(bar) if (example := example_of(page)) is not None}
    models = []
    for held_out in tqdm(range(parts), desc="models of posts", disable=not progress):
        domains = {page.domain for page, where in zip(known, folds, strict=True) if where == held_out}
        training = [
            example
            for place, example in examples.items()
            if folds[place] != held_out and known[place].domain not in domains
        ]
        models.append(fit_posts(training, clean_bodies, seed))
    return models
