"""Whole crawls of forums whose lists link to the last post of each thread, with the URL forms of common forums."""

from __future__ import annotations

import pytest
from crawling import crawl
from forum_sites import FORMS, HOST, THREADS, ForumSite
from generated_sites import question_of

from scrapy_semtext.spiders import SiteSpider

# Requests as a share of those needed, including robots.txt: a crawl learns little on a small forum.
MOST_REQUESTS = 1.3
REAL = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}


class FastSpider(SiteSpider):
    custom_settings = {**SiteSpider.custom_settings, "AUTOTHROTTLE_ENABLED": False}  # noqa: RUF012


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("form", FORMS)
def test_all_threads_are_found_whatever_leads_to_the_last_post(form: str) -> None:
    site = ForumSite(FORMS[form])
    found = crawl(site.answers(), FastSpider, REAL, urls=f"{HOST}/")
    assert sorted(item["title"] for item in found.items) == sorted(map(question_of, range(THREADS)))
    assert found.stats["downloader/request_count"] <= MOST_REQUESTS * site.needed
