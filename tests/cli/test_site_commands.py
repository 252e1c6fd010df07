"""``semtext batch --site-templates``, and commands that it replaces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from commanding import install
from sites import BANNER, site_page, url_of

from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": n, "url": url_of(n), "html": site_page(n)}) for n in range(40)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_batch_learns_from_all_pages_before_it_writes(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert main(["batch", str(pages), str(alone)]) == 0
    assert main(["batch", str(pages), str(together), "--site-templates"]) == 0
    assert sum(BANNER in row.get("main_text", "") for row in rows(alone)) == 40
    assert sum(BANNER in row.get("main_text", "") for row in rows(together)) == 0
