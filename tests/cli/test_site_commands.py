"""``semtext site``, and ``semtext batch --site-templates``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from commanding import install
from sites import BANNER, site_page, text_of, url_of

from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": n, "url": url_of(n), "html": site_page(n)}) for n in range(40)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join([*lines[:20], "no page", *lines[20:]]) + "\n", encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_site_cleans_a_file_in_order(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["site", str(pages), str(tmp_path / "out.jsonl"), "--no-model"]) == 0
    out = rows(tmp_path / "out.jsonl")
    assert [row.get("id") for row in out] == [*range(20), None, *range(20, 40)]
    assert out[5]["main_text"] == f"Story number 5\n{text_of(5)}"
    assert set(out[5]) == {"id", "url", "title", "description", "headings", "breadcrumbs", "lists", "main_text"}
    assert out[20]["line"] == 21
    assert "not a line of JSON" in out[20]["error"]
    assert "41 pages of 1 site, 0 of them duplicates, 1 with an error" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes_write_what_one_does(pages: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert main(["site", str(pages), str(one), "--no-model"]) == 0
    assert main(["site", str(pages), str(two), "--no-model", "--workers", "2"]) == 0
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_site_keeps_what_the_model_takes_for_main_content(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    assert main(["site", str(pages), str(tmp_path / "out.jsonl")]) == 0
    assert rows(tmp_path / "out.jsonl")[0]["main_text"] == text_of(0)


def test_site_reads_twice_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["site", "-", str(tmp_path / "out.jsonl")]) == 1
    assert "read twice" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


def test_site_writes_lines_alone(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["site", str(pages), str(tmp_path / "out.csv")]) == 1
    assert "OUT is written as JSON lines, but " in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_batch_learns_as_it_reads(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert main(["batch", str(pages), str(alone)]) == 0
    assert main(["batch", str(pages), str(together), "--site-templates"]) == 0
    assert sum(BANNER in row.get("main_text", "") for row in rows(alone)) == 40
    assert sum(BANNER in row.get("main_text", "") for row in rows(together)) == 2
