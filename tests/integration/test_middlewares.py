"""Which responses are processed, what is stored for them, and which item belongs to which."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from crawling import ARTICLE, URL, Answer, crawl, spider_for
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings

from scrapy_semtext import Options
from scrapy_semtext.integration.pages import reason_to_skip, source_of
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.integration.settings import SemtextSettings, default_options

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.crawl

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 20


def html(body: bytes = ARTICLE, status: int = 200) -> HtmlResponse:
    return HtmlResponse(URL, status=status, body=body, encoding="utf-8")


class Rendered(TextResponse):
    """The response of scrapy-splash for a page, which has a separate class."""


def rendered(kind: str) -> Rendered:
    return Rendered(URL, body=ARTICLE, encoding="utf-8", headers={"Content-Type": kind})


@pytest.mark.parametrize(
    ("request_", "response", "reason"),
    [
        (Request(URL), html(), None),
        (Request(URL), rendered("text/html; charset=utf-8"), None),
        (Request(URL), rendered("text/plain"), "not_html"),
        (Request(URL, meta={"semtext": True}), html(), None),
        (Request(URL, meta={"semtext": False}), html(), "meta"),
        (Request("http://site.test/robots.txt", callback=NO_CALLBACK), html(), "no_callback"),
        (Request(URL, callback=NO_CALLBACK, meta={"semtext": True}), html(), None),
        (Request(URL), html(status=301), "status"),
        (Request(URL), html(status=404), "status"),
        (Request(URL), html(status=500), "status"),
        (Request(URL), html(status=206), None),
        (Request(URL, method="HEAD"), html(b""), "head"),
        (Request(URL), Response(URL, body=PNG), "not_html"),
        (Request(URL), TextResponse(URL, body=b"User-agent: *", encoding="utf-8"), "not_html"),
        (Request(URL), html(b""), "empty"),
        (Request(URL), html(b" \r\n\t "), "empty"),
        (Request(URL), html(b"<p>" + b"x" * 1000), "too_large"),
    ],
)
def test_what_is_left_alone(request_: Request, response: Response, reason: str | None) -> None:
    assert reason_to_skip(request_, response, max_body=1000) == reason


@pytest.mark.smoke
def test_every_response_is_a_page_or_skipped_or_an_error() -> None:
    site = {
        URL: Answer(),
        URL + "missing": Answer(b"<p>not here", 404),
        URL + "feed": Answer(b"<feed/>", headers={"Content-Type": "application/atom+xml"}),
        URL + "empty": Answer(b""),
        URL + "picture": Answer(PNG),
        URL + "paper": Answer(b"%PDF-1.7 a paper"),
        URL + "broken": Answer(b"<p>BOOM</p>"),
        URL + "moved": Answer(b"<p>moved</p>", 301, {"Content-Type": "text/html", "Location": URL + "target"}),
        URL + "target": Answer(),
        URL + "robots.txt": Answer(b"<p>Disallow nothing", 200),
    }
    spider = spider_for({url: answer for url, answer in site.items() if not url.endswith(("target", "robots.txt"))})
    result = crawl(site, spider, {"ROBOTSTXT_OBEY": True})

    assert len(result.items) == 8
    assert result.count("pages") == 2
    assert result.count("errors") == result.count("errors/ZeroDivisionError") == 1
    reasons = {"status": 1, "not_html": 1, "empty": 1, "binary": 2, "no_callback": 1}
    assert {name: result.count(f"pages/skipped/{name}") for name in reasons} == reasons
    assert result.count("pages/skipped") == sum(reasons.values())
    assert result.count("responses") == result.count("pages") + result.count("pages/skipped") + result.count("errors")
    assert result.count("items/filled") == 2
    assert result.count("items/without_page") == 6
    assert result.count("blocks") == 6
    assert result.count("blocks/main") == 4


@pytest.mark.parametrize("parse", [True, False])
@pytest.mark.parametrize("read_before", [True, False])
def test_the_callback_gets_the_text_that_was_read(parse: bool, read_before: bool) -> None:
    body = "<p>Kanalen öppnades på våren och staden hade då tvåhundra hus</p>".encode("cp1252")
    response = HtmlResponse(URL, body=body)
    if read_before:
        assert response.css("p")
    assert "på våren och" in source_of(response, Options(), parse=parse).html
    assert "på våren och" in response.css("p::text").get("")
    assert response.encoding == "cp1252"


def test_a_page_that_fails_is_logged_once_and_its_item_comes_out(caplog: pytest.LogCaptureFixture) -> None:
    site = {f"{URL}{n}": Answer(b"<p>BOOM</p>") for n in range(3)}
    result = crawl(site)
    errors = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(errors) == 1
    assert URL in errors[0].getMessage()
    assert "ZeroDivisionError" in errors[0].getMessage()
    assert result.count("errors/ZeroDivisionError") == 3
    assert sorted(item["url"] for item in result.items) == sorted(site)


def test_meta_switches_off_or_overrides() -> None:
    site = {URL: Answer()}
    assert crawl(site, spider_for(site, meta={"semtext": False})).count("pages/skipped/meta") == 1
    upper = crawl(site, spider_for(site, meta={"semtext": {"decision": "viterbi"}}))
    assert upper.items[0]["main_text"] == "MIX FLOUR AND WATER.\nBAKE IT."


@pytest.mark.parametrize("wrong", [{"decison": "viterbi"}, 3])
def test_wrong_meta_is_counted_and_said_once(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    site = {f"{URL}{n}": Answer() for n in range(3)}
    result = crawl(site, spider_for(site, meta={"semtext": wrong}))
    assert result.count("meta_invalid") == 3
    assert result.count("items/filled") == 3, "the page is read as the settings say"
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1


@pytest.mark.parametrize(("wanted", "module"), [({"metadata": True}, "py3langid"), ({"labeler": "web2text"}, "torch")])
def test_meta_that_asks_for_what_is_not_installed_costs_no_text(
    wanted: Any, module: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    site = {f"{URL}{n}": Answer() for n in range(2)}
    result = crawl(site, spider_for(site, meta={"semtext": wanted}))
    assert (result.count("meta_invalid"), result.count("items/filled")) == (2, 2)
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "Ignoring meta" in said
    assert f": {module} is not installed: pip install" in said


def options_of(settings: dict[str, Any]) -> Options:
    return default_options(SemtextSettings.read(Settings(settings)))


def test_fields_switch_on_the_options_that_they_need() -> None:
    assert options_of({}) == Options(sections=False)
    fields = {"author": "by", "markdown": "md", "next_page": "next", "segments": "parts"}
    assert options_of({"SEMTEXT_FIELDS": fields}) == Options(metadata=True, markdown=True, records=True, sections=True)
    assert options_of({"SEMTEXT_FIELDS": ["+metadata"]}).metadata
    assert options_of({"SEMTEXT_OPTIONS": {"sections": True}}).sections


def test_an_option_that_is_set_goes_before_the_fields_which_is_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "scrapy_semtext")
    fields = {name: name for name in ("main_text", "author", "language", "markdown")}
    settings = {"SEMTEXT_FIELDS": fields, "SEMTEXT_OPTIONS": {"metadata": False}}
    crawl({URL: Answer()}, settings=settings)
    said = [record.getMessage() for record in caplog.records if "SEMTEXT_FIELDS" in record.getMessage()]
    assert said == ["SEMTEXT_FIELDS has author, language, which will be empty: the option 'metadata' is off"]
    assert options_of(settings).markdown


def test_a_field_that_needs_what_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    settings = {"SEMTEXT_FIELDS": {"author": "by"}, "SEMTEXT_EXTRACTOR": "scrapy_semtext.Extractor"}
    with pytest.raises(SettingsError, match=r"SEMTEXT_FIELDS has author, but py3langid is not installed: pip install"):
        crawl({URL: Answer()}, settings=settings)


class Stamp:
    """A downloader middleware nearer to the engine that passes on a copy of the response."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(flags=["stamped"])


class Shorten(Stamp):
    """A downloader middleware that passes on another page."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(body=b"<p>Login</p>")


def test_a_copy_of_the_response_keeps_its_page() -> None:
    result = crawl({URL: Answer()}, settings={"DOWNLOADER_MIDDLEWARES": {Stamp: 100}})
    assert result.items[0]["title"] == "Bread"


def test_another_body_is_another_page() -> None:
    result = crawl({URL: Answer()}, settings={"DOWNLOADER_MIDDLEWARES": {Shorten: 100}})
    assert result.items == [{"url": URL}]
    assert result.count("items/without_page") == 1


class Replace:
    """A spider middleware that passes on other items than the spider's."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in result:
            yield {"replaced": True} if isinstance(output, dict) else output


@pytest.mark.parametrize("order", [20, 999])
def test_items_that_another_spider_middleware_replaces_are_filled(order: int) -> None:
    result = crawl({URL: Answer()}, settings={"SPIDER_MIDDLEWARES": {Replace: order}})
    assert result.items[0]["replaced"]
    assert result.items[0]["title"] == "Bread"


def test_items_of_start_and_of_errbacks_pass() -> None:
    class StartSpider(scrapy.Spider):
        name = "start"

        async def start(self) -> Any:
            yield {"from": "start"}
            yield Request(URL, errback=self.failed)

        def failed(self, failure: Any) -> Any:
            yield {"from": "errback"}

    result = crawl({URL: Answer(b"<p>gone", 410)}, StartSpider)
    # An errback gets no response object to read, though the failure may hold one.
    assert {"from": "start"} in result.items
    assert result.count("items/without_page") == len(result.items)
    assert result.count("items/filled") == 0
