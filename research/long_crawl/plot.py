"""Draws what a long crawl needed over its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from research.long_crawl.samples import WARM_UP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from research.long_crawl.samples import Sample

_PANELS = {
    "memory, MB": ["memory", "worker_memory"],
    "descriptors, threads": ["descriptors", "threads"],
    "items a second": ["rate"],
    "stall p99, ms": ["stall_p99_ms"],
}
_SIZE = (11.0, 9.0)  # inches


def save_plot(crawls: Mapping[str, Sequence[Sample]], path: Path) -> None:
    """Write the picture of crawls by their names; the suffix of the file's name determines the format."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    for axes, (title, names) in zip(figure.subplots(len(_PANELS), 1, sharex=True), _PANELS.items(), strict=True):
        for crawl, samples in crawls.items():
            for name in names:
                values = [getattr(sample, name) for sample in samples]
                if any(values):
                    axes.plot([sample.items for sample in samples], values, label=f"{crawl}: {name}", linewidth=0.8)
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
        axes.axvline(WARM_UP, color="grey", linewidth=0.5)
        axes.legend(fontsize="x-small", loc="upper right")
    axes.set_xlabel("items")
    figure.savefig(path)
