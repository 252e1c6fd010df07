"""Fixtures of the page objects are saved by scrapy-poet's command, and replayed by web-poet's plugin for pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from commanding import serving
from harvesting import environment

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("scrapy_poet")
pytest.importorskip("zyte_common_items")

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

CLASS = "scrapy_semtext.page_objects.SemtextArticlePage"
SETTINGS = """
ADDONS = {"scrapy_semtext.Addon": 300, "scrapy_poet.Addon": 300}
SEMTEXT_ENABLED = True
SCRAPY_POET_DISCOVER = ["scrapy_semtext.page_objects"]
"""


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], check=False, capture_output=True, text=True, env=environment(), cwd=folder
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_fixture_is_saved_and_replayed(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = settings\n", "utf-8")
    (tmp_path / "settings.py").write_text(SETTINGS, "utf-8")
    with serving() as address:
        run(tmp_path, "scrapy", "savefixture", CLASS, f"{address}/page")
    folder = tmp_path / "fixtures" / CLASS / "test-1"
    article = json.loads((folder / "output.json").read_text("utf-8"))
    assert article["articleBody"].endswith("longer than anybody would think reasonable.")
    assert {path.name for path in (folder / "inputs").iterdir()} == {
        "HttpResponse-body.html",
        "HttpResponse-info.json",
        "scrapy_semtext.page.Page.json",
    }
    replayed = run(tmp_path, "pytest", "-q", "fixtures")
    assert "passed" in replayed
    assert "failed" not in replayed
