"""The benchmark of crawls: real crawls over loopback, a few small pages each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commanding import ARTICLE

from research.benchmark.__main__ import main
from research.benchmark.trials import cores

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


@pytest.fixture(autouse=True)
def test_modules_are_found_by_other_processes(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{request.config.rootpath}:{request.path.parents[1]}")


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, out = tmp_path / "pages.jsonl", tmp_path / "crawl.json"
    data.write_text("\n".join(json.dumps({"html": ARTICLE}) for _ in range(3)), encoding="utf-8")
    given = ["--set", "SEMTEXT_EXTRACTOR=crawling.FakeExtractor", "--processes=", "--concurrency", "2"]
    assert main(["crawl", str(data), *given, "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"3 pages of 0.3 KB, 2 requests at a time, on {cores()} core" in shown
    assert "on, one by one" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["crawls"][0]["name"] == "plugin off"
    assert report["crawls"][1]["pages_a_second"] > 1
