"""A campaign: makes hostile pages from a seed, has them read in every way, and keeps those that break something.

Most inputs are small, and are read once in a batch of 64. One batch of eight is read again in the reverse order with
other neighbours. One of 48 is read page by page too, in part without compiled extensions, and goes through a crawl with
all exporters. After every 30 batches a large page is read by itself.
"""

from __future__ import annotations

import json
import lzma
import resource
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from research.fuzzing import crawl
from research.fuzzing.extremes import extremes
from research.fuzzing.mutations import encoded, mutated, mutated_small, parts_of
from research.fuzzing.targets import BATCHES, EVERYTHING, OTHERS, URLS, Input, Reader
from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

GATE = Path("tests/gate/gate.jsonl.xz")
_BATCH = 64
#: Of how many batches one is read again, is compared with other ways to read it, is followed by a large page.
_AGAIN, _COMPARED, _LARGE = 8, 48, 30
#: How many pages a crawl has, and of how many crawls one has a worker process.
_CRAWL, _WORKERS = 160, 5
_REPORT_SECONDS = 60


def gate_pages() -> list[str]:
    """Return the pages of the quality gate."""
    with lzma.open(GATE, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["html"] for line in lines]


class Campaign:
    """Makes inputs from a seed and real pages, gives them to all targets, and keeps what breaks."""

    def __init__(self, seed: int, out: Path, pages: list[str]) -> None:
        self._pages = pages
        self._parts = parts_of(Random(seed), self._pages)  # noqa: S311  to be repeated
        self._seed = seed
        self._out = out
        self._reader = Reader()
        self._waiting: list[Input] = []
        self.found: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.made: Counter[str] = Counter()
        self.began = self._reported = time.monotonic()

    def run(self, minutes: float, inputs: int = sys.maxsize) -> None:
        """Run until the time is over, or as many inputs are read."""
        number = 0
        while time.monotonic() < self.began + 60 * minutes and self._reader.costs.inputs < inputs:
            self._batch(number, [self._input(number * _BATCH + place) for place in range(_BATCH)])
            number += 1
            if number % _LARGE == 0:
                self._alone(self._large(number), number // _LARGE)
            if len(self._waiting) >= _CRAWL:
                self._crawl(self._waiting)
                self._waiting = []
            if time.monotonic() > self._reported + _REPORT_SECONDS:
                self._reported = time.monotonic()
                sys.stderr.write(self.report() + "\n")
                sys.stderr.flush()
        self._reader.close()

    def run_extremes(self) -> None:
        """Read the largest and deepest pages, each once."""
        for name, html, content_type in extremes(self._pages[0][:20_000]):
            before = self._reader.costs.seconds
            self._alone(Input(html, content_type, made_by=[name]), number=1)
            sys.stderr.write(f"{name}: {self._reader.costs.seconds - before:.2f} s\n")
        self._reader.close()

    def _input(self, number: int) -> Input:
        random = Random(f"{self._seed} {number}")  # noqa: S311
        return self._sent(random, *mutated_small(random, self._parts))

    def _large(self, number: int) -> Input:
        random = Random(f"{self._seed} large {number}")  # noqa: S311
        return self._sent(random, *mutated(random, self._pages))

    def _sent(self, random: Random, html: str, names: list[str]) -> Input:
        """A page as it is sent: as text, or as bytes with a label; with an address."""
        self.made.update(names)
        url = random.choice(URLS)
        if random.random() < 0.25:
            body, content_type = encoded(random, html)
            return Input(body, content_type, url, [*names, "bytes"])
        return Input(html, None, url, names)

    def _batch(self, number: int, pages: list[Input]) -> None:
        options, again = BATCHES[number % len(BATCHES)], number % _AGAIN == 0
        if number % _COMPARED == 0:
            options = EVERYTHING
            for place, page in enumerate(pages):
                self._alone(page, place + number // _COMPARED)
            self._waiting += pages
        else:
            self.tried["in a batch"] += len(pages)
            self._try(pages, self._reader.batch(pages, options, keep=again))
        if again:
            pages = [page for page in pages if page.fingerprint is not None]
            self.tried["in two further batches"] += len(pages)
            self._try(pages, self._reader.differing(pages, options))

    def _alone(self, page: Input, number: int) -> None:
        options = OTHERS[number // 3 % len(OTHERS)] if number % 3 == 0 else None
        compare = number % 5 == 0
        self.tried.update(["alone", *["other options"] * (options is not None), *["without extensions"] * compare])
        self._try([page], self._reader.violations(page, compare=compare, options=options))

    def _try(self, pages: list[Input], found: Iterable[tuple[Input, str]]) -> None:
        try:
            for page, violation in found:
                self._keep(violation, page)
        except Exception as error:  # noqa: BLE001  is what is looked for
            self._keep(_where(error), *pages)

    def _crawl(self, pages: list[Input]) -> None:
        self.tried["crawled"] += len(pages)
        site = {
            f"http://site.test/{number}": (_body(page), page.content_type or "text/html; charset=utf-8")
            for number, page in enumerate(pages)
        }
        # what Scrapy's own middlewares fail at: such a header, and codecs of Python that are no encodings
        unreadable = ("\x00", *(f"charset={name}" for name in FOREIGN_ENCODINGS))
        site = {url: page for url, page in site.items() if not any(each in page[1] for each in unreadable)}
        workers = {"SEMTEXT_PROCESSES": 1} if self.tried["crawled"] // _CRAWL % _WORKERS == 1 else {}
        self.tried["crawled with a worker process"] += len(pages) * bool(workers)
        found = crawl.violations(site, SEMTEXT_MAX_BODY=200_000, LOG_ENABLED=False, **workers)
        self._try(pages, ((pages[0], violation) for violation in found))

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
