"""All heads of tree ensembles have one format of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext.labelers import structure_trees
from scrapy_semtext.models.storage import SHIPPED, BundleError
from scrapy_semtext.read import kinds, posts, records, sections

if TYPE_CHECKING:
    from pathlib import Path

HEADS = {module.HEAD.name: module.HEAD for module in (structure_trees, kinds, posts, records, sections)}


def _read(name: str, folder: Path | None) -> Any:
    return posts.load_pair_models(folder) if name == "pairs" else HEADS[name].read(folder)


@pytest.mark.smoke
@pytest.mark.parametrize("name", HEADS)
def test_a_head_that_is_read_and_written_has_the_same_bytes(name: str, tmp_path: Path) -> None:
    HEADS[name].write(tmp_path, _read(name, None))
    for file in (f"{name}.json", f"{name}.safetensors"):
        assert (tmp_path / file).read_bytes() == (SHIPPED / file).read_bytes()


@pytest.mark.parametrize("name", [name for name, head in HEADS.items() if head.names])
def test_a_head_fitted_to_other_names_is_refused(name: str, tmp_path: Path) -> None:
    HEADS[name].write(tmp_path, _read(name, None))
    about = tmp_path / f"{name}.json"
    for names in HEADS[name].names:
        description = json.loads(about.read_text())
        about.write_text(json.dumps(description | {names: description[names][::-1]}))
        with pytest.raises(BundleError, match=f"fitted to other {names} than this release has"):
            HEADS[name].read(tmp_path)
        about.write_text(json.dumps(description))


@pytest.mark.parametrize("name", HEADS)
def test_a_bundle_without_a_head_takes_the_shipped_one(name: str, tmp_path: Path) -> None:
    assert _read(name, tmp_path).training == _read(name, None).training


def test_the_shipped_pair_models_are_small_and_trained_on_what_may_ship() -> None:
    assert sum((SHIPPED / name).stat().st_size for name in ("pairs.json", "pairs.safetensors")) < 2_000_000
    assert posts.load_pair_models().training["any_licence"] is False
