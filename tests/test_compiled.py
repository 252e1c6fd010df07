"""The compiled extensions give the same results as their Python fallback, on every processor."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_semtext.models import trees as ensembles
from scrapy_semtext.read.kinds import load_kinds
from scrapy_semtext.read.sections import load_section_models
from scrapy_semtext.utils import extensions
from scrapy_semtext.utils.extensions import quickscorer

if TYPE_CHECKING:
    from scrapy_semtext.models.trees import TreeEnsemble

pytestmark = pytest.mark.skipif(quickscorer is None, reason="nothing is compiled here")

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("rows", [1, 16, 17, 64, 65, 200])
def test_scores_of_the_shipped_trees(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    sections = load_section_models()
    for trees in (load_kinds().trees, sections.relevant, sections.title, sections.miscellany):
        numbers = _rows_around(trees, rows)
        found = trees.output_scores(numbers, 2)
        with monkeypatch.context() as patched:
            patched.setattr(ensembles, "quickscorer", None)
            assert np.array_equal(found, trees.output_scores(numbers, 2))


def _rows_around(trees: TreeEnsemble, rows: int) -> np.ndarray:
    """Return rows with the thresholds themselves, so that many are equal; some numbers are NaN or infinite."""
    numbers = RANDOM.choice(trees.threshold, (rows, trees.columns)).astype(np.float32)
    for odd in (np.nan, np.inf, -np.inf):
        numbers[RANDOM.random(numbers.shape) < 0.02] = odd
    return numbers


def test_all_can_be_left_out() -> None:
    code = "from scrapy_semtext.utils import extensions as e; assert e.missing_extensions() == [*e.EXTENSIONS]"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "SEMTEXT_COMPILED": "0"})


@pytest.mark.parametrize("error", [ImportError("C function"), TypeError("signature"), ValueError("size changed")])
def test_modules_for_another_lxml_are_left_out_and_said(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_name: str) -> None:
        raise error

    monkeypatch.setattr(extensions, "import_module", broken)
    with pytest.warns(RuntimeWarning, match=f"another version of lxml.*{error}.*install scrapy-semtext again"):
        assert extensions._load("walk") is None


def test_each_extension_is_known_and_built() -> None:
    root = Path(__file__).parent.parent
    sources = sorted((root / "scrapy_semtext").rglob("*.pyx"))
    assert {source.stem.removeprefix("_") for source in sources} == extensions.EXTENSIONS.keys()
    project = (root / "pyproject.toml").read_text()
    built = re.findall(r'^name = "(scrapy_semtext[\w.]*\._\w+)"', project, re.MULTILINE)
    assert sorted(built) == sorted(extensions.EXTENSIONS.values())
    # a header that is not named there is in no source distribution, and what needs it is left out where that is built
    named = re.findall(r'"(scrapy_semtext/\S+\.h)"', project)
    assert sorted(named) == sorted(str(path.relative_to(root)) for path in (root / "scrapy_semtext").rglob("*.h"))
