"""Word vectors against fastText's own, on a model trained here."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import safetensors.numpy

from scrapy_semtext.inference.storage import BundleError
from scrapy_semtext.inference.vectors import MAX_CHARACTERS, Rows, WordVectors, subword_buckets_of
from scrapy_semtext.training.errors import UserError
from scrapy_semtext.training.vector_fit import MIN_THREADS, export, train_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

TEXT = (
    "subscribe to our newsletter and follow us privacy policy terms of use all rights reserved the council said on "
    "monday that the bridge will stay closed until the repairs are done alle artikel kommentare größe übersicht "
    "новости сегодня комментарии читать далее 新 闻 评 论 中 国 الأخبار اليوم 🎉 { } - 2024"
).split()
UNSEEN = {
    "latin": "newsletters",
    "umlauts": "größenübersicht",
    "cyrillic": "комментарий",
    "greek": "άνθρωπος",
    "chinese": "中国新闻",
    "arabic": "العربية",
    "emoji": "🎉🎉",
    "one character": "q",
    "class name": "td-post_content2",
    "several words": "privacy policy",
    "long": "kommentar" * 60,
}
#: What the sums of fastText and numpy may differ by, both being of float32 and numbers below 10.
FLOAT_SUMS = 1e-5


def random_lines(count: int) -> list[list[str]]:
    return [[str(word) for word in line] for line in np.random.default_rng(5).choice(TEXT, size=(count, 20))]


@pytest.fixture(scope="session")
def model() -> Any:
    """A fastText model of 400 random lines."""
    pytest.importorskip("fasttext")
    return train_vectors(random_lines(400), dim=12, bucket=3000, min_count=1, epochs=2, seed=3)


@pytest.fixture(scope="session")
def vectors(model: Any) -> WordVectors:
    return export(model, training={"seed": 3})


@pytest.fixture
def folder(vectors: WordVectors, tmp_path: Path) -> Path:
    """Vectors without a checksum, as earlier versions wrote them: what is wrong with a file is found otherwise."""
    vectors.save(tmp_path / "vectors")
    file = tmp_path / "vectors" / "vectors.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "sha256": None}))
    return tmp_path / "vectors"


def vector(vectors: WordVectors, word: str) -> NDArray[np.float32]:
    found: NDArray[np.float32] = vectors.matrix([word])[0]
    return found


def rounding(vectors: WordVectors, word: str) -> float:
    """The greatest quantization error of a number of the word's vector."""
    if word in vectors.index:
        return float(vectors._word_rows.scales[vectors.index[word]]) / 2
    buckets, _ = subword_buckets_of([word], vectors.minn, vectors.maxn, vectors.bucket)
    return float(vectors._ngram_rows.scales[buckets].mean()) / 2


# The same vectors as fastText's


def test_vocabulary_words_have_fasttexts_vectors_within_rounding(vectors: WordVectors, model: Any) -> None:
    assert vectors.words == model.get_words()
    assert set(TEXT) <= set(vectors.index)
    for word in vectors.words:
        error = np.abs(vector(vectors, word) - model.get_word_vector(word)).max()
        assert error <= rounding(vectors, word) + FLOAT_SUMS, word


@pytest.mark.parametrize("word", UNSEEN.values(), ids=UNSEEN.keys())
def test_unseen_words_have_fasttexts_vectors_within_rounding(word: str, vectors: WordVectors, model: Any) -> None:
    assert word not in vectors.index
    expected = model.get_word_vector(word)
    assert np.abs(expected).max() > 0
    assert np.abs(vector(vectors, word) - expected).max() <= rounding(vectors, word) + FLOAT_SUMS


def test_rounding_is_a_tight_bound(vectors: WordVectors) -> None:
    """Else the two tests above would show nothing: it is under half a hundredth of a vector's largest number."""
    for word in TEXT:
        assert 0 < rounding(vectors, word) <= np.abs(vector(vectors, word)).max() / 253


def test_without_rounding_the_mean_over_ngrams_is_fasttexts(model: Any) -> None:
    """Whole numbers up to 127 survive int8, so that nothing but the n-grams and their mean is compared."""
    words = model.get_words()
    rows = np.random.default_rng(1).integers(-126, 127, size=model.get_input_matrix().shape).astype(np.float32)
    rows[:, 0] = 127
    shown = _copy(model)
    shown.set_matrices(rows, model.get_output_matrix())
    vectors = WordVectors.of(words, rows[: len(words)], rows[len(words) :], minn=3, maxn=6)
    for word in UNSEEN.values():
        np.testing.assert_allclose(vector(vectors, word), shown.get_word_vector(word), rtol=1e-6, atol=1e-5)


def _copy(model: Any) -> Any:
    """A model with the same words, whose weights may be set."""
    words = [word for word in model.get_words() if word != "</s>"]
    return train_vectors([words], dim=12, bucket=3000, min_count=1, epochs=0)


@pytest.mark.parametrize("word", ["", "</s>"], ids=["empty", "end of sentence"])
def test_words_without_ngrams_are_zero_when_unseen(word: str) -> None:
    vectors = WordVectors.of(["word"], np.ones((1, 4)), np.ones((10, 4)), minn=3, maxn=6)
    assert vector(vectors, word).tolist() == [0, 0, 0, 0]


def test_words_left_out_of_the_export_are_read_by_their_ngrams(model: Any) -> None:
    full, cut = export(model), export(model, max_words=5)
    assert cut.words == full.words[:5]
    left_out = next(word for word in full.words[5:] if len(word) > 4)
    ngrams = model.get_subwords(left_out)[1][1:]
    expected = np.mean([model.get_input_vector(int(row)) for row in ngrams], axis=0)
    assert np.abs(vector(cut, left_out) - expected).max() <= rounding(cut, left_out) + FLOAT_SUMS


# The interface


def test_matrix_is_the_vectors_of_the_words_in_order(vectors: WordVectors) -> None:
    words = ["policy", "newsletters", "", "größe", "policy", "комментарий"]
    matrix = vectors.matrix(words)
    assert matrix.dtype == np.float32
    assert matrix.shape == (6, 12)
    for row, word in zip(matrix, words, strict=True):
        assert row.tolist() == vector(vectors, word).tolist()
    assert vectors.matrix(["policy", "terms"]).shape == (2, 12)
    assert vectors.matrix([]).shape == (0, 12)


def test_a_vector_given_out_may_be_changed(vectors: WordVectors) -> None:
    for word in ("policy", "newsletters"):
        before = vector(vectors, word).copy()
        vector(vectors, word)[:] = 0
        vectors.matrix([word])[:] = 0
        assert vector(vectors, word).tolist() == before.tolist()


def test_endless_words_are_cut(vectors: WordVectors) -> None:
    endless = "ab" * 5_000_000
    assert vector(vectors, endless).tolist() == vector(vectors, endless[:MAX_CHARACTERS]).tolist()
    assert vectors.matrix([endless])[0].tolist() == vector(vectors, endless).tolist()


def test_half_a_surrogate_pair_has_a_vector(vectors: WordVectors) -> None:
    assert np.isfinite(vector(vectors, "page\ud83d")).all()


def test_rows_round_to_half_a_step() -> None:
    matrix = np.random.default_rng(2).normal(size=(50, 8)) * np.geomspace(1e-6, 1e6, 50)[:, None]
    matrix[3] = 0
    rows = Rows.of(matrix)
    assert rows.values.dtype == np.int8
    assert rows.take([3]).tolist() == [[0] * 8]
    errors = np.abs(rows.take(np.arange(50)) - matrix).max(axis=1)
    assert (errors <= rows.scales * (0.5 + 1e-4)).all()


# Files


def test_saved_vectors_load_as_they_were(vectors: WordVectors, folder: Path) -> None:
    loaded = WordVectors.load(folder)
    assert loaded.words == vectors.words
    assert (loaded.dim, loaded.bucket, loaded.minn, loaded.maxn) == (12, 3000, 3, 6)
    assert loaded.training == {"seed": 3}
    assert loaded.fingerprint == vectors.fingerprint
    words = [*vectors.words, *UNSEEN.values()]
    assert loaded.matrix(words).tolist() == vectors.matrix(words).tolist()


def test_size_is_a_byte_a_number(vectors: WordVectors, folder: Path) -> None:
    rows = len(vectors.words) + vectors.bucket
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert size < rows * (12 + 4) + sum(len(word.encode()) + 1 for word in vectors.words) + 2000


def test_other_vectors_have_another_fingerprint(model: Any, vectors: WordVectors) -> None:
    assert export(model).fingerprint == vectors.fingerprint
    assert export(model, max_words=20).fingerprint != vectors.fingerprint
    other = WordVectors(vectors.words, vectors._word_rows, vectors._ngram_rows, minn=3, maxn=5)
    assert other.fingerprint != vectors.fingerprint


def test_a_vocabulary_may_be_empty(tmp_path: Path) -> None:
    WordVectors.of([], np.zeros((0, 4)), np.ones((10, 4)), minn=3, maxn=6).save(tmp_path)
    loaded = WordVectors.load(tmp_path)
    assert loaded.words == []
    assert vector(loaded, "word") == pytest.approx([1, 1, 1, 1])


def _cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def _change_tensor(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def apply(file: Path) -> None:
        tensors = safetensors.numpy.load_file(file)
        tensors[name] = np.ascontiguousarray(change(tensors[name]))
        safetensors.numpy.save_file(tensors, file)

    return apply


def _drop_tensor(file: Path) -> None:
    tensors = safetensors.numpy.load_file(file)
    del tensors["word_scales"]
    safetensors.numpy.save_file(tensors, file)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.unlink(), "cannot be read"),
        (lambda file: file.write_bytes(b""), "vectors.json is broken"),
        (lambda file: file.write_bytes(b"<html>not found</html>"), "vectors.json is broken"),
        (_cut_short, "vectors.json is broken"),
        (_flip_a_bit, "one was changed"),
        (_drop_tensor, "'word_scales'"),
        (_change_tensor("words", lambda words: words[:-30]), "is broken"),
        (_change_tensor("words", lambda words: words | 0x80), "is broken"),
        (_change_tensor("words", lambda words: words.astype(np.int32)), "uint8"),
        (_change_tensor("word_rows", lambda rows: rows.astype(np.float32)), "must be int8"),
        (_change_tensor("word_rows", lambda rows: rows[:, :8]), "words of 12 numbers"),
        (_change_tensor("word_scales", lambda scales: scales[1:]), "word rows and scales"),
        (_change_tensor("ngram_scales", lambda scales: scales * np.nan), "not finite"),
        (_change_tensor("ngram_scales", lambda scales: -scales), "negative"),
    ],
)
def test_a_damaged_file_is_named_with_what_is_wrong(damage: Callable[[Path], None], said: str, folder: Path) -> None:
    file = folder / "vectors.safetensors"
    damage(file)
    with pytest.raises(BundleError) as caught:
        WordVectors.load(folder)
    message = str(caught.value)
    assert str(folder) in message
    assert said in message
    assert "Install scrapy-semtext again, or train them again with `semtext dev train`." in message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "something else"}, "does not describe scrapy-semtext word vectors of version 1"),
        ({"version": 2}, "does not describe scrapy-semtext word vectors of version 1"),
        ({"fingerprint": "0"}, "one was changed"),
        ({"minn": 2}, "one was changed"),
        ({"minn": None}, "is broken"),
        ({"maxn": -1}, "No n-gram has 3 to -1 characters"),
    ],
)
def test_a_foreign_description_is_refused(change: dict[str, Any], said: str, folder: Path) -> None:
    file = folder / "vectors.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(BundleError) as caught:
        WordVectors.load(folder)
    assert str(folder) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "cannot be read"), ("[]", "does not describe scrapy-semtext word vectors"), ("\0\udcff", "cannot be read")],
)
def test_no_description_is_refused(content: str, said: str, folder: Path) -> None:
    (folder / "vectors.json").write_text(content, errors="surrogateescape")
    with pytest.raises(BundleError, match=said):
        WordVectors.load(folder)


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"word vectors in .*nowhere cannot be read.*vectors\.json.*Install"):
        WordVectors.load(tmp_path / "nowhere")


@pytest.mark.parametrize("words", [["a", "a"], ["a", ""], ["a", "b\nc"], ["a"]])
def test_words_that_cannot_be_stored_are_refused(words: list[str]) -> None:
    with pytest.raises(ValueError, match="word"):
        WordVectors.of(words, np.ones((2, 4)), np.ones((10, 4)), minn=3, maxn=6)


# Training


@pytest.mark.slow
def test_training_is_silent_and_starts_from_the_seed(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fasttext")

    def start(seed: int) -> Any:
        lines = [TEXT, [], ["half\ud83d", "pair"]]
        return train_vectors(lines, dim=12, bucket=3000, min_count=1, epochs=0, seed=seed, threads=1).get_input_matrix()

    assert np.array_equal(start(1), start(1))
    assert not np.array_equal(start(1), start(2))
    # No row is left as the memory was: fastText means to start with numbers of up to 1 / dim.
    assert (np.abs(start(1)).max(axis=1) > 0).all()
    assert np.abs(start(1)).max() <= 1 / 12
    assert capfd.readouterr() == ("", "")


def test_without_fasttext_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fasttext.FastText", None)
    with pytest.raises(UserError, match=r'pip install "scrapy-semtext\[train\]"'):
        train_vectors([["word"]])


def test_training_uses_enough_threads(model: Any) -> None:
    assert model.f.getArgs().thread == MIN_THREADS


def test_training_on_next_to_nothing_says_so() -> None:
    pytest.importorskip("fasttext")
    for lines in ([], [["rare"]]):
        with pytest.raises(UserError, match="No word occurs 5 times in these lines"):
            train_vectors(lines)


def test_divergence_says_what_to_change() -> None:
    pytest.importorskip("fasttext")
    with pytest.raises(UserError, match=r"NaN at learning rate 1000, .* Use a lower one \(such as 250\)"):
        train_vectors(random_lines(200), bucket=1000, lr=1000)
