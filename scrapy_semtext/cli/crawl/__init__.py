"""Harvest whole sites: all articles, all question-answer pairs or all pages of documentation.

Links are followed in order of the probability that their pages are items, which is learnt during the crawl; links that
are unlikely to lead to items are skipped. robots.txt is obeyed, and the speed adapts to that of the sites. OUT is
created when the crawl ends. With --job DIR, a crawl that was stopped or killed continues when it is run again.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_semtext.cli.crawl.running import Harvested, crawl_sites, earlier_in, rows_in, write_items
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.models import add_chunk_arguments, positive
from scrapy_semtext.cli.pair_choice import PairChoice, left_out_text
from scrapy_semtext.cli.row_files import add_output_arguments, refuse_choice_of_pages, require_target, target_of
from scrapy_semtext.crawling.rendering import RENDER_MODES
from scrapy_semtext.crawling.scope import STRATEGIES

if TYPE_CHECKING:
    import argparse


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
        "--incremental", action="store_true", help="only items that are not in the OUT or --job of an earlier run"
    )
    parser.add_argument(
        "--render",
        choices=RENDER_MODES,
        default="never",
        help="whether to render pages in a browser; auto: those with too little text and with scripts (%(default)s)",
    )
    parser.add_argument("--sites", metavar="FILE", help="rules for sites, as JSON or YAML (see SEMTEXT_SITES_FILE)")
    parser.add_argument("--metadata", action="store_true", help="add author, date, language, site and description")
    parser.add_argument("--user-agent", metavar="TEXT", help="the user agent of the crawler; include your URL")
    parser.add_argument("--delay", type=float, metavar="SECONDS", help="the minimum time between requests to a host")
    parser.add_argument(
        "-s", "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Scrapy or of a plugin"
    )
    parser.add_argument("--report", metavar="DIR", help="write an HTML report that shows the pages colored")
    parser.add_argument("--log", metavar="FILE", help="write a log, with the role and probability of each request")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.cli.crawl.report import require_report, write_report

    if not arguments.urls and not arguments.urls_file:
        raise CommandError("there is no URL to start from; give one, such as https://example.com/, or --urls-file.")
    target, choice = target_of(arguments), PairChoice(arguments)
    refuse_choice_of_pages(arguments, target)
    arguments.rows = target.rows
    if arguments.unanswered and arguments.kind == "qa":
        raise CommandError("--unanswered needs pages without pairs, which --qa leaves out: use only one of them.")
    require_target(target)
    require_report(arguments.report)
    earlier = earlier_in(target, arguments)
    with crawl_sites(arguments, target, earlier) as crawled:
        if crawled.has_failed():
            raise CommandError(f"no page could be fetched: {crawled.reasons()}. {target.name} was not written.")
        choice.know(chain(crawled.earlier_items(), rows_in(target) if earlier is not None else ()))
        harvested = Harvested(only_pairs=arguments.kind == "qa")
        items = harvested.counted(map(choice.of, crawled.items()), earlier)
        harvested.rows = write_items(items, target, arguments, appends=earlier is not None)
        sys.stderr.write(crawled.summary(harvested, target.rows))
        if choice.left_out:
            sys.stderr.write(f"{left_out_text(choice.left_out)}\n")
        if arguments.report:
            sys.stderr.write(f"report: {write_report(arguments.report, crawled, harvested)}\n")
        return crawled.status()
