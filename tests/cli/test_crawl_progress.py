"""The progress line and the summary of a crawl."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from scrapy_semtext.cli import crawl
from scrapy_semtext.cli.crawl import Crawled


def spider(limit: str | None = None) -> Any:
    return SimpleNamespace(
        pages_sent=7,
        items_found=3,
        pairs_found=2,
        frontier=SimpleNamespace(waiting=lambda: 5, left=dict),
        inventory=SimpleNamespace(outcomes=lambda: {"item": 3}, failures=list),
        limit_reached=lambda: limit,
    )


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_replace_each_other_on_a_terminal_alone(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(crawl, "_LONG_INTERVAL", 0.0)
    monkeypatch.setattr(crawl, "_INTERVAL", 0.0)
    shown = crawl.CrawlProgress(SimpleNamespace(spider=spider()))  # type: ignore[arg-type]
    shown.response_received()
    shown.spider_closed()
    printed = capsys.readouterr().err
    assert "7 pages, 3 items, 2 pairs" in printed
    assert printed.endswith("5 in the queue\r\x1b[K" if is_terminal else "5 in the queue\n")
    assert ("\x1b" in printed) == is_terminal


@pytest.mark.parametrize(
    ("reason", "limit", "status"),
    [
        ("finished", None, 0),
        ("finished", "max_pages", 0),
        ("closespider_timeout", None, 0),
        ("shutdown", None, 130),
        ("memusage_exceeded", None, 1),
    ],
)
def test_the_exit_status_tells_how_a_crawl_ended(reason: str, limit: str | None, status: int) -> None:
    assert Crawled(spider(limit), {"finish_reason": reason}, 1.0).status() == status
