"""The add-on registers everything when enabled, and changes nothing otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crawling import URL, Answer, crawl, run_python
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list

from scrapy_semtext import Addon
from scrapy_semtext.exporters import FEED_EXPORTERS
from scrapy_semtext.middlewares import SemtextDownloaderMiddleware, SemtextSpiderMiddleware
from scrapy_semtext.pipelines import SemtextPipeline

pytestmark = pytest.mark.crawl

ON = {"SEMTEXT_ENABLED": True}


def after_update(given: dict[str, Any]) -> Settings:
    settings = Settings(given)
    Addon().update_settings(settings)
    return settings


def test_everything_is_registered() -> None:
    settings = after_update(ON)
    assert settings.getdict("DOWNLOADER_MIDDLEWARES") == {SemtextDownloaderMiddleware: 545}
    assert settings.getdict("SPIDER_MIDDLEWARES") == {SemtextSpiderMiddleware: 10}
    assert settings.getdict("ITEM_PIPELINES") == {SemtextPipeline: 50}
    assert settings.getdict("FEED_EXPORTERS") == FEED_EXPORTERS
    assert "SCRAPY_POET_PROVIDERS" not in settings


def in_order(setting: str) -> list[Any]:
    settings = after_update(ON)
    return build_component_list({**settings[f"{setting}_BASE"], **settings[setting]})


def test_pages_are_read_behind_redirects_retries_and_decompression() -> None:
    names = [
        component if isinstance(component, str) else component.__name__
        for component in in_order("DOWNLOADER_MIDDLEWARES")
    ]
    own = names.index("SemtextDownloaderMiddleware")
    later = {name.rpartition(".")[2] for name in names[own + 1 :]}
    assert {"RetryMiddleware", "MetaRefreshMiddleware", "HttpCompressionMiddleware", "RedirectMiddleware"} <= later


@pytest.mark.parametrize("key", [SemtextPipeline, "scrapy_semtext.pipelines.SemtextPipeline"])
@pytest.mark.parametrize("order", [700, None])
def test_what_the_user_has_set_stays(key: Any, order: int | None) -> None:
    assert after_update({**ON, "ITEM_PIPELINES": {key: order}}).getdict("ITEM_PIPELINES") == {key: order}


@pytest.mark.parametrize("given", [{}, {"SEMTEXT_ENABLED": False}, {"SEMTEXT_ENABLED": "0"}])
def test_switched_off_it_changes_no_setting(given: dict[str, Any]) -> None:
    given = {**given, "ADDONS": {"scrapy_semtext.Addon": 300}}
    settings, untouched = Settings(given), Settings(given)
    with pytest.raises(NotConfigured):
        Addon().update_settings(settings)
    assert settings.copy_to_dict() == untouched.copy_to_dict()
    assert {name: settings.getpriority(name) for name in settings} == {
        name: untouched.getpriority(name) for name in untouched
    }


def test_it_says_that_it_is_off_only_where_nobody_decided(caplog: pytest.LogCaptureFixture) -> None:
    site = {URL: Answer()}
    assert crawl(site, settings={"SEMTEXT_ENABLED": False}).items == [{"url": URL}]
    assert not caplog.records
    assert crawl(site, settings={"SEMTEXT_ENABLED": None}).items == [{"url": URL}]
    assert "SEMTEXT_ENABLED is not set; set it to True" in caplog.text


@pytest.mark.parametrize(
    ("given", "provided"),
    [
        ({"ADDONS": {"scrapy_poet.Addon": 300}}, True),
        ({"ADDONS": {"scrapy_poet.Addon": None}}, False),
        ({"DOWNLOADER_MIDDLEWARES": {"scrapy_poet.InjectionMiddleware": 543}}, True),
        ({"DOWNLOADER_MIDDLEWARES": {"scrapy_poet.InjectionMiddleware": None}}, False),
        ({}, False),
    ],
)
def test_the_provider_is_registered_for_those_who_use_scrapy_poet(given: dict[str, Any], *, provided: bool) -> None:
    pytest.importorskip("scrapy_poet")
    providers = after_update({**ON, **given}).getdict("SCRAPY_POET_PROVIDERS")
    assert [provider.__name__ for provider in providers] == (["PageProvider"] if provided else [])


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, {}),
        ({"SCRAPY_POET_DISCOVER": ["own.pages"]}, {}),
        (
            {"SCRAPY_POET_DISCOVER": ["scrapy_semtext.page_objects"], "SEMTEXT_OPTIONS": '{"records": false}'},
            {"details": True, "main_html": True, "records": False},
        ),
    ],
)
def test_page_objects_get_what_they_need(given: dict[str, Any], options: dict[str, bool]) -> None:
    pytest.importorskip("scrapy_poet")
    settings = after_update({**ON, "ADDONS": {"scrapy_poet.Addon": 300}, **given})
    assert settings.getdict("SEMTEXT_OPTIONS") == options


OFF = """
import json, sys
import scrapy_semtext
from event_loop import get_crawler, run_async
import scrapy

class Spider(scrapy.Spider):
    name = "off"
    start_urls = ["data:text/html,<p>Text"]
    def parse(self, response):
        yield {"text": response.css("p::text").get()}

crawler = get_crawler(Spider, {"ADDONS": {"scrapy_semtext.Addon": 300}, **json.loads(sys.argv[1])})
run_async(crawler.crawl_async())
print(json.dumps({
    "items": crawler.stats.get_value("item_scraped_count"),
    "heavy": [name for name in ("torch", "numpy", "scrapy_semtext.extractor") if name in sys.modules],
    "stats": [name for name in crawler.stats.get_stats() if "semtext" in name],
}))
"""


@pytest.mark.slow
@pytest.mark.parametrize("given", [{}, {"SEMTEXT_ENABLED": False}])
def test_switched_off_nothing_is_loaded(given: dict[str, Any]) -> None:
    out = run_python(OFF, json.dumps(given))
    assert json.loads(out) == {"items": 1, "heavy": [], "stats": []}


@pytest.mark.smoke
def test_importing_the_package_loads_neither_torch_nor_scrapy() -> None:
    out = run_python(
        "import scrapy_semtext, sys; print([n for n in ('torch', 'scrapy', 'twisted') if n in sys.modules])"
    )
    assert out.strip() == "[]"
