"""A crawl of a recorded site with `semtext crawl`, with its scores."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research.site_crawls.recording import read_hits
from research.site_crawls.scoring import CrawlScore, score

if TYPE_CHECKING:
    from pathlib import Path

    from research.site_crawls.recording import RecordedSite

_SPARE = 1.3  # the budget, in pages that a perfect crawler needs
_LIMIT = 1_800  # seconds that a crawl may take


@dataclass(frozen=True)
class Row:
    """A crawl of a site: ``budget`` in pages, ``seconds`` from its start to its end."""

    name: str
    budget: int
    seconds: float
    score: CrawlScore


def measure(site: RecordedSite, work: Path) -> Row:
    """Serve the site and crawl it; ``work`` takes the crawl. Raises RuntimeError if the crawl fails."""
    folder = work / site.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    budget = math.ceil(_SPARE * (len(site.lists) + sum(len(item.pages) for item in site.known)))
    out, log = folder / "items.jsonl", folder / "access.jsonl"
    command = [sys.executable, "-m", "scrapy_semtext", "crawl", site.start, "-o", str(out)]
    command += ["--max-pages", str(budget), "--log", str(folder / "requests.log")]
    began = time.monotonic()
    with site.serving(log), (folder / "crawl.log").open("w") as printed:
        code = subprocess.run(command, stdout=printed, stderr=printed, timeout=_LIMIT, check=False).returncode  # noqa: S603
    seconds = time.monotonic() - began
    hits = read_hits(log)
    if code or not hits:
        raise RuntimeError(f"the crawl of {site.start} ended with {code}, {len(hits)} requests: see {folder}")
    items = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return Row(site.name, budget, seconds, score(site.known, site.lists, hits, items))
