"""Whole crawls of forums whose lists link to the last post of each thread, in the forms that forums have."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from crawling import crawler_for
from event_loop import run_async
from forum_sites import FORMS, HOST, THREADS, ForumSite
from generated_sites import question_of
from scrapy import signals

from scrapy_semtext.spiders import SiteSpider

# As a share of those that are needed: a small forum gives a crawl little to learn from.
MOST_REQUESTS = 1.25
FAST = {"AUTOTHROTTLE_ENABLED": False, "SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}


def harvest_counted(site: ForumSite) -> tuple[list[Any], Counter[str]]:
    """Return the items, and the requests for each address."""

    class Fast(SiteSpider):
        custom_settings = {**SiteSpider.custom_settings, "AUTOTHROTTLE_ENABLED": False}  # noqa: RUF012

    crawler = crawler_for(site.answers(), Fast, FAST)
    items: list[Any] = []
    hits: Counter[str] = Counter()

    def keep(item: Any) -> None:
        items.append(item)

    def count(request: Any) -> None:
        if not request.url.endswith(("robots.txt", ".xml")):
            hits[request.url] += 1

    crawler.signals.connect(keep, signal=signals.item_scraped)
    crawler.signals.connect(count, signal=signals.request_reached_downloader)
    run_async(crawler.crawl_async(urls=f"{HOST}/"))
    return items, hits


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("form", FORMS)
def test_all_threads_are_found_whatever_leads_to_the_last_post(form: str) -> None:
    site = ForumSite(FORMS[form])
    items, hits = harvest_counted(site)
    titles = [item["title"] for item in items]
    assert {*titles} == {question_of(number) for number in range(THREADS)}
    assert len(titles) == THREADS
    assert hits.total() <= MOST_REQUESTS * site.needed
