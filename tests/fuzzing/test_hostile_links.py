"""Hostile links are reproducible by seed; followed ones never lead to another host; a crawl survives them all."""

from __future__ import annotations

from random import Random

import pytest
from scrapy import Request

from research.fuzzing.links import crawl_hostile_site, hostile_link
from scrapy_semtext.utils.address import asked

HERE, THERE = "127.0.0.1:8000", "127.0.0.1:8001"


def links(seed: int, count: int) -> list[str]:
    random = Random(seed)  # noqa: S311
    return [hostile_link(random, HERE, THERE) for _ in range(count)]


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
