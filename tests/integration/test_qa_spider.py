"""How the example's spider follows threads, on a site in memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from crawling import URL, Answer, Crawl, crawl, page_with

from scrapy_semtext import QAPair

sys.path.insert(0, str(Path(__file__).parents[2] / "example_project"))

from example.spiders.qa import QASpider

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

INDEX = b"<html><nav><a data-kind=thread href=/list></a><a data-kind=article href=/other></a></nav></html>"


class ThreadSpider(QASpider):
    name = "threads"
    start_urls = [URL]  # noqa: RUF012
    custom_settings: Any = {}  # noqa: RUF012

    def __init__(self, **arguments: Any) -> None:
        super().__init__(threads="3", **arguments)


def post(number: int) -> QAPair:
    """Return a pair as extracted from a page of the thread: only the first page shows the question."""
    answer = f"Answer number {number}."
    if number == 1:
        return QAPair("Bread\nHow?", answer, question_title="Bread", question_body="How?")
    return QAPair("Bread", answer, question_title="Bread")


def page(number: int, *, following: str = "", before: str = "", canonical: str = "/1") -> Answer:
    links = {"next": following, "prev": before, "canonical": canonical}
    head = "".join(f'<link rel="{name}" href="{href}">' for name, href in links.items() if href)
    answer = page_with(post(number))
    return Answer(answer.body.replace(b"<title>", f"{head}<title>".encode()))


def site(listed: list[str], pages: dict[str, Answer]) -> dict[str, Answer]:
    links = "".join(f"<a href='/{path}'></a>" for path in listed)
    return {
        URL: Answer(INDEX),
        f"{URL}list": Answer(f"<html><main>{links}</main></html>".encode()),
        **{URL + path: answer for path, answer in pages.items()},
    }


def answers(result: Crawl) -> list[list[str]]:
    return [[pair["answer"] for pair in item["qa_pairs"]] for item in result.items]


FIRST = page(1, following="/2")
SECOND = page(2, following="/3", before="/1")
THIRD = page(3, before="/2")
ALL = [[f"Answer number {n}." for n in (1, 2, 3)]]


def test_the_pages_of_a_thread_come_together_under_its_canonical_url() -> None:
    result = crawl(site(["1"], {"1": FIRST, "2": SECOND, "3": THIRD}), ThreadSpider)
    assert answers(result) == ALL
    assert result.items[0]["url"] == f"{URL}1"
    assert {pair["question"] for pair in result.items[0]["qa_pairs"]} == {"Bread\nHow?"}
    assert result.count("pairs") == 3


@pytest.mark.parametrize("listed", [["3", "2", "1"], ["2"], ["1", "1?sort=old", "3"]])
def test_a_thread_is_one_item_however_it_was_reached(listed: list[str]) -> None:
    pages = {"1": FIRST, "1?sort=old": FIRST, "2": SECOND, "3": THIRD}
    assert answers(crawl(site(listed, pages), ThreadSpider)) == ALL
