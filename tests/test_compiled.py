"""What is compiled gives what the Python it stands in for gives."""

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

from scrapy_semtext import compiled
from scrapy_semtext.compiled import kernels
from scrapy_semtext.describe import describe
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.kinds.files import load_kinds
from scrapy_semtext.model import leaves, recurrence, string_encoder, sums, vectors
from scrapy_semtext.model.config import NetworkConfig
from scrapy_semtext.model.inputs import page_input
from scrapy_semtext.model.recurrence import Recurrence, Steps
from scrapy_semtext.model.string_encoder import StringEncoder
from scrapy_semtext.model.vectors import WordVectors
from scrapy_semtext.sectioning.models import load_section_models

if TYPE_CHECKING:
    from scrapy_semtext.model.trees import TreeEnsemble

pytestmark = pytest.mark.skipif(kernels is None, reason="nothing is compiled here")

RANDOM = np.random.default_rng(7)
CONFIG = NetworkConfig("tiny", dim=12, widths=(1, 3, 5), filters=(16, 32, 16), words=9)
WORDS = ["", "a", "of", "naïve", "北京", "😀😀", "\ud800", "Straße", "</s>", "x" * 300]


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.fixture(scope="module")
def word_vectors() -> WordVectors:
    return WordVectors.of(["the", "page"], normal(2, CONFIG.dim), normal(50, CONFIG.dim), 1, 4)


@pytest.mark.parametrize("count", [0, 1, 300])
@pytest.mark.parametrize("addends", [1, 4])
def test_sums_of_rows(monkeypatch: pytest.MonkeyPatch, count: int, addends: int) -> None:
    table, places = normal(20, 37), RANDOM.integers(0, 20, (addends, count))
    found = sums.sums_of_rows(table, places)
    monkeypatch.setattr(sums, "kernels", None)
    assert np.array_equal(found, sums.sums_of_rows(table, places))


@pytest.mark.parametrize("rows", [1, 16, 17, 64, 65, 200])
def test_leaves_of_the_shipped_trees(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    sections = load_section_models()
    for trees in (load_kinds().trees, sections.relevant, sections.title, sections.miscellany):
        numbers = _rows_around(trees, rows)
        laid_out = trees._leaves
        assert laid_out is not None
        found = laid_out.by_tree(numbers)
        with monkeypatch.context() as patched:
            patched.setattr(leaves, "kernels", None)
            assert np.array_equal(found, laid_out.by_tree(numbers))


def _rows_around(trees: TreeEnsemble, rows: int) -> np.ndarray:
    """Rows of the thresholds themselves, so that many are met exactly; some numbers are none or without bound."""
    numbers = RANDOM.choice(trees.threshold, (rows, trees.columns)).astype(np.float32)
    for odd in (np.nan, np.inf, -np.inf):
        numbers[RANDOM.random(numbers.shape) < 0.02] = odd
    return numbers


def test_strings_of_real_pages_are_encoded_alike(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    pages = [page_input(describe(page.html, page.url), CONFIG) for page in islice(quality.read_sample(), 4)]
    strings = [string for page in pages for string in page.text]
    strings += [(), ("a",), *((word,) * length for length, word in enumerate(WORDS))]
    found = _encoded(strings, word_vectors)
    monkeypatch.setattr(string_encoder, "kernels", None)
    monkeypatch.setattr(vectors, "kernels", None)
    np.testing.assert_allclose(found, _encoded(strings, word_vectors), atol=1e-4)


def test_strings_without_words_are_encoded_alike(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    found = _encoded([(), ()], word_vectors)
    monkeypatch.setattr(string_encoder, "kernels", None)
    assert np.array_equal(found, _encoded([(), ()], word_vectors))


def _encoded(strings: list[tuple[str, ...]], word_vectors: WordVectors) -> np.ndarray:
    random = np.random.default_rng(1)
    weights = {}
    for layer, (width, filters) in enumerate(zip(CONFIG.widths, CONFIG.filters, strict=True)):
        name = f"encoders.2.convolutions.{layer}"
        weights[f"{name}.weight"] = random.normal(size=(filters, CONFIG.dim, width)).astype(np.float32)
        weights[f"{name}.bias"] = random.normal(size=filters).astype(np.float32)
    encoder = StringEncoder(weights, 2, CONFIG, word_vectors)
    out = np.full((len(strings), encoder.size), np.nan, dtype=np.float32)
    encoder.encode(strings, out)
    return out


def test_means_of_ngrams(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    found = word_vectors.matrix(WORDS)
    monkeypatch.setattr(vectors, "kernels", None)
    np.testing.assert_allclose(found, word_vectors.matrix(WORDS), atol=1e-5)


@pytest.mark.parametrize("lengths", [[1], [5, 3], [40, 7, 7, 2, 1, 1, 1, 9]])
def test_steps_of_the_lstm(monkeypatch: pytest.MonkeyPatch, lengths: list[int]) -> None:
    hidden = 32
    weights = {
        f"lstm.{direction}.{part}_l0": normal(4 * hidden, *shape)
        for direction in ("onward", "backward_")
        for part, shape in (("weight_hh", (hidden,)), ("weight_ih", (5,)), ("bias_ih", ()), ("bias_hh", ()))
    }
    gates, steps = 4 * normal(2 * sum(lengths), 4 * hidden), Steps.of(np.array(lengths))
    found = Recurrence(weights).run(gates, steps)
    monkeypatch.setattr(recurrence, "kernels", None)
    np.testing.assert_allclose(found, Recurrence(weights).run(gates, steps), atol=1e-4)


def test_all_can_be_left_out() -> None:
    code = "from scrapy_semtext import compiled; assert compiled.left_out() == [*compiled.NAMES], compiled.left_out()"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "SEMTEXT_COMPILED": "0"})


def test_each_module_is_known_and_built() -> None:
    sources = sorted(Path(compiled.__file__).parent.glob("*.pyx"))
    assert [source.stem for source in sources] == [*compiled.NAMES]
    project = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    built = re.findall(r'^name = "scrapy_semtext\.compiled\.(\w+)"', project, re.MULTILINE)
    assert built == [*compiled.NAMES]


def test_pages_read_the_same_without_it() -> None:
    expected = subprocess.run(
        [sys.executable, __file__],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "SEMTEXT_COMPILED": "0"},
    )
    assert _readings() == json.loads(expected.stdout)


def _readings() -> list[object]:
    """What is read of the gate's pages, as JSON has it, without probabilities: these differ in the last digits."""
    extractor = Extractor.load(device="cpu")
    pages = [extractor.read(page.html, page.url) for page in islice(quality.read_sample(), 30)]
    found: list[object] = json.loads(
        json.dumps([asdict(page) for page in pages], default=str), parse_float=lambda _: None
    )
    return found


if __name__ == "__main__":
    json.dump(_readings(), sys.stdout)
