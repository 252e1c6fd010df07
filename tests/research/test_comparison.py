"""Systems side by side, each in a process of its own."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from research import measuring
from research.comparison import main
from research.measuring import PageScore, Selection, SystemScores, measure, measure_systems
from research.systems import Reader, System, SystemOutput
from research.tables import comparison_table, summarize
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.folds import Fold
from scrapy_semtext.training.scoring import PRF, BlockCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from scrapy_semtext.training.datasets import AnnotatedPage

pytestmark = pytest.mark.slow


def read(pages: Sequence[AnnotatedPage]) -> list[SystemOutput | Exception]:
    """Read what stands in the page; fail on one word, and end the process on another."""
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


def refuse() -> Reader:
    raise ValueError("no model")


def die() -> Reader:
    os._exit(1)


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


def test_a_page_over_which_a_system_does_not_come_to_an_end_is_the_only_one_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "_TIMEOUT", 1.0)
    pages = selection(tmp_path, ["some text", "endless", "some text"])
    scores = measure(System("own", "1", reader), pages, progress=False)
    assert [score.words.f1 for score in scores] == [1.0, 0.0, 1.0]
    assert scores[1].error is not None


@pytest.mark.parametrize(("opener", "message"), [(refuse, "own: no model"), (die, "ended before it read a page")])
def test_a_system_that_cannot_be_opened_is_an_error(opener: Callable[[], Reader], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        measure(System("own", "1", opener), selection(tmp_path, ["some text"]), progress=False)


def test_only_pages_of_the_folds_are_read(tmp_path: Path) -> None:
    pages = selection(tmp_path, ["some text"] * 40, Fold(0.2, 0), Fold(0.5, 0))
    found = [int(page.id) for page in pages.pages()]
    assert 0 < len(found) < 20
    assert all(Fold(0.2, 0).keeps_out(f"site{number}.com") for number in found)


def test_scores_of_a_peer_are_kept_until_its_version_or_the_pages_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def count(system: System, chosen: Selection, **_: object) -> list[PageScore]:
        calls.append(f"{system.name} {system.version}")
        return [PageScore("pages", page.id, "article", PRF(1, 1, 1), None, 0.1) for page in chosen.pages()]

    monkeypatch.setattr(measuring, "measure", count)
    pages = selection(tmp_path, ["some text"])
    first = measure_systems([System("peer", "1", reader, package="peer"), System("own", "1", reader)], pages, tmp_path)
    again = measure_systems([System("peer", "1", reader, package="peer"), System("own", "1", reader)], pages, tmp_path)
    assert again == first
    assert calls == ["peer 1", "own 1", "own 1"]
    uninstalled = System("peer", None, reader, package="peer")
    assert measure_systems([uninstalled], pages, tmp_path)["peer"].version == "1"
    measure_systems([System("peer", "2", reader, package="peer")], pages, tmp_path)
    measure_systems([System("peer", "2", reader, package="peer")], selection(tmp_path, ["other text"]), tmp_path)
    assert calls[3:] == ["peer 2", "peer 2"]


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


def test_the_table_can_be_divided_by_anything_else_that_pages_have() -> None:
    found = summarize({"own": rows(0.9, 0.8, 1.0, 0.9)}, resamples=10, seed=1, groups=["pl", "el", "pl", "pl"])
    assert {name: group["pages"] for name, group in found["own"]["groups"].items()} == {"all": 4, "pl": 3, "el": 1}
    assert "Word F1 by language:" in comparison_table(found, "lang")
