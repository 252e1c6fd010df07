"""The meter detects what blocks the event loop, and nothing else."""

from __future__ import annotations

import asyncio
import time

from event_loop import run_async

from research.stalls import StallMeter


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
