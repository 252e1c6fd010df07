"""The very long crawl: its pages, its samples, and a short run of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from research.long_crawl.__main__ import growths
from research.long_crawl.samples import Sample

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b'<div class="post first"><h2>Rye</h2><p>Mix it.</p></div>'


def sample(items: int, memory: float) -> Sample:
    return Sample(1.0, items, memory, 0.0, 0, 10, 3, 50.0, 9.0)


def test_figures_name_what_grew() -> None:
    figures = growths([sample(1_000 * n, 100.0 + n) for n in range(1, 5)])
    assert "memory: 102.0, 103.0, 104.0 (last to first +2.0 %)" in figures


@pytest.mark.slow
@pytest.mark.crawl
def test_short_crawl(tmp_path: Path) -> None:
    log = tmp_path / "crawl.jsonl"
    pages = tmp_path / "pages.jsonl"
    pages.write_text(json.dumps({"html": PAGE.decode() * 3}) + "\n")
    options = ["--pages", "60", "--every", "40", "--new", "--log", str(log)]
    done = subprocess.run(
        [sys.executable, "-m", "research.long_crawl", str(pages), *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "items 60, filled 60" in done.stdout
    (found,) = [json.loads(line) for line in log.read_text().splitlines()]
    assert found["items"] == 40
    assert found["memory"] > 50
    assert found["descriptors"] > 5
