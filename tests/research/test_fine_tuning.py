"""What ships learns on from a few pages: more trees, and labels for a measure that counts blocks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("torch")

from structure_pages import site_page
from tiny_training import write_site

from research import cleaneval, fine_tuning
from research.shifts import SHIFTS, Shifted, best_shift, kept
from research.structure_fine_tuning import FineTuningSettings, fine_tune_trees
from research.trials import ExperimentError, Trials
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.training.structure_fit import fit_structure, structure_examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.training.datasets import AnnotatedPage


def generous(page: AnnotatedPage) -> AnnotatedPage:
    """The same page for somebody to whom what stands beside the article is main content, too."""
    beside = page.html.rpartition("<div>")[2].partition("<")[0]
    return replace(page, text=f"{page.text}\n{beside}")


@pytest.mark.slow
def test_trees_learn_on_what_other_annotators_take_for_content() -> None:
    trees = fit_structure(structure_examples(map(site_page, range(60))), rounds=30, columns=20)
    more = structure_examples(generous(site_page(number)) for number in range(60, 120))
    onwards = fine_tune_trees(trees, more, FineTuningSettings(rounds=150))
    page = describe(site_page(199).html, None)
    beside = [block.text.startswith("More of") for block in page.text_blocks]
    assert (trees.log_odds([page])[0][beside] < 0).all()
    assert (onwards.log_odds([page])[0][beside] > 0).all()
    assert (onwards.columns, onwards.words) == (trees.columns, trees.words)
    with pytest.raises(ValueError, match="no pages to fine-tune on"):
        fine_tune_trees(trees, [])


def test_a_block_needs_words_and_log_odds_above_the_shift() -> None:
    assert kept(np.array([-2.0, -0.5, 3.0]), np.array([9.0, 1.0, 0.0]), shift=-1.0).tolist() == [False, True, False]


def test_the_best_shift_gets_the_most_blocks_right() -> None:
    odds = [np.array([-0.9, -1.4, 2.0]), np.array([-1.6, 0.3])]
    labels = [np.array([True, False, True]), np.array([False, True])]
    choice = best_shift(odds, labels, [np.ones(3), np.ones(2)])
    assert -1.4 <= choice.shift < -0.9
    assert choice.shift in SHIFTS
    assert choice.f1 == 1.0


def test_a_shifted_labeler_keeps_probabilities() -> None:
    class Unsure:
        def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
            return [Scores(np.array([0.4, 0.1]), np.zeros(2, dtype=np.bool_)) for _ in pages]

    (scores,) = Shifted(Unsure(), -1.0).score([describe("<p>One</p><div>Two</div>", None)])
    assert scores.probabilities.tolist() == [0.4, 0.1]
    assert scores.viterbi.tolist() == [True, False]


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nine pages to fine-tune on, and three to be tested by."""
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


def test_one_page_is_too_few_to_choose_by(few: Path) -> None:
    line = (few / "cleaneval_dev.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (few / "cleaneval_dev.jsonl").write_text(json.dumps(json.loads(line)), encoding="utf-8")
    with pytest.raises(ExperimentError, match="1 pages to fine-tune on"):
        cleaneval.run([few / "cleaneval_dev.jsonl", few / "cleaneval_final.jsonl"], Trials(few, progress=False))
