"""Crawl real pages for very long on this machine, and report what grows.

    python -m research.long_crawl FILE.jsonl.xz... --pages 200000 --log thread.jsonl
    python -m research.long_crawl FILE.jsonl.xz... --pages 200000 --set SEMTEXT_PROCESSES=2 --log processes.jsonl

Each FILE has JSON lines with the HTML of a page at ``html``. Needs Linux. Exit status 1: an item was
lost, or a page was read in two ways.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess

from research.benchmark.server import serving
from research.long_crawl.samples import Sample, growth
from research.long_crawl.site import write_pages
from research.long_crawl.spider import LongSpider

_GATE = Path("tests/gate/gate.jsonl.xz")
_SETTINGS = {
    "ADDONS": {"scrapy_semtext.Addon": 300},
    "SEMTEXT_ENABLED": True,
    "SEMTEXT_DEVICE": "cpu",
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,  # there is one at a time
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "DOWNLOAD_WARNSIZE": 0,
}


def run(arguments: argparse.Namespace) -> int:
    """Crawl, and print what was found."""
    with tempfile.TemporaryDirectory() as folder, arguments.log.open("w", encoding="utf-8") as log:
        sizes = write_pages(arguments.files or [_GATE], Path(folder))
        with serving("research.long_crawl.site", Path(folder)) as (port, server):
            given = {"is_new": arguments.new, "pages_a_site": arguments.pages_a_site, "every": arguments.every}
            process = AsyncCrawlerProcess({**_SETTINGS, **dict(each.split("=", 1) for each in arguments.set)})
            crawler = process.create_crawler(LongSpider)
            crawling = process.crawl(
                crawler, port=port, sizes=sizes, count=arguments.pages, besides=server, log=log, **given
            )
            process.start()
            crawling.result()
    assert isinstance(crawler.spider, LongSpider)  # noqa: S101
    return report(crawler.spider, crawler.stats.get_stats(), arguments.pages)


def report(spider: LongSpider, stats: dict[str, Any], pages: int) -> int:
    """Print the figures of a crawl; return its exit status."""
    found = spider.found
    sys.stdout.write(", ".join(f"{name} {count:,}" for name, count in found.items()) + "\n")
    sys.stdout.write(f"mean size {found['bytes'] / max(1, found['items']) / 1000:.1f} KB\n")
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in sorted(stats.items()) if "semtext/" in name)
    sys.stdout.write(growths(spider.samples))
    return int(found["items"] != pages or found["another reading of the same page"] > 0)


def growths(samples: list[Sample]) -> str:
    """Tell the means over ten parts of a crawl after its first 2,000 pages, and their range around the first one."""
    lines = []
    for name in ("memory", "worker_memory", "descriptors", "threads", "rate", "stall_p99_ms"):
        means = growth(samples, name)
        if means and means[0]:
            last = 100 * (means[-1] / means[0] - 1)
            lines.append(f"{name}: {', '.join(f'{each:.1f}' for each in means)} (last to first {last:+.1f} %)\n")
    return "".join(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="pages (the quality gate's)")
    parser.add_argument("--pages", type=int, default=10_000, help="requests (10,000)")
    parser.add_argument("--pages-a-site", type=int, default=50, help="pages after which another host is asked (50)")
    parser.add_argument("--new", action="store_true", help="names and words that no other page has")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting")
    parser.add_argument("--log", type=Path, required=True, help="JSON lines, the samples")
    parser.add_argument("--every", type=int, default=500, help="items after which a sample is taken (500)")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
