"""Texts are read alike by what is compiled and by the Python that it stands in for."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate import quality
from hypothesis import given
from hypothesis import strategies as st

from scrapy_semtext import features, wording
from scrapy_semtext.compiled import texts as compiled
from scrapy_semtext.describe import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

pytestmark = pytest.mark.skipif(compiled is None, reason="nothing is compiled here")

LATIN = bytes(range(256)).decode("cp1252", "ignore")
ODD = (
    "",
    " ",
    "a",
    "It's 5 o'clock in O'Brien's, l’homme n'est-ce pas? ''quoted'' 'n' rock'n'roll",
    "".join(map(chr, range(256))),
    " ".join(f"Äb{sign}Öc" for sign in LATIN),
    "Œuvre Ÿ ƒ š … “ßẞ” — µ² ªº ½ 12,345.67 mp3",
    "İstanbul ΣΟΦΟΣ Σ ΑΣ Łódź п'ять \u00ad soft\u00adhyphen",
    "日本語の文 with English、二〇。 ٣ и 𝟕! \U0010ffff \ud800x \U0001d54f",
    "hidden\u2028lines\u0085and\x1cseparators\x00\x01\x7f",
    "A" * 255 + " " + "b" * 256 + " " + "C" * 257 + " " + "x" * 63 + " " + "y" * 64 + " " + "The" * 500,
    "\t".join(["Words, no space: "[:-1]] * 300),
    "one two three, Four. " * 400,
    "plain words " * 80 + "日本 " + "the end " * 200,
)


def python(monkeypatch: pytest.MonkeyPatch, function: Callable[[], object]) -> object:
    with monkeypatch.context() as patched:
        for module in (features, wording):
            patched.setattr(module, "compiled", None)
        return function()


def check(monkeypatch: pytest.MonkeyPatch, texts: Sequence[str], lang: str | None = None) -> None:
    stop, told = wording.stop_words(lang), frozenset("with english four words größe naïve œuvre the".split())
    some = [text for text in texts if text]
    for function in (
        lambda: [wording.text_words(text, stop, limit) for text in texts for limit in (1, 3, 50, None)],
        lambda: features._counts(some or ["."], stop, told).tolist(),
    ):
        assert function() == python(monkeypatch, function)


def test_odd_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch, ODD)
    check(monkeypatch, [text[at : at + 90] for text in ODD for at in range(0, len(text), 7)], "de")


def test_texts_of_real_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for page in islice(quality.read_sample(), 8):
        read = describe(page.html, page.url)
        check(monkeypatch, [block.text for block in read.text_blocks], read.lang)


@given(st.lists(st.text(st.sampled_from("aEz İIßΣς'’ʼ-_.09\t\n\u00ad\u00a0\u2028éÉŸœ²日🙂\u0301\ud800"), max_size=40)))
def test_any_text(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        check(monkeypatch, texts)


def test_wrong_values_are_refused() -> None:
    with pytest.raises(TypeError):
        compiled.known_words(None, wording._LOW_TABLE, {}, 5)
    with pytest.raises(TypeError):
        compiled.known_words("word", wording._LOW_TABLE, {"word": ["no tuple"]}, 5)
    with pytest.raises(KeyError):
        compiled.known_words("word", wording._LOW_TABLE, {}, 5)
    kinds, none, sieve = np.zeros(9, np.uint8), frozenset[str](), compiled.sieve_of(())
    with pytest.raises(TypeError):
        compiled.counts([None], 10, kinds, none, none, sieve, np.zeros((1, 7), np.int64))
    with pytest.raises(ValueError, match="sieve"):
        compiled.counts(["word"], 10, kinds, none, none, b"", np.zeros((1, 7), np.int64))
