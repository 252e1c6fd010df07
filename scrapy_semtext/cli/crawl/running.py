"""Runs a spider in this process, and says what came of it."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.chunk_options import chunk_options
from scrapy_semtext.cli.crawl.targets import result_names
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.utils.extras import MissingExtraError, require_extra

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator, Mapping

    from scrapy_semtext.cli.crawl.harvested import Harvested
    from scrapy_semtext.cli.crawl.targets import Target
    from scrapy_semtext.integration.spiders.site import SiteSpider

_KINDS = {"all": "SiteSpider", "articles": "ArticleSpider", "qa": "QASpider", "docs": "DocumentationSpider"}
_MOST_LEFT = 5  # patterns that are named in the summary


@dataclass(slots=True)
class Crawled:
    """What came of a crawl; its items are in the file of its frontier."""

    spider: SiteSpider
    stats: Mapping[str, Any]
    seconds: float

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield the items, of an incremental crawl the new ones."""
        return map(json.loads, self.spider.frontier.items())

    def summary(self, harvested: Harvested, rows: str) -> str:
        """Return what happened, for people; ``rows`` is what was written of the items, as of ROW_KINDS."""
        stats, frontier = self.stats, self.spider.frontier
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(frontier.outcomes().items()))
        counts = [f"{harvested.items.total()} items", f"{harvested.pairs.total()} pairs"]
        counts += [f"{harvested.rows} chunks"] * (rows == "chunks")
        fetched = f"{self.spider.pages_sent} pages in {self.seconds:.1f} seconds"
        lines = [
            f"{', '.join(counts)}; {fetched}; ended: {self.ended_by()}",
            f"addresses: {outcomes or 'none'}, {frontier.waiting()} not fetched",
        ]
        if reasons := ", ".join(f"{each.number} {each.reason}" for each in self.spider.inventory.failures()):
            lines.append(f"  failed: {reasons}")
        left = sorted(frontier.left().items(), key=lambda each: -each[1])
        lines += [f"  left: {count} like {pattern}" for pattern, count in left[:_MOST_LEFT]]
        if rendered := stats.get("semtext/crawl/rendered"):
            of_use = stats.get("semtext/crawl/rendered/of_use", 0)
            lines.append(f"rendered: {rendered} pages, {of_use} of them of use")
        if errors := stats.get("semtext/errors"):
            lines.append(f"{errors} pages could not be read; see --log")
        return "\n".join(lines) + "\n"

    def ended_by(self) -> str:
        """Return why the crawl ended: "finished", a limit, or the reason that Scrapy gives."""
        return self.spider.limit_reached() or str(self.stats.get("finish_reason", "unknown"))

    def status(self) -> int:
        """Return the exit status: 1 if no page could be fetched at all."""
        done = self.spider.frontier.outcomes()
        return int(sum(done.values()) == done.get("failed", 0) and not self.spider.items_found)


@contextmanager
def crawl_sites(
    arguments: argparse.Namespace, target: Target, earlier: Collection[str] | None = None
) -> Iterator[Crawled]:
    """Run the crawl that the arguments ask for. Raises CommandError if it cannot be started.

    What has one of the addresses ``earlier`` is not fetched.
    """
    try:
        require_extra("scrapy_spider_metadata", "crawl")
        if arguments.render != "never":
            require_extra("scrapy_playwright", "render")
    except MissingExtraError as error:
        raise CommandError(str(error)) from error
    if arguments.job:
        Path(arguments.job).mkdir(parents=True, exist_ok=True)
    from pydantic import ValidationError
    from scrapy.crawler import AsyncCrawlerProcess

    began = time.monotonic()
    process = AsyncCrawlerProcess(_settings(arguments, target))
    crawler = process.create_crawler(_spider_class(arguments.kind))
    crawling = process.crawl(crawler, **_spider_arguments(arguments, has_earlier=earlier is not None))
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


def _spider_arguments(arguments: argparse.Namespace, *, has_earlier: bool) -> dict[str, Any]:
    names = ("urls", "urls_file", "max_pages", "max_pages_per_site", "max_items", "allow", "deny", "scope", "strategy")
    given = {name: getattr(arguments, name) for name in names}
    return {
        **given,
        "incremental": arguments.incremental and bool(arguments.job),
        "earlier_file": arguments.output if has_earlier else None,
        "render": arguments.render,
        "sitemaps": not arguments.no_sitemaps,
    }


def _settings(arguments: argparse.Namespace, target: Target) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "EXTENSIONS": {"scrapy_semtext.cli.crawl.progress.Progress": 0} if sys.stderr.isatty() else {},
        "LOG_LEVEL": "DEBUG" if arguments.log else "WARNING",
        "LOG_FORMATTER": "scrapy_semtext.cli.crawl.progress.ShortLogFormatter",
        "LOG_FILE_APPEND": False,
        "TELNETCONSOLE_ENABLED": False,
        "SEMTEXT_FIELDS": {name: name for name in result_names(target, arguments)},
        "SEMTEXT_METADATA": arguments.metadata,
        "SEMTEXT_CHUNKS": chunk_options(arguments),
        "SEMTEXT_VIEW_DIR": arguments.report,
        "SEMTEXT_VIEW_KEEP": "least-sure",
    }
    given = {
        "LOG_FILE": arguments.log,
        "JOBDIR": arguments.job,
        "SEMTEXT_SITES_FILE": arguments.sites,
        "CLOSESPIDER_TIMEOUT": arguments.max_time,
        "USER_AGENT": arguments.user_agent,
        "DOWNLOAD_DELAY": arguments.delay,
    }
    own = dict(_name_and_value(each) for each in arguments.set)
    return settings | {name: value for name, value in given.items() if value is not None} | own


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise CommandError(f"-s {text} is no setting; it has to be NAME=VALUE, such as DOWNLOAD_TIMEOUT=20.")
    return name, value
