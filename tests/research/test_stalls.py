"""The meter sees what blocks the event loop, and nothing else."""

from __future__ import annotations

import asyncio
import time

import pytest
from event_loop import run_async

from research.stalls import StallMeter, Stalls


def measured(block: float, waits: float = 0.03) -> list[float]:
    late: list[float] = []

    async def run() -> None:
        meter = StallMeter(late.append)
        meter.start()
        await asyncio.sleep(waits)
        time.sleep(block)  # noqa: ASYNC251  this is what is to be seen
        await asyncio.sleep(waits)
        meter.stop()
        seen = len(late)
        await asyncio.sleep(waits)
        assert len(late) == seen, "stopped"

    run_async(run())
    return late


def test_a_blocked_loop_is_seen() -> None:
    assert max(measured(block=0.1)) >= 0.09


def test_quantiles_are_those_of_the_moments_of_a_crawl() -> None:
    stalls = Stalls(interval=0.01)
    for _ in range(90):
        stalls.add(0.001)
    stalls.add(0.1)  # kept ten calls from being made, which would have been 100, 90 ... 0 ms late
    assert len(stalls) == 90 + 11
    assert stalls.quantile(0.5) == pytest.approx(0.001)
    assert stalls.quantile(0.95) == pytest.approx(0.05, abs=0.011)
    assert stalls.quantile(1.0) == pytest.approx(stalls.longest) == pytest.approx(0.1)


def test_nothing_measured_is_nothing_late() -> None:
    assert not Stalls()
    assert Stalls().quantile(0.99) == 0.0
