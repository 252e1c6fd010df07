"""What is compiled of the network gives what the Python it stands in for gives, with vectors of each width."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate import quality

from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.inference import crf as chain
from scrapy_semtext.inference import network as inference
from scrapy_semtext.inference import packed_linear as product
from scrapy_semtext.inference import string_encoder, vectors
from scrapy_semtext.inference.config import NetworkConfig
from scrapy_semtext.inference.crf import TwoLabelChain
from scrapy_semtext.inference.inputs import PageInput
from scrapy_semtext.inference.network import CpuNetwork
from scrapy_semtext.inference.packed_linear import PackedLinear
from scrapy_semtext.inference.string_encoder import StringEncoder
from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.labelers.network_inputs import page_input
from scrapy_semtext.utils.extensions import network, strings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.inference.inputs import WordString

pytestmark = pytest.mark.skipif(network is None or strings is None, reason="nothing is compiled here")

RANDOM = np.random.default_rng(7)
# 144 filters of a width are more than the registers of any processor hold sums of; no loop was made for width 2.
CONFIG = NetworkConfig(
    "tiny", dim=12, widths=(1, 3, 5, 2, 7), filters=(16, 32, 144, 48, 80), words=9, hidden=48, page_vector=5
)
COLUMNS = sum(CONFIG.filters)
WORDS = ["", "a", "of", "naïve", "北京", "😀😀", "\ud800", "Straße", "</s>", "x" * 300]


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.fixture(params=[4, 8, 16], autouse=True)
def _width(request: pytest.FixtureRequest) -> Iterator[None]:
    if network.use_vectors_of(request.param) != request.param:
        pytest.skip("this processor has no vectors of that width")
    yield
    network.use_vectors_of(network.lanes, rounded=True)


@pytest.fixture(scope="module")
def word_vectors() -> WordVectors:
    return WordVectors.of(["the", "page"], normal(2, CONFIG.dim), normal(50, CONFIG.dim), 1, 4)


def leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python stand in for what is compiled, in what is made from now on."""
    for module in (chain, inference, product, string_encoder):
        monkeypatch.setattr(module, "network", None)
    for module in (inference, string_encoder):
        monkeypatch.setattr(module, "compiled_strings", None)
    monkeypatch.setattr(vectors, "kernels", None)
    monkeypatch.setattr(vectors, "strings", None)


@pytest.mark.parametrize("rows", [*range(14), 97, 200])
@pytest.mark.parametrize("columns", [16, 80, 192])
def test_products(monkeypatch: pytest.MonkeyPatch, rows: int, columns: int) -> None:
    matrix, bias, factors = normal(11, columns), normal(columns), normal(rows, 11)
    assert PackedLinear(matrix)._panels is not None
    found = [_written(PackedLinear(matrix, bias), factors), _written(PackedLinear(matrix), factors)]
    leave_out(monkeypatch)
    expected = [_written(PackedLinear(matrix, bias), factors), _written(PackedLinear(matrix), factors)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7, 200])
def test_products_in_halves(rows: int) -> None:
    if network.use_vectors_of(network.lanes, rounded=True) < network.lanes or not network.takes_halves():
        pytest.skip("this processor multiplies no halves")
    matrix, bias, factors = normal(64, 128), normal(128), normal(rows, 64)
    found = _written(PackedLinear(matrix, bias, rounding="halves"), factors)
    expected = in_bfloat16(factors).astype(np.float64) @ in_bfloat16(matrix) + bias
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not rows or (np.abs(found - (factors @ matrix + bias)) > 1e-4).any(), "these are halves"


def in_bfloat16(numbers: np.ndarray) -> np.ndarray:
    """The nearest number in bfloat16: 8 bits of mantissa, the first of which is not written."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(mantissa * 256) / 256, exponent), dtype=np.float32)


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7, 200])
def test_products_of_bytes(rows: int) -> None:
    if network.use_vectors_of(network.lanes, rounded=True) < network.lanes or not network.takes_bytes():
        pytest.skip("this processor multiplies no bytes")
    matrix, bias, factors = normal(80, 128), normal(128), normal(rows, 80)
    matrix[:, 3] = 0
    factors[rows // 2 :] *= 1000
    factors[rows // 3 : rows // 2] = 0
    found = _written(PackedLinear(matrix, bias, rounding="bytes"), factors)
    largest, largest_of_rows = np.abs(matrix).max(axis=0), np.abs(factors).max(axis=1, initial=0)
    whole = np.rint(matrix / np.maximum(largest / 127, 1e-30))
    whole_rows = np.rint(factors * (127 / np.maximum(largest_of_rows, np.float32(1e-30)))[:, None])
    expected = whole_rows.astype(np.float64) @ whole * (largest_of_rows[:, None] / 127) * (largest / 127) + bias
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-3)
    assert (found[:, 3] == bias[3]).all()
    assert not rows or (np.abs(found - (factors @ matrix + bias)) > 1e-4).any(), "these are bytes"


def _written(matrix: PackedLinear, rows: np.ndarray) -> np.ndarray:
    out = np.full((len(rows), len(matrix._given)), np.nan, dtype=np.float32)
    matrix.write(rows, out)
    return out


def test_strings_of_real_pages_are_encoded_alike(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    pages = [page_input(describe(page.html, page.url), CONFIG) for page in islice(quality.read_sample(), 4)]
    strings = [string for page in pages for string in page.text]
    strings += [(), ("a",), *((word,) * length for length, word in enumerate(WORDS))]
    found = encoded(strings, word_vectors)
    leave_out(monkeypatch)
    np.testing.assert_allclose(found, encoded(strings, word_vectors), atol=1e-4)


def test_strings_without_words_are_encoded_alike(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    found = encoded([(), ()], word_vectors)
    leave_out(monkeypatch)
    assert np.array_equal(found, encoded([(), ()], word_vectors))


def encoded(strings: Sequence[WordString], word_vectors: WordVectors) -> np.ndarray:
    encoder = StringEncoder(weights_of_network(), 2, CONFIG, word_vectors)
    out = np.full((len(strings), encoder.size), np.nan, dtype=np.float32)
    encoder.encode(strings, out)
    return out


def weights_of_network() -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)

    def some(*shape: int) -> np.ndarray:
        return random.normal(size=shape, scale=0.3).astype(np.float32)

    hidden, features = CONFIG.hidden, len(FEATURES)
    weights: dict[str, np.ndarray] = {"mean": some(features), "deviation": np.exp(some(features))}
    for kind in range(3):
        for layer, (width, filters) in enumerate(zip(CONFIG.widths, CONFIG.filters, strict=True)):
            name = f"encoders.{kind}.convolutions.{layer}"
            weights |= {f"{name}.weight": some(filters, CONFIG.dim, width), f"{name}.bias": some(filters)}
    inputs = 3 * COLUMNS + features
    for direction in ("onward", "backward_"):
        shapes = (("weight_hh", (hidden,)), ("weight_ih", (inputs,)), ("bias_ih", ()), ("bias_hh", ()))
        weights |= {f"lstm.{direction}.{part}_l0": some(4 * hidden, *shape) for part, shape in shapes}
    size = CONFIG.page_vector
    weights |= {"summary.vector.weight": some(size, 2 * inputs), "summary.vector.bias": some(size)}
    return weights | {"emission.weight": some(2, 2 * hidden + size), "emission.bias": some(2)}


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("lengths", [[1], [5, 3], [40, 7, 7, 2, 1, 1, 1, 9], [1] * 100])
def test_pages_are_read_alike(
    monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors, lengths: list[int], numbers: bool
) -> None:
    pages, weights = list(map(page_of, lengths)), weights_of_network()
    config = CONFIG
    if not numbers:
        inputs = 3 * COLUMNS
        config = NetworkConfig(**(config.to_dict() | {"numbers": False, "page_vector": 0}))
        for direction in ("onward", "backward_"):
            name = f"lstm.{direction}.weight_ih_l0"
            weights[name] = np.ascontiguousarray(weights[name][:, :inputs])
        weights["emission.weight"] = weights["emission.weight"][:, : 2 * CONFIG.hidden]
    compiled = CpuNetwork(weights, config, word_vectors)
    assert compiled._compiled is not None
    found = [compiled.run(pages), compiled.run(pages)]
    leave_out(monkeypatch)
    expected = CpuNetwork(weights, config, word_vectors).run(pages)
    for run in found:
        np.testing.assert_allclose(np.concatenate(run), np.concatenate(expected), atol=1e-4)


def page_of(blocks: int) -> PageInput:
    def string() -> WordString:
        return tuple(RANDOM.choice(WORDS, RANDOM.integers(0, CONFIG.words + 1)).tolist())

    tags, names, text = ([string() for _ in range(blocks)] for _ in range(3))
    return PageInput(tags, names, text, normal(blocks, len(FEATURES)))


def test_large_gates_squash_to_the_ends(monkeypatch: pytest.MonkeyPatch, word_vectors: WordVectors) -> None:
    pages, weights = [page_of(30)], weights_of_network()
    weights["lstm.onward.bias_ih_l0"] *= 300
    weights["lstm.backward_.bias_ih_l0"] *= 300
    found = CpuNetwork(weights, CONFIG, word_vectors).run(pages)[0]
    leave_out(monkeypatch)
    np.testing.assert_allclose(found, CpuNetwork(weights, CONFIG, word_vectors).run(pages)[0], atol=1e-4)


def test_chains_are_summed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = {"crf.transitions": normal(2, 2), "crf.start": normal(2), "crf.end": normal(2)}
    odds, ends = 5 * RANDOM.normal(size=60), np.array([1, 20, 60])
    odds[[3, 40]] = 1e5, -1e5
    found = TwoLabelChain(weights)
    sums, best = found.marginals(odds, ends), found.viterbi(odds, ends)
    leave_out(monkeypatch)
    np.testing.assert_allclose(sums, TwoLabelChain(weights).marginals(odds, ends), rtol=1e-12)
    assert np.array_equal(best, TwoLabelChain(weights).viterbi(odds, ends))


def test_equal_words_are_one_word_whatever_object_they_are() -> None:
    words = ["".join(("no", "thing", str(number % 7))) for number in range(3000)]  # an object of its own each
    found = np.empty(len(words), dtype=np.int32)
    known = {"nothing3": 1}
    assert strings.numbers_of(known, [tuple(words[:10]), (), tuple(words[10:])], found) == [
        f"nothing{number}" for number in (0, 1, 2, 4, 5, 6)
    ]
    assert found.tolist() == [known[word] for word in words]
    assert sorted(known.values()) == [*range(1, 8)]


def test_strings_are_numbered_on() -> None:
    page = [(str(number % 50), "word") for number in range(2000)]
    known = {("7", "word"): 0}
    rows = np.empty(2 * len(page), dtype=np.int64)
    assert strings.rows_of(known, [page, page[::-1]], 5, rows) == [*dict.fromkeys(page[:7] + page[8:50])]
    assert rows.tolist() == [known[string] for string in page + page[::-1]]
    assert sorted(known.values()) == [0, *range(5, 54)]
    assert strings.rows_of(known, [page[:3]], 99, rows) == []


def test_places_of_words() -> None:
    places = np.empty(3, dtype=np.int64)
    strings.places_of({"a": 4, "b": 0}, ["b", "c", "a"], places)
    assert places.tolist() == [0, -1, 4]
