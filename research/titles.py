"""Titles compared with the true ones: ``python -m research.titles wcxb_dev.jsonl.xz qa_dev.jsonl.xz ...``.

A title is exact if it equals the true one after white space and case are folded, and right if its word F1 is at least
0.8. Each set is divided by site: rules are chosen on the sites of ``chosen on``; ``held back`` are the other sites. If
the lines of a set state licences, pages whose licence allows distributing what was learned from them are the former;
otherwise a hash of the site decides, half of the sites each. ``--wrong`` prints the wrong titles of the former.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.elements import elements_of
from scrapy_semtext.output.title import title_of
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.training.datasets import OPEN_LICENCE, fold, registered_domain
from scrapy_semtext.training.scoring import word_prf

if TYPE_CHECKING:
    from collections.abc import Iterator

# Sets whose lines without such a licence may only be measured.
_BY_LICENCE = frozenset(("static_pages_dev", "thread_pages_dev"))
_SEED = 5
_SAME = 0.8


class Reading(NamedTuple):
    """The title that was read on a page; ``seconds`` is the CPU time without parsing the page."""

    chosen: bool
    page: str
    truth: str
    title: str
    seconds: float

    @property
    def exact(self) -> bool:
        """Whether the title equals the true one except for white space and case."""
        return one_line(self.title).casefold() == one_line(self.truth).casefold()

    @property
    def right(self) -> bool:
        """Whether the words of the title are nearly those of the true one."""
        return self.exact or word_prf(self.title, self.truth).f1 >= _SAME


def readings_of(path: Path) -> list[Reading]:
    """Read the titles of the pages of a set whose titles are known."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [_reading(path, row, truth) for row in map(json.loads, lines) if (truth := _truth(row))]


def _truth(row: dict[str, Any]) -> str | None:
    return (row.get("extra") or {}).get("title") or (row.get("question") or {}).get("title") or None


def _reading(path: Path, row: dict[str, Any], truth: str) -> Reading:
    url = row.get("url")
    if path.name.partition(".")[0] in _BY_LICENCE:
        chosen = OPEN_LICENCE.match(row.get("licence") or "") is not None
    else:
        chosen = fold(registered_domain(url or row.get("site") or "") or row["id"], _SEED, 2) == 0
    root = tree.parse(row.get("html_nomarkup") or row["html"], url)
    naming = elements_of(root).naming
    began = time.process_time()
    title = title_of(root, naming) or ""
    return Reading(chosen, row["id"], truth, title, time.process_time() - began)


def table(readings: dict[str, list[Reading]]) -> Iterator[str]:
    """Yield the lines of the table: for each set the sites that rules are chosen on, and the others."""
    yield f"{'':44}{'pages':>7}{'exact':>8}{'right':>8}{'ms':>8}"
    for name, every in readings.items():
        sides: defaultdict[bool, list[Reading]] = defaultdict(list)
        for reading in every:
            sides[reading.chosen].append(reading)
        for chosen, rows in sorted(sides.items(), reverse=True):
            exact, right = (100 * sum(getattr(row, kind) for row in rows) / len(rows) for kind in ("exact", "right"))
            mean = 1000 * sum(row.seconds for row in rows) / len(rows)
            label = f"{name} {'chosen on' if chosen else 'held back'}"
            yield f"{label:44}{len(rows):7}{exact:8.1f}{right:8.1f}{mean:8.2f}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--wrong", action="store_true", help="print titles that are not exact of the sites chosen on")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.processes) as pool:
        found = zip(arguments.data, pool.map(readings_of, arguments.data), strict=True)
        readings = {path.name.partition(".")[0]: rows for path, rows in found}
    for name, rows in readings.items() if arguments.wrong else ():
        for row in rows:
            if row.chosen and not row.exact:
                mark = "~" if row.right else "-"
                sys.stdout.write(f"{mark} {name} {row.page}\n    true {row.truth!r}\n    read {row.title!r}\n")
    sys.stdout.write("\n".join(table(readings)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
