"""Runs a spider in this process, and says what came of it."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.crawl.outputs import check_output
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.utils.extras import MissingExtraError, require_extra

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from scrapy_semtext.integration.spiders.site import SiteSpider

_KINDS = {"all": "SiteSpider", "articles": "ArticleSpider", "qa": "QASpider", "docs": "DocumentationSpider"}
_MOST_LEFT = 5  # patterns that are named in the summary


@dataclass(slots=True)
class Crawled:
    """What came of a crawl; its items are in the file of its frontier."""

    spider: SiteSpider
    stats: Mapping[str, Any]
    seconds: float

    def items(self) -> Iterator[str]:
        """Yield the items as JSON, of an incremental crawl the new ones."""
        return self.spider.frontier.items()

    def summary(self, written: int) -> str:
        """Return what happened, for people."""
        stats, frontier = self.stats, self.spider.frontier
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(frontier.outcomes().items()))
        harvested = f"{written} items, {self.spider.pairs_found} pairs; {self.spider.pages_sent} pages"
        lines = [
            f"{harvested} in {self.seconds:.1f} seconds; ended: {stats.get('finish_reason', 'unknown')}",
            f"addresses: {outcomes or 'none'}, {frontier.waiting()} not fetched",
        ]
        left = sorted(frontier.left().items(), key=lambda each: -each[1])
        lines += [f"  left: {count} like {pattern}" for pattern, count in left[:_MOST_LEFT]]
        if errors := stats.get("semtext/errors"):
            lines.append(f"{errors} pages could not be read; see --log")
        return "\n".join(lines) + "\n"

    def status(self) -> int:
        """Return the exit status: 1 if no page could be fetched at all."""
        done = self.spider.frontier.outcomes()
        return int(sum(done.values()) == done.get("failed", 0) and not self.spider.items_found)


@contextmanager
def crawl_sites(arguments: argparse.Namespace) -> Iterator[Crawled]:
    """Run the crawl that the arguments ask for. Raises CommandError if it cannot be started."""
    try:
        require_extra("scrapy_spider_metadata", "crawl")
    except MissingExtraError as error:
        raise CommandError(str(error)) from error
    check_output(arguments)
    if arguments.job:
        Path(arguments.job).mkdir(parents=True, exist_ok=True)
    from pydantic import ValidationError
    from scrapy.crawler import AsyncCrawlerProcess

    began = time.monotonic()
    process = AsyncCrawlerProcess(_settings(arguments))
    crawler = process.create_crawler(_spider_class(arguments.kind))
    crawling = process.crawl(crawler, **_spider_arguments(arguments))
    process.start()
    try:
        crawling.result()
    except ValidationError as error:
        raise CommandError("; ".join(each["msg"].removeprefix("Value error, ") for each in error.errors())) from error
    except ValueError as error:
        raise CommandError(str(error)) from error
    spider: Any = crawler.spider
    try:
        yield Crawled(spider, crawler.stats.get_stats(), time.monotonic() - began)
    finally:
        spider.frontier.close()


def _spider_class(kind: str) -> type[SiteSpider]:
    from scrapy_semtext import spiders

    chosen: type[SiteSpider] = getattr(spiders, _KINDS[kind])
    return type(chosen.__name__, (chosen,), {"keeps_items": True})


def _spider_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("urls", "max_pages", "max_pages_per_site", "max_items", "allow", "deny", "scope", "strategy")
    given = {name: getattr(arguments, name) for name in names}
    if arguments.urls_file:
        given["urls_file"] = arguments.urls_file
    return {**given, "incremental": arguments.incremental, "sitemaps": not arguments.no_sitemaps}


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "EXTENSIONS": {"scrapy_semtext.cli.crawl.progress.Progress": 0} if sys.stderr.isatty() else {},
        "LOG_LEVEL": "DEBUG" if arguments.log else "WARNING",
        "LOG_FORMATTER": "scrapy_semtext.cli.crawl.progress.ShortLogFormatter",
        "LOG_FILE_APPEND": False,
        "TELNETCONSOLE_ENABLED": False,
        "SEMTEXT_FIELDS": {name: name for name in _fields(arguments)},
        "SEMTEXT_METADATA": arguments.metadata,
        "SEMTEXT_OPTIONS": {"markdown": arguments.to == "markdown-folder"},
    }
    given = {
        "LOG_FILE": arguments.log,
        "JOBDIR": arguments.job,
        "SEMTEXT_SITES_FILE": arguments.sites,
        "CLOSESPIDER_TIMEOUT": arguments.max_time,
        "USER_AGENT": arguments.user_agent,
        "DOWNLOAD_DELAY": arguments.delay,
    }
    return settings | {name: value for name, value in given.items() if value is not None}


def _fields(arguments: argparse.Namespace) -> list[str]:
    from scrapy_semtext.integration.settings import DEFAULT_FIELDS
    from scrapy_semtext.page import METADATA

    markdown = ["markdown"] if arguments.to == "markdown-folder" else []
    return [*DEFAULT_FIELDS, "comments", *markdown, *(METADATA if arguments.metadata else ())]
