"""The report of `page` as text and as JSON."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scrapy_semtext.utils.extensions import missing_extensions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from research.benchmark.measure import Costs, Growth
    from research.benchmark.startup import Startup

_MEGA = 1e6


@dataclass(slots=True)
class Report:
    """The measurements of one run; those left out are None. ``peak_bytes``: None where it is unknown.

    ``unseen``: whether all pages are of domains held out of training.
    """

    costs: Costs
    peak_bytes: int | None
    batch_size: int
    unseen: bool = False
    startup: Startup | None = None
    growth: Growth | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with a description of the machine."""
        machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
        return {"machine": machine, "not_compiled": missing_extensions(), **asdict(self)}

    def lines(self) -> Iterator[str]:
        """The report for people."""
        yield from self._costs()
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
        yield "growth: ms of CPU for one page of this size in KB"
        yield f"{'':12}" + "".join(f"{size / 1000:10.0f}" for size in growth.bytes)
        for name, times in curves.items():
            yield f"{name:12}" + "".join(f"{ms:10.1f}" for ms in times)
        totals = [sum(values) for values in zip(*growth.stages.values(), strict=True)]
        yield f"{'all':12}" + "".join(f"{ms:10.1f}" for ms in totals)
