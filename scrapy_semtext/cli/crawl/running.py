"""Runs a spider in this process, writes and counts its items, and summarizes the crawl.

OUT may already have items of an earlier run.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.models import chunk_options, has_chunks
from scrapy_semtext.cli.outputs import counted
from scrapy_semtext.cli.row_files import results_for, writing
from scrapy_semtext.crawling.earlier import UNREADABLE, earlier_items, opened
from scrapy_semtext.crawling.job_file import JobError
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS
from scrapy_semtext.utils.address import host_of
from scrapy_semtext.utils.extras import MissingExtraError, require_extra

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_semtext.cli.row_files import Target

    Item = dict[str, Any]
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from scrapy_semtext.integration.spiders.site import SiteSpider


def earlier_in(target: Target, arguments: argparse.Namespace) -> set[str] | None:
    """Return the URLs in OUT if new items are appended to it, or None if OUT is written anew.

    Raises CommandError if an incremental crawl cannot determine which items are new, or would overwrite OUT.
    """
    if not arguments.incremental:
        return None
    path = Path(target.name)
    if target.form == "jsonl" and target.name != "-":  # each row has the URL of its page
        try:
            return {item.url for item in earlier_items(path)} if path.is_file() else None
        except UNREADABLE as error:
            raise CommandError(f"--incremental: {error}.") from error
    if not arguments.job:
        raise CommandError(
            f"--incremental needs the --job of an earlier run, as no URLs can be read from {target.name}:"
            " without --job, OUT has to be JSON lines of pages, pairs (--to qa) or chunks."
        )
    if path.is_file():
        raise CommandError(f"{target.name} exists, and new items cannot be appended to it: choose another file.")
    return None


def rows_in(target: Target) -> Iterator[dict[str, Any]]:
    """Yield the rows in OUT, which `earlier_in` could read; a line may be only a URL."""
    with opened(Path(target.name)) as file:
        yield from (json.loads(line) for line in file if line.lstrip().startswith(b"{"))


def result_names(target: Target, arguments: argparse.Namespace) -> list[str]:
    """Return the results of pages that items have in addition to their URL."""
    asked = {
        "comments": True,
        "chunks": has_chunks(arguments),
        "metadata": arguments.metadata,
        **dict.fromkeys(results_for(target), True),
    }
    return [*IN_ITEMS, *(name for group, wanted in asked.items() if wanted for name in OF_GROUPS[group])]


@dataclass(slots=True)
class Harvested:
    """Counts of items and pairs by host, and of items by kind of page. ``rows`` is the number of rows in OUT.

    With ``only_pairs``, items without pairs are left out; ``left_out`` has their number by kind.
    """

    only_pairs: bool = False

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    def counted(self, items: Iterable[dict[str, Any]], earlier: Collection[str] | None) -> Iterator[dict[str, Any]]:
        """Yield and count the items whose URLs are not in ``earlier``."""
        for item in items:
            if earlier and urldefrag(item["url"]).url in earlier:
                continue
            host, pairs, kind = host_of(item["url"]), item.get("qa_pairs") or (), item.get("page_kind") or "unknown"
            if self.only_pairs and not pairs:
                self.left_out[kind] += 1
                continue
            self.items[host] += 1
            self.pairs[host] += len(pairs)
            self.kinds[kind] += 1
            yield item


def write_items(items: Iterable[Item], target: Target, arguments: argparse.Namespace, *, appends: bool = False) -> int:
    """Write items in the requested format; return the number of rows, pairs or files.

    With ``appends``, rows are added to those in OUT. Raises CommandError if OUT cannot be written; its content stays.
    """
    try:
        with writing(target, ["url", *result_names(target, arguments)], after=appends) as writer:
            return writer.add(items)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CommandError(f"{target.name} cannot be written: {reason}") from error


_KINDS = {"all": "SiteSpider", "articles": "ArticleSpider", "qa": "QASpider", "docs": "DocumentationSpider"}
#: Loggers that report failures with tracebacks; the summary, or the error of the command, has the reasons.
_SUMMARISED = (
    "scrapy.downloadermiddlewares.robotstxt",
    "scrapy.downloadermiddlewares.retry",
    "scrapy-playwright",
    "scrapy_spider_metadata",
)
_UNWANTED = "/crawl/unwanted/"  # before kinds of pages in the stats
_MOST_LEFT = 5  # patterns that are named in the summary


@dataclass(slots=True)
class Crawled:
    """The result of a crawl; its items are in the file of its frontier."""

    spider: SiteSpider
    stats: Mapping[str, Any]
    seconds: float

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield the items; for an incremental crawl, only the new ones."""
        return map(json.loads, self.spider.frontier.items())

    def earlier_items(self) -> Iterator[dict[str, Any]]:
        """Yield the items of earlier rounds of the job."""
        return map(json.loads, self.spider.frontier.items(earlier=True))

    def summary(self, harvested: Harvested, rows: str) -> str:
        """Return a summary for people; ``rows`` is what a row of OUT is, one of ROWS."""
        stats, frontier = self.stats, self.spider.frontier
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(self.spider.inventory.outcomes().items()))
        counts = [counted(harvested.items.total(), "item"), counted(harvested.pairs.total(), "pair")]
        counts += [counted(harvested.rows, "chunk")] * (rows == "chunks")
        fetched = f"{counted(self.spider.pages_sent, 'page')} in {self.seconds:.1f} seconds"
        lines = [
            f"{', '.join(counts)}; {fetched}; ended: {self.ended_by()}",
            f"URLs: {outcomes or 'none'}, {frontier.waiting()} not fetched",
        ]
        if reasons := self.reasons():
            lines.append(f"  failed: {reasons}")
        left = sorted(frontier.left().items(), key=lambda each: -each[1])
        lines += [f"  not fetched: {count} with the pattern {pattern}" for pattern, count in left[:_MOST_LEFT]]
        if left_out := self.left_out(harvested):
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(left_out.items()))
            why = "without pairs" if harvested.only_pairs else "of other kinds"
            lines.append(f"not in the output: {counted(left_out.total(), 'page')} {why} ({kinds})")
        if rendered := stats.get("semtext/crawl/rendered"):
            of_use = stats.get("semtext/crawl/rendered/of_use", 0)
            lines.append(f"rendered: {counted(rendered, 'page')}, {of_use} of which had content")
        if failed := stats.get("semtext/crawl/rendered/failed"):
            lines.append(f"{counted(failed, 'page')} could not be rendered; see --log")
        if errors := stats.get("semtext/errors"):
            lines.append(f"{counted(errors, 'page')} could not be read; see --log")
        return "\n".join(lines) + "\n"

    def left_out(self, harvested: Harvested) -> Counter[str]:
        """Return how many pages with text are not in OUT, by kind."""
        unwanted = {name.rpartition("/")[2]: count for name, count in self.stats.items() if _UNWANTED in name}
        return harvested.left_out + Counter(unwanted)

    def ended_by(self) -> str:
        """Return why the crawl ended: "finished", a limit, or the reason that Scrapy gives."""
        return self.spider.limit_reached() or str(self.stats.get("finish_reason", "unknown"))

    def reasons(self) -> str:
        """Return the reasons why URLs failed, with their counts; "" if none failed."""
        return ", ".join(f"{each.number} {each.reason}" for each in self.spider.inventory.failures())

    def status(self) -> int:
        """Return the exit status: 0 if no URL was left or a limit was reached, 130 after Ctrl-C, else 1."""
        reason = self.ended_by()
        if reason == "shutdown":
            return 130
        return int(reason not in ("finished", "max_pages", "max_items") and not reason.startswith("closespider_"))

    def has_failed(self) -> bool:
        """Return whether all fetched URLs failed, so that there is nothing to write."""
        done = self.spider.inventory.outcomes()
        return sum(done.values()) == done.get("failed", 0) > 0


@contextmanager
def crawl_sites(
    arguments: argparse.Namespace, target: Target, earlier: Collection[str] | None = None
) -> Iterator[Crawled]:
    """Run the crawl that the arguments describe. Raises CommandError if it cannot be started.

    Items with a URL in ``earlier`` are not fetched.
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

    from scrapy_semtext import spiders

    began = time.monotonic()
    process = AsyncCrawlerProcess(settings_of(arguments, target))
    if not arguments.log:
        for name in _SUMMARISED:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    chosen: type[SiteSpider] = getattr(spiders, _KINDS[arguments.kind])
    crawler = process.create_crawler(type(chosen.__name__, (chosen,), {"keeps_items": True}))
    crawling = process.crawl(crawler, **_spider_arguments(arguments, has_earlier=earlier is not None))
    process.start()
    if not crawling.done():  # Ctrl-C twice
        going_on = " Run it again to continue." if arguments.job else ""
        raise CommandError(f"the crawl was stopped before it could finish; {target.name} was not written.{going_on}")
    try:
        crawling.result()
    except ValidationError as error:
        raise CommandError("; ".join(each["msg"].removeprefix("Value error, ") for each in error.errors())) from error
    except (JobError, ValueError) as error:
        raise CommandError(str(error)) from error
    spider: Any = crawler.spider
    if spider.frontier.failure is not None:
        going_on = f" Run it again with --job {arguments.job} to continue." if arguments.job else ""
        raise CommandError(f"{spider.frontier.failure}. {target.name} was not written.{going_on}")
    try:
        yield Crawled(spider, crawler.stats.get_stats(), time.monotonic() - began)
    finally:
        spider.frontier.close()


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


def settings_of(arguments: argparse.Namespace, target: Target) -> Settings:
    """Return the settings; those of the command line override the spider's, as with ``scrapy crawl -s``."""
    from scrapy.settings import Settings

    from scrapy_semtext.integration.spiders.spider_settings import add_to_dict

    settings: dict[str, Any] = {
        "EXTENSIONS": {"scrapy_semtext.cli.crawl.progress.CrawlProgress": 0},
        "LOG_LEVEL": "DEBUG" if arguments.log else "WARNING",
        "LOG_FORMATTER": "scrapy_semtext.logformatter.ShortLogFormatter",
        "LOG_FILE_APPEND": False,
        "TELNETCONSOLE_ENABLED": False,
        "SEMTEXT_FIELDS": result_names(target, arguments),
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
    chosen = Settings(settings)
    chosen.setdict({name: value for name, value in given.items() if value is not None} | own, priority="cmdline")
    if (chunks := chunk_options(arguments)) is not None:
        add_to_dict(chosen, "SEMTEXT_OPTIONS", {"chunks": chunks})
    return chosen


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise CommandError(f"-s {text} is not a setting; it has to be NAME=VALUE, such as DOWNLOAD_TIMEOUT=20.")
    return name, value
