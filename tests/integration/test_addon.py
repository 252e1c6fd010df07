"""The add-on: what it registers, what is missing without it, and what it logs."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from crawling import URL, Answer, FakeExtractor, crawl, run_python
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list

from scrapy_semtext import Addon
from scrapy_semtext.exporters import FEED_EXPORTERS
from scrapy_semtext.integration.addon import COMPONENTS
from scrapy_semtext.middlewares import SemtextDownloaderMiddleware, SemtextSpiderMiddleware
from scrapy_semtext.pipelines import SemtextPipeline
from scrapy_semtext.utils import extensions
from scrapy_semtext.utils.version import __version__

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


BY_SETTING = {component.setting: {component.path: component.order} for component in COMPONENTS}


@pytest.mark.parametrize(
    ("present", "missing"),
    [
        (["DOWNLOADER_MIDDLEWARES"], ["SPIDER_MIDDLEWARES", "ITEM_PIPELINES"]),
        (["SPIDER_MIDDLEWARES"], ["DOWNLOADER_MIDDLEWARES", "ITEM_PIPELINES"]),
        (["DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"], ["ITEM_PIPELINES"]),
    ],
)
def test_missing_components_are_named_once(
    present: list[str], missing: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"ADDONS": {}, **{setting: BY_SETTING[setting] for setting in present}}
    assert crawl({URL: Answer()}, settings=settings).items == [{"url": URL}]
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    names = " and ".join(f"{setting} has no {next(iter(BY_SETTING[setting]))}" for setting in missing)
    advice = 'ADDONS = {"scrapy_semtext.Addon": 300} adds all components of scrapy-semtext'
    assert said == f"Items are not filled: {names}. {advice}"


def test_a_component_that_is_switched_off_is_not_missed(caplog: pytest.LogCaptureFixture) -> None:
    off = {"scrapy_semtext.pipelines.SemtextPipeline": None}
    assert crawl({URL: Answer()}, settings={"ITEM_PIPELINES": off}).count("pages") == 1
    assert caplog.messages == []


def said_by(caplog: pytest.LogCaptureFixture, settings: dict[str, Any]) -> str:
    with caplog.at_level(logging.INFO):
        crawl({URL: Answer()}, settings=settings)
    start = f"scrapy-semtext {__version__}: "
    (said,) = [message for message in caplog.messages if message.startswith(start)]
    said, _, unasked = said.removeprefix(start).rpartition("; ")
    assert unasked == "not asked for: records, sections, metadata, markdown, chunks, main_html, details"
    return said


@pytest.fixture
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "scrapy_semtext.integration.downloader_middleware.extensions_note", lambda: "compiled extensions"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize(("processes", "where"), [(0, "cpu"), (2, "2 processes on cpu")])
def test_the_shipped_model(processes: int, where: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"SEMTEXT_EXTRACTOR": None, "SEMTEXT_DEVICE": "cpu", "SEMTEXT_PROCESSES": processes}
    assert said_by(caplog, settings) == f"labeler semtext, bundled model, {where}, compiled extensions"


@pytest.mark.usefixtures("_compiled")
def test_what_the_settings_say(caplog: pytest.LogCaptureFixture) -> None:
    settings = {"SEMTEXT_OPTIONS": {"labeler": "trees"}, "SEMTEXT_BUNDLE": "my/bundle", "SEMTEXT_DEVICE": "cuda"}
    own = f"extractor {FakeExtractor.__module__}.FakeExtractor"
    assert said_by(caplog, settings) == f"{own}, labeler trees, model my/bundle, cuda, compiled extensions"


def test_what_is_not_compiled_is_said_with_its_cost(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SEMTEXT_COMPILED", raising=False)
    for name in extensions.EXTENSIONS:
        monkeypatch.setattr(extensions, name, None if name in ("network", "walk") else object())
    assert said_by(caplog, {}).endswith(
        "extensions not compiled: network, walk (pages take up to 3 times as long; reinstall scrapy-semtext where there"
        " is a C compiler)"
    )
    monkeypatch.setenv("SEMTEXT_COMPILED", "0")
    assert extensions.extensions_note().startswith("extensions switched off by SEMTEXT_COMPILED=0")
