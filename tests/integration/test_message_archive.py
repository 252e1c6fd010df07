"""Crawls of archives with a message a page, whose messages are joined to threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from crawling import crawl
from message_archives import FORMS, HOST, Archive

from scrapy_semtext.spiders import QASpider, SiteSpider

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

REAL = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}


class FastQASpider(QASpider):
    custom_settings = {**QASpider.custom_settings, "AUTOTHROTTLE_ENABLED": False}  # noqa: RUF012


class FastSpider(SiteSpider):
    custom_settings = {**SiteSpider.custom_settings, "AUTOTHROTTLE_ENABLED": False}  # noqa: RUF012


def pairs_of(items: list[Any]) -> list[tuple[str, str, str]]:
    return [(p["question_title"], p["question_body"], p["answer"]) for item in items for p in item["qa_pairs"]]


@pytest.mark.parametrize("form", FORMS)
def test_messages_are_joined_to_threads_with_and_without_links(form: str) -> None:
    archive = Archive(FORMS[form])
    found = crawl(archive.answers(), FastQASpider, REAL, urls=f"{HOST}/")
    pairs = pairs_of(found.items)
    assert len(pairs) == len(archive.pairs())
    assert set(pairs) == archive.pairs()
    longest = next(item for item in found.items if len(item["qa_pairs"]) == 4)
    depths = [pair["depth"] for pair in longest["qa_pairs"]]
    assert sorted(depths) == ([1, 1, 2, 3] if archive.form.links else [1, 1, 1, 1])


def test_a_crawl_that_was_stopped_joins_what_both_runs_read(tmp_path: Path) -> None:
    archive = Archive(FORMS["list"])
    settings = {**REAL, "JOBDIR": str(tmp_path)}
    stopped = crawl(archive.answers(), FastQASpider, {**settings, "CLOSESPIDER_PAGECOUNT": 9}, urls=f"{HOST}/")
    assert stopped.stats["finish_reason"] == "closespider_pagecount"
    resumed = crawl(archive.answers(), FastQASpider, settings, urls=f"{HOST}/")
    assert sorted(pairs_of([*stopped.items, *resumed.items])) == sorted(archive.pairs())


def test_threads_that_have_grown_since_a_limit_are_given_again(tmp_path: Path) -> None:
    archive = Archive(FORMS["signed"])
    settings = {**REAL, "JOBDIR": str(tmp_path)}
    first = crawl(archive.answers(), FastQASpider, settings, urls=f"{HOST}/", max_pages="16")
    second = crawl(archive.answers(), FastQASpider, settings, urls=f"{HOST}/")
    latest = {item["url"]: item for item in (*first.items, *second.items)}
    assert len(first.items) + len(second.items) > len(latest)
    assert sorted(pairs_of([*latest.values()])) == sorted(archive.pairs())


def test_without_joining_each_message_is_an_article() -> None:
    archive = Archive(FORMS["table"])
    names = ("title", "author", "published", "page_kind", "main_text", "qa_pairs")
    settings = {**REAL, "SEMTEXT_FIELDS": {name: name for name in names}}
    found = crawl(archive.answers(), FastSpider, settings, urls=f"{HOST}/")
    items = {item["url"]: item for item in found.items}
    for post in archive.posts:
        item = items.pop(HOST + post.path)
        assert (item["title"], item["author"]) == (archive.subject(post), post.author)
        assert (item["published"], item["page_kind"]) == (f"{post.sent:%Y-%m-%d}", "article")
        assert item["main_text"].startswith(post.text)
        assert not item["qa_pairs"]
    assert not items
