"""The spider of the long crawl: asks for real pages in random order, checks what it gets, and takes samples."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from dataclasses import asdict
from itertools import accumulate
from random import Random
from typing import IO, TYPE_CHECKING, Any

import scrapy

from research.long_crawl import samples
from research.long_crawl.site import host
from research.stalls import MeteredSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.http import Response

_CONSTANT, _POWER = 5_000, 1.5  # of the probability that a page is drawn


class LongSpider(MeteredSpider):
    """Yields an item for each of ``count`` requests.

    A page is drawn with a probability proportional to 1 / (its size + 5 KB) ** 1.5, so that pages of all sizes come and
    large ones do not take all of the time.
    """

    name = "long"

    def __init__(self, port: int, sizes: Sequence[int], count: int, besides: int, log: IO[str], **given: Any) -> None:
        super().__init__()
        self._port, self._sizes, self._count, self._log = port, sizes, count, log
        self._besides = [besides]
        self._is_new: bool = given.get("is_new", False)
        self._pages_a_site: int = given.get("pages_a_site", 50)
        self._every: int = given.get("every", 500)
        self._texts: dict[int, bytes] = {}
        self._began = self._before = 0.0
        self.found: Counter[str] = Counter()
        self.samples: list[samples.Sample] = []

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Ask for the pages, as many at a time as a site has, since requests that wait need memory."""
        self._began = self._before = time.monotonic()
        self.meter.start()
        random = Random(1)  # noqa: S311  no secret
        weights = list(accumulate((size + _CONSTANT) ** -_POWER for size in self._sizes))
        prefix = "new/" if self._is_new else ""
        for serial in range(self._count):
            (page,) = random.choices(range(len(self._sizes)), cum_weights=weights)
            url = f"http://{host(serial, self._pages_a_site)}:{self._port}/{prefix}{page}"
            # Scrapy's filter of duplicates would remember all of them.
            yield scrapy.Request(url, dont_filter=True, cb_kwargs={"page": page})
            if serial % self._pages_a_site == 0:
                await self.crawler.signals.wait_for(scrapy.signals.scheduler_empty)

    def parse(self, response: Response, page: int) -> Any:
        """Make an item of a page."""
        self.found["bytes"] += len(response.body)
        yield {"url": response.url, "page": page}

    def item_scraped(self, item: dict[str, Any]) -> None:
        """Compare with what the same page gave before, and take a sample now and then."""
        self.found["items"] += 1
        self.found["filled"] += "main_text" in item
        text = hashlib.sha256(repr((item.get("main_text"), item.get("qa_pairs"))).encode()).digest()[:8]
        if not self._is_new and self._texts.setdefault(item["page"], text) != text:
            self.found["another reading of the same page"] += 1
        if self.found["items"] % self._every == 0:
            self._sample()

    def _sample(self) -> None:
        now = time.monotonic()
        workers = samples.children(self._besides)
        sample = samples.Sample(
            seconds=now - self._began,
            items=self.found["items"],
            memory=samples.memory(),
            worker_memory=sum(map(samples.memory, workers)),
            workers=len(workers),
            descriptors=samples.descriptors(),
            threads=samples.threads(),
            rate=self._every / (now - self._before),
            stall_p99_ms=1000 * self.stalls.quantile(0.99),
        )
        self.samples.append(sample)
        self._log.write(json.dumps(asdict(sample)) + "\n")
        self._log.flush()
        self._before = now
        self.stalls.clear()
