"""The benchmark of crawls: real crawls over loopback, a few small pages each."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from commanding import ARTICLE

from research.benchmark.__main__ import main
from research.benchmark.crawl import CrawlReport, save_plot
from research.benchmark.server import site
from research.benchmark.trials import CrawlCost, TrialError, Variant, cores, crawls, variants
from scrapy_semtext.extractor import Source

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

FAKE = {"SEMTEXT_EXTRACTOR": "crawling.FakeExtractor"}
PAGES = [Source(ARTICLE)] * 4


@pytest.fixture(autouse=True)
def test_modules_are_found_by_other_processes(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{request.config.rootpath}:{request.path.parents[1]}")


def cost(name: str = "plugin on", run: int = 1) -> CrawlCost:
    return CrawlCost(name, run, 10, 16, 2.0, 400.0, 150.0, 20.0, 0.5, 12.25, 31.0, None, 500_000_000, None)


def test_the_site_is_served_from_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("<p>Bread", encoding="utf-8")
    with site(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        with urlopen(f"{address}0") as response:  # noqa: S310
            assert response.read() == b"<p>Bread"
            assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        with pytest.raises(HTTPError, match="404") as caught, urlopen(f"{address}1"):  # noqa: S310
            pass
        caught.value.close()
    with pytest.raises(OSError, match="refused"), urlopen(f"{address}0"):  # noqa: S310
        pass


def test_crawls_are_measured_one_after_the_other() -> None:
    tried = [
        variant for variant in variants(2, (1,), FAKE, bare=True) if variant.name not in ("trafilatura", "plugin on")
    ]
    assert [variant.name for variant in tried] == ["plugin off", "1 process", "on, one by one"]
    off, process, single = crawls(PAGES, tried, runs=1)
    assert (off.pages, off.concurrency, single.concurrency) == (4, 2, 1)
    assert off.wait_max_ms is None
    for crawl in (process, single):
        assert crawl.wait_max_ms is not None
        assert 0 < crawl.wait_max_ms < 1000
    for crawl in (off, process, single):
        assert crawl.pages_a_second > 1
        assert crawl.cpu_ms > 0
        assert 0 <= crawl.stall_p50_ms <= crawl.stall_p99_ms <= crawl.stall_max_ms + 0.1
        assert crawl.peak_bytes is None or crawl.peak_bytes > 20_000_000


def test_the_callback_extracts_by_itself() -> None:
    pytest.importorskip("trafilatura")
    (crawl,) = crawls(PAGES, [variant for variant in variants(2, (), {}) if variant.name == "trafilatura"], 1)
    assert crawl.pages == 4


def test_a_crawl_that_loses_pages_is_no_figure() -> None:
    settings = {**variants(1, (), FAKE)[1].settings, "SEMTEXT_MAX_BODY": 10}
    with pytest.raises(TrialError, match="The crawl 'bad' gave 4 items, 0 of them filled, of 4 pages"):
        list(crawls(PAGES, [Variant("bad", 2, settings)], 1))


def test_a_crawl_that_fails_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    settings = {**variants(1, (), FAKE)[1].settings, "SEMTEXT_BATCH_SIZE": 0}
    with pytest.raises(TrialError, match="failed; its error is shown above"):
        list(crawls(PAGES, [Variant("bad", 2, settings)], 1))
    assert "SEMTEXT_BATCH_SIZE is 0" in capfd.readouterr().err


def test_the_command_prints_a_table_and_writes_json_and_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out, picture = tmp_path / "pages.jsonl", tmp_path / "crawl.json", tmp_path / "crawl.svg"
    data.write_text("\n".join(json.dumps({"html": ARTICLE}) for _ in range(3)), encoding="utf-8")
    given = ["--set", "SEMTEXT_EXTRACTOR=crawling.FakeExtractor", "--processes=", "--concurrency", "2"]
    plot = ["--plot", str(picture)] if find_spec("matplotlib") else []
    assert main(["crawl", str(data), *given, "--json", str(out), *plot]) == 0
    shown = capsys.readouterr().out
    assert f"3 pages of 0.3 KB, 2 requests at a time, on {cores()} core" in shown
    assert "on, one by one" in shown
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["crawls"][0]["name"] == "plugin off"
    assert report["crawls"][1]["pages_a_second"] > 1
    assert not plot or picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_a_setting_has_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", str(tmp_path), "--set", "SEMTEXT_BATCH_SIZE"]) == 1
    assert "--set takes NAME=VALUE" in capsys.readouterr().err


def test_the_table_says_what_is_not_known() -> None:
    lines = list(CrawlReport(10, 98_100.0, 16, 1, [cost(), cost("plugin off", 2)]).lines())
    assert lines[0] == "10 pages of 98.1 KB, 16 requests at a time, on 1 core"
    cells = ["plugin", "on", "1", "5.0", "40.0", "15.0", "2.00", "0.5", "12.2", "31", "-", "500", "-"]
    assert lines[3].split() == cells
    assert len({len(line) for line in lines[2:]}) == 1


def test_the_picture_is_of_the_first_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save_plot(CrawlReport(10, 98_100.0, 16, 2, [cost(), cost("plugin on", 2)]), tmp_path / "crawl.png")
    assert (tmp_path / "crawl.png").read_bytes().startswith(b"\x89PNG")
