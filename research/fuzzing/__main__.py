"""Read hostile pages for some minutes: ``python -m research.fuzzing --seed N --minutes M``.

The pages are changed parts of those of the quality gate, 64 in a batch. Each batch is read with other options than the
one before; one of eight is read again in another order, and one of 48 page by page, also without compiled extensions.
What breaks is kept in --out, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from research.fuzzing.extremes import extremes
from research.fuzzing.mutations import encoded, mutated, parts_of
from research.fuzzing.reading import BATCHES, URLS, Input, Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GATE = Path("tests/gate/gate.jsonl.xz")
_BATCH = 64
#: Of how many batches one is read again, and one page by page.
_AGAIN, _ALONE = 8, 48
_SMALL, _LARGE = 1_500, 60_000  # characters of the pages of a batch, and of the one that is read after a batch
_KEPT = 3  # pages of each violation


class Campaign:
    """Makes inputs from a seed and real pages, reads them, and keeps what breaks."""

    def __init__(self, seed: int, out: Path, pages: Sequence[str]) -> None:
        self._seed, self._out, self._pages = seed, out, pages
        self._parts = parts_of(Random(seed), pages)  # noqa: S311  to be repeated
        self.reader = Reader()
        self.found: Counter[str] = Counter()

    def run(self, minutes: float, batches: int = sys.maxsize) -> None:
        """Read until the time is over, or as many batches."""
        end = time.monotonic() + 60 * minutes
        for number in range(batches):
            if time.monotonic() > end:
                break
            random = Random(f"{self._seed} {number}")  # noqa: S311
            self.read([self._input(random, self._parts, _SMALL) for _ in range(_BATCH)], number)
            self._keep(self.reader.violations([self._input(random, self._pages, _LARGE)]))

    def read(self, pages: Sequence[Input], number: int) -> None:
        """Read a batch in the ways in which one of its number is read."""
        options = BATCHES[number % len(BATCHES)]
        self._keep(self.reader.violations(pages, options))
        if number % _AGAIN == 0:
            self._keep(self.reader.differing(pages, options))
        if number % _ALONE == 0:
            for page in pages:
                self._keep(self.reader.violations([page]))
            self._keep(self.reader.differing(pages))
            self._keep(self.reader.differing_uncompiled(pages))

    def run_extremes(self) -> None:
        """Read the largest and deepest pages, each once."""
        for name, html, content_type in extremes(self._pages[0][:20_000]):
            before = self.reader.seconds
            self._keep(self.reader.violations([Input(html, content_type, made_by=[name])]))
            sys.stderr.write(f"{name}: {self.reader.seconds - before:.2f} s\n")

    def report(self) -> str:
        """Return the figures of the campaign."""
        reader = self.reader
        return (
            f"{reader.inputs:,} inputs with {reader.characters:,} characters, {reader.seconds:.0f} s of CPU, at most "
            f"{reader.worst:.1f} s for a million characters\nviolations: {self.found.total()}\n"
            + "".join(f"  {count} times: {violation}\n" for violation, count in self.found.most_common())
        )

    @staticmethod
    def _input(random: Random, pages: Sequence[str], longest: int) -> Input:
        """A page as it is sent: as text, or as bytes with a label; with an address."""
        html, names = mutated(random, pages, longest)
        url = random.choice(URLS)
        if random.random() < 0.25:
            return Input(*encoded(random, html), url, [*names, "bytes"])
        return Input(html, None, url, names)

    def _keep(self, violations: Iterable[tuple[Input, str]]) -> None:
        for page, violation in violations:
            name = violation[:120]
            self.found[name] += 1
            if self.found[name] > _KEPT:
                continue
            self._out.mkdir(parents=True, exist_ok=True)
            body = page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")
            path = self._out / f"{self.found.total():05}.html"
            path.write_bytes(body)
            about = {"violation": violation, "made_by": page.made_by, "url": page.url, "type": page.content_type}
            path.with_suffix(".json").write_text(json.dumps(about))


def gate_pages() -> list[str]:
    """Return the pages of the quality gate."""
    with lzma.open(_GATE, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["html"] for line in lines]


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("fuzzing-found"), help="for the pages that break something")
    parser.add_argument("--extremes", action="store_true", help="read the largest and deepest pages instead, each once")
    arguments = parser.parse_args()
    campaign = Campaign(arguments.seed, arguments.out, gate_pages())
    if arguments.extremes:
        campaign.run_extremes()
    else:
        campaign.run(arguments.minutes)
    campaign.reader.close()
    sys.stdout.write(campaign.report())
    return 1 if campaign.found else 0


if __name__ == "__main__":
    sys.exit(main())
