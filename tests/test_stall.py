"""The meter sees what blocks the event loop, and nothing else."""

from __future__ import annotations

import asyncio
import time

from scrapy_semtext.stall import StallMeter


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

    asyncio.run(run())
    return late


def test_a_blocked_loop_is_seen() -> None:
    assert 0.09 <= max(measured(block=0.1)) < 0.5


def test_a_free_loop_is_hardly_late() -> None:
    late = sorted(measured(block=0, waits=0.1))
    assert late
    assert late[len(late) // 2] < 0.02
