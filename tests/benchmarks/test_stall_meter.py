"""What the stall meter measures in an event loop that nothing blocks."""

from __future__ import annotations

import asyncio
from statistics import median

import pytest
from event_loop import run_async

from research.stalls import StallMeter

pytestmark = pytest.mark.slow


def test_a_free_loop_is_hardly_late() -> None:
    late: list[float] = []

    async def run() -> None:
        meter = StallMeter(late.append)
        meter.start()
        await asyncio.sleep(0.3)
        meter.stop()

    run_async(run())
    assert median(late) < 0.02
