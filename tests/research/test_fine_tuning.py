"""Further training of the shipped models on a few pages: more trees, and labels for a measure that counts blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from tiny_training import write_site

from research import cleaneval, fine_tuning
from research.trials import Trials

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nine pages for fine-tuning, and three for testing."""
    monkeypatch.setattr(cleaneval, "SETTINGS_USED", replace(cleaneval.SETTINGS_USED, epochs=1))
    monkeypatch.setattr(fine_tuning, "RATES", (3e-3,))
    write_site(tmp_path / "all.jsonl", 12)
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cleaneval_dev.jsonl").write_text("\n".join(lines[:9]), encoding="utf-8")
    (tmp_path / "cleaneval_final.jsonl").write_text("\n".join(lines[8:]), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_what_ships_learns_on_from_the_development_pages(few: Path) -> None:
    trials = Trials(few / "out", progress=False)
    found = cleaneval.run([few / "cleaneval_dev.jsonl", few / "cleaneval_final.jsonl"], trials)
    assert trials.notes[0] == "8 pages learned from; 1 copies of tested pages left out"
    assert {len(each.scores) for each in found.values()} == {4}
    assert list(found)[1:] == [
        "shipped network and trees",
        "network, CleanEval learned",
        "network and trees, CleanEval learned",
    ]
    last = [score.words.f1 for score in found["network and trees, CleanEval learned"].scores]
    assert min(last) > 0.9
