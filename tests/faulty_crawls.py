"""Crawls in separate processes, which a test can limit, signal or kill.

Run as ``python -m faulty_crawls SETTINGS``, where SETTINGS are Scrapy settings as JSON. In addition, PAGES is the
number of pages of the site in memory; STOP is what a callback does after a third of them: raise an exception ("boom"),
close the spider ("close") or send a signal ("SIGTERM"...). It prints the URLs of pages passed to callbacks, those of
items, and the stats.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawling import Answer, FakeExtractor, SiteHandler, page_with
from generated_sites import sentences
from harvesting import environment

from scrapy_semtext import Chunk, Page, QAPair, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

URL = "http://site.test/"


class Reader(FakeExtractor):
    """Also returns chunks, and takes some time for each batch."""

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        time.sleep(0.02)
        return super().read_many(sources)

    def read(self, source: Source) -> Page:
        page = super().read(source)
        page.chunks = [Chunk(pair.answer, [], page.url, 0, 0, len(pair.answer), 1) for pair in page.qa_pairs]
        return page


def pair_of(number: int) -> QAPair:
    """Return the pair of a page; every tenth is larger than the buffer of a file."""
    answer = " ".join(sentences(f"answer {number}", 80 if number % 10 == 9 else 3))
    return QAPair(f"What is number {number}?", answer)


def site(pages: int) -> dict[str, Answer]:
    """Return a site with a pair on each page."""
    return {f"{URL}{number}": page_with(pair_of(number)) for number in range(pages)}


@dataclass
class Outcome:
    """The results of a crawl: the URLs of pages passed to callbacks, those of items, its stats and its log."""

    status: int
    got: list[str]
    items: list[str]
    stats: dict[str, Any]
    log: str


def start(settings: dict[str, Any], prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """Start a crawl; ``prepare`` is run first in its process."""
    given = {key: str(value) if isinstance(value, Path) else value for key, value in settings.items()}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "faulty_crawls", json.dumps(given)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509  no threads here
    )


def outcome(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a crawl."""
    out, log = process.communicate(timeout=180)
    lines = [json.loads(line) for line in out.splitlines()]
    stats = lines.pop() if lines and "finish_reason" in lines[-1] else {}
    got = [line["got"] for line in lines if "got" in line]
    return Outcome(process.returncode, got, [line["item"] for line in lines if "item" in line], stats, log)


def limit_files(most: int) -> Callable[[], None]:
    """Return a function that limits the size of files written by a process, to simulate a full disk."""

    def limit() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return limit


def run_crawl(given: dict[str, Any]) -> None:
    """Run the crawl that the settings describe."""
    import scrapy
    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.exceptions import CloseSpider

    pages, stop = site(given.pop("PAGES", 40)), given.pop("STOP", None)

    class FaultySpider(scrapy.Spider):
        name = "faulty"
        got = 0

        async def start(self) -> Any:
            for url in pages:
                yield scrapy.Request(url)

        def parse(self, response: Any) -> Any:
            print(json.dumps({"got": response.url}), flush=True)  # noqa: T201
            yield {"url": response.url}
            self.got += 1
            if self.got != len(pages) // 3 or stop is None:
                return
            if stop == "close":
                raise CloseSpider("enough")
            if stop == "boom":
                raise ZeroDivisionError("boom")
            os.kill(os.getpid(), getattr(signal, stop))

    def say(item: Any) -> None:
        print(json.dumps({"item": item["url"]}), flush=True)  # noqa: T201

    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_semtext.Addon": 300},
            "SEMTEXT_ENABLED": True,
            "SEMTEXT_EXTRACTOR": "faulty_crawls.Reader",
            "SITE": pages,
            "DOWNLOAD_HANDLERS": {"http": SiteHandler, "https": None, "ftp": None},
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "WARNING",
            **given,
        }
    )
    crawler = process.create_crawler(FaultySpider)
    crawler.signals.connect(say, signal=signals.item_scraped)
    process.crawl(crawler)
    process.start()
    print(json.dumps(crawler.stats.get_stats(), default=str))  # noqa: T201


if __name__ == "__main__":
    run_crawl(json.loads(sys.argv[1]))
