"""What a crawl changes about the interpreter it runs in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from crawling import URL, Answer, crawl

from scrapy_semtext.interpreter import take_short_turns

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def switch_interval() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def test_threads_take_short_turns_in_a_crawl() -> None:
    sys.setswitchinterval(0.005)
    crawl({URL: Answer()})
    assert sys.getswitchinterval() == pytest.approx(0.0005, rel=0.1)


def test_a_crawl_without_the_plugin_changes_nothing() -> None:
    sys.setswitchinterval(0.005)
    crawl({URL: Answer()}, settings={"SEMTEXT_ENABLED": False})
    assert sys.getswitchinterval() == pytest.approx(0.005, rel=0.1)


def test_shorter_turns_stay() -> None:
    sys.setswitchinterval(0.0001)
    take_short_turns()
    assert sys.getswitchinterval() == pytest.approx(0.0001, rel=0.1)
