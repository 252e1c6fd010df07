"""Site templates in whole crawls."""

from __future__ import annotations

from typing import Any

import pytest
from crawling import Answer, crawl, crawler_for, spider_for
from sites import BANNER, SiteExtractor, site_page, text_of, url_of

from scrapy_semtext.integration.setting_values import SettingsError

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

ON = {"SEMTEXT_EXTRACTOR": SiteExtractor, "SEMTEXT_SITE_TEMPLATES": True}


def site(*numbers: int) -> dict[str, Answer]:
    return {url_of(number): Answer(site_page(number).encode()) for number in numbers}


def test_pages_that_come_later_lose_what_the_site_repeats() -> None:
    done = crawl(site(*range(12)), settings=ON)
    texts = {item["url"]: item["main_text"] for item in done.items}
    assert all(text_of(number) in texts[url_of(number)] for number in range(12))
    assert sum(BANNER in text for text in texts.values()) == 2


def test_a_request_can_do_without() -> None:
    pages = site(*range(6))
    done = crawl(pages, spider_for(pages, meta={"semtext": {"templates": False}}), ON)
    assert all(BANNER in item["main_text"] for item in done.items)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"SEMTEXT_SITE_TEMPLATES": True}, "FakeExtractor does not support site templates"),
        ({**ON, "SEMTEXT_SITE_TEMPLATES": "perhaps"}, "it has to be True or False"),
    ],
)
def test_what_cannot_work_stops_the_crawl_at_its_start(settings: dict[str, Any], message: str) -> None:
    from scrapy_semtext.middlewares import SemtextDownloaderMiddleware

    with pytest.raises(SettingsError, match=message):
        SemtextDownloaderMiddleware.from_crawler(crawler_for({}, settings=settings))
