"""Hostile links are the same for a seed; none that a crawl takes is asked of another host; a crawl bears them all."""

from __future__ import annotations

from random import Random
from urllib.parse import urlsplit

import pytest
from scrapy import Request

from research.fuzzing.links import crawl_hostile_site, hostile_link
from scrapy_semtext.crawling.scope import CrawlScope
from scrapy_semtext.records.columns import Addresses
from scrapy_semtext.utils.address import asked, resolved

HERE, THERE = "127.0.0.1:8000", "127.0.0.1:8001"


def links(seed: int, count: int) -> list[str]:
    random = Random(seed)  # noqa: S311
    return [hostile_link(random, HERE, THERE) for _ in range(count)]


@pytest.mark.parametrize("by_domain", [False, True])
def test_what_a_crawl_takes_is_asked_of_its_host(by_domain: bool) -> None:
    scope, addresses = CrawlScope([f"http://{HERE}/"], by_domain=by_domain), Addresses(f"http://{HERE}/a/b")
    taken = 0
    for link in links(4, 4_000):
        for url in {link, addresses(link), resolved(link, f"http://{HERE}/")} - {None}:
            if scope.reaches(str(url)) or scope.holds(str(url)):
                taken += 1
                assert urlsplit(Request(str(url)).url).netloc.removeprefix("www.").replace(".:", ":") == HERE, link
    assert taken > 500


def test_an_address_that_is_asked_for_stays_as_it_is() -> None:
    for link in links(5, 2_000):
        if (url := asked(link)) is not None:
            assert (asked(url), Request(link).url) == (url, url)


@pytest.mark.slow
@pytest.mark.crawl
def test_the_command_bears_them() -> None:
    done = crawl_hostile_site(1, 400)
    assert done.violations == []
    assert done.requests > 40
