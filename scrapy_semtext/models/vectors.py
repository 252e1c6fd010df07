"""Word vectors with subword information, read without fastText.

A folder of vectors has two files. ``vectors.json`` describes them, ``vectors.safetensors`` holds:

=================  =======  ====================  ==================================================================
tensor             type     shape                 content
=================  =======  ====================  ==================================================================
``words``          uint8    [bytes]               the vocabulary in UTF-8, joined by newlines
``word_rows``      int8     [words, dim]          each word's final vector (fastText's mean of word and n-gram rows)
``word_scales``    float32  [words]               its step
``ngram_rows``     int8     [bucket, dim]         the rows that n-grams hash to (`subword_buckets_of`)
``ngram_scales``   float32  [bucket]              their steps
=================  =======  ====================  ==================================================================

A row times its step is the vector. The step is the row's largest magnitude / 127, so that no number is off by more than
half a step; the mean over n-grams is off by no more than half the mean of their steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.models.storage import ModelFiles
from scrapy_semtext.utils.arrays import Ints, Singles

# Bojanowski et al., "Enriching Word Vectors with Subword Information" (2017), 3.2: n-grams are hashed as UTF-8 bytes by
# 32-bit FNV-1a. As in the fastText program, each byte is sign-extended first, so bytes from 128 on give other hashes.
_OFFSET = 2166136261
_PRIME = 16777619

_FILES = ModelFiles("vectors", "word vectors", 1, "semtext dev train")

#: The maximum number of characters that are read of a word outside the vocabulary.
MAX_CHARACTERS = 1000

_INT8_STEPS = 127
_END_OF_SENTENCE = "</s>"


def subword_buckets_of(words: Sequence[str], minn: int, maxn: int, bucket: int) -> tuple[Ints, Ints]:
    """Return the buckets (0 to ``bucket`` - 1) of the words' n-grams, (n-grams,), and how many each word has, (words,).

    An n-gram has ``minn`` to ``maxn`` characters. The n-grams of a word are in fastText's order, by first character,
    then by length, with repetitions. The brackets around the word are characters of it, but not n-grams on their own. A
    word too short for any n-gram has none, and no word has any if ``maxn`` or ``bucket`` is 0.
    """
    if bucket <= 0 or maxn <= 0 or not words:
        return np.zeros(0, dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    text = np.frombuffer("".join(f"<{word}>" for word in words).encode("utf-8", "surrogatepass"), dtype=np.int8)
    begins = np.flatnonzero(text >= -64)  # starts of characters: bytes from 0x80 to 0xBF continue one
    sizes = np.diff(begins, append=len(text))
    lengths = np.array([len(word) + 2 for word in words])
    word = np.repeat(np.arange(len(words)), lengths)
    end = np.cumsum(lengths)[word]
    character = np.arange(len(begins))
    inner = (character > end - lengths[word]) & (character < end - 1)
    hashes = np.full(len(begins), _OFFSET, dtype=np.uint32)
    found = np.empty((len(begins), maxn), dtype=np.uint32)
    wanted = np.zeros((len(begins), maxn), dtype=np.bool_)
    for length in range(1, maxn + 1):
        last = character + length - 1
        hashes = _extended(hashes, text, begins, sizes, np.minimum(last, len(begins) - 1))
        found[:, length - 1] = hashes
        if length >= minn:
            wanted[:, length - 1] = (last < end) & (inner if length == 1 else True)
    buckets = found[wanted].astype(np.int64) % bucket
    return buckets, np.bincount(word, weights=wanted.sum(1), minlength=len(words)).astype(np.int64)


def _extended(
    hashes: NDArray[np.uint32],
    text: NDArray[np.int8],
    begins: NDArray[np.intp],
    sizes: NDArray[np.intp],
    characters: NDArray[np.intp],
) -> NDArray[np.uint32]:
    """Extend each hash by a character of one or more bytes."""
    for index in range(int(sizes.max())):
        byte = text[np.minimum(begins[characters] + index, len(text) - 1)].astype(np.int32).view(np.uint32)
        longer = (hashes ^ byte) * np.uint32(_PRIME)
        hashes = longer if index == 0 else np.where(index < sizes[characters], longer, hashes)
    return hashes


class Vectors(Protocol):
    """The interface of word vectors."""

    @property
    def dim(self) -> int:
        """The dimension of a vector."""

    def matrix(self, words: Sequence[str]) -> Singles:
        """Return the vectors of the words, float32 [words, dim]; any word has one."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A matrix in int8: ``values`` [rows, dim] times ``scales`` float32 [rows]."""

    values: NDArray[np.int8]
    scales: Singles

    @classmethod
    def of(cls, matrix: NDArray[np.floating[Any]]) -> Rows:
        """Quantize a matrix [rows, dim]; the error of a number is at most half its row's scale. Raises ValueError."""
        matrix = np.asarray(matrix, dtype=np.float32)
        if not np.isfinite(matrix).all():
            raise ValueError("The vectors hold NaN or infinity. Train them again with a lower learning rate.")
        scales = (np.abs(matrix).max(axis=1, initial=0) / _INT8_STEPS).astype(np.float32)
        steps = np.where(scales > 0, scales, 1).astype(np.float32)
        values = np.clip(np.rint(matrix / steps[:, None]), -_INT8_STEPS, _INT8_STEPS).astype(np.int8)
        return cls(values, scales)

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> Singles:
        """Return these rows as float32 [len(rows), dim]."""
        index = np.asarray(rows, dtype=np.intp)
        taken: Singles = self.values[index] * self.scales[index, None]
        return taken


class WordVectors:
    """Vectors of a vocabulary, and of any other word from its n-grams.

    ``words`` is the vocabulary, most frequent first; ``index`` maps a word to its position. ``training`` describes the
    origin of the vectors. Two objects with the same ``fingerprint`` give the same vectors. Thread-safe.
    """

    def __init__(
        self,
        words: Sequence[str],
        word_rows: Rows,
        ngram_rows: Rows,
        minn: int,
        maxn: int,
        training: Mapping[str, Any] | None = None,
    ) -> None:
        self.words = list(words)
        self.index = {word: row for row, word in enumerate(self.words)}
        self.minn = minn
        self.maxn = maxn
        self.training = dict(training or {})
        self._word_rows = word_rows
        self._ngram_rows = ngram_rows
        self._check()
        self.fingerprint = self._digest()

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        word_matrix: NDArray[np.floating[Any]],
        ngram_matrix: NDArray[np.floating[Any]],
        minn: int,
        maxn: int,
        training: Mapping[str, Any] | None = None,
    ) -> WordVectors:
        """Build vectors from the words' final vectors [words, dim] and the n-gram rows [bucket, dim], quantizing both.

        Raises ValueError if they do not fit each other or are not finite.
        """
        return cls(words, Rows.of(word_matrix), Rows.of(ngram_matrix), minn, maxn, training)

    @classmethod
    def load(cls, folder: Path) -> WordVectors:
        """Read vectors from a folder. Raises BundleError."""
        return _FILES.load(folder, cls._of_files)

    @classmethod
    def _of_files(cls, about: dict[str, Any], tensors: dict[str, Any]) -> WordVectors:
        vectors = cls(
            _split_words(tensors["words"]),
            Rows(tensors["word_rows"], tensors["word_scales"]),
            Rows(tensors["ngram_rows"], tensors["ngram_scales"]),
            int(about["minn"]),
            int(about["maxn"]),
            about["training"],
        )
        if vectors.fingerprint != about.get("fingerprint"):
            raise ValueError("it does not describe the vectors next to it: one was changed")
        return vectors

    def save(self, folder: Path) -> None:
        """Write the two files into the folder, which is created if necessary."""
        tensors: dict[str, NDArray[Any]] = {
            "words": _join_words(self.words),
            "word_rows": self._word_rows.values,
            "word_scales": self._word_rows.scales,
            "ngram_rows": self._ngram_rows.values,
            "ngram_scales": self._ngram_rows.scales,
        }
        numbers = {
            "dim": self.dim,
            "words": len(self.words),
            "bucket": self.bucket,
            "minn": self.minn,
            "maxn": self.maxn,
        }
        _FILES.save(folder, tensors, {**numbers, "fingerprint": self.fingerprint, "training": self.training})

    @property
    def dim(self) -> int:
        """The dimension of a vector."""
        return int(self._ngram_rows.values.shape[1])

    @property
    def bucket(self) -> int:
        """The number of n-gram rows."""
        return len(self._ngram_rows.values)

    def matrix(self, words: Sequence[str]) -> Singles:
        """Return the vectors of the words, float32 [words, dim].

        A word has the vocabulary's vector, or else the mean over its n-grams, or else zero. Only the first
        MAX_CHARACTERS of a word outside the vocabulary are read.
        """
        rows = np.array([self.index.get(word, -1) for word in words], dtype=np.intp)
        matrix = np.zeros((len(words), self.dim), dtype=np.float32)
        matrix[rows >= 0] = self._word_rows.take(rows[rows >= 0])
        if unseen := np.flatnonzero(rows < 0).tolist():
            matrix[unseen] = self._means([words[index][:MAX_CHARACTERS] for index in unseen])
            # fastText treats its end-of-sentence mark as a whole, never by its n-grams.
            matrix[[index for index in unseen if words[index] == _END_OF_SENTENCE]] = 0
        return matrix

    def _means(self, words: Sequence[str]) -> Singles:
        """Return the means over the n-grams of many words, float32 [words, dim]."""
        buckets, counts = subword_buckets_of(words, self.minn, self.maxn, self.bucket)
        means = np.zeros((len(words), self.dim), dtype=np.float32)
        some = counts > 0
        if some.any():
            sums = np.add.reduceat(self._ngram_rows.take(buckets), (np.cumsum(counts) - counts)[some], axis=0)
            means[some] = sums / counts[some, None].astype(np.float32)
        return means

    def _check(self) -> None:
        """Raise ValueError if the parts do not fit each other."""
        for name, rows in (("word", self._word_rows), ("n-gram", self._ngram_rows)):
            _check_rows(name, rows.values, rows.scales)
        if self._word_rows.values.shape != (len(self.words), self.dim):
            shape = self._word_rows.values.shape
            raise ValueError(f"{len(self.words)} words of {self.dim} numbers have vectors of shape {shape}.")
        if len(self.index) != len(self.words):
            raise ValueError("A word is there twice.")
        if any(not word or "\n" in word for word in self.words):
            raise ValueError("A word is empty or holds a newline.")
        if self.minn < 0 or self.maxn < 0:
            raise ValueError(f"No n-gram has {self.minn} to {self.maxn} characters.")

    def _digest(self) -> str:
        digest = hashlib.sha256(f"{_FILES.format} {_FILES.version} {self.dim} {self.minn} {self.maxn}".encode())
        digest.update(_join_words(self.words).data)
        for rows in (self._word_rows, self._ngram_rows):
            digest.update(np.ascontiguousarray(rows.values).data)
            digest.update(np.ascontiguousarray(rows.scales).data)
        return digest.hexdigest()


def _check_rows(name: str, values: NDArray[Any], scales: NDArray[Any]) -> None:
    """Raise ValueError unless rows and their scales fit each other."""
    if values.dtype != np.int8 or scales.dtype != np.float32 or values.ndim != 2 or not values.shape[1]:
        raise ValueError(f"The {name} rows must be int8 [rows, dim] with float32 scales.")
    if scales.shape != values.shape[:1]:
        raise ValueError(f"There are {len(values)} {name} rows and scales of shape {scales.shape}.")
    if not np.isfinite(scales).all() or (scales < 0).any():
        raise ValueError(f"A scale of the {name} rows is negative or not finite.")


def _join_words(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8)


def _split_words(blob: NDArray[np.uint8]) -> list[str]:
    if blob.dtype != np.uint8 or blob.ndim != 1:
        raise ValueError("The words must be uint8 [bytes].")
    return blob.tobytes().decode("utf-8").split("\n") if blob.size else []
