"""If a crawl ends, or a callback fails, in the middle of a batch, every fetched page still gets its item."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from faulty_crawls import Outcome, outcome, site, start

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

PAGES = 90
WAYS = [{}, {"SEMTEXT_PROCESSES": 2}]


def stopped(stop: str, way: dict[str, Any]) -> Outcome:
    """Crawl with large batches, in the middle of which a callback ends the crawl."""
    settings = {"PAGES": PAGES, "STOP": stop, "CONCURRENT_REQUESTS": 24, "CONCURRENT_REQUESTS_PER_DOMAIN": 24}
    done = outcome(start({**settings, "SEMTEXT_BATCH_SIZE": 24, **way}))
    assert done.status == 0, done.log
    assert done.stats["semtext/batch_size_max"] > 2
    return done


def check_every_page_has_its_item(done: Outcome) -> None:
    assert sorted(done.items) == sorted(done.got)
    assert len({*done.items}) == len(done.items)
    # what was downloaded was read, came to a callback, and its item was filled
    count = len(done.items)
    assert done.stats["response_received_count"] == count
    assert done.stats["semtext/responses"] == done.stats["semtext/pages"] == count
    assert done.stats["semtext/items/filled"] == done.stats["item_scraped_count"] == count
    assert "semtext/items/without_page" not in done.stats


@pytest.mark.parametrize("way", WAYS, ids=["thread", "processes"])
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize(("stop", "reason"), [("SIGTERM", "shutdown"), ("close", "enough")])
def test_a_signal_or_a_callback_that_closes_the_spider(stop: str, reason: str, way: dict[str, Any]) -> None:
    done = stopped(stop, way)
    check_every_page_has_its_item(done)
    assert done.stats["finish_reason"] == reason
    assert PAGES // 3 < len(done.items) < PAGES


@pytest.mark.parametrize("way", WAYS, ids=["thread", "processes"])
def test_a_callback_that_raises(way: dict[str, Any]) -> None:
    done = stopped("boom", way)
    check_every_page_has_its_item(done)
    assert done.stats["finish_reason"] == "finished"
    assert sorted(done.items) == sorted(site(PAGES))
    assert done.stats["spider_exceptions/ZeroDivisionError"] == 1
