"""A thread over several pages in a whole crawl, with the shipped models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from crawling import URL, Answer, crawl
from kettle_threads import kettle_thread, sentence

from scrapy_semtext import page_of, use_page
from scrapy_semtext.threads import merge_pages, next_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.http import Response

    from scrapy_semtext import Page

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

POSTS = 5  # on each page


def thread_page(number: int, before: str | None, following: str | None) -> Answer:
    """Return a page of a thread; the first has the number 0."""
    related = {"prev": before, "next": following}
    links = "".join(f'<link rel="{rel}" href="{href}">' for rel, href in related.items() if href)
    html = kettle_thread(POSTS, first=number * POSTS + 1).replace("<head>", f"<head>{links}")
    return Answer(html.encode())


#: Addresses that do not count.
SITE = {
    f"{URL}a.html": thread_page(0, None, "b.html"),
    f"{URL}b.html": thread_page(1, "a.html", "c.html"),
    f"{URL}c.html": thread_page(2, "b.html", None),
}


class ThreadSpider(scrapy.Spider):
    name = "thread"
    start_urls = [f"{URL}a.html"]  # noqa: RUF012

    def parse(self, response: Response, pages: Sequence[Page] = ()) -> Iterator[Any]:
        pages = [*pages, *filter(None, [page_of(response)])]
        following = next_url(response.text, response.url)
        if following is not None:
            yield response.follow(following, self.parse, cb_kwargs={"pages": pages})
        else:
            use_page(response, merge_pages(pages))
            yield {}


def test_the_posts_of_all_pages_answer_the_question_of_the_first_in_order() -> None:
    settings = {
        "SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor",
        "SEMTEXT_FIELDS": {"url": "url", "title": "title", "qa_pairs": "qa_pairs"},
    }
    (item,) = crawl(SITE, ThreadSpider, settings).items
    assert (item["url"], item["title"]) == (f"{URL}a.html", "Why does my kettle leak?")

    opening, *posts = (f"{sentence(number)}\n{sentence(number + 3, 12)}" for number in range(1, 3 * POSTS + 1))
    assert [pair["answer"] for pair in item["qa_pairs"]] == posts
    asked = {(pair["question_title"], pair["question_body"]) for pair in item["qa_pairs"]}
    assert asked == {(item["title"], opening)}
    assert {pair["question_author"] for pair in item["qa_pairs"]} == {"Member1"}
    assert {(pair["answer_to"], pair["depth"]) for pair in item["qa_pairs"]} == {(None, 1)}
