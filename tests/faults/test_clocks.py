"""A clock that jumps back or ahead changes no timeout, waiting time, statistic or order."""

from __future__ import annotations

import re
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import time_machine
from crawling import URL, Answer, FakeExtractor, crawl
from event_loop import run_async
from stall_stats import StallStats

import scrapy_semtext
from scrapy_semtext import Options, Page, Source
from scrapy_semtext.integration.service import Service
from scrapy_semtext.limits import Limits
from scrapy_semtext.reading import Reading, one_by_one

if TYPE_CHECKING:
    from collections.abc import Sequence

JUMPS = [timedelta(days=-400), timedelta(days=400)]
_MODULES = [path for path in Path(scrapy_semtext.__file__).parent.rglob("*.py") if "train" not in path.parts]
_WALL_CLOCK = re.compile(r"\btime\.(time|time_ns|localtime|gmtime)\(|from time import .*\btime\b|\.utcnow\(|\.now\(")


class Jumping(FakeExtractor):
    """Lets the clock jump while it reads each batch."""

    traveller: time_machine.Traveller
    jump: timedelta

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        time.sleep(0.05)
        self.traveller.shift(self.jump)
        return super().read_many(sources)


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_a_crawl_is_the_same(jump: timedelta) -> None:
    site = {f"{URL}{number}": Answer() for number in range(24)}
    settings = {"SEMTEXT_EXTRACTOR": Jumping, "SEMTEXT_TIMEOUT": 5.0, "EXTENSIONS": {StallStats: 0}}
    begin = time.perf_counter()
    with time_machine.travel(datetime.now(timezone.utc), tick=True) as Jumping.traveller:
        Jumping.jump = jump
        done = crawl(site, settings=settings)
    seconds = time.perf_counter() - begin
    assert sorted(item["url"] for item in done.items) == sorted(site)
    assert done.count("items/filled") == done.count("pages") == 24
    assert 0.05 <= done.count("seconds") <= seconds
    assert 0 <= done.count("wait_max") <= seconds
    assert 0 <= done.stats["loop_stall_max"] <= seconds


class Stats(dict[str, float]):
    """The counters that a service needs."""

    def inc_value(self, name: str, count: float = 1) -> None:
        self[name] = self.get(name, 0) + count

    def max_value(self, name: str, value: float) -> None:
        self[name] = max(self.get(name, 0), value)


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_a_batch_waits_as_long(jump: timedelta) -> None:
    reader = FakeExtractor(Options())
    service = Service(reader, Stats(), batch_size=64, batch_wait=0.2)  # type: ignore[arg-type]

    async def read() -> list[Page | Exception]:
        results = [await service.read(lambda: Source("<p>one</p>"), 1)]
        traveller.shift(jump)
        results.append(await service.read(lambda: Source("<p>two</p>"), 1))
        await service.close()
        return results

    begin = time.perf_counter()
    with time_machine.travel(datetime.now(timezone.utc), tick=True) as traveller:
        results = run_async(read())
    assert [result.main_text for result in results if isinstance(result, Page)] == ["one", "two"]
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize("jump", JUMPS, ids=str)
def test_no_page_times_out(jump: timedelta) -> None:
    batch = [Reading(Source("<p>"), Options(), Limits(1.0)) for _ in range(3)]
    with time_machine.travel(datetime.now(timezone.utc), tick=True) as traveller:
        for _ in range(2):
            one_by_one(batch, lambda _: traveller.shift(jump))
    assert [reading.error for reading in batch] == [None, None, None]


def test_the_time_of_day_measures_nothing() -> None:
    found = [path.name for path in _MODULES if _WALL_CLOCK.search(path.read_text("utf-8"))]
    assert len(_MODULES) > 150
    assert not found
