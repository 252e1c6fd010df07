"""A spider that works with the result itself: one item for each pair of question and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from example.items import Pair
from example.spiders.pages import PagesSpider
from scrapy_semtext import page_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Request, Response


class QuestionsSpider(PagesSpider):
    """Crawls the kinds of pages that hold questions."""

    name = "questions"
    kinds = ("question", "faq")

    def parse_index(self, response: Response) -> Iterator[Request]:
        yield from (request for request in super().parse_index(response) if request.cb_kwargs["kind"] in self.kinds)

    def parse_page(self, response: Response, kind: str) -> Iterator[Pair]:
        page = page_of(response)
        for pair in page.qa_pairs if page is not None else []:
            yield Pair(response.url, kind, pair.question, pair.answer, pair.votes, pair.accepted, pair.score)
