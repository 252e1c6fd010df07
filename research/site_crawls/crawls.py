"""The crawls that are compared, each a process of its own that writes items as lines of JSON."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from research.site_crawls.proxy import read_hits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LIMIT = 1_800  # seconds that a crawl may take
_AFTER = 0.4  # share of the budget after which a crawl is killed


@dataclass(frozen=True)
class Crawl:
    """A crawl of a site with a budget of pages; ``folder`` takes its items, its log and its job.

    It is ``semtext crawl`` with ``options``, or the breadth-first spider if ``is_baseline`` is set.
    """

    is_baseline: bool
    start: str
    budget: int
    folder: Path
    options: Sequence[str] = ()

    @property
    def out(self) -> Path:
        """The file with the items."""
        return self.folder / "items.jsonl"

    def run(self) -> float:
        """Run the crawl from the beginning; returns its seconds. Raises RuntimeError if it fails."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        begin = time.monotonic()
        self._finish(self._started([]))
        return time.monotonic() - begin

    def run_with_kill(self, log: Path) -> float:
        """Kill the crawl in the middle, by the number of requests in ``log``, and resume it; returns its seconds."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        begin = time.monotonic()
        job = ["--job", str(self.folder / "job")]
        process = self._started(job)
        until = time.monotonic() + _LIMIT
        while len(read_hits(log)) < _AFTER * self.budget and process.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._finish(self._started(job))
        return time.monotonic() - begin

    def items(self) -> list[dict[str, Any]]:
        """The items that came out; a last line that was cut off is left out."""
        if not self.out.exists():
            return []
        lines = self.out.read_text(encoding="utf-8").splitlines()
        items = []
        for number, line in enumerate(lines, 1):
            try:
                items.append(json.loads(line))
            except ValueError:  # noqa: PERF203 - few lines
                sys.stderr.write(f"{self.out}, line {number}: no JSON\n")
        return items

    def _started(self, job: Sequence[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "crawl.log").open("a") as log:
            return subprocess.Popen(self._command(job), stdout=log, stderr=log, start_new_session=True)  # noqa: S603

    def _finish(self, process: subprocess.Popen[bytes]) -> None:
        try:
            code = process.wait(_LIMIT)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        if code:
            raise RuntimeError(f"the crawl of {self.start} ended with {code}: see {self.folder / 'crawl.log'}")

    def _command(self, job: Sequence[str]) -> list[str]:
        if self.is_baseline:
            spider = "research.site_crawls.spider"
            return [sys.executable, "-m", spider, self.start, str(self.budget), str(self.out)]
        limits = ["-o", str(self.out), "--max-pages", str(self.budget), "--log", str(self.folder / "requests.log")]
        return [sys.executable, "-m", "scrapy_semtext", "crawl", self.start, *limits, *job, *self.options]
