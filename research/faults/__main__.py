"""Kill crawls, or ask them to stop, again and again, and count what is lost: a table in Markdown.

``PYTHONPATH=tests:example_project python -m research.faults --ends 10``, as the site is one of the tests.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from research.faults.kills import Outcome, end_command, end_spider

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WAYS: Mapping[str, Callable[[int, Path], Outcome]] = {
    f"JOBDIR, {mode}, {how.name}": partial(end_spider, mode, how)
    for how in (signal.SIGTERM, signal.SIGKILL)
    for mode in ("plain", "thread", "processes")
} | {
    f"semtext crawl --job, {name}, SIGKILL": partial(end_command, processes)
    for name, processes in (("thread", 0), ("processes", 2))
}


def main() -> None:
    """Run the crawls of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ends", type=int, default=10, help="how often each crawl is ended (%(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="ways that have this in their names")
    arguments = parser.parse_args()
    sys.stdout.write("| crawl | ends | pages | lost | doubled | asked for | warnings | learnt |\n" + "|---" * 8 + "|\n")
    for name, way in _WAYS.items():
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = way(arguments.ends, Path(folder))
        figures = (done.ends, done.pages, done.lost, done.doubled, done.asked, len(done.warnings), done.learnt)
        sys.stdout.write(f"| {name} | {' | '.join(map(str, figures))} |\n")
        for warning in done.warnings[:3]:
            sys.stderr.write(f"{warning}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
