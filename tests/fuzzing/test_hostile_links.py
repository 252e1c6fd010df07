"""Hostile links, once made into the address of a request, stay as they are."""

from __future__ import annotations

from random import Random

from hostile_site import hostile_link
from scrapy import Request

from scrapy_semtext.utils.address import asked


def test_an_address_that_is_asked_for_stays_as_it_is() -> None:
    random = Random(5)  # noqa: S311
    for _ in range(2_000):
        url = asked(hostile_link(random, "127.0.0.1:8000", "127.0.0.1:8001"))
        assert url is None or (asked(url), Request(url).url) == (url, url)
