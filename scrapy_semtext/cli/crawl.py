"""Harvest whole sites: all articles, all question-answer pairs or all pages of documentation.

Links are followed in order of the probability that their pages are items, which is learnt during the crawl; links that
are unlikely to lead to items are skipped. robots.txt is obeyed, and the speed adapts to that of the sites. OUT is
created when the crawl ends. With --job DIR, a crawl that was stopped or killed continues when it is run again.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from argparse import BooleanOptionalAction
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from heapq import heappush, heappushpop
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.inputs import UNREADABLE, decompressed
from scrapy_semtext.cli.models import add_chunk_arguments, chunk_options, has_chunks, positive
from scrapy_semtext.cli.row_files import (
    ROWS,
    PairChoice,
    Target,
    add_output_arguments,
    checked_target,
    left_out_text,
    results_for,
    writing,
)
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.crawl.job_file import JobError
from scrapy_semtext.crawl.links import pattern_of
from scrapy_semtext.crawl.patterns import LEAVE, shown_form, stored_pattern
from scrapy_semtext.crawl.rendering import RENDER_MODES
from scrapy_semtext.crawl.scope import STRATEGIES
from scrapy_semtext.page import renumbered
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS
from scrapy_semtext.utils.address import host_of, without_fragment
from scrapy_semtext.utils.extras import require_extra
from scrapy_semtext.utils.replacing import replace_file
from scrapy_semtext.viewer.folder import INDEX, is_view_folder, rows_in
from scrapy_semtext.viewer.index import CountTable, report_page
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.settings import Settings
    from typing_extensions import Self

    from scrapy_semtext.crawl.frontier import Waiting
    from scrapy_semtext.crawl.harvest import AlikePages
    from scrapy_semtext.crawl.kept_pages import KeptPages
    from scrapy_semtext.integration.spiders.site import SiteSpider
    from scrapy_semtext.page import Page
    from scrapy_semtext.site.places import PageTemplate

    Item = dict[str, Any]


_INTERVAL, _LONG_INTERVAL = 0.5, 30.0  # seconds between lines: on a terminal, and elsewhere, where no line is erased
_ERASE = "\r\x1b[K"

# What the report lists at most, and the summary; characters of texts.
_MAX_PATTERNS, _MAX_HOSTS, _MAX_PAIRS, _MAX_TEMPLATES, _MAX_WITHOUT = 100, 200, 100, 10, 50
_IN_SUMMARY, _MAX_CHARS, _MAX_EXAMPLE_CHARS = 5, 200, 40
_IF_ANY = ("threads without pairs", "doubtful questions", "rendered")  # figures that are left out if they are 0
_DOUBTFUL = 0.7  # a question_score below it

_KINDS = {"all": "SiteSpider", "articles": "ArticleSpider", "qa": "QASpider", "docs": "DocumentationSpider"}
_SPIDER_ARGUMENTS = (
    *("urls", "urls_file", "max_pages", "max_pages_per_site", "max_items", "allow", "deny", "scope", "strategy"),
    *("incremental", "render"),
)
#: Loggers that report failures with tracebacks; the summary, or the error of the command, has the reasons.
_SUMMARISED = (
    "scrapy.downloadermiddlewares.robotstxt",
    "scrapy.downloadermiddlewares.retry",
    "scrapy-playwright",
    "scrapy_spider_metadata",
)
_UNWANTED = "/crawl/unwanted/"  # before kinds of pages in the stats


class CrawlProgress:
    """Regularly writes the counts of pages, items and pairs, pages per second and the queue length to standard error.

    On a terminal, each line replaces the one before.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._began = self._last = time.monotonic()
        self._erases = sys.stderr.isatty()
        self._interval = _INTERVAL if self._erases else _LONG_INTERVAL

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create it, and connect it to the signals."""
        from scrapy import signals

        progress = cls(crawler)
        crawler.signals.connect(progress.response_received, signal=signals.response_received)
        crawler.signals.connect(progress.spider_closed, signal=signals.spider_closed)
        return progress

    def response_received(self) -> None:
        """Write the line again if the last one is old."""
        if time.monotonic() - self._last >= self._interval:
            self._last = time.monotonic()
            spider: Any = self._crawler.spider
            rate = spider.pages_sent / max(self._last - self._began, 0.1)
            sys.stderr.write(
                f"{_ERASE * self._erases}{spider.pages_sent} pages, {spider.items_found} items,"
                f" {spider.pairs_found} pairs, {rate:.1f} pages/s, {spider.frontier.waiting()} in the queue"
                + "\n"
                * (not self._erases)
            )
            sys.stderr.flush()

    def spider_closed(self) -> None:
        """Erase the line on a terminal."""
        if self._erases:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


def require_report(folder: str | None) -> None:
    """Raise CommandError, before the crawl, if the report cannot be written to the folder."""
    path = Path(folder) if folder else None
    if path is None or not path.exists():
        return
    if not path.is_dir():
        raise CommandError(f"--report: {folder} is not a folder.")
    if next(path.iterdir(), None) is not None and not is_view_folder(path):
        raise CommandError(f"--report: {folder} has other files; name a new or an empty folder.")


def write_report(folder: str, crawled: Crawled, harvested: Harvested) -> Path:
    """Write the overview of a crawl, in place of the overview of its viewed pages; return its path."""
    path, inventory, starts = Path(folder) / INDEX, crawled.spider.inventory, crawled.spider.start_urls
    hosts = inventory.hosts()
    report = report_page(
        "Crawl of " + (next(iter(hosts)) if len(hosts) == 1 else f"{len(hosts)} hosts"),
        f"From {', '.join(starts[:5])}{' …' * (len(starts) > 5)}",
        _figures(crawled, harvested),
        [*_trust_tables(crawled, harvested), *_skipped_tables(crawled), _host_table(hosts, harvested)],
        [replace(row, outcome=inventory.outcome_of(row.url or "")) for row in rows_in(Path(folder))],
        left_out=crawled.stats.get("semtext/views/left_out", 0),
    )
    replace_file(path, [report.encode("utf-8", "replace")])
    return path


def _figures(crawled: Crawled, harvested: Harvested) -> dict[str, str]:
    pages = crawled.spider.pages_sent
    figures = {
        "items": f"{harvested.items.total():,}",
        "pairs": f"{harvested.pairs.total():,}",
        "threads without pairs": f"{crawled.left_out(harvested)['forum'] if harvested.only_pairs else 0:,}",
        "doubtful questions": f"{harvested.doubtful:,}",
        "pages fetched": f"{pages:,}",
        "rendered": f"{crawled.stats.get('semtext/crawl/rendered', 0):,}",
        "seconds": f"{crawled.seconds:,.1f}",
        "pages/s": f"{pages / max(crawled.seconds, 0.001):.1f}",
        "ended": crawled.ended_by(),
    }
    return {name: value for name, value in figures.items() if name not in _IF_ANY or value != "0"}


def _trust_tables(crawled: Crawled, harvested: Harvested) -> list[CountTable]:
    """Return what tells whether the pairs are all that there are, and whether they are right."""
    without, alike = crawled.without_pairs(harvested)[:_MAX_WITHOUT], crawled.templates()[:_MAX_TEMPLATES]
    furniture = [" | ".join(map(_short, template.furniture_texts()[:_MAX_PATTERNS])) for template in alike]
    pairs = [
        (f"{-rank:.2f}", _short(pair["question"], _MAX_CHARS), _short(pair["answer"], _MAX_CHARS), url)
        for rank, _, url, pair in sorted(harvested.unsure, key=itemgetter(0, 1), reverse=True)
    ]
    found = "URLs of the forms that the harvested pages with pairs have: # is a number, * a name, w a word."
    unanswered = "Threads that nobody has answered, or that were not read right: look at some."
    shared = "What all pages of a template have is in no pair: there should be no posts in it."
    least = "The lower of score and question_score. Options such as --min-score leave pairs out."
    columns = ("form", "linked", "with pairs", "without", "failed", "not reached")
    used = [(each.example, each.uses, texts) for each, texts in zip(alike, furniture, strict=True)]
    return [
        CountTable("Found of what was linked", found, columns, crawled.forms(harvested)),
        CountTable("Threads without pairs", unanswered, ("URL",), [(url,) for url in without]),
        CountTable("Pages alike", shared, ("for example", "pages", "taken for furniture"), used),
        CountTable("The least sure pairs", least, ("score", "question", "answer", "URL"), pairs),
    ]


def _skipped_tables(crawled: Crawled) -> list[CountTable]:
    failures = [(each.reason, each.number, " ".join(each.examples)) for each in crawled.spider.inventory.failures()]
    left = [(f"{each.host}{each.pattern}", each.number, why, each.example) for each, why in crawled.given_up()]
    about, columns = "URLs that were found but not fetched, by form.", ("form", "URLs", "why", "for example")
    return [
        CountTable("Failed", "Why URLs could not be fetched.", ("reason", "URLs", "for example"), failures),
        CountTable("Not fetched", about, columns, left),
    ]


def _host_table(hosts: dict[str, Counter[str]], harvested: Harvested) -> CountTable:
    shown = sorted(hosts, key=lambda host: (-harvested.items[host], host))[:_MAX_HOSTS]
    by_host: list[tuple[str | int, ...]] = [
        (
            host,
            harvested.items[host],
            harvested.pairs[host],
            *map(hosts[host].__getitem__, ("list", "nothing", "failed")),
        )
        for host in shown
    ]
    hosts_shown = f"The {len(shown)} of {len(hosts)} hosts with the most items."
    if len(shown) == len(hosts):
        hosts_shown = f"{counted(len(hosts), 'host')}."
    columns = ("host", "items", "pairs", "lists", "without content", "failed")
    return CountTable("By host", hosts_shown, columns, by_host)


def _short(text: str, most: int = _MAX_EXAMPLE_CHARS) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[:most].rstrip()} …"


def urls_in_out(target: Target, arguments: argparse.Namespace) -> set[str] | None:
    """Return the URLs of the rows to which new items are appended, None if OUT is written anew.

    Raises CommandError if an incremental crawl does not know which items are new, or would overwrite OUT.
    """
    path = Path(target.name)
    if arguments.incremental and not arguments.job:
        raise CommandError("--incremental needs the --job of an earlier run, which knows its items.")
    if not arguments.incremental or not path.is_file():
        return None
    try:
        if target.form != "jsonl":
            raise ValueError(f"it is not JSON lines of {', '.join(ROWS)}")
        with path.open("rb") as file:
            return {without_fragment(json.loads(line)["url"]) for line in decompressed(file, target.name)}
    except (*UNREADABLE, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise CommandError(f"New items cannot be appended to {path}: {error!s}; choose another file.") from error


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
    """Counts of items and pairs by host. ``rows`` is the number of rows in OUT.

    With ``only_pairs``, items without pairs are left out; ``left_out`` has their URLs by kind. ``forms`` counts items
    with pairs by host and form of URL, ``doubtful`` pairs with a doubtful question. ``unsure`` is a heap of the least
    sure pairs: the score with a minus, a number, the URL and the pair.
    """

    only_pairs: bool = False

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    forms: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_out: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    unsure: list[tuple[float, int, str, dict[str, Any]]] = field(default_factory=list)
    doubtful: int = 0
    rows: int = 0

    def counted(self, items: Iterable[dict[str, Any]], written: Collection[str] = ()) -> Iterator[dict[str, Any]]:
        """Yield and count the items whose URLs are not among those ``written``."""
        for item in items:
            if without_fragment(item["url"]) in written:
                continue
            host, pairs, kind = host_of(item["url"]), item.get("qa_pairs") or (), item.get("page_kind") or "unknown"
            if self.only_pairs and not pairs:
                self.left_out[kind].append(item["url"])
                continue
            self._judge(item["url"], pairs)
            self.items[host] += 1
            self.pairs[host] += len(pairs)
            yield item

    def _judge(self, url: str, pairs: Sequence[dict[str, Any]]) -> None:
        self.forms[host_of(url), pattern_of(url).coarse] += bool(pairs)
        for number, pair in enumerate(pairs, self.pairs.total()):
            score = pair.get("question_score", 1.0)
            self.doubtful += score < _DOUBTFUL
            ranked = -min(pair.get("score", 1.0), score), -number, url, pair
            (heappush if len(self.unsure) < _MAX_PAIRS else heappushpop)(self.unsure, ranked)


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


@dataclass(slots=True)
class Crawled:
    """The result of a crawl; its items are in the file of its frontier."""

    spider: SiteSpider
    stats: Mapping[str, Any]
    seconds: float
    unwanted: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # read again: URLs by kind

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield the items, read again if pages were kept; for an incremental crawl, only the new ones."""
        done: set[str] = set()
        for url, item in () if self.spider.kept is None else self._read_again(self.spider.kept):
            done.add(url)
            if item is not None:
                yield item
        yield from (item for item in map(json.loads, self.spider.frontier.items()) if item["url"] not in done)

    def _read_again(self, kept: KeptPages) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """Yield the URL of each item with its values, None for an unwanted one; nothing without a common `Extractor`.

        A page that seemed to have no content of its own is an item if it has pairs.
        """
        from scrapy_semtext.crawl.harvest import AlikePages
        from scrapy_semtext.extractor import Extractor
        from scrapy_semtext.integration.service import load_reader
        from scrapy_semtext.integration.settings import QASettings, SemtextSettings, default_options

        settings, rules = SemtextSettings.read(self.spider.settings), QASettings.read(self.spider.settings).rules
        extractor = load_reader(replace(settings, processes=0), default_options(settings))
        if not isinstance(extractor, Extractor):
            return
        alike, fields = AlikePages(self.spider.frontier.held), settings.page_fields
        for page in kept.read_again(extractor, self.spider.frontier.round_number):
            pairs = [place for place, pair in enumerate(page.qa_pairs) if rules.reason_to_drop(pair) is None]
            page.qa_pairs = renumbered(page.qa_pairs, {place: position for position, place in enumerate(pairs, 1)})
            wanted = self._wanted(page, alike)
            values = {} if wanted is None else wanted.values(fields)
            item = {"url": page.url, **{fields[name]: value for name, value in values.items()}}
            yield page.url or "", item if values else None

    def _wanted(self, page: Page, alike: AlikePages) -> Page | None:
        """Return a page that was read again as the item that it is; None if it is none, or if no such are wanted."""
        url = page.url or ""
        if not page.qa_pairs and self.spider.inventory.outcome_of(url) != "item":
            return None
        if self.spider.is_wanted(page):
            return page
        article = self.spider.article_of(page) if alike.are_articles(url) else None
        if article is None:
            self.unwanted[page.page_kind or "unknown"].append(url)
        return article

    def earlier_items(self) -> Iterator[dict[str, Any]]:
        """Yield the items of earlier rounds of the job."""
        return map(json.loads, self.spider.frontier.items(earlier=True))

    def summary(self, harvested: Harvested, rows: str) -> str:
        """Return a summary for people, what matters most first; ``rows`` is what a row of OUT is, one of ROWS."""
        stats = self.stats
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(self.spider.inventory.outcomes().items()))
        counts = [counted(harvested.items.total(), "item"), counted(harvested.pairs.total(), "pair")]
        counts += [counted(harvested.rows, "chunk")] * (rows == "chunks")
        fetched = f"{counted(self.spider.pages_sent, 'page')} in {self.seconds:.1f} seconds"
        lines = [f"{', '.join(counts)}; {fetched}; ended: {self.ended_by()}", *self._trust(harvested)]
        lines.append(f"URLs: {outcomes or 'none'}, {self.spider.frontier.waiting()} not fetched")
        if reasons := self.reasons():
            lines.append(f"  failed: {reasons}")
        lines += [
            f"  not fetched: {each.number} like {each.example}: {why}" for each, why in self.given_up()[:_IN_SUMMARY]
        ]
        if rendered := stats.get("semtext/crawl/rendered"):
            of_use = stats.get("semtext/crawl/rendered/of_use", 0)
            lines.append(f"rendered: {counted(rendered, 'page')}, {of_use} of which had content")
        if failed := stats.get("semtext/crawl/rendered/failed"):
            lines.append(f"{counted(failed, 'page')} could not be rendered; see --log")
        if errors := stats.get("semtext/errors"):
            lines.append(f"{counted(errors, 'page')} could not be read; see --log")
        return "\n".join(lines) + "\n"

    def _trust(self, harvested: Harvested) -> Iterator[str]:
        """Yield what tells whether the pairs are all that there are, and whether they are right."""
        yield from map(_form_line, self.forms(harvested)[:_IN_SUMMARY])
        left_out = self.left_out(harvested)
        if threads := left_out.pop("forum", 0) if harvested.only_pairs else 0:
            examples = "".join(f", such as {url}" for url in self.without_pairs(harvested)[:1])
            yield f"threads without pairs: {threads}{examples}"
        if left_out:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(left_out.items()))
            why = "without pairs" if harvested.only_pairs else "of other kinds"
            yield f"not in the output: {counted(left_out.total(), 'page')} {why} ({kinds})"
        if harvested.doubtful:
            yield f"doubtful questions: {harvested.doubtful} (question_score below {_DOUBTFUL})"
        yield from filter(None, map(_furniture_line, self.templates()[:_IN_SUMMARY]))

    def forms(self, harvested: Harvested) -> list[tuple[str | int, ...]]:
        """Return the forms of URLs of most of whose pages pairs are in OUT, the most frequent first.

        Of each: how many were linked, and of these have pairs, have none, failed and were not reached.
        """
        known, found = self.spider.inventory.forms(), list[tuple[str | int, ...]]()
        for (host, form), count in harvested.forms.most_common():
            became = known.get((host, form), Counter())
            read, failed, waiting = became["item"] + became["nothing"], became["failed"], became["waiting"]
            if 0 < count <= read <= 2 * count:
                found.append((f"{host}{form}", read + failed + waiting, count, read - count, failed, waiting))
        return found

    def templates(self) -> list[PageTemplate]:
        """Return the templates with which pages were read again, those of most pages first."""
        learnt = None if self.spider.kept is None else self.spider.kept.templates
        return sorted((each for _, each in learnt or () if each.uses), key=lambda each: (-each.uses, each.example))

    def without_pairs(self, harvested: Harvested) -> list[str]:
        """Return URLs of threads that are not in OUT as they have no pairs; none are known if no pages were kept."""
        return [*harvested.left_out["forum"], *self.unwanted["forum"]] if harvested.only_pairs else []

    def left_out(self, harvested: Harvested) -> Counter[str]:
        """Return how many pages with text are not in OUT, by kind."""
        unwanted = Counter({kind: len(urls) for kind, urls in self.unwanted.items() if urls})
        if self.spider.kept is None:
            unwanted.update({name.rpartition("/")[2]: n for name, n in self.stats.items() if _UNWANTED in name})
        return unwanted + Counter({kind: len(urls) for kind, urls in harvested.left_out.items()})

    def given_up(self) -> list[tuple[Waiting, str]]:
        """Return the URLs that were not fetched, by form, and why."""
        found: dict[tuple[str, str], tuple[Waiting, str]] = {}
        for each in self.spider.inventory.waiting(_MAX_PATTERNS):
            shown = each._replace(pattern=shown_form(each.pattern))
            before, why = found.get(shown[:2], (None, self._why(each)))
            shown = shown if before is None else before._replace(number=before.number + each.number)
            found[shown[:2]] = shown, why
        return sorted(found.values(), key=lambda each: -each[0].number)

    def _why(self, waiting: Waiting) -> str:
        """Return why URLs of a pattern were not fetched."""
        patterns = self.spider.frontier.host(waiting.host).patterns
        tally = patterns.fine.get(waiting.pattern)
        if tally is not None and patterns.probability(stored_pattern(waiting.pattern)) >= LEAVE:
            return f"not reached before the crawl ended ({self.ended_by()})"
        if tally is not None and tally.pages:
            return f"of {tally.pages} such pages {tally.items} were items: the rest are unlikely to be items"
        if waiting.role == "other":
            return "links that log in, print, reply, sort or the like"
        return "unlikely to be items, judging by their place, words and URL"

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


def _form_line(form: Sequence[str | int]) -> str:
    """Return the line about a form of URLs, see `Crawled.forms`."""
    name, linked, with_pairs, *missed = form
    others = zip(missed, ("without pairs", "failed", "not reached"), strict=True)
    shown = "".join(f", {count} {what}" for count, what in others if count)
    return f"pairs on {with_pairs} of {linked} linked pages like {name}{shown}"


def _furniture_line(template: PageTemplate) -> str:
    """Return the line about what the pages of a template share, "" if they share nothing."""
    shown = ", ".join(f'"{_short(text)}"' for text in template.furniture_texts()[:_IN_SUMMARY])
    return shown and f"in no pair, as all pages like {template.example} have it ({template.uses} pages): {shown}"


@contextmanager
def crawl_sites(arguments: argparse.Namespace, target: Target) -> Iterator[Crawled]:
    """Run the crawl that the arguments describe. Raises CommandError if it cannot be started."""
    from pydantic import ValidationError
    from scrapy.crawler import AsyncCrawlerProcess

    from scrapy_semtext import spiders

    began = time.monotonic()
    process = AsyncCrawlerProcess(settings_of(arguments, target))
    if not arguments.log:
        for name in _SUMMARISED:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    chosen: type[SiteSpider] = getattr(spiders, _KINDS[arguments.kind])
    keeps = {"keeps_items": True, "keeps_pages": arguments.templates}
    crawler = process.create_crawler(type(chosen.__name__, (chosen,), keeps))
    arguments_of_spider = {name: getattr(arguments, name) for name in _SPIDER_ARGUMENTS}
    crawling = process.crawl(crawler, **arguments_of_spider, sitemaps=not arguments.no_sitemaps)
    process.start()
    if not crawling.done():  # Ctrl-C twice
        going_on = " Run it again to continue." * bool(arguments.job)
        raise CommandError(f"the crawl was stopped before it could finish; {target.name} was not written.{going_on}")
    try:
        crawling.result()
    except ValidationError as error:
        reasons = (each["msg"].removeprefix("Value error, ") for each in error.errors())
        raise CommandError("; ".join(reasons)) from error
    except (JobError, ValueError) as error:
        raise CommandError(str(error)) from error
    spider: Any = crawler.spider
    if spider.failure is not None:
        going_on = f" Run it again with --job {arguments.job} to continue." * bool(arguments.job)
        raise CommandError(f"{spider.failure}. {target.name} was not written.{going_on}")
    try:
        yield Crawled(spider, crawler.stats.get_stats(), time.monotonic() - began)
    finally:
        spider.close_files()


def settings_of(arguments: argparse.Namespace, target: Target) -> Settings:
    """Return the settings; those of the command line override the spider's, as with ``scrapy crawl -s``.

    Raises CommandError for SEMTEXT_QA["item_per_pair"], with which only a page's first pair would be kept.
    """
    from scrapy.settings import Settings

    from scrapy_semtext.integration.settings import QASettings
    from scrapy_semtext.integration.spiders.middlewares import add_to_dict

    settings: dict[str, Any] = {
        "EXTENSIONS": {"scrapy_semtext.cli.crawl.CrawlProgress": 0},
        "LOG_LEVEL": "DEBUG" if arguments.log else "WARNING",
        "LOG_FORMATTER": "scrapy_semtext.logformatter.ShortLogFormatter",
        "LOG_FILE_APPEND": False,
        "TELNETCONSOLE_ENABLED": False,
        "SEMTEXT_FIELDS": result_names(target, arguments),
        "SEMTEXT_VIEW_DIR": arguments.report,
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
    if QASettings.read(chosen).item_per_pair:
        raise CommandError(
            'SEMTEXT_QA["item_per_pair"] is for spiders: here, --to qa or --rows pairs write a row per pair.'
        )
    return chosen


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise CommandError(f"-s {text} is not a setting; it has to be NAME=VALUE, such as DOWNLOAD_TIMEOUT=20.")
    return name, value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("urls", nargs="*", metavar="URL", help="URLs to start from")
    parser.add_argument("--urls-file", metavar="FILE", help="a file of such URLs, one per line")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the file to write, - for standard output")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--articles", dest="kind", action="store_const", const="articles", help="only articles")
    kinds.add_argument("--qa", dest="kind", action="store_const", const="qa", help="only pages with pairs")
    kinds.add_argument("--docs", dest="kind", action="store_const", const="docs", help="pages of documentation")
    parser.set_defaults(kind="all")
    add_output_arguments(parser)
    add_chunk_arguments(parser)
    _add_limits(parser)
    _add_running_options(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument("--max-pages", type=positive, metavar="N", help="stop after N requests for pages")
    limits.add_argument("--max-pages-per-site", type=positive, metavar="N", help="leave a host after N requests to it")
    limits.add_argument("--max-items", type=positive, metavar="N", help="stop after N items")
    limits.add_argument("--max-time", type=positive, metavar="SECONDS", help="stop after this many seconds")
    limits.add_argument("--allow", action="append", default=[], metavar="REGEX", help="fetch only URLs that match")
    limits.add_argument("--deny", action="append", default=[], metavar="REGEX", help="do not fetch URLs that match")
    limits.add_argument(
        "--scope", choices=("host", "domain"), default="host", help="stay on the hosts, or domains (%(default)s)"
    )
    limits.add_argument(
        "--strategy",
        choices=STRATEGIES,
        default="all",
        help="links to follow: all; only those on lists; items and next pages of the given lists; none (%(default)s)",
    )
    limits.add_argument("--no-sitemaps", action="store_true", help="do not read sitemaps and feeds")


def _add_running_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--job", metavar="DIR", help="a folder for the state of the crawl, to resume it from")
    parser.add_argument(
        "--incremental", action="store_true", help="only items that earlier runs of the --job have not found"
    )
    parser.add_argument(
        "--render",
        choices=RENDER_MODES,
        default="never",
        help="whether to render pages in a browser; auto: those with too little text and with scripts (%(default)s)",
    )
    parser.add_argument("--sites", metavar="FILE", help="rules for sites, as JSON or YAML (see SEMTEXT_SITES_FILE)")
    parser.add_argument(
        "--templates",
        action=BooleanOptionalAction,
        help="read items again when it is known what the pages of their site share (default: only with --qa)",
    )
    parser.add_argument("--metadata", action="store_true", help="add author, date, language, site and description")
    parser.add_argument("--user-agent", metavar="TEXT", help="the user agent of the crawler; include your URL")
    parser.add_argument("--delay", type=float, metavar="SECONDS", help="the minimum time between requests to a host")
    parser.add_argument(
        "-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Scrapy or of a plugin"
    )
    parser.add_argument("--report", metavar="DIR", help="write an HTML report that shows the pages colored")
    parser.add_argument("--log", metavar="FILE", help="write a log, with the role and probability of each request")


def _prepare(arguments: argparse.Namespace) -> None:
    """Create the folder of the job. Raises UserError for options and libraries that make a crawl impossible."""
    if arguments.unanswered and arguments.kind == "qa":
        raise CommandError("--unanswered needs pages without pairs, which --qa leaves out: use only one of them.")
    require_report(arguments.report)
    require_extra("scrapy_spider_metadata", "crawl")
    if arguments.render != "never":
        require_extra("scrapy_playwright", "render")
    if arguments.job:
        Path(arguments.job).mkdir(parents=True, exist_ok=True)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if not arguments.urls and not arguments.urls_file:
        raise CommandError("there is no URL to start from; give one, such as https://example.com/, or --urls-file.")
    target = checked_target(arguments)
    if arguments.templates is None:
        arguments.templates = arguments.kind == "qa"
    choice = PairChoice(arguments, target, templates=arguments.templates)
    _prepare(arguments)
    written = urls_in_out(target, arguments)
    with crawl_sites(arguments, target) as crawled:
        if crawled.has_failed():
            raise CommandError(f"no page could be fetched: {crawled.reasons()}. {target.name} was not written.")
        choice.know(crawled.earlier_items())
        harvested = Harvested(only_pairs=arguments.kind == "qa")
        items = islice(harvested.counted(map(choice.of, crawled.items()), written or ()), arguments.max_items)
        harvested.rows = write_items(items, target, arguments, appends=written is not None)
        sys.stderr.write(crawled.summary(harvested, target.rows))
        if choice.left_out:
            sys.stderr.write(f"{left_out_text(choice.left_out)}\n")
        if arguments.report:
            sys.stderr.write(f"report: {write_report(arguments.report, crawled, harvested)}\n")
        return crawled.status()
