"""Our n-gram hashing against fastText's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext.inference.vectors import subword_buckets_of
from scrapy_semtext.training.vector_fit import train_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

BUCKET = 5000
LENGTHS = [(3, 6), (0, 4)]
WORDS = {
    "latin": "extraction",
    "umlauts": "größenmaß",
    "accents": "déjà",
    "combining accent": "e\u0301te\u0301",
    "cyrillic": "привет",
    "greek": "άνθρωπος",
    "chinese": "中文网页",
    "arabic": "العربية",
    "hebrew": "שלום",
    "hindi": "नमस्ते",
    "thai": "สวัสดี",
    "emoji": "🎉👩‍💻",
    "mixed": "naïve-сайт_01中",
    "digits": "2024",
    "one ascii character": "a",
    "one character of two bytes": "ß",
    "one character of three bytes": "中",
    "one character of four bytes": "🎉",
    "brackets of its own": "<a>",
    "repeated n-grams": "aaaaaaaa",
    "null": "a\0b",
    "long": "xyz" * 200,
    "empty": "",
}


def buckets_of(word: str, minn: int, maxn: int, bucket: int = BUCKET) -> list[int]:
    buckets, counts = subword_buckets_of([word], minn, maxn, bucket)
    assert counts.tolist() == [len(buckets)]
    return [int(each) for each in buckets]


@pytest.fixture(scope="module")
def models() -> Callable[[int, int], Any]:
    """FastText models by minn and maxn; only their hashing counts."""
    pytest.importorskip("fasttext")
    made = {
        (minn, maxn): train_vectors([["word"] * 10], dim=1, bucket=BUCKET, minn=minn, maxn=maxn, epochs=0)
        for minn, maxn in LENGTHS
    }
    return lambda minn, maxn: made[minn, maxn]


@pytest.mark.parametrize(("minn", "maxn"), LENGTHS)
@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS.keys())
def test_same_buckets_in_the_same_order_as_fasttext(
    word: str, minn: int, maxn: int, models: Callable[[int, int], Any]
) -> None:
    model = models(minn, maxn)
    rows = model.get_subwords(word)[1]
    assert buckets_of(word, minn, maxn) == [row - len(model.get_words()) for row in rows]


@pytest.mark.parametrize(("minn", "maxn", "bucket"), [(3, 6, 0), (3, 0, BUCKET), (0, 0, 0)])
def test_no_subwords_when_switched_off(minn: int, maxn: int, bucket: int) -> None:
    assert buckets_of("word", minn, maxn, bucket) == []


@pytest.mark.parametrize(("minn", "maxn"), [*LENGTHS, (3, 0)])
def test_many_words_at_once_have_the_same_buckets(minn: int, maxn: int) -> None:
    words = [*WORDS.values(), "a\ud83db", *WORDS.values()]  # a lone surrogate, which a page can hold
    buckets, counts = subword_buckets_of(words, minn, maxn, BUCKET)
    alone = [buckets_of(word, minn, maxn) for word in words]
    assert counts.tolist() == [len(found) for found in alone]
    assert buckets.tolist() == [bucket for found in alone for bucket in found]
