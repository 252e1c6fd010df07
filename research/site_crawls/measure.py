"""Crawls of one site in the ways that are compared, with their scores."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from research.site_crawls.crawls import Crawl
from research.site_crawls.oracle import needed_lists
from research.site_crawls.proxy import read_hits
from research.site_crawls.scoring import CrawlScore, score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from research.site_crawls.recording import RecordedSite
    from research.site_crawls.site import Site

#: "roles" is ``semtext crawl``, "killed" the same with a kill in the middle, "baseline" the breadth-first spider.
Way = Literal["roles", "killed", "baseline"]

_SPARE = 1.3  # the budget, in pages that a perfect crawler needs


@dataclass(frozen=True)
class Row:
    """A crawl of a site: ``budget`` in pages, ``seconds`` from its start to its end."""

    engine: str
    way: Way
    budget: int
    seconds: float
    score: CrawlScore


def measure(site: Site | RecordedSite, ways: Sequence[Way], options: Sequence[str]) -> Iterator[Row]:
    """Serve the site, and crawl it in each way; raises RuntimeError if a crawl fails."""
    folder = site.work / "crawls" / site.software.name
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "access.jsonl"
    with site.serving(log):
        lists = lists_of(site)
        budget = math.ceil(_SPARE * (len(lists) + sum(len(item.pages) for item in site.known)))
        sys.stderr.write(f"{site.software.name}: {site.start}, {len(lists)} lists needed, {budget} pages allowed\n")
        for way in ways:
            log.unlink(missing_ok=True)
            crawl = Crawl(way == "baseline", site.start, budget, folder / way, options)
            seconds = crawl.run_with_kill(log) if way == "killed" else crawl.run()
            hits = read_hits(log)
            if not hits:
                raise RuntimeError(f"the crawl of {site.start} asked for nothing: see {crawl.folder}")
            log.replace(folder / way / "access.jsonl")
            yield Row(site.software.title, way, budget, seconds, score(site.known, lists, hits, crawl.items()))


def lists_of(site: Site | RecordedSite) -> list[str]:
    """The paths of the lists that a perfect crawler needs, found once for each site."""
    path = site.folder / "lists.json"
    if not path.exists():
        path.write_text(json.dumps(needed_lists(site)))
    lists: list[str] = json.loads(path.read_text())
    return lists
