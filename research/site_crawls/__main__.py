"""Fill and start real software, crawl it, and score what comes out against what it holds.

``python -m research.site_crawls ENGINE... --data SET.jsonl.xz --work FOLDER``
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from research.site_crawls import texts
from research.site_crawls.measure import measure
from research.site_crawls.recording import record
from research.site_crawls.report import table
from research.site_crawls.site import Site
from research.site_crawls.software import SOFTWARE

if TYPE_CHECKING:
    from research.site_crawls.measure import Row, Way


def main() -> int:
    """Crawl the engines one after the other; one that fails is reported, and the others go on."""
    arguments = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the servers are ended, too
    ways: list[Way] = arguments.ways or ["roles"]
    work: Path = arguments.work.resolve()
    data = texts.prepare(arguments.data, work / "texts.json")
    rows: list[Row] = []
    failed = 0
    for name in arguments.engines or [name for name, each in SOFTWARE.items() if not each.held_out]:
        site = Site(SOFTWARE[name], work, arguments.count)
        try:
            site.prepare(data)
            if arguments.serve:
                _serve(site)
            elif arguments.record:
                count = record(site, arguments.record / f"{name}.jsonl.xz")
                sys.stderr.write(f"{name}: {count} answers recorded\n")
            else:
                rows += measure(site, ways, arguments.option)
        except (RuntimeError, ValueError) as error:
            sys.stderr.write(f"{name}: {error}\n")
            failed = 1
    sys.stdout.write(table(rows))
    with (work / "scores.jsonl").open("a", encoding="utf-8") as scores:
        scores.writelines(json.dumps(asdict(row)) + "\n" for row in rows)
    return failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"of {', '.join(SOFTWARE)}; all but held-out ones")
    parser.add_argument("--data", type=Path, nargs="+", default=[], help="page sets whose texts fill the sites")
    parser.add_argument("--work", type=Path, required=True, help="folder for environments, sites and crawls")
    parser.add_argument("--option", action="append", default=[], help="one more option of semtext crawl: --option=--qa")
    parser.add_argument("--serve", action="store_true", help="serve the site of an engine until Ctrl+C; no crawl")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="write the site into a file there; no crawl")
    parser.add_argument("--count", type=int, default=220, help="threads or articles of a site (%(default)s)")
    ways = parser.add_argument_group("ways to crawl, semtext crawl by default")
    ways.add_argument("--roles", dest="ways", action="append_const", const="roles", help="semtext crawl")
    ways.add_argument(
        "--kill", dest="ways", action="append_const", const="killed", help="killed and resumed in between"
    )
    ways.add_argument("--baseline", dest="ways", action="append_const", const="baseline", help="breadth first")
    return parser


def _serve(site: Site) -> None:
    with site.serving(site.folder / "access.jsonl"):
        sys.stderr.write(f"{site.software.name}: {site.start}\n")
        try:
            signal.pause()
        except KeyboardInterrupt:
            sys.stderr.write("stopped\n")


if __name__ == "__main__":
    sys.exit(main())
