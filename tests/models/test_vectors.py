"""Word vectors compared with fastText's own, on a model trained here."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.models.vectors import MAX_CHARACTERS, WordVectors, subword_buckets_of
from scrapy_semtext.train.network import export, train_vectors
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
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
    """Vectors without a checksum, as written by earlier versions: problems of a file are found by other checks."""
    vectors.save(tmp_path / "vectors")
    file = tmp_path / "vectors" / "vectors.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "sha256": None}))
    return tmp_path / "vectors"


def vector(vectors: WordVectors, word: str) -> NDArray[np.float32]:
    found: NDArray[np.float32] = vectors.matrix([word])[0]
    return found


def rounding(vectors: WordVectors, word: str) -> float:
    """Return the greatest quantization error of a number in the word's vector."""
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


def test_words_left_out_of_the_export_are_read_by_their_ngrams(model: Any) -> None:
    full, cut = export(model), export(model, max_words=5)
    assert cut.words == full.words[:5]
    left_out = next(word for word in full.words[5:] if len(word) > 4)
    ngrams = model.get_subwords(left_out)[1][1:]
    expected = np.mean([model.get_input_vector(int(row)) for row in ngrams], axis=0)
    assert np.abs(vector(cut, left_out) - expected).max() <= rounding(cut, left_out) + FLOAT_SUMS


# The interface


def test_endless_words_are_cut(vectors: WordVectors) -> None:
    endless = "ab" * 5_000_000
    assert vector(vectors, endless).tolist() == vector(vectors, endless[:MAX_CHARACTERS]).tolist()
    assert vectors.matrix([endless])[0].tolist() == vector(vectors, endless).tolist()


# Files


def test_saved_vectors_load_as_they_were(vectors: WordVectors, folder: Path) -> None:
    loaded = WordVectors.load(folder)
    assert loaded.words == vectors.words
    assert (loaded.dim, loaded.bucket, loaded.minn, loaded.maxn) == (12, 3000, 3, 6)
    assert loaded.training == {"seed": 3}
    assert loaded.fingerprint == vectors.fingerprint
    words = [*vectors.words, *UNSEEN.values()]
    assert loaded.matrix(words).tolist() == vectors.matrix(words).tolist()


def test_a_missing_folder_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"word vectors in .*nowhere cannot be read.*vectors\.json.*Install"):
        WordVectors.load(tmp_path / "nowhere")


@pytest.mark.parametrize("words", [["a", "a"], ["a", ""], ["a", "b\nc"], ["a"]])
def test_words_that_cannot_be_stored_are_refused(words: list[str]) -> None:
    with pytest.raises(ValueError, match="word"):
        WordVectors.of(words, np.ones((2, 4)), np.ones((10, 4)), minn=3, maxn=6)


# Training


def test_without_fasttext_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fasttext.FastText", None)
    with pytest.raises(UserError, match=r"pip install 'scrapy-semtext\[train\]'"):
        train_vectors([["word"]])
