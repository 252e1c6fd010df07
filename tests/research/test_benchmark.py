"""The cost of pages, by `python -m research.benchmark page`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from commanding import ARTICLE, install

from research.benchmark.__main__ import main
from research.benchmark.stopwatch import HOOKS, STAGES, Stopwatch
from scrapy_semtext.extractor import Extractor

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps({"url": None, "html": ARTICLE}) for _ in range(3)), encoding="utf-8")
    return str(path)


def test_every_stage_is_spent_on_in_a_real_page() -> None:
    watch = Stopwatch()
    extractor = Extractor.load(device="cpu")
    with watch.installed(), watch.whole():
        extractor.read(ARTICLE)
    assert set(watch.seconds) == set(STAGES)
    assert all(seconds > 0 for seconds in watch.seconds.values())


@pytest.mark.slow
def test_the_command_prints_and_writes_what_it_measured(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)
    monkeypatch.setattr("research.benchmark.stopwatch.HOOKS", HOOKS)
    out = tmp_path / "report.json"
    assert main(["page", data, "--no-startup", "--sizes", "100,1000,3000", "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "3 pages of 0.3 KB" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert set(report["costs"]["stages"]) == set(report["costs"]["again"]) == set(STAGES)
    assert set(report["growth"]["stages"]) == set(STAGES)
    assert len(report["growth"]["bytes"]) == 3
