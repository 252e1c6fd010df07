"""The measurements of crawls as a table, as JSON and as a plot."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.benchmark.crawl.trials import CrawlCost

_MEGA = 1e6
_SIZE = (11.0, 4.0)  # inches
_HEADS = ("run", "pages/s", "CPU ms", "loop ms", "p50", "p99", "max ms", "wait ms", "MB", "worker MB")


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """All crawls of one call; ``bytes`` is the mean size of a page."""

    pages: int
    bytes: float
    concurrency: int
    cores: int
    crawls: Sequence[CrawlCost]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with a description of the machine."""
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        rows = [{**asdict(crawl), "pages_a_second": crawl.pages_a_second} for crawl in self.crawls]
        return {"machine": machine, **asdict(self), "crawls": rows}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table."""
        size = f"{self.pages} pages of {self.bytes / 1000:.1f} KB"
        yield f"{size}, {self.concurrency} requests at a time, on {self.cores} core{'s' if self.cores > 1 else ''}"
        yield f"{'':16}{'':4}{'':8}{'':8}{'':9}{'event loop late by':>24}"
        yield f"{'':16}{_HEADS[0]:>4}" + "".join(f"{head:>{_width(head)}}" for head in _HEADS[1:])
        for crawl in self.crawls:
            yield f"{crawl.name:16}{crawl.run:4}" + "".join(
                f"{cell:>{_width(head)}}" for head, cell in zip(_HEADS[1:], _cells(crawl), strict=True)
            )


def save_plot(report: CrawlReport, path: Path) -> None:
    """Plot the first run; the suffix of the path determines the format."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    speed, stalls, memory = figure.subplots(1, 3, sharey=True)
    crawls = [crawl for crawl in report.crawls if crawl.run == 1][::-1]
    names = [crawl.name for crawl in crawls]
    speed.barh(names, [crawl.pages_a_second for crawl in crawls])
    speed.set_xlabel("pages a second")
    stalls.barh(names, [crawl.stall_max_ms for crawl in crawls], color="lightgrey", label="longest")
    stalls.barh(names, [crawl.stall_p99_ms for crawl in crawls], label="p99")
    stalls.set_xlabel("event loop late by, ms")
    stalls.legend()
    memory.barh(names, [(crawl.peak_bytes or 0) / _MEGA for crawl in crawls])
    memory.set_xlabel("peak memory of the crawl's process, MB")
    figure.savefig(path)


def _width(head: str) -> int:
    return max(8, len(head) + 2)


def _cells(crawl: CrawlCost) -> list[str]:
    return [
        f"{crawl.pages_a_second:.1f}",
        f"{crawl.cpu_ms / crawl.pages:.1f}",
        f"{crawl.loop_cpu_ms / crawl.pages:.1f}",
        f"{crawl.stall_p50_ms:.1f}",
        f"{crawl.stall_p99_ms:.1f}",
        f"{crawl.stall_max_ms:.0f}",
        "-" if crawl.wait_max_ms is None else f"{crawl.wait_max_ms:.1f}",
        "-" if crawl.peak_bytes is None else f"{crawl.peak_bytes / _MEGA:.0f}",
        "-" if crawl.worker_peak_bytes is None else f"{crawl.worker_peak_bytes / _MEGA:.0f}",
    ]
