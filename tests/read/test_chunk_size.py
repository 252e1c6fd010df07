"""The size of chunks, in words or in tokens, and invalid values."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import pytest
from chunking import chunks_of, sentences

from scrapy_semtext import ChunkOptions, Options
from scrapy_semtext.read.chunks import count_words, sentence_starts


def by_letters(text: str) -> list[str]:
    """A tokenizer with a special token at both ends, like those of BERT."""
    return ["[CLS]", *(text[at : at + 3] for at in range(0, len(text), 3)), "[SEP]"]


@pytest.mark.parametrize(
    ("text", "words"),
    [("Two words", 2), ("", 0), ("a - b", 3), ("東京 2024年", 4), ("ไทย", 3), ("don't stop-motion", 2)],
)
def test_words(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("value", "size"),
    [(True, 200), (50, 50), ({"words": 50}, 50), ({"tokenizer": "test_chunk_size.by_letters"}, 256)],
)
def test_what_the_option_may_be(value: Any, size: int) -> None:
    options = Options(chunks=value)
    assert isinstance(options.chunks, ChunkOptions)
    assert options.chunks.size == size
    assert Options(chunks=options.chunks) == options
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize("value", [None, False])
def test_no_chunks(value: Any) -> None:
    assert Options(chunks=value).chunks is None
    assert chunks_of(f"<p>{sentences(3)}</p>", value) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("many", "chunks is 'many'; it has to be True, False, a number of words or a dict"),
        ({"size": 3}, "chunks has no key 'size'; the keys are words, tokens, tokenizer, overlap"),
        (-3, "words is -3; it has to be a whole number of at least 1"),
        ({"words": 1.5}, "words is 1.5; it has to be a whole number"),
        ({"tokens": 512}, "tokens needs a tokenizer"),
        ({"words": 5, "tokenizer": len}, "words and a tokenizer exclude each other"),
        ({"words": 50, "overlap": 26}, "overlap is 26; it has to be at most half of the size, 50"),
        ({"tokenizer": "no.such.module"}, "tokenizer is 'no.such.module', which cannot be imported: No module"),
        ({"tokenizer": "json:dump_it"}, "cannot be imported: module 'json' has no attribute 'dump_it'"),
        ({"tokenizer": 5}, "tokenizer is 5, which cannot be called"),
    ],
)
def test_what_is_refused(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        Options(chunks=value)


@pytest.mark.parametrize("tokenizer", [by_letters, "test_chunk_size.by_letters", "test_chunk_size:by_letters"])
def test_tokens_of_a_tokenizer(tokenizer: Any) -> None:
    html = f"<p>{sentences(12)}</p><p>{sentences(30, first=50)}</p>"
    chunks = chunks_of(html, {"tokens": 100, "tokenizer": tokenizer})
    assert [chunk.size for chunk in chunks] == [len(by_letters(chunk.text)) for chunk in chunks]
    assert max(chunk.size for chunk in chunks) <= 100
    assert min(chunk.size for chunk in chunks[:-1]) > 50
    assert all(chunk.text.endswith(".") for chunk in chunks)


def test_a_size_that_no_word_fits_in() -> None:
    chunks = chunks_of("<p>One two.</p>", {"tokens": 2, "tokenizer": by_letters})
    assert [(chunk.text, chunk.size, chunk.oversize) for chunk in chunks] == [("One", 3, True), ("two.", 4, True)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains. ", "It pours! ", "Does it? ", "Yes…"],
        ['He said "Go." ', "She went.[12] ", "(They did not.) ", "1984 was a year."],
        ["See Dr. Smith, J. R. Tolkien and e.g. Fig. 3 on p. 4. ", "Then go."],
        ["The file is a.b.c and v1.2.3 is out. ", "Get it."],
        ["Wait... what? ", "No."],
        ["So did I. ", "They left."],
        ["今日は雨です。", "明日は晴れ！", "「はい。」", "終わり"],
        ["Es regnet. ", "Über Nacht z.B. nicht.\n", "Gut."],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    text = "".join(sentences)
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    assert [text[begin:end] for begin, end in pairwise(starts)] == sentences


def test_only_a_part_of_a_text_is_searched() -> None:
    text = "One. Two. Three. Four."
    assert [*sentence_starts(text, 5, 16)] == [10]
