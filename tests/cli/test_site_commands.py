"""``semtext site``, ``semtext batch --site-templates`` and what ``semtext dev evaluate site`` counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from commanding import install
from sites import BANNER, prints, site_page, text_of, url_of

from scrapy_semtext.cli import main
from scrapy_semtext.dom.joining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.training.site_evaluation import SitePage, score_site, total

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
def test_site_keeps_what_the_model_takes_for_main_content(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch)
    assert main(["site", str(pages), str(tmp_path / "out.jsonl")]) == 0
    assert rows(tmp_path / "out.jsonl")[0]["main_text"] == text_of(0)


@pytest.mark.slow
def test_batch_learns_as_it_reads(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert main(["batch", str(pages), str(alone)]) == 0
    assert main(["batch", str(pages), str(together), "--site-templates"]) == 0
    assert sum(BANNER in row.get("main_text", "") for row in rows(alone)) == 40
    assert sum(BANNER in row.get("main_text", "") for row in rows(together)) == 2


def evaluated(number: int) -> SitePage:
    texts = [block.text for block in segment(parse(site_page(number)))]
    keep = np.array([len(text.split()) > 5 for text in texts])
    main_blocks = np.array([text == text_of(number) for text in texts])
    return SitePage(
        url_of(number), prints(site_page(number)), texts, keep, np.where(keep, 0.9, 0.1), main_blocks, text_of(number)
    )


def test_evaluation_counts_what_is_wrongly_kept_and_lost() -> None:
    score = score_site("site.test", "test", [evaluated(number) for number in range(10)])
    assert (score.pages, score.boilerplate) == (10, 40)
    wrong = {use: (outcome.wrong, outcome.wrong_shared, outcome.lossy_pages) for use, outcome in score.outcomes.items()}
    assert wrong == {"alone": (10, 10, 0), "live": (2, 2, 0), "exact": (0, 0, 0)}
    assert score.outcomes["exact"].f1 == pytest.approx(10)
    assert total("all", [score, score]).outcomes["live"].wrong == 4
    warm = score_site("site.test", "test", [evaluated(number) for number in range(10)], warm=2)
    assert (warm.pages, warm.outcomes["live"].wrong) == (8, 0)
