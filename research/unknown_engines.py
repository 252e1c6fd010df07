"""Out-of-fold trees and models of posts for community pages, by forum engine and domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm import tqdm

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.qa.reader import find_page_posts
from scrapy_semtext.training.datasets import may_ship
from scrapy_semtext.training.pair_pages import assign_folds, engine_of, is_community
from scrapy_semtext.training.pair_run import OutOfFoldPostModels
from scrapy_semtext.training.structure_fit import structure_example

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.training.datasets import AnnotatedPage
    from scrapy_semtext.training.structure_fit import StructureExample

#: The number of folds of the community pages, by engine.
PARTS = 6


class UnknownEngines:
    """The pages of some sets, and training examples without those of an engine; of pages that may ship only.

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
        find_page_posts(described, self._posts(self.pages[number]))
