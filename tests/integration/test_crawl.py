"""Whole crawls: with any event loop, with the shipped model, and with responses as on the real web."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from crawling import ARTICLE, URL, Answer, FakeExtractor, crawl, crawler_for, run_python, spider_for
from event_loop import NEEDS_REACTOR, run_async
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.pipelines.files import FilesPipeline
from stall_stats import StallStats

from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.http import Response

    from scrapy_semtext import Page, Source

pytestmark = pytest.mark.crawl

PROCESS = """
import json, sys, threading
from crawling import Answer, SiteHandler, FakeExtractor, page_with, spider_for
from stall_stats import StallStats
from scrapy_semtext import QAPair
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess

site = {f"http://site.test/{n}": Answer() for n in range(19)} | {"http://site.test/bad": Answer(b"<p>BOOM")}
site["http://site.test/many"] = page_with(*(QAPair(f"Question {n}?", "Yes.") for n in range(100)))
given = json.loads(sys.argv[2])
process = globals()[sys.argv[1]]({
    "ADDONS": {"scrapy_semtext.Addon": 300},
    "SEMTEXT_ENABLED": True,
    "SEMTEXT_EXTRACTOR": FakeExtractor,
    "EXTENSIONS": {StallStats: 0},
    "SITE": site,
    "DOWNLOAD_HANDLERS": {"http": SiteHandler, "https": None, "ftp": None},
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    **given,
})
crawler = process.create_crawler(spider_for(site))
process.crawl(crawler)
process.start()
stats = {name: value for name, value in crawler.stats.get_stats().items() if "semtext" in name or "stall" in name}
threads = [thread.name for thread in threading.enumerate() if thread.name.startswith("semtext")]
print(json.dumps({"stats": stats, "threads": threads, "items": crawler.stats.get_value("item_scraped_count")}))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("process", "settings"),
    [
        ("AsyncCrawlerProcess", {}),
        ("CrawlerProcess", {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}),
        pytest.param(
            "AsyncCrawlerProcess",
            {"TWISTED_REACTOR_ENABLED": False},
            marks=pytest.mark.skipif(NEEDS_REACTOR, reason="Scrapy 2.15"),
        ),
    ],
    ids=["asyncio", "select", "no reactor"],
)
def test_crawls_run_with_any_event_loop(process: str, settings: dict[str, Any]) -> None:
    out = json.loads(run_python(PROCESS, process, json.dumps(settings)))
    stats = out["stats"]
    assert out["items"] == 21
    assert stats["semtext/responses"] == 21
    assert stats["semtext/pages"] == stats["semtext/items/filled"] == 20
    assert stats["semtext/errors"] == stats["semtext/items/without_page"] == 1
    assert stats["semtext/pairs"] == stats["semtext/pairs/kept"] == 100 + 19
    assert stats["loop_stall_max"] < 5
    assert out["threads"] == []


class Sleepy(FakeExtractor):
    """Takes some time for each batch, like a large model."""

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        time.sleep(1 if any("SLOW" in source.html for source in sources) else 0.1)
        return super().read_many(sources)


@pytest.mark.slow
def test_the_event_loop_stays_free_while_the_model_works() -> None:
    result = crawl({URL: Answer(b"<p>SLOW")}, settings={"SEMTEXT_EXTRACTOR": Sleepy, "EXTENSIONS": {StallStats: 0}})
    assert result.count("seconds") >= 1
    assert 0 < result.stats["loop_stall_max"] < 0.5


@pytest.mark.slow
def test_a_crawl_that_is_closed_early_ends_with_all_pages_read() -> None:
    class Impatient(scrapy.Spider):
        name = "impatient"
        start_urls = [f"{URL}{n}" for n in range(30)]  # noqa: RUF012

        def parse(self, response: Response) -> Any:
            yield {"url": response.url}
            raise CloseSpider("enough")

    result = crawl({f"{URL}{n}": Answer() for n in range(30)}, Impatient, {"SEMTEXT_EXTRACTOR": Sleepy})
    assert result.stats["finish_reason"] == "enough"
    assert result.count("responses") == result.count("pages")
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("semtext")]


def test_what_media_pipelines_download_is_left_alone(tmp_path: Path) -> None:
    site = {URL: Answer(), URL + "paper.html": Answer()}
    spider = spider_for({URL: Answer()}, lambda response: {"file_urls": [URL + "paper.html"]})
    settings = {"ITEM_PIPELINES": {FilesPipeline: 1}, "FILES_STORE": str(tmp_path)}
    result = crawl(site, spider, settings)
    assert result.items[0]["files"][0]["status"] == "downloaded"
    assert result.items[0]["title"] == "Bread"
    assert result.count("pages") == 1
    assert result.count("pages/skipped/no_callback") == 1


def test_two_crawls_in_one_loop_do_not_mix() -> None:
    async def both() -> list[Any]:
        crawlers = [crawler_for({URL: Answer(ARTICLE.replace(b"Bread", name))}) for name in (b"First", b"Second")]
        items: list[Any] = []

        def keep(item: Any) -> None:
            items.append(item["title"])

        for crawler in crawlers:
            crawler.signals.connect(keep, signal=signals.item_scraped)
        await asyncio.gather(*(crawler.crawl_async() for crawler in crawlers))
        return items

    assert sorted(run_async(both())) == ["First", "Second"]


def test_an_extractor_that_cannot_be_loaded_stops_the_crawl_at_its_start() -> None:
    with pytest.raises(ValueError, match=r"SEMTEXT_EXTRACTOR is 'no\.such\.Extractor', which cannot be loaded"):
        crawl({URL: Answer()}, settings={"SEMTEXT_EXTRACTOR": "no.such.Extractor"})


def test_an_extractor_without_load_is_named() -> None:
    with pytest.raises(ValueError, match=r"SEMTEXT_EXTRACTOR is 'json\.loads', which has no class method load"):
        crawl({URL: Answer()}, settings={"SEMTEXT_EXTRACTOR": "json.loads"})


SHIPPED = {"SEMTEXT_EXTRACTOR": None}  # the default: the real extractor with the shipped model

PARAGRAPHS = "".join(
    f"<p>The {what} of a sourdough loaf is decided long before it reaches the oven, and every baker has a reason of "
    "their own for the hours that the dough is left alone, folded, shaped and left alone again.</p>"
    for what in ("crust", "crumb", "taste", "colour")
)
LOAF = (
    "<html><head><title>Sourdough</title></head><body><nav class='menu'><ul><li><a href='/'>Home</a></li>"
    "<li><a href='/shop'>Shop</a></li></ul></nav><article class='post-content'><h1>Sourdough</h1>"
    f"{PARAGRAPHS}</article><footer class='footer'>Copyright 2020. All rights reserved.</footer></body></html>"
)


HTML = {"Content-Type": "text/html"}

#: Body, headers, and the stat that has to count it.
WEB: dict[str, tuple[bytes, dict[str, str], str]] = {
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 200, HTML, "pages/skipped/binary"),
    "archive": (b"PK\x03\x04" + bytes(range(255, -1, -1)) * 200, HTML, "pages/skipped/binary"),
    "empty": (b"", HTML, "pages/skipped/empty"),
    "white": (b"\n \n", HTML, "pages/skipped/empty"),
    "latin-as-utf8": (
        LOAF.replace("crust", "cro\u00fbte").encode("latin-1"),
        {"Content-Type": "text/html; charset=utf-8"},
        "pages",
    ),
    "utf16": (LOAF.encode("utf-16"), HTML, "pages"),
    "unknown-charset": (LOAF.encode(), {"Content-Type": "text/html; charset=klingon"}, "pages"),
    "nulls": (LOAF.replace("<p>", "<p>\0\0").encode(), HTML, "pages"),
    "only-nulls": (b"\0" * 1000, HTML, "pages"),
    "controls": (LOAF.replace("dough", "do\x0b\x1fugh").encode(), HTML, "pages"),
    "surrogates": (LOAF.replace("crust", "&#xD800;&#0;&#x110000;").encode(), HTML, "pages"),
    "unclosed": (
        b"<html><body><div><p><table><tr><td><b><i><a href='" + b"<div class=x><p>text <b>" * 2000,
        HTML,
        "pages",
    ),
    "open-comment": (b"<html><body><p>Text<!-- " + b"x " * 1000, HTML, "pages"),
    "no-html": (b"just a line of text", HTML, "pages"),
    "fragment": (b"<", HTML, "pages"),
    "frames": (b"<frameset><frame src=a></frameset>", HTML, "pages"),
    "attributes": (b"<div " + b"a=1 " * 20000 + b">text</div>", HTML, "pages"),
    "long-word": (b"<p>" + b"x" * 1_000_000, HTML, "pages"),
    "deep": (b"<div>" * 100_000 + b"text", HTML, "pages"),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_whatever_the_web_sends_an_item_comes_out(caplog: pytest.LogCaptureFixture) -> None:
    site = {URL + name: Answer(body, headers=headers) for name, (body, headers, _) in WEB.items()}
    result = crawl(site, settings=SHIPPED)
    assert sorted(item["url"] for item in result.items) == sorted(site)
    expected = {stat: sum(1 for *_, counted in WEB.values() if counted == stat) for *_, stat in WEB.values()}
    assert {stat: result.count(stat) for stat in expected} == expected
    assert result.count("errors") == 0, caplog.text
    assert result.count("responses") == len(WEB)
    by_url = {item["url"]: item for item in result.items}
    for name in ("utf16", "unknown-charset", "nulls", "surrogates"):
        assert "every baker has a reason" in by_url[URL + name]["main_text"], name


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "pages"), [({}, 1), ({"SEMTEXT_MAX_BODY": 10**8}, 2)], ids=["left alone", "read"])
def test_twenty_megabytes_of_div(settings: dict[str, Any], pages: int) -> None:
    site = {URL: Answer(b"<div>" * 4_000_000), URL + "loaf": Answer(LOAF.encode())}
    result = crawl(site, settings={**SHIPPED, **settings})
    assert len(result.items) == 2
    assert result.count("pages") == pages
    assert result.count("pages/skipped/too_large") == 2 - pages
    assert any("every baker has a reason" in item.get("main_text", "") for item in result.items)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "value", "processes"), [("SEMTEXT_BUNDLE", "no/bundle", 0), ("SEMTEXT_DEVICE", "warp", 1)]
)
def test_what_cannot_be_loaded_stops_the_crawl_at_its_start(setting: str, value: str, processes: int) -> None:
    with pytest.raises(SettingsError, match=rf"{setting} is '{value}', but: .*{value}"):
        crawl({URL: Answer()}, settings={**SHIPPED, "SEMTEXT_PROCESSES": processes, setting: value})
