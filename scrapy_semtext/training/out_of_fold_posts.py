"""Models of posts for each page to learn labels from, fitted without its forum engine and its domain.

What trees learn from the posts of a page has to be what such models find on engines that they do not know; else the
trees would trust them too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.qa.cleaning import clean_bodies
from scrapy_semtext.training.datasets import fold
from scrapy_semtext.training.engines import deal, engine_of
from scrapy_semtext.training.pair_pages import is_community, pair_page
from scrapy_semtext.training.post_fit import example_of, fit_posts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.pair_pages import PairPage

_FOLDS = 6


class OutOfFoldPostModels:
    """Models of posts by fold of engines; calling it with a page gives those that were fitted without its fold."""

    def __init__(
        self, pages: Sequence[AnnotatedPage], seed: int = 1, *, parts: int = _FOLDS, progress: bool = False
    ) -> None:
        """Fit the models, one without each of ``parts``, to those of ``pages`` that say whether they are made of posts.

        Sets without any thread or forum page are left out, as they are when pair models are trained: they would teach
        little but that pages are seldom threads. Raises PairTrainingError if too few pages are made of posts.
        """
        sets = {page.dataset for page in pages if is_community(page)}
        known = [found for page in pages if page.dataset in sets and (found := pair_page(page)) is not None]
        folds = deal([page.engine for page in known], parts)
        self._of_engine = {page.engine: where for page, where in zip(known, folds, strict=True)}
        self._of_domain = {page.domain: where for page, where in zip(known, folds, strict=True)}
        self._models = _fitted(known, folds, parts, seed, progress)

    def __call__(self, page: AnnotatedPage) -> PostModels:
        """The models that saw no page of this one's engine, nor, for a page of no known engine, of its domain."""
        known = pair_page(page)
        engine = known.engine if known is not None else engine_of(page.html, page.extra.get("engine"), page.domain)
        where = self._of_engine.get(engine, self._of_domain.get(page.domain))
        return self._models[fold(page.domain, 1, len(self._models)) if where is None else where]


def _fitted(known: Sequence[PairPage], folds: Sequence[int], parts: int, seed: int, progress: bool) -> list[PostModels]:
    bar = tqdm(known, desc="preparing posts", unit=" pages", disable=not progress)
    examples = {place: example for place, page in enumerate(bar) if (example := example_of(page)) is not None}
    models = []
    for out in tqdm(range(parts), desc="models of posts", disable=not progress):
        domains = {page.domain for page, where in zip(known, folds, strict=True) if where == out}
        learned = [
            example for place, example in examples.items() if folds[place] != out and known[place].domain not in domains
        ]
        models.append(fit_posts(learned, clean_bodies, seed))
    return models
