"""The report of `page` as text, as JSON, and as a picture."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from research.benchmark.measure import FIT_FROM
from scrapy_semtext.utils.extensions import missing_extensions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from research.benchmark.measure import Costs, Growth
    from research.benchmark.startup import Startup

_MEGA = 1e6
_SIZE = (15.0, 4.5)  # inches


@dataclass(slots=True)
class Report:
    """The measurements of one run; those left out are None or empty. ``peak_bytes``: None where it is unknown.

    ``throughput``: pages a second of CPU by batch size; ``threads`` and ``processes``: pages a second of wall time by
    their number; ``unseen``: whether all pages are of domains held out of training.
    """

    costs: Costs
    peak_bytes: int | None
    batch_size: int
    unseen: bool = False
    throughput: dict[int, float] = field(default_factory=dict)
    threads: dict[int, float] = field(default_factory=dict)
    processes: dict[int, float] = field(default_factory=dict)
    startup: Startup | None = None
    growth: Growth | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with a description of the machine."""
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        return {"machine": machine, "not_compiled": missing_extensions(), **asdict(self)}

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield from self._costs()
        if self.throughput:
            yield ""
            yield "pages at a time     pages a second of CPU"
            yield from (f"{size:15}{pages:26.1f}" for size, pages in self.throughput.items())
        for what, rates in (("threads", self.threads), ("processes", self.processes)):
            if rates:
                yield ""
                yield f"{what:15}     pages a second of wall time"
                yield from (f"{count:15}{pages:26.1f}" for count, pages in rates.items())
        if self.startup is not None:
            yield ""
            yield from self._startup(self.startup)
        if self.growth is not None:
            yield ""
            yield from self._growth(self.growth)

    def _costs(self) -> Iterator[str]:
        costs = self.costs
        failed = f", {costs.failed} of them failed" if costs.failed else ""
        size = f"{costs.pages} {'unseen ' if self.unseen else ''}pages of {costs.bytes / 1000:.1f} KB{failed}"
        yield f"{size}, {self.batch_size} at a time; CPU time a page"
        multiples = {"first reading": costs.total_ms, "read again": costs.again_ms, **costs.peers}
        yield "x lxml parse: " + ", ".join(f"{name} {ms / costs.parse_ms:.1f}" for name, ms in multiples.items())
        yield f"not compiled: {', '.join(missing_extensions()) or 'nothing'}"
        yield f"{'':18}{'first reading':>18}{'read again':>18}"
        yield f"{'':18}{'ms':>9}{'x parse':>9}{'ms':>9}{'x parse':>9}"
        again = {**costs.again, "all": costs.again_ms}
        for name, ms in {"lxml parse": costs.parse_ms, **costs.stages, "all": costs.total_ms, **costs.peers}.items():
            row = f"{name:18}{ms:9.2f}{ms / costs.parse_ms:9.1f}"
            yield f"{row}{again[name]:9.2f}{again[name] / costs.parse_ms:9.1f}" if name in again else row
        if self.peak_bytes is not None:
            yield f"peak memory of the run: {self.peak_bytes / _MEGA:.0f} MB"

    @staticmethod
    def _startup(startup: Startup) -> Iterator[str]:
        yield "start, in a fresh interpreter; CPU time"
        for name, ms in (
            ("import scrapy", startup.scrapy_ms),
            ("import scrapy_semtext beyond that", startup.import_ms),
            ("load the bundle", startup.load_ms),
            ("first page", startup.first_page_ms),
            ("second page", startup.second_page_ms),
        ):
            yield f"{name:34}{ms:9.1f} ms"
        if startup.memory is not None:
            yield f"{'peak memory':34}{startup.memory / _MEGA:9.0f} MB"

    @staticmethod
    def _growth(growth: Growth) -> Iterator[str]:
        curves = {"lxml parse": growth.parse_ms, **growth.stages}
        yield "growth: ms of CPU for one page of this size in KB, and the exponent of the growth with the size,"
        yield f"fitted from {FIT_FROM / 1000:.0f} KB on"
        yield f"{'':12}" + "".join(f"{size / 1000:10.0f}" for size in growth.bytes) + f"{'power':>8}"
        for name, times in curves.items():
            yield f"{name:12}" + "".join(f"{ms:10.1f}" for ms in times) + _power(growth.exponents[name])
        totals = [sum(values) for values in zip(*growth.stages.values(), strict=True)]
        yield f"{'all':12}" + "".join(f"{ms:10.1f}" for ms in totals) + _power(growth.exponents["all"])


def _power(exponent: float | None) -> str:
    return f"{'-':>8}" if exponent is None else f"{exponent:8.2f}"


def save_plot(report: Report, path: Path) -> None:
    """Write the picture; the suffix of the name determines the format.

    Raises ModuleNotFoundError without matplotlib, ValueError for an unknown suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    _stages(left, report)
    _growth(middle, report)
    _throughput(right, report)
    figure.savefig(path)


def _stages(axes: Any, report: Report) -> None:
    costs = report.costs
    rows = {**costs.stages, "all": costs.total_ms, **costs.peers}
    names = list(rows)[::-1]
    axes.barh(names, [rows[name] / costs.parse_ms for name in names])
    axes.set_xlabel(f"CPU time of the first reading, in lxml parses ({costs.parse_ms:.2f} ms)")


def _growth(axes: Any, report: Report) -> None:
    growth = report.growth
    if growth is None:
        axes.set_axis_off()
        return
    kilobytes = [size / 1000 for size in growth.bytes]
    for name, times in {"lxml parse": growth.parse_ms, **growth.stages}.items():
        axes.loglog(kilobytes, times, marker="o", label=_label(name, growth.exponents[name]))
    axes.set_xlabel("size of the page, KB")
    axes.set_ylabel("CPU time, ms")
    axes.legend(fontsize="small")


def _throughput(axes: Any, report: Report) -> None:
    curves = {
        "batch size (pages a second of CPU)": report.throughput,
        "threads (of wall time)": report.threads,
        "processes (of wall time)": report.processes,
    }
    if not any(curves.values()):
        axes.set_axis_off()
        return
    for name, found in curves.items():
        if found:
            axes.plot(list(found), list(found.values()), marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("pages in a batch, threads, processes")
    axes.set_ylabel("pages a second")
    axes.legend(fontsize="small")


def _label(name: str, exponent: float | None) -> str:
    return name if exponent is None else f"{name} ({exponent:.2f})"
