"""Systems side by side, each in a separate process."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from research.block_scoring import BlockCounts
from research.comparison import main
from research.measuring import PageScore, Selection, SystemScores, measure, measure_systems
from research.systems import Reader, System, SystemOutput
from research.tables import comparison_table, summarize
from scrapy_semtext.train.corpus import PRF
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.train.evaluate import Fold

pytestmark = pytest.mark.slow


def read(pages: Sequence[AnnotatedPage]) -> list[SystemOutput | Exception]:
    """Return the text of the page; fail on one word, and end the process on another."""
    return [_read(page.html) for page in pages]


def _read(html: str) -> SystemOutput | Exception:
    if html == "deadly":
        os._exit(1)
    if html == "endless":
        time.sleep(600)
    return (
        ValueError("too hard") if html == "hard" else SystemOutput(html, [(html, True), ("menu", html == "noisy text")])
    )


def reader() -> Reader:
    return read


def selection(folder: Path, texts: list[str], *folds: Fold) -> Selection:
    path = folder / "pages.jsonl"
    rows = [
        {"id": str(number), "url": f"https://site{number}.com/", "html": html, "text": "some text", "page_type": kind}
        for number, (html, kind) in enumerate(zip(texts, ["article", "forum"] * len(texts), strict=False))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Selection((path,), folds)


def test_a_failing_page_counts_as_empty_and_one_that_ends_the_process_is_the_only_one_lost(tmp_path: Path) -> None:
    pages = selection(tmp_path, ["some text", "hard", "noisy text", "deadly", "some text"])
    scores = measure(System("own", "1", reader, batch=3), pages, progress=False)
    assert [score.id for score in scores] == list("01234")
    assert [score.words.f1 for score in scores] == [1.0, 0.0, 0.5, 0.0, 1.0]
    assert [score.blocks for score in scores] == [(1, 1, 1), None, (0, 2, 0), None, (1, 1, 1)]
    assert [score.error for score in scores if score.error] == [
        "ValueError: too hard",
        "RuntimeError: its process ended, or did not come to an end",
    ]


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no pages to measure by"):
        measure_systems([System("own", "1", reader)], selection(tmp_path, []), progress=False)
    missing = [
        System(name, None, reader, package=package)
        for name, package in (("justext", "jusText"), ("trafilatura", "trafilatura"))
    ]
    pages = selection(tmp_path, ["some text"])
    with pytest.raises(UserError, match=r"Not installed: justext, trafilatura\. Run: pip install jusText trafilatura$"):
        measure_systems(missing, pages)


def rows(*f1: float, blocks: bool = False) -> SystemScores:
    kinds = ["article", "article", "forum", "article"]
    counts = BlockCounts(1, 1, 2) if blocks else None
    return SystemScores(
        "1.0", [PageScore("set", str(i), kinds[i], PRF(1, f, f), counts, 0.002) for i, f in enumerate(f1)]
    )


def test_the_table_has_intervals_and_differences_to_the_first_system() -> None:
    found = summarize(
        {"own": rows(0.9, 0.8, 1.0, 0.9, blocks=True), "peer": rows(0.7, 0.6, 0.8, 0.7)}, resamples=400, seed=1
    )
    every = found["own"]["groups"]["all"]
    assert every["words"]["f1"].value == pytest.approx(0.9)
    assert 0.8 <= every["words"]["f1"].low < 0.9 < every["words"]["f1"].high <= 1.0
    assert found["peer"]["groups"]["all"]["difference"]["words_f1"] == pytest.approx((-0.2, -0.2, -0.2))
    assert list(found["own"]["groups"]) == ["all", "article", "forum"]
    table = comparison_table(found)
    assert "| peer | 1.0 | 4 | 0 | 100.0 | 70.0 | 70.0 [" in table
    assert "| -20.0 [-20.0, -20.0] | 2.0 |" in table
    assert "| own | 100.0 [100.0, 100.0] | 50.0 [50.0, 50.0] | 66.7 [66.7, 66.7] |" in table
    assert "| system | all (4) | article (3) | forum (1) |" in table


def test_the_command_writes_its_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("research.comparison.DRAWS", 50)
    html = "<nav>Menu</nav><main><p>Some text that is long enough to be taken for the content of a page.</p></main>"
    pages = selection(tmp_path, [html, html])
    out = tmp_path / "out"
    command = [str(pages.paths[0]), "--all-domains", "--systems", "semtext,semtext:viterbi"]
    assert main([*command, "--out", str(out)]) == 0
    table = (out / "table.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out == table
    assert table.startswith("All pages of pages.jsonl, whether or not")
    kept = json.loads((out / "table.json").read_text(encoding="utf-8"))
    assert kept["systems"]["semtext:viterbi"]["groups"]["forum"]["pages"] == 1
    assert kept["draws"] == 50
