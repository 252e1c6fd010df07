"""Site templates in whole crawls."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from crawling import Answer, crawl, crawler_for, spider_for
from sites import BANNER, SiteExtractor, site_page, text_of, url_of

from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

ON = {"SEMTEXT_EXTRACTOR": SiteExtractor, "SEMTEXT_SITE_TEMPLATES": True}


def site(*numbers: int) -> dict[str, Answer]:
    return {url_of(number): Answer(site_page(number).encode()) for number in numbers}


def test_pages_that_come_later_lose_what_the_site_repeats() -> None:
    done = crawl(site(*range(12)), settings=ON)
    texts = {item["url"]: item["main_text"] for item in done.items}
    assert all(text_of(number) in texts[url_of(number)] for number in range(12))
    assert sum(BANNER in text for text in texts.values()) == 2
    assert (done.count("site/pages"), done.count("site/removed"), done.count("site/sites")) == (12, 10, 1)


def test_a_request_can_do_without() -> None:
    pages = site(*range(6))
    done = crawl(pages, spider_for(pages, meta={"semtext": {"templates": False}}), ON)
    assert all(BANNER in item["main_text"] for item in done.items)
    assert done.count("site/pages") == 0


@pytest.mark.slow
def test_a_job_goes_on_with_what_it_learnt(tmp_path: Path) -> None:
    settings = {**ON, "JOBDIR": str(tmp_path)}
    crawl(site(*range(4)), settings=settings)
    assert (tmp_path / "semtext-sites.npz").exists()
    (item,) = crawl(site(7), settings=settings).items
    assert BANNER not in item["main_text"]
    (item,) = crawl(site(8), settings=ON).items
    assert BANNER in item["main_text"]


def test_a_broken_state_is_said_and_learnt_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "semtext-sites.npz").write_bytes(b"broken")
    with caplog.at_level(logging.WARNING):
        done = crawl(site(*range(4)), settings={**ON, "JOBDIR": str(tmp_path)})
    assert "starting without" in caplog.text
    assert done.count("site/pages") == 4


def test_subdomains_can_be_one_site() -> None:
    pages = {f"http://user{n}.example.com/": Answer(site_page(n).encode()) for n in range(6)}
    done = crawl(pages, settings={**ON, "SEMTEXT_SITE_TEMPLATES": {"by": "domain"}})
    assert sum(BANNER in item["main_text"] for item in done.items) == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"SEMTEXT_SITE_TEMPLATES": True}, "FakeExtractor does not support site templates"),
        ({**ON, "SEMTEXT_SITE_TEMPLATES": {"size": 3}}, r"SEMTEXT_SITE_TEMPLATES\[.size.\] is 3"),
        ({**ON, "SEMTEXT_SITE_TEMPLATES": {"sites": 0}}, r"SEMTEXT_SITE_TEMPLATES\[.sites.\] is 0"),
        ({**ON, "SEMTEXT_SITE_TEMPLATES": {"by": "page"}}, "one of host, domain"),
    ],
)
def test_what_cannot_work_stops_the_crawl_at_its_start(settings: dict[str, Any], message: str) -> None:
    from scrapy_semtext.middlewares import SemtextDownloaderMiddleware

    with pytest.raises(SettingsError, match=message):
        SemtextDownloaderMiddleware.from_crawler(crawler_for({}, settings=settings))
