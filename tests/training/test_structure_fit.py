"""Structure trees: fitting, files, and labeling with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from structure_pages import HTML, site_page

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference.scores import Scores
from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.labelers.structure_trees import (
    AveragedLabeler,
    StructureModel,
    StructureTrees,
    TreesLabeler,
    averaged,
    load_structure,
    require_structure,
    save_structure,
)

pytest.importorskip("lightgbm")

from scrapy_semtext.training.structure_fit import fit_structure, structure_examples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_semtext.features.parsed_page import ParsedPage


@pytest.fixture(scope="module")
def fitted() -> StructureTrees:
    pages = [site_page(number) for number in range(60)]
    return fit_structure(structure_examples(pages), rounds=30, columns=20)


def test_fitted_trees_tell_main_content(fitted: StructureTrees) -> None:
    page = site_page(99)
    described = describe(page.html, page.url)
    keep = fitted.log_odds([described])[0] > 0
    assert [block.text in page.text for block in described.text_blocks] == keep.tolist()
    assert len(fitted.columns) + len(fitted.words) <= 20


class Sure:
    """A labeler that takes every block for main content with the same probability."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        return [
            Scores(
                np.full(len(page.text_blocks), self.probability),
                np.ones(len(page.text_blocks), dtype=np.bool_),
            )
            for page in pages
        ]


def test_log_odds_are_averaged(fitted: StructureTrees) -> None:
    page = describe(site_page(7).html, None)
    (alone,) = TreesLabeler(fitted).score([page])
    (undecided,) = AveragedLabeler(Sure(0.5), fitted).score([page])
    odds = np.log(alone.probabilities / (1 - alone.probabilities))
    expected = averaged(np.full(len(odds), 0.5), odds, page.word_counts(), None)
    assert undecided.probabilities == pytest.approx(1 / (1 + np.exp(-expected)))
    assert undecided.viterbi.all()
    assert (alone.viterbi == (alone.probabilities > 0.5)).all()


def test_certainty_does_not_overflow(fitted: StructureTrees) -> None:
    page = describe(HTML, None)
    for probability in (0.0, 1.0):
        (scores,) = AveragedLabeler(Sure(probability), fitted).score([page])
        assert np.isfinite(scores.probabilities).all()


def test_trees_are_saved_and_loaded(tmp_path: Path, fitted: StructureTrees) -> None:
    save_structure(tmp_path, StructureModel(fitted, {"seed": 1}))
    loaded = require_structure(tmp_path)
    page = describe(HTML, None)
    assert loaded.trees.log_odds([page])[0] == pytest.approx(fitted.log_odds([page])[0])
    assert loaded.training == {"seed": 1}


def test_broken_files_are_said_to_be(tmp_path: Path, fitted: StructureTrees) -> None:
    save_structure(tmp_path, StructureModel(fitted))
    weights, description = tmp_path / "structure.safetensors", tmp_path / "structure.json"
    whole, said = weights.read_bytes(), description.read_text()

    weights.write_bytes(whole[:-8])
    with pytest.raises(BundleError, match=r"not the file that structure\.json describes"):
        load_structure(tmp_path)
    weights.write_bytes(whole)

    description.write_text(json.dumps(json.loads(said) | {"columns": ["charm"]}))
    with pytest.raises(BundleError, match="made for another release"):
        load_structure(tmp_path)
    description.write_text(json.dumps(json.loads(said) | {"version": 99}))
    with pytest.raises(BundleError, match="version 1"):
        load_structure(tmp_path)
    description.write_text("{")
    with pytest.raises(BundleError, match="cannot be read"):
        load_structure(tmp_path)
