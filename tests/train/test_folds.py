"""Which bundle may be evaluated on which page."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from research.fold_bundles import checked
from scrapy_semtext.models.storage import SHIPPED
from scrapy_semtext.train.datasets import split_side
from scrapy_semtext.train.evaluate import Fold, fold_of, kept_out
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from pathlib import Path

DOMAINS = [f"site{number}.com" for number in range(200)]


def bundle(folder: Path, **split: Any) -> Path:
    """Create a bundle with only its description."""
    folder.mkdir()
    shutil.copy(SHIPPED / "bundle.json", folder)
    described = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    described["training"]["split"] |= split
    (folder / "bundle.json").write_text(json.dumps(described), encoding="utf-8")
    return folder


def test_a_bundle_says_what_its_training_kept_out(tmp_path: Path) -> None:
    fold = fold_of(bundle(tmp_path / "b", test_share=0.2, test_fold=3))
    assert fold == Fold(0.2, 3)
    assert [d for d in DOMAINS if fold.keeps_out(d)] == [d for d in DOMAINS if split_side(d, test_fold=3) == "test"]
    assert fold_of(None).share == 0.2


def test_a_bundle_split_by_another_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="was trained on a split by the seed 99"):
        fold_of(bundle(tmp_path / "b", seed=99))


def test_a_network_with_trees_that_saw_its_test_pages_is_refused(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", test_fold=2)
    for name in ("structure.json", "structure.safetensors"):
        shutil.copy(SHIPPED / name, folder)
    with pytest.raises(UserError, match="kept out fold 2, its structure trees fold 0"):
        fold_of(folder)
    assert fold_of(folder, "network") == Fold(0.2, 2)


def folds_of(bundles: list[Path]) -> list[Fold]:
    return checked(bundles, [fold_of(bundle) for bundle in bundles])


def test_bundles_have_to_cover_all_folds_once(tmp_path: Path) -> None:
    folders = [bundle(tmp_path / str(number), test_share=0.25, test_fold=number) for number in range(4)]
    assert folds_of(folders) == [Fold(0.25, number) for number in range(4)]
    with pytest.raises(UserError, match=r"kept out fold 1 \(of 0 to 3\).*--test-fold 1"):
        folds_of([folders[0], *folders[2:]])
    with pytest.raises(UserError, match=r"0 and .*again both kept out fold 0"):
        folds_of([*folders, bundle(tmp_path / "again", test_share=0.25, test_fold=0)])
    with pytest.raises(UserError, match=r"different shares of the domains: 0\.2, 0\.25"):
        folds_of([*folders[1:], bundle(tmp_path / "larger", test_share=0.2, test_fold=0)])


def test_other_labelers_are_measured_by_what_their_own_training_kept_out() -> None:
    assert kept_out(None, "web2text") == (fold_of(None, "web2text"),)
    assert kept_out(None, "textsweeper") == (fold_of(None),)
