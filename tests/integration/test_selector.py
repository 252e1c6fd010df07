"""A page is parsed once in a crawl, for its selectors and for the extractor, which does not change the tree."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import parsel.selector
import pytest
from crawling import URL, Answer, crawl, spider_for
from gate.quality import read_sample
from lxml import etree
from scrapy.http import HtmlResponse, TextResponse

from scrapy_semtext import Extractor, Options, Source
from scrapy_semtext.integration.pages import source_of
from scrapy_semtext.middlewares import SemtextDownloaderMiddleware
from scrapy_semtext.page import Page
from scrapy_semtext.tree import parsing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.http import Response


pytestmark = pytest.mark.crawl

PAGES = list(read_sample())
SITE = {f"{URL}{number}": Answer(page.html.encode()) for number, page in enumerate(PAGES[::12])}
DEEP = "<div>" * 2100 + "<p>deep</p>"

#: Pages that libxml2 misreads, or reads to another address than ours.
MISREAD = {
    "deep": DEEP,
    "late text": "<html><body><p>one</p></body></html><p>two</p>",
    "title": "<html><head><title>News<meta name=a></head><body><p>one</p><p>two</p></body></html>",
    "noframes": "<frameset><frame src=a></frameset><noframes><p>one</p></noframes>",
    "base": "<html><body><p>one</p><base href='http://other.example/'></body></html>",
}


def response(html: str, url: str = URL) -> HtmlResponse:
    return HtmlResponse(url, body=html.encode(), encoding="utf-8")


def serialized(page: HtmlResponse) -> bytes:
    return etree.tostring(page.selector.root.getroottree())


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load(device="cpu", options=Options(markdown=True))


def rounded(pages: Sequence[Page | Exception]) -> list[Any]:
    """Return the values of pages with numbers rounded to four digits, because the last ones depend on the batch."""
    values = [asdict(page) for page in pages if isinstance(page, Page)]
    assert len(values) == len(pages)
    found: list[Any] = json.loads(json.dumps(values), parse_float=lambda number: round(float(number), 4))
    return found


@pytest.mark.slow
def test_real_pages_give_the_same_from_their_selector_as_from_their_text(extractor: Extractor) -> None:
    reused = 0
    for page in PAGES[::8]:
        whole = response(page.html, page.url)
        source = source_of(whole, extractor.options, parse=True)
        before = serialized(whole)
        assert rounded(extractor.read_many([source])) == rounded(extractor.read_many([Source(source.html, source.url)]))
        assert serialized(whole) == before
        reused += parsing.parse_or_reuse(source.html, source.url, source.parsed) is whole.selector.root
    assert reused >= 0.8 * len(PAGES[::8])


@pytest.mark.parametrize("name", MISREAD)
def test_pages_that_libxml2_misreads_are_parsed_again(name: str, extractor: Extractor) -> None:
    whole = response(MISREAD[name])
    before = serialized(whole)
    source = source_of(whole, extractor.options, parse=True)
    root = parsing.parse_or_reuse(source.html, source.url, source.parsed)
    assert root is not whole.selector.root
    assert etree.tostring(root.getroottree()) == etree.tostring(parsing.parse(source.html, source.url).getroottree())
    assert extractor.read_many([source]) == extractor.read_many([Source(source.html, source.url)])
    assert serialized(whole) == before


def test_responses_without_an_html_tree_are_read_by_their_text() -> None:
    headers = {"Content-Type": "text/html"}
    assert source_of(TextResponse(URL, body=b"{}", headers=headers), Options(), parse=True).parsed is None
    replaced = response("<p>one</p>")
    replaced._cached_selector = parsel.selector.Selector(text="{}", type="json")  # type: ignore[assignment]
    assert source_of(replaced, Options(), parse=True).parsed is None


class Reading(Extractor):
    """Records the trees passed to it, serialized, and the number of those that it used."""

    trees: dict[str | None, bytes]

    @classmethod
    def load(cls, **arguments: Any) -> Reading:  # type: ignore[override]  # a crawl gives all arguments
        reader = super().load(**{**arguments, "device": "cpu"})
        assert isinstance(reader, Reading)
        reader.trees = {}
        return reader

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        for source in sources:
            if source.parsed is not None:
                self.trees[source.url] = etree.tostring(source.parsed.root.getroottree())
        return super().read_many(sources)


@pytest.mark.slow
def test_a_crawl_parses_each_page_once_and_leaves_its_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = {url: answer for url, answer in SITE.items() if not _is_misread(url, answer)}
    parsed: list[str] = []
    create_root_node = parsel.selector.create_root_node
    reparse = parsing.parse

    def counted(*args: Any, **kwargs: Any) -> Any:
        parsed.append(threading.current_thread().name)
        return create_root_node(*args, **kwargs)

    def not_in_a_crawl(html: str, url: str | None = None) -> Any:
        if url is not None and url.startswith(URL):
            raise AssertionError(f"{url} is parsed again")
        return reparse(html, url)

    monkeypatch.setattr(parsel.selector, "create_root_node", counted)
    monkeypatch.setattr(parsing, "parse", not_in_a_crawl)
    seen: dict[str, bytes] = {}

    def item(page: Response) -> dict[str, Any]:
        assert isinstance(page, HtmlResponse)
        seen[page.url] = serialized(page)
        return {"url": page.url, "heading": page.css("h1::text").get()}

    result = crawl(sound, spider_for(sound, item), {"SEMTEXT_EXTRACTOR": Reading})
    assert result.count("items/filled") == len(sound) > 5
    assert parsed == ["semtext_0"] * len(sound), "in the thread, and nowhere else"
    middleware = result.crawler.get_downloader_middleware(SemtextDownloaderMiddleware)
    assert middleware is not None
    reader = middleware._service._reader
    assert isinstance(reader, Reading)
    assert reader.trees == seen


def test_responses_are_freed_without_garbage_collection() -> None:
    responses: list[weakref.ref[Response]] = []

    def item(page: Response) -> dict[str, Any]:
        responses.append(weakref.ref(page))
        return {"url": page.url, "heading": page.xpath("//h1/text()").get()}

    site = {f"{URL}{number}": Answer() for number in range(4)}
    gc.collect()
    gc.disable()
    try:
        result = crawl(site, spider_for(site, item), {"SEMTEXT_EXTRACTOR": Reading})
        living = sum(response() is not None for response in responses)
    finally:
        gc.enable()
    assert result.count("items/filled") == len(responses) == 4
    assert living == 0


@pytest.mark.parametrize(("meta", "headings"), [({"semtext": False}, []), ({}, ["One"])])
def test_only_the_selector_of_a_page_that_was_read_is_dropped(meta: dict[str, Any], headings: list[str]) -> None:
    responses: list[HtmlResponse] = []

    def item(page: Response) -> dict[str, Any]:
        assert isinstance(page, HtmlResponse)
        page.css("h1").drop()
        responses.append(page)
        return {"url": page.url}

    site = {URL: Answer(b"<html><h1>One</h1><p>Two</p></html>")}
    crawl(site, spider_for(site, item, meta), {"SEMTEXT_EXTRACTOR": Reading})
    (whole,) = responses
    assert whole.css("h1::text").getall() == headings, "a tree that the spider changed stays, or is parsed again"


def _is_misread(url: str, answer: Answer) -> bool:
    whole = HtmlResponse(url, body=answer.body, encoding="utf-8")
    source = source_of(whole, Options(), parse=True)
    return parsing.parse_or_reuse(source.html, source.url, source.parsed) is not whole.selector.root
