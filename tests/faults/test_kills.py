"""Crawls that are killed, or asked to stop, and resumed."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest
from killed_crawls import end_command, end_spider

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.crawl,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix"),
]


@pytest.mark.parametrize("processes", [0, 2])
def test_a_job_of_the_command_loses_and_doubles_nothing(processes: int, tmp_path: Path) -> None:
    done = end_command(processes, 2, tmp_path, pages=31)
    assert (done.lost, done.doubled, done.warnings) == (0, 0, [])
    assert done.asked <= done.pages + 2 * 8 + 10  # again, those that were being fetched


@pytest.mark.parametrize("mode", ["thread", "processes"])
def test_a_job_that_is_asked_to_stop_goes_on(mode: str, tmp_path: Path) -> None:
    done = end_spider(mode, signal.SIGTERM, 2, tmp_path, pages=31)
    assert (done.lost, done.warnings) == (0, [])
    assert done.doubled == 2  # Scrapy asks for start URLs in each run


def test_a_job_with_templates_that_is_killed_goes_on(tmp_path: Path) -> None:
    done = end_spider("thread", signal.SIGKILL, 2, tmp_path, pages=31)
    assert not [line for line in done.warnings if "[scrapy_semtext" in line]  # Scrapy's queue may be cut off
