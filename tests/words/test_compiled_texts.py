"""The compiled functions for texts give the same results as their Python versions."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate import quality
from hypothesis import given
from hypothesis import strategies as st

from scrapy_semtext.features import blocks as features
from scrapy_semtext.features.table import describe
from scrapy_semtext.utils.extensions import texts as compiled
from scrapy_semtext.words import words as wording
from scrapy_semtext.words.words import FIRST_NAMES

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
        wording._readers.clear()
        return function()


def check(monkeypatch: pytest.MonkeyPatch, texts: Sequence[str], lang: str | None = None) -> None:
    stop, told = wording.stop_words(lang), frozenset("with english four words größe naïve œuvre the".split())
    some = [text for text in texts if text]
    for function in (
        lambda: [wording.text_words(text, stop, limit) for text in texts for limit in (1, 3, 50, None)],
        lambda: [wording.words_of_texts([*texts, *texts], stop, limit) for limit in (1, 3, 50)],
        lambda: features._counts(some or ["."], stop, told).tolist(),
    ):
        wording._readers.clear()
        assert function() == python(monkeypatch, function)


def test_odd_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch, ODD)
    check(monkeypatch, [text[at : at + 90] for text in ODD for at in range(0, len(text), 7)], "de")


@pytest.mark.slow
def test_numbers_of_blocks_of_real_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [describe(page.html, page.url) for page in islice(quality.read_sample(), 20)]
    pages += [
        describe(html, None) for html in ("text", "<p>One.</p>" * 300, "<div>a" * 300, "<ul><li>a<li>b</ul>c" * 9)
    ]
    for page in pages:
        found = replace(page).block_features()
        with monkeypatch.context() as patched:
            patched.setattr(features, "compiled", None)
            assert np.array_equal(found, replace(page).block_features())


@given(st.lists(st.text(st.sampled_from("aEz İIßΣς'’ʼ-_.09\t\n\u00ad\u00a0\u2028éÉŸœ²日🙂\u0301\ud800"), max_size=40)))
def test_any_text(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        check(monkeypatch, texts)


NAMES = (
    *(
        "",
        " \n",
        "main",
        "the\tmainNav  btn main",
        "navBar-main_2 post-12 menuItem",
        "the of",
        "XMLFeed articleBody aB",
    ),
    *("css-1x2y3z wTxSR EqdkK sc-bdVaJa _3kfk2", "mb-4 md:-mt-[3px] w-full px16 !p-2 -m-1 mx mt8 w-x h-auto z10 me-x"),
    *("h1 H2 h7 h1-title col-h3 h", "i18n A11Y 300x250 v2 2x x2 a b1 1b 1 12 -- _ __a", "Größe main", "İ", "日本 main"),
    *("menu " * FIRST_NAMES, "menu " * FIRST_NAMES + "footer", "x" * 300, "x1y2" * 70, "a-" * 200, "A" * 70 + " b"),
    *(":", "a:b", "!", "-", "!-", "p-", "m", "tb-1", "pt", "w1", "\x1c\x1fmain\x7f", "".join(map(chr, range(128)))),
)


def names_in_words(monkeypatch: pytest.MonkeyPatch, names: Sequence[str]) -> None:
    found = []
    for reader in (wording._reader_of_names, None):
        wording._NAMES.clear()
        with monkeypatch.context() as patched:
            patched.setattr(wording, "_reader_of_names", reader)
            found.append([wording._attribute_words(each) for each in names])
    assert found[0] == found[1]
    assert [type(each) for each in found[0]] == [wording.AttributeWords] * len(names)


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    names_in_words(monkeypatch, NAMES)
    names_in_words(
        monkeypatch, [f"{a}{b}{c}" for a in "mpwhzb!-:" for b in "tsx1-A!" for c in ("", "1", "-2", "x", "-[")]
    )


@given(st.lists(st.text(st.sampled_from("abAB12mpt:-_! hH\té"), max_size=12)))
def test_any_names(names: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        names_in_words(monkeypatch, names)
