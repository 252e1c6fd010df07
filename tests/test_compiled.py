"""The compiled extensions give the same results as their Python fallback, on every processor."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate import quality

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.inference import trees as ensembles
from scrapy_semtext.inference import vectors
from scrapy_semtext.inference.config import NetworkConfig
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.page_kinds.model import load_kinds
from scrapy_semtext.sections.reader import load_section_models
from scrapy_semtext.utils import extensions
from scrapy_semtext.utils.extensions import network, strings

if TYPE_CHECKING:
    from scrapy_semtext.inference.trees import TreeEnsemble

pytestmark = pytest.mark.skipif(network is None or strings is None, reason="nothing is compiled here")

RANDOM = np.random.default_rng(7)
CONFIG = NetworkConfig("tiny", dim=12, widths=(1, 3, 5), filters=(16, 32, 16), words=9)
WORDS = ["", "a", "of", "naïve", "北京", "😀😀", "\ud800", "Straße", "</s>", "x" * 300]


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.fixture(scope="module")
def word_vectors() -> WordVectors:
    return WordVectors.of(["the", "page"], normal(2, CONFIG.dim), normal(50, CONFIG.dim), 1, 4)


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
    """Rows of the thresholds themselves, so that many are met exactly; some numbers are none or without bound."""
    numbers = RANDOM.choice(trees.threshold, (rows, trees.columns)).astype(np.float32)
    for odd in (np.nan, np.inf, -np.inf):
        numbers[RANDOM.random(numbers.shape) < 0.02] = odd
    return numbers


def test_ngram_means(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    found = word_vectors.matrix(WORDS)
    monkeypatch.setattr(vectors, "strings", None)
    np.testing.assert_allclose(found, word_vectors.matrix(WORDS), rtol=1e-4, atol=1e-5)


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


@pytest.fixture(scope="module")
def readings() -> list[object]:
    return _readings()


@pytest.mark.slow
def test_pages_read_the_same_without_extensions(readings: list[object]) -> None:
    fallback = subprocess.run(
        [sys.executable, __file__],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "SEMTEXT_COMPILED": "0"},
    )
    assert readings == json.loads(fallback.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("width", [4, 8, 16])
def test_pages_read_the_same_with_each_simd_width(width: int, readings: list[object]) -> None:
    try:
        if network.set_simd_width(width) != width:
            pytest.skip("this processor has no registers of that width")
        assert _readings() == readings
    finally:
        network.set_simd_width(network.lanes)


def _readings() -> list[object]:
    """The pages read from the gate's sample, as JSON, without floats, which differ in the last digits."""
    extractor = Extractor.load(device="cpu")
    pages = [extractor.read(page.html, page.url) for page in islice(quality.read_sample(), 12)]
    found: list[object] = json.loads(
        json.dumps([asdict(page) for page in pages], default=str), parse_float=lambda _: None
    )
    return found


if __name__ == "__main__":
    json.dump(_readings(), sys.stdout)
