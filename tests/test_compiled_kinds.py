"""Compiled loops over texts and names give what those in Python give."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from gate.quality import read_sample

from scrapy_semtext.compiled import kinds as compiled
from scrapy_semtext.describe import describe
from scrapy_semtext.kinds import groups, numbers, words
from scrapy_semtext.kinds.files import load_kinds
from scrapy_semtext.kinds.words import PLACES, Vocabulary, page_words
from scrapy_semtext.questions import page_words as of_threads

pytestmark = pytest.mark.skipif(compiled is None, reason="not compiled")

TEXTS = [
    "",
    "Add to cart",
    "A1b_c2-D\u00e9j\u00e0 VU\u0301, na\u00efve \u00df\u00df",
    "\u039f\u0394\u039f\u03a3 \u03a3\u03a3 \u03a3\u0397\u039c\u0391",  # small sigmas differ by where they stand
    "\u0130stanbul I\u0130i \u0131",
    "\u5317\u4eac 2024\u5e74 \u0661\u0662\u0663 \u2167 x\u00b2",
    "\U0001d400\U0001d401 \U00010400 \ud800 \u01c5\u01c4",
    "word " * 40 + "cut",
    "x" * 300,
    "$20202 (( ) () ()) {{ 5 days ago agony 201202 " * 3,
    "\u20ac\u00a3\u00a5 " * 80,
]


def test_words_of_texts_are_those_of_python() -> None:
    texts = TEXTS + [text.swapcase() * 3 for text in TEXTS]
    found = words._of_texts(texts)
    known = sorted({word for words_there in found.values() for word in words_there if len(word) < 100})
    column_of = {word: column for column, word in enumerate(known[::2])}
    for place in found:
        row = np.zeros(len(column_of), dtype=np.float32)
        vocabularies = [compiled.Vocabulary(column_of if each == place else {}) for each in ("short text", "text")]
        compiled.mark_words(texts, words._SHORT, words._LOOK, *vocabularies, row)
        assert {word for word, column in column_of.items() if row[column]} == {*found[place]} & column_of.keys()


def test_words_of_each_text_are_those_of_python() -> None:
    texts = TEXTS + [text.swapcase() * 3 for text in TEXTS]
    for text in texts:
        column_of = {word: column for column, word in enumerate(["none", *{*words._words([text])}]) if len(word) < 100}
        row = np.zeros(len(column_of) + 1, dtype=np.float32)
        compiled.mark_each([text, "none"], [compiled.Vocabulary(column_of), compiled.Vocabulary({})], row)
        assert row.tolist() == [0.0, *[1.0] * (len(column_of) - 1), 0.0]
    with pytest.raises(TypeError):
        compiled.mark_each(["x"], [None], row)


def test_buttons_are_those_of_python() -> None:
    texts = [
        text for times, text in enumerate([*TEXTS, "ok", "OK", "Ok", "x" * 24, "x" * 25]) for _ in range(times % 5)
    ]
    found = words._of_buttons(texts)
    column_of = {text.lower(): column for column, text in enumerate(sorted({*texts}))}
    row = np.zeros((2, len(column_of) + 9), dtype=np.float32)
    compiled.mark_buttons(texts, words._BUTTON, words._REPEATS, column_of, {}, row[0])
    compiled.mark_buttons(texts, words._BUTTON, words._REPEATS, {}, column_of, row[1])
    for place, marked in zip(("button", "buttons"), row, strict=True):
        assert {*np.flatnonzero(marked).tolist()} == {column_of[text] for text in found[place]}
    assert 0 < row[1].sum() < row[0].sum()


def test_groups_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    like = "<ul>" + "<li>text of one<a href=x>link</a>" * 4 + "</ul>"
    odd = ["x", like, f"<div>{like}</div>" * 5, f"<p>{'<b>y</b>' * 9}" + (like + "<h2>a</h2><h2>b</h2>") * 4]
    pages = [describe(html, None) for html in (*odd, *(page.html for page in islice(read_sample(), 20)))]
    found = [groups.groups(page.layout(), page.table().totals) for page in pages]
    monkeypatch.setattr(groups, "compiled_kinds", None)
    for page, told in zip(pages, found, strict=True):
        assert groups.groups(page.layout(), page.table().totals) == pytest.approx(told, abs=1e-12)
    assert sum(any(told) for told in found) > 10


def test_words_of_real_pages_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_kinds()
    pages = [page for page in (describe(p.html, p.url) for p in islice(read_sample(), 40)) if page.text_blocks]
    column_of: dict[str, dict[str, int]] = {place: {} for place in PLACES}
    for page in pages[:5]:
        for place, found in page_words(page).items():
            for word in sorted({*found}):
                column_of[place].setdefault(word, sum(map(len, column_of.values())))
    vocabulary = Vocabulary(column_of)
    rows = np.zeros((2, len(pages), sum(map(len, column_of.values()))), dtype=np.float32)
    for page, row in zip(pages, rows[0], strict=True):
        vocabulary.mark(page, row)
    likely = np.array(model.probabilities(pages))
    monkeypatch.setattr(words, "compiled", None)
    monkeypatch.setattr(numbers, "compiled", None)
    monkeypatch.setattr(groups, "compiled_kinds", None)
    for page, row in zip(pages, rows[1], strict=True):
        vocabulary.mark(page, row)
    assert rows[0].any(1).all()
    assert np.array_equal(*rows)
    assert np.array_equal(likely, np.array(model.probabilities(pages)))


def test_weights_of_labels_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [each for text in TEXTS for each in (text, text[:30], text[:31], text[:7].swapcase())]
    known = sorted(of_threads._words_of_labels(texts))
    weights = {word: place / 9 - 3 for place, word in enumerate(known[::2])}
    for some in ([], texts[:1], texts[:9], texts):
        found = of_threads.Weights({}, weights).labels(some)
        with monkeypatch.context() as patch:
            patch.setattr(of_threads, "compiled_words", None)
            assert found == pytest.approx(of_threads.Weights({}, weights).labels(some), abs=1e-12)


def test_signs_are_counted_as_python_counts() -> None:
    joined = "\n".join(text[: numbers._LOOK] for text in TEXTS)
    assert numbers._counts_of_signs(TEXTS) == [joined.count(sign) for sign in numbers._ALL_SIGNS]
    assert sum(numbers._counts_of_signs(TEXTS)) > 50


@pytest.mark.parametrize("signs", [("",), ("123456789",), ("x",) * 33])
def test_signs_that_cannot_be_counted(signs: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="signs"):
        compiled.counts_of_signs(["x"], 9, signs, np.zeros(len(signs), dtype=np.int64))


def test_words_that_cannot_be_looked_for() -> None:
    with pytest.raises(ValueError, match="too long"):
        compiled.Vocabulary({"x" * 128: 0})
    with pytest.raises(TypeError):
        compiled.mark_words([b"x"], 9, 9, compiled.Vocabulary({}), compiled.Vocabulary({}), np.zeros(1, np.float32))
