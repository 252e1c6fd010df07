"""The cost of pages and crawls, by `python -m research.benchmark`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE, install

from research.benchmark.__main__ import main
from research.benchmark.crawl import cores
from research.benchmark.stopwatch import STAGES, Stopwatch
from scrapy_semtext.extractor import Extractor

if TYPE_CHECKING:
    from pathlib import Path

# What a reader asks of a package, with a cost that is known: 2 ms of CPU a page.
_PACKAGE = """
import time
class Source:
    def __init__(self, html, url): pass
class Extractor:
    load = classmethod(lambda cls, device: cls())
    def read_many(self, pages):
        until = time.process_time() + len(pages) * 0.002
        while time.process_time() < until: pass
"""


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps({"url": None, "html": ARTICLE}) for _ in range(5)), encoding="utf-8")
    return str(path)


def test_every_stage_is_spent_on_in_a_real_page() -> None:
    watch = Stopwatch()
    extractor = Extractor.load(device="cpu")
    with watch.installed(), watch.whole():
        extractor.read(ARTICLE)
    assert set(watch.seconds) == set(STAGES)
    assert all(seconds > 0 for seconds in watch.seconds.values())


@pytest.mark.slow
def test_costs_are_printed_and_written(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch)
    out = tmp_path / "report.json"
    assert main(["page", data, "--no-startup", "--sizes", "100,1000,3000", "--json", str(out)]) == 0
    assert "5 pages of 0.3 KB" in capsys.readouterr().out
    report = json.loads(out.read_text(encoding="utf-8"))
    assert set(report["costs"]["stages"]) == set(report["costs"]["again"]) == set(STAGES)
    assert set(report["growth"]) == {"bytes", "lxml parse", *STAGES}
    assert report["growth"]["bytes"][2] == pytest.approx(3000, rel=0.1)


@pytest.mark.slow
def test_another_version_is_read_in_turns_with_this_package(
    tmp_path: Path, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "other" / "scrapy_semtext"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "extractor.py").write_text(_PACKAGE, encoding="utf-8")
    given = ["--against", str(package.parent), "--rounds", "2", "--batch-size", "3", "--json", "-"]
    assert main(["page", data, *given]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["pages"], found["batch_size"], found["folder"]) == (5, 3, str(package))
    assert found["other"] == [pytest.approx(2, abs=0.5)] * 2
    assert len(found["own"]) == 2
    assert min(found["own"]) > 0
    assert found["ratio"] == pytest.approx(
        sum(own / other for own, other in zip(found["own"], found["other"], strict=True)) / 2
    )


@pytest.mark.slow
@pytest.mark.crawl
def test_crawls_are_compared_in_a_table_and_written(
    data: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{request.config.rootpath}:{request.path.parents[1]}")
    out = tmp_path / "crawl.json"
    given = ["--set", "SEMTEXT_EXTRACTOR=crawling.FakeExtractor", "--processes=", "--concurrency", "2"]
    assert main(["crawl", data, *given, "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"5 pages of 0.3 KB, 2 requests at a time, on {cores()} core" in shown
    assert "on, one by one" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["crawls"][0]["name"] == "plugin off"
    assert report["crawls"][1]["pages_a_second"] > 1
