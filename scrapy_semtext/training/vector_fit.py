"""Train word vectors with fastText on the words of pages, and export them for the bundle."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from scrapy_semtext.inference.vectors import WordVectors
from scrapy_semtext.training.errors import UserError

#: fastText 0.9.3 initializes its weights in tenths, one thread each, and the remainder in another. With fewer threads,
#: most of the weights are uninitialized memory.
MIN_THREADS = 11


def train_vectors(
    lines: Iterable[Sequence[str]],
    dim: int = 64,
    bucket: int = 100_000,
    min_count: int = 5,
    epochs: int = 5,
    lr: float = 0.05,
    threads: int = MIN_THREADS,
    seed: int = 0,
    progress: bool = False,
) -> Any:
    """Train fastText's skip-gram model on lines of words and return it, for `export`.

    A line is a context: words of different lines are never combined. The lines are written to a temporary file once.
    There are always at least MIN_THREADS threads, on any number of cores. The seed gives the same start, but the
    vectors still differ somewhat between runs, because in fastText's design threads update the weights without locks.
    ``progress`` lets fastText write its bar to stderr.

    Raises UserError if fasttext is not installed, if no word occurs ``min_count`` times, or if the training diverges to
    NaN, which fastText is prone to on small corpora, with a high learning rate and wide vectors.
    """
    sizes = {"dim": dim, "bucket": bucket, "minn": 3, "maxn": 6, "minCount": min_count}
    running = {
        "epoch": epochs,
        "lr": lr,
        "thread": max(threads, MIN_THREADS),
        "seed": seed,
        "verbose": 2 if progress else 0,
    }
    _import_fasttext()
    with tempfile.TemporaryDirectory(prefix="semtext-") as folder:
        file = Path(folder) / "words.txt"
        _write_lines(lines, file)
        try:
            trained = _train({"input": str(file), **sizes, **running})
        except (ValueError, RuntimeError) as error:
            raise UserError(_training_hint(str(error), lr, min_count)) from error
    if not np.isfinite(trained.get_input_matrix()).all():
        raise UserError(_training_hint("NaN", lr, min_count))
    return trained


def export(model: Any, max_words: int | None = None, training: dict[str, Any] | None = None) -> WordVectors:
    """Convert a fastText model to WordVectors, of its ``max_words`` most frequent words if given.

    The vectors of other words are those of their n-grams, as for unseen words. Size estimate: (words + bucket) * (dim +
    4) bytes, plus the words themselves.
    """
    words = model.get_words()
    arguments = model.f.getArgs()
    ngram_matrix = model.get_input_matrix()[len(words) :]
    kept = words[:max_words]
    word_matrix = np.zeros((len(kept), model.get_dimension()), dtype=np.float32)
    for row, word in enumerate(kept):
        word_matrix[row] = model.get_word_vector(word)
    return WordVectors.of(kept, word_matrix, ngram_matrix, arguments.minn, arguments.maxn, training)


def _train(settings: dict[str, Any]) -> Any:
    """Do the same as fasttext.train_unsupervised(), which does not accept a seed in 0.9.3."""
    fasttext = _import_fasttext()
    arguments = fasttext._build_args({**fasttext.unsupervised_default, **settings}, set())
    trained = fasttext._FastText(args=arguments)
    fasttext.fasttext.train(trained.f, arguments)
    trained.set_args(trained.f.getArgs())
    return trained


def _import_fasttext() -> Any:
    try:
        return import_module("fasttext.FastText")
    except ImportError as error:
        message = 'Training vectors needs the fasttext package: pip install "scrapy-semtext[train]"'
        raise UserError(message) from error


def _write_lines(lines: Iterable[Sequence[str]], file: Path) -> None:
    """Write each line of words on one line. Lone surrogates, which UTF-8 cannot encode, become question marks."""
    with file.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.writelines(" ".join(line) + "\n" for line in lines if line)


def _training_hint(problem: str, lr: float, min_count: int) -> str:
    if "NaN" in problem:
        return (
            f"fastText's training diverged to NaN at learning rate {lr:g}, as it does on small corpora. "
            f"Use a lower one (such as {lr / 4:g}), fewer epochs, or more text."
        )
    if "vocabulary" in problem:
        return f"No word occurs {min_count} times in these lines. Lower min_count, or give more text."
    return f"fastText could not train: {problem}"
