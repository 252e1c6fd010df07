"""The costs of stages and peers, and their growth, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.benchmark.report import Report

_SIZE = (15.0, 4.5)  # inches


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
