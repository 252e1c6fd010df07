"""Common parts of the Scrapy tests: a site in memory, an extractor without a model, and a function that crawls."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import attrs
import pydantic
import scrapy
from event_loop import get_crawler, run_async
from harvesting import environment
from scrapy import signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Headers, Response
from scrapy.item import ItemMeta
from scrapy.responsetypes import responsetypes

from scrapy_semtext import Block, Options, Page, QAPair, Section

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_semtext import Source

URL = "http://site.test/"
ARTICLE = b"<html><title>Bread</title><nav>Home</nav><p>Mix flour and water.</p><p>Bake it.</p></html>"


def item_classes(*names: str) -> tuple[type, type, type]:
    """Return Scrapy, attrs and pydantic item classes with a URL and optional fields with these names."""
    fields: dict[str, Any] = dict.fromkeys(names, (Any, None))
    return (
        ItemMeta("ScrapyItem", (scrapy.Item,), {name: scrapy.Field() for name in ("url", *names)}),
        attrs.make_class("AttrsItem", {"url": attrs.field()} | {name: attrs.field(default=None) for name in names}),
        pydantic.create_model("PydanticItem", url=(str, ...), **fields),
    )


@dataclass
class Answer:
    """The site's answer for one URL."""

    body: bytes = ARTICLE
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})


class SiteHandler(BaseDownloadHandler):
    """Answers from the setting SITE instead of the network, so that tests run with any reactor or none."""

    async def download_request(self, request: scrapy.Request) -> Response:
        answer = self.crawler.settings["SITE"].get(request.url.partition("#")[0], Answer(b"not found", 404))
        headers = Headers(answer.headers)
        kind = responsetypes.from_args(headers=headers, url=request.url, body=answer.body)
        return kind(request.url, answer.status, headers, answer.body)


class FakeExtractor:
    """Labels each <p> as main content and each <nav> as boilerplate, and fails on a page with BOOM.

    Pairs are those of ``PAIRS`` in the page, a list of dicts with QAPair's fields, if present; otherwise there is one.
    """

    batches: list[int]
    threads: set[str]

    def __init__(self, options: Options) -> None:
        self.options = options
        self.batches = []
        self.threads = set()

    @classmethod
    def load(cls, *, bundle: Any, device: str, options: Options) -> Self:
        return cls(options)

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        self.batches.append(len(sources))
        self.threads.add(threading.current_thread().name)
        return [ZeroDivisionError("BOOM") if "BOOM" in source.html else self.read(source) for source in sources]

    def read(self, source: Source) -> Page:
        found = re.findall(r"<(p|nav)>(.*?)</", source.html, re.DOTALL)
        blocks = [
            Block(text, "main" if tag == "p" else "boilerplate", 0.9 if tag == "p" else 0.1) for tag, text in found
        ]
        title = re.search("<title>(.*?)</title>", source.html)
        main_text = "\n".join(block.text for block in blocks if block.is_main)
        decision = (source.options or self.options).decision
        return Page(
            url=source.url,
            title=title[1] if title else None,
            main_text=main_text if decision != "viterbi" else main_text.upper(),
            blocks=blocks,
            qa_pairs=_pairs(source.html),
            sections=[Section(None, main_text)],
            page_kind="article",
        )


def page_with(*pairs: QAPair, title: str = "Bread") -> Answer:
    """Return the answer for a page with these pairs."""
    listed = json.dumps([asdict(pair) for pair in pairs])
    return Answer(f"<html><title>{title}</title><p>Text.</p><!--PAIRS {listed}--></html>".encode())


def _pairs(html: str) -> list[QAPair]:
    listed = re.search("<!--PAIRS (.*)-->", html)
    return [QAPair(**pair) for pair in json.loads(listed[1])] if listed else [QAPair("How?", "Slowly.")]


@dataclass
class Crawl:
    """The results of a crawl."""

    items: list[Any]
    stats: dict[str, Any]
    crawler: Crawler

    def count(self, name: str) -> Any:
        return self.stats.get(f"semtext/{name}", 0)


def crawler_for(
    site: Mapping[str, Answer], spider: type[scrapy.Spider] | None = None, settings: dict[str, Any] | None = None
) -> Crawler:
    """Return a crawler of the site, with the add-on and the extractor without a model."""
    given = {
        "ADDONS": {"scrapy_semtext.Addon": 300},
        "SEMTEXT_ENABLED": True,
        "SEMTEXT_EXTRACTOR": FakeExtractor,
        "SITE": dict(site),
        "DOWNLOAD_HANDLERS": {"http": SiteHandler, "https": None, "ftp": None},
        "RETRY_ENABLED": False,
        **(settings or {}),
    }
    return get_crawler(spider or spider_for(site), given)


def crawl(
    site: Mapping[str, Answer],
    spider: type[scrapy.Spider] | None = None,
    settings: dict[str, Any] | None = None,
    **arguments: str,
) -> Crawl:
    """Crawl the site until the spider closes, and return the results; ``arguments`` are those of the spider."""
    crawler = crawler_for(site, spider, settings)
    items: list[Any] = []

    def keep(item: Any) -> None:
        items.append(item)

    crawler.signals.connect(keep, signal=signals.item_scraped)
    run_async(crawler.crawl_async(**arguments))
    return Crawl(items, crawler.stats.get_stats(), crawler)


def spider_for(
    site: Mapping[str, Answer], item: Callable[[Response], Any] | None = None, meta: dict[str, Any] | None = None
) -> type[scrapy.Spider]:
    """Return a spider that requests all pages of the site and yields an item for each, regardless of its status."""

    class SiteSpider(scrapy.Spider):
        name = "site"
        handle_httpstatus_list = [404, 500]  # noqa: RUF012

        async def start(self) -> Any:
            for url in site:
                yield scrapy.Request(url, meta=meta)

        def parse(self, response: Response) -> Any:
            yield item(response) if item is not None else {"url": response.url}

    return SiteSpider


def run_python(code: str, *arguments: str) -> str:
    """Run code in a separate interpreter, with warnings as errors, and return its output."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    return done.stdout
