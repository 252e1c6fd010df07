"""Out-of-fold trees and models of posts for community pages, by forum engine and domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm import tqdm

from research.engine_folds import assign_folds, folds_of, is_community
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.qa.reader import find_posts
from scrapy_semtext.training.comment_pages import comment_pages
from scrapy_semtext.training.datasets import fold, may_ship
from scrapy_semtext.training.pair_pages import (
    engine_of,
    pair_page,
    places_outside,
)
from scrapy_semtext.training.post_fit import example_of, fit_posts
from scrapy_semtext.training.structure_fit import structure_example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.qa.posts import PostModels
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.pair_pages import PairPage
    from scrapy_semtext.training.structure_fit import StructureExample

#: The number of folds of the community pages, by engine.
PARTS = 6


class UnknownEngines:
    """The pages of some sets, and training examples without an engine's pages, only of pages that may be shipped.

    ``community``: the indices of the community pages in ``pages``. The features of posts in an example come from models
    fitted without its engine and domain, but possibly with those of the pages that are then read.
    """

    def __init__(self, pages: Sequence[AnnotatedPage], *, parts: int = PARTS, progress: bool = True) -> None:
        """Fit the models of posts, and make the examples. Raises TrainingError if too few pages have posts."""
        self.parts = parts
        self.pages = pages
        self.community = [number for number, page in enumerate(pages) if is_community(page)]
        engines = [engine_of(pages[n].html, pages[n].extra.get("engine"), pages[n].domain) for n in self.community]
        self._part = dict(zip(self.community, assign_folds(engines, parts), strict=True))
        self._posts = OutOfFoldPostModels([page for page in pages if may_ship(page)], parts=parts, progress=progress)
        bar = tqdm(pages, desc="preparing pages", unit=" pages", disable=not progress)
        self._examples = [structure_example(page, self._posts(page)) if may_ship(page) else None for page in bar]

    def left_out(self, part: int) -> list[int]:
        """The numbers of the pages of a part, 0 to ``parts`` - 1."""
        return [number for number in self.community if self._part[number] == part]

    def known(self, part: int) -> list[StructureExample]:
        """The training examples for reading the pages of a part."""
        domains = {self.pages[number].domain for number in self.left_out(part)}
        return [
            example
            for number, example in enumerate(self._examples)
            if example is not None and self._part.get(number) != part and self.pages[number].domain not in domains
        ]

    def described(self, number: int) -> ParsedPage:
        """A parsed page, without its posts."""
        return describe(self.pages[number].html, self.pages[number].url)

    def find_posts(self, number: int, described: ParsedPage) -> None:
        """Find the posts of a page by models fitted without its engine and its domain."""
        find_posts([described], self._posts(self.pages[number]))


class OutOfFoldPostModels:
    """Models of posts for each fold of engines; called with a page, it returns those fitted without the page's fold.

    The features of posts that trees are trained on have to be as unreliable as on unknown engines; otherwise the trees
    would trust them too much.
    """

    def __init__(
        self, pages: Sequence[AnnotatedPage], seed: int = 1, *, parts: int = PARTS, progress: bool = False
    ) -> None:
        """Fit models without each of ``parts`` folds, to the ``pages`` of which it is known whether they have posts.

        Sets without any thread or forum page are left out, as in the training of pair models. Raises TrainingError
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
        training = places_outside(known, folds, held_out)
        models.append(fit_posts([examples[place] for place in training if place in examples], seed))
    return models
