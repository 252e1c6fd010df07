"""Read hostile pages for some minutes: ``python -m research.fuzzing --seed N --minutes M``.

Each input is grown from pages of the quality gate by `mutations`. It is read alone with all options, and what has to
hold is checked (`invariants`). Some are read again with other options, in batches of two orders, and without compiled
extensions; every few hundred go through a crawl with all exporters. What breaks is kept in --out, and the exit status
is 1.
"""

from __future__ import annotations

import argparse
import json
import lzma
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from research.fuzzing import crawl
from research.fuzzing.mutations import encoded, mutated
from research.fuzzing.targets import OTHERS, URLS, Input, Reader

GATE = Path("tests/gate/gate.jsonl.xz")
_BATCH, _CRAWL = 8, 80


class Campaign:
    """Makes inputs from a seed, gives them to all targets, and keeps what breaks."""

    def __init__(self, seed: int, out: Path) -> None:
        with lzma.open(GATE, "rt", encoding="utf-8") as lines:
            self._pages = [json.loads(line)["html"] for line in lines]
        self._seed = seed
        self._out = out
        self._reader = Reader()
        self.found: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.made: Counter[str] = Counter()

    def run(self, minutes: float) -> None:
        """Run until the time is over."""
        end, number, waiting = time.monotonic() + 60 * minutes, 0, list[Input]()
        while time.monotonic() < end:
            pages = [self._input(number + place) for place in range(_BATCH)]
            for page in pages:
                self._alone(page, number)
                number += 1
            if number % (2 * _BATCH) == 0:
                self._together([page for page in pages if page.fingerprint is not None])
            waiting += pages
            sys.stderr.write(f"{number:,} inputs, {sum(self.found.values())} violations\n")
            if len(waiting) >= _CRAWL:
                self._crawl(waiting)
                waiting = []
        self._reader.close()

    def _input(self, number: int) -> Input:
        random = Random(f"{self._seed} {number}")  # noqa: S311  to be repeated
        html, names = mutated(random, self._pages)
        self.made.update(names)
        url = random.choice(URLS)
        if random.random() < 0.25:
            body, content_type = encoded(random, html)
            return Input(body, content_type, url, [*names, "bytes"])
        return Input(html, None, url, names)

    def _alone(self, page: Input, number: int) -> None:
        options = OTHERS[number // 3 % len(OTHERS)] if number % 3 == 0 else None
        compare = number % 5 == 0
        self.tried.update(["alone", *["other options"] * (options is not None), *["without extensions"] * compare])
        try:
            for violation in self._reader.violations(page, compare=compare, options=options):
                self._keep(violation, page)
        except Exception as error:  # noqa: BLE001  is what is looked for
            self._keep(_where(error), page)

    def _together(self, pages: list[Input]) -> None:
        self.tried["in two batches"] += len(pages)
        try:
            for page, violation in self._reader.differing(pages):
                self._keep(violation, page)
        except Exception as error:  # noqa: BLE001
            self._keep(_where(error), *pages)

    def _crawl(self, pages: list[Input]) -> None:
        self.tried["crawled"] += len(pages)
        site = {
            f"http://site.test/{number}": (_body(page), page.content_type or "text/html; charset=utf-8")
            for number, page in enumerate(pages)
        }
        site = {url: (body, kind) for url, (body, kind) in site.items() if "\x00" not in kind}
        try:
            for violation in crawl.violations(site, SEMTEXT_MAX_BODY=200_000, LOG_ENABLED=False):
                self._keep(violation, *pages)
        except Exception as error:  # noqa: BLE001
            self._keep(_where(error), *pages)

    def _keep(self, violation: str, *pages: Input) -> None:
        self.found[violation[:120]] += 1
        if self.found[violation[:120]] > 3:
            return
        sys.stdout.write(f"{violation}\n  {[page.made_by for page in pages[:1]]}\n")
        sys.stdout.flush()
        self._out.mkdir(parents=True, exist_ok=True)
        for number, page in enumerate(pages):
            name = f"{sum(self.found.values()):05}-{number}"
            (self._out / f"{name}.html").write_bytes(_body(page))
            about = {"violation": violation, "made_by": page.made_by, "url": page.url, "type": page.content_type}
            (self._out / f"{name}.json").write_text(json.dumps(about))

    def report(self) -> str:
        """Return the figures of the campaign."""
        costs = self._reader.costs
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        lines = [
            f"inputs: {costs.inputs:,} with {costs.characters:,} characters",
            f"readings: {', '.join(f'{name} {count:,}' for name, count in self.tried.items())}",
            f"mutations: {', '.join(f'{name} {count:,}' for name, count in self.made.most_common())}",
            f"CPU: {costs.seconds:.0f} s; at most {costs.worst:.1f} s for a million characters: {costs.worst_page}",
            f"memory: {memory:.0f} MB at most",
            f"violations: {sum(self.found.values())}",
            *(f"  {count} times: {violation}" for violation, count in self.found.most_common()),
        ]
        return "\n".join(lines) + "\n"


def _body(page: Input) -> bytes:
    return page.html if isinstance(page.html, bytes) else page.html.encode("utf-8", "surrogatepass")


def _where(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}: {str(error)[:200]}"


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(description="Read hostile pages, and check what has to hold.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("fuzzing-found"), help="for the pages that break something")
    arguments = parser.parse_args()
    campaign = Campaign(arguments.seed, arguments.out)
    campaign.run(arguments.minutes)
    sys.stdout.write(campaign.report())
    return 1 if campaign.found else 0


if __name__ == "__main__":
    sys.exit(main())
