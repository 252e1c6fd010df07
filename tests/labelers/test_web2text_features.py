"""Web2Text's features, group by group, on hand-made pages."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from scrapy_semtext.features.table import describe
from scrapy_semtext.labelers.web2text import BLOCK_FEATURES, EDGE_FEATURES, web2text_features

PAGE = """<html><body><div><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul><input></div>
<article><h1>Are cats old?</h1><p>Cats sleep. They are 4000 years old, it is said.</p>
<div><span class=s>© 2012 A Cat, a@b.org</span><p class=s>http://c.org/x</p></div></article></body></html>"""


def blocks_of(html: str) -> dict[str, list[float]]:
    page = web2text_features(describe(html, None)).blocks
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(BLOCK_FEATURES, page.T, strict=True)}


def edges_of(html: str) -> dict[str, list[float]]:
    page = web2text_features(describe(html, None)).edges
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(EDGE_FEATURES, page.T, strict=True)}


def test_b4_to_b27_the_block_s_own_text() -> None:
    got = blocks_of(PAGE)
    menu, title, text, _mail, _address = range(5)
    assert got["has word"] == [1, 1, 1, 1, 1]
    assert got["log(n words)"][title] == round(log(3), 4)
    assert got["avg word length"][title] == round((3 + 4 + 3) / 3, 4)
    assert got["has stopword"] == [0, 1, 1, 1, 0]
    assert got["stopword ratio"][title] == round(1 / 3, 4)
    assert got["log(n characters)"][title] == round(log(13), 4)
    assert got["log(n characters)"][menu] == 2.5  # clipped
    assert got["log(punctuation ratio)"][title] == round(log(1 / 13), 4)
    assert np.isnan(got["log(punctuation ratio)"][menu])
    assert got["has numeric"] == [0, 0, 1, 1, 0]
    assert got["numeric ratio"][text] == round(4 / 48, 4)
    assert got["log(avg sentence length)"][text] == round(log(48 / 2), 4)
    assert got["ends with punctuation"] == [0, 1, 1, 0, 0]
    assert got["ends with question mark"] == [0, 1, 0, 0, 0]
    assert got["contains copyright"] == [0, 0, 0, 1, 0]
    assert got["contains email"] == [0, 0, 0, 1, 0]
    assert got["contains url"] == [0, 0, 0, 0, 1]
    assert got["contains year"] == [0, 0, 1, 1, 0]
    assert got["ratio words with capital"][title] == round(1 / 3, 4)
    assert got["ratio words with capital^2"][title] == round(1 / 9, 4)
    assert got["ratio words with capital^3"][title] == round(1 / 27, 4)
    assert got["contains punctuation"] == [0, 1, 1, 1, 1]
    assert got["n punctuation"][text] == 3
    assert got["has multiple sentences"][text] == 1
    assert got["has multiple sentences"][title] == 0
    places = got["relative position"]
    assert places[0] == 0
    assert places == sorted(places)
    assert got["relative position^2"][3] == pytest.approx(places[3] ** 2, abs=1e-4)


def test_edges() -> None:
    got = edges_of(PAGE)
    assert got["tree distance 2"] == [0, 1, 0, 1]
    assert got["tree distance 3"] == [1, 0, 1, 0]
    assert got["tree distance 4"] == got["tree distance > 4"] == [0, 0, 0, 0]
    assert got["line break"] == [1, 1, 1, 1]
    assert got["common ancestor contains form element"] == [1, 0, 0, 0]
    assert got["common ancestor body percentage"][0] == 1
    cells = edges_of("<table><tr><td class=a>One</td><td class=b><p>Two</p></td></tr><tr><td>Three</td></tr></table>")
    assert cells["line break"] == [0, 1]


def test_marks_and_stop_words_of_other_languages_count() -> None:
    got = blocks_of("<html lang=de><p>Die Katze und der Hund</p><h2>猫是什么？</h2>")
    assert got["has stopword"] == [1, 0]
    assert got["ends with question mark"] == [0, 1]
