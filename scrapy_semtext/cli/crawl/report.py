"""The report of `semtext crawl`: a folder with the colored pages and an overview of the crawl."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.outputs import counted
from scrapy_semtext.crawling.addresses import Pattern
from scrapy_semtext.crawling.patterns import LEAVE, without_role
from scrapy_semtext.utils.replacing import replace_file
from scrapy_semtext.viewer.folder import INDEX, is_view_folder, rows_in
from scrapy_semtext.viewer.index import CountTable, report_page

if TYPE_CHECKING:
    from scrapy_semtext.cli.crawl.running import Crawled, Harvested
    from scrapy_semtext.crawling.inventory import Waiting

_MOST_PATTERNS, _MOST_HOSTS = 100, 200  # that the report lists
_IF_ANY = ("threads without pairs", "rendered")  # figures that are left out if they are 0

#: What the outcomes of URLs mean.
_MEANINGS = {
    "item": "harvested",
    "list": "a page that lists others; its links were followed",
    "duplicate": "the same content, or the same item, at another URL",
    "later": "a later page of an item, which is harvested from its first page on",
    "nothing": "neither an item nor a list: too little text, or no HTML",
    "failed": "could not be fetched; see below",
    "known": "an item of an earlier crawl, not written again",
    "waiting": "not fetched; see below",
}


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
        [*_harvest_tables(hosts, harvested), *_skipped_tables(crawled, hosts)],
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
        "pages fetched": f"{pages:,}",
        "rendered": f"{crawled.stats.get('semtext/crawl/rendered', 0):,}",
        "seconds": f"{crawled.seconds:,.1f}",
        "pages/s": f"{pages / max(crawled.seconds, 0.001):.1f}",
        "ended": crawled.ended_by(),
    }
    return {name: value for name, value in figures.items() if name not in _IF_ANY or value != "0"}


def _harvest_tables(hosts: dict[str, Counter[str]], harvested: Harvested) -> list[CountTable]:
    shown = sorted(hosts, key=lambda host: (-harvested.items[host], host))[:_MOST_HOSTS]
    by_host: list[tuple[str | int, ...]] = [
        (
            host,
            harvested.items[host],
            harvested.pairs[host],
            *(hosts[host][name] for name in ("list", "nothing", "failed")),
        )
        for host in shown
    ]
    kinds = [(kind, count) for kind, count in harvested.kinds.most_common()]
    hosts_shown = f"The {len(shown)} of {len(hosts)} hosts with the most items."
    if len(shown) == len(hosts):
        hosts_shown = f"{counted(len(hosts), 'host')}."
    columns = ("host", "items", "pairs", "lists", "without content", "failed")
    return [
        CountTable("By host", hosts_shown, columns, by_host),
        CountTable("By kind", "The kinds of the harvested pages.", ("kind", "items"), kinds),
    ]


def _skipped_tables(crawled: Crawled, hosts: dict[str, Counter[str]]) -> list[CountTable]:
    inventory = crawled.spider.inventory
    outcomes = sum(hosts.values(), Counter[str]())
    became = [(name, outcomes[name], meaning) for name, meaning in _MEANINGS.items() if outcomes[name]]
    failures = [(each.reason, each.number, " ".join(each.examples)) for each in inventory.failures()]
    waiting = inventory.waiting(_MOST_PATTERNS)
    left = [(f"{each.host}{without_role(each.pattern)}", each.number, _why(each, crawled)) for each in waiting]
    return [
        CountTable("Outcomes", "All URLs that were found.", ("outcome", "URLs", "meaning"), became),
        CountTable("Failed", "Why URLs could not be fetched.", ("reason", "URLs", "for example"), failures),
        CountTable(
            "Not fetched",
            "URLs that were found but not fetched, by pattern: # is a number, * a name, w a word.",
            ("pattern", "URLs", "why"),
            left,
        ),
    ]


def _why(waiting: Waiting, crawled: Crawled) -> str:
    """Return why URLs of a pattern were not fetched."""
    patterns = crawled.spider.frontier.host(waiting.host).patterns
    tally = patterns.fine.get(waiting.pattern)
    if tally is not None and patterns.probability(Pattern(waiting.pattern, tally.coarse)) >= LEAVE:
        return f"not reached before the crawl ended ({crawled.ended_by()})"
    if tally is not None and tally.pages:
        return f"of {tally.pages} such pages {tally.items} were items: the rest are unlikely to be items"
    if waiting.role == "other":
        return "links that log in, print, reply, sort or the like"
    return "unlikely to be items, judging by their place, words and URL"
