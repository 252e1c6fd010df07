"""Scrapy's log of items does not grow with their texts."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import pytest
import scrapy
from crawling import URL, Answer, crawl
from scrapy.logformatter import LogFormatter
from scrapy.settings import Settings

from scrapy_semtext import Addon
from scrapy_semtext.logformatter import ShortItem, ShortLogFormatter
from scrapy_semtext.page import SHORT

pytestmark = pytest.mark.crawl

LONG = "Mix flour and water. " * 5_000
SITE = {f"{URL}{number}": Answer(f"<title>Bread</title><p>{LONG}</p>".encode()) for number in range(10)}


class Fails:
    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("1"):
            raise ZeroDivisionError
        if item["url"].endswith("2"):
            raise scrapy.exceptions.DropItem("not wanted")
        return item


def logged_bytes(caplog: pytest.LogCaptureFixture, settings: dict[str, Any]) -> int:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    result = crawl(SITE, settings={"ITEM_PIPELINES": {Fails: 500}, **settings})
    assert len(result.items) == 8
    assert all(len(item["main_text"]) == len(LONG) for item in result.items), "items themselves are not cut"
    return len(caplog.text.encode())


def test_the_log_of_a_crawl_stays_short(caplog: pytest.LogCaptureFixture) -> None:
    short = logged_bytes(caplog, {})
    assert f"'main_text': {SHORT.repr(LONG)}" in caplog.text
    assert caplog.text.count("Scraped from") == 8
    assert "Error processing {'main_text': " in caplog.text
    assert "Dropped: not wanted" in caplog.text
    full = logged_bytes(caplog, {"SEMTEXT_SHORT_LOG": False})
    assert short < 50_000
    assert full > 10 * len(LONG)


class Loud(LogFormatter):
    def scraped(self, *args: Any) -> Any:
        return {**super().scraped(*args), "level": logging.CRITICAL}


class ShortAndLoud(ShortLogFormatter, Loud):
    pass


class Silent(LogFormatter):
    def scraped(self, *args: Any) -> Any:
        return None


class ShortAndSilent(ShortLogFormatter, Silent):
    pass


def test_a_formatter_of_the_user_stays_and_can_be_combined(caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings({"SEMTEXT_ENABLED": True, "LOG_FORMATTER": Loud})
    Addon().update_settings(settings)
    assert settings["LOG_FORMATTER"] is Loud
    assert logged_bytes(caplog, {"LOG_FORMATTER": ShortAndLoud}) < 50_000
    assert [record.levelno for record in caplog.records if "Scraped" in record.msg] == [logging.CRITICAL] * 8
    logged_bytes(caplog, {"LOG_FORMATTER": ShortAndSilent})
    assert "Scraped" not in caplog.text


@dataclass
class Article:
    url: str
    parts: list[str] = field(default_factory=list)


class Own:
    def __str__(self) -> str:
        return "an item that shows itself"


def test_short_items_are_shown_as_they_show_themselves() -> None:
    for item in ({"url": URL, "main_text": "Bake it."}, Article(URL, ["a", "b"]), Own()):
        assert str(ShortItem(item)) == str(item)
    cut = SHORT.repr(LONG)
    assert str(ShortItem(Article(URL, [LONG, "b"]))) == f"Article({{'parts': [{cut}, ...], 'url': {URL!r}}})"
    assert len(str(ShortItem([LONG]))) < 1_100
