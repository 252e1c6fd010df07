"""Web2Text's features, group by group, on hand-made pages."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest

from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.labelers.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, page_features

PAGE = """<html><body><div><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul><input></div>
<article><h1>Are cats old?</h1><p>Cats sleep. They are 4000 years old, it is said.</p>
<div><span class=s>© 2012 A Cat, a@b.org</span><p class=s>http://c.org/x</p></div></article></body></html>"""


def blocks_of(html: str) -> dict[str, list[float]]:
    page = page_features(describe(html, None)).blocks
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(BLOCK_FEATURES, page.T, strict=True)}


def edges_of(html: str) -> dict[str, list[float]]:
    page = page_features(describe(html, None)).edges
    return {f.name: [round(float(x), 4) for x in column] for f, column in zip(EDGE_FEATURES, page.T, strict=True)}


def test_there_are_as_many_as_in_the_paper_in_its_order() -> None:
    names = [feature.name for feature in BLOCK_FEATURES]
    assert len(names) == 128
    assert len(EDGE_FEATURES) == 25
    numbered = {number: names[number - 1] for number in (1, 5, 10, 20, 27, 28, 30, 47, 48, 49, 68, 69, 70, 89, 90, 110)}
    assert numbered == {
        1: "has duplicate",
        5: "log(n words)",
        10: "log(punctuation ratio)",
        20: "ratio words with capital",
        27: "relative position^2",
        28: "has parent",
        30: "parent link density",
        47: "parent ratio words with capital^3",
        48: "parent contains form element",
        49: "parent tag td",
        68: "parent tag pre",
        69: "has grandparent",
        70: "grandparent body percentage",
        89: "grandparent contains form element",
        90: "root body percentage",
        110: "tag a",
    }
    assert names[127] == "tag blockquote"
    assert [name for name, number in Counter(names).items() if number > 1] == ["parent tag ul"]  # twice in the paper


def test_b1_to_b3_repetition() -> None:
    got = blocks_of("<p>Same</p><h2>Other</h2><p>Same</p><h2>x</h2>" + "<div>Twelve</div><h3>y</h3>" * 12)
    assert got["has duplicate"][:4] == [1, 0, 1, 0]
    assert got["has duplicate"][4] == got["has 10 duplicates"][4] == 1
    assert got["has 10 duplicates"][:4] == [0, 0, 0, 0]
    assert got["r same class path"][0] == round(2 / 28, 4)  # <p>, of 28 blocks
    assert got["r same class path"][4] == round(12 / 28, 4)


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


def test_b28_to_b89_parent_and_grandparent() -> None:
    got = blocks_of(PAGE)
    menu, title, _text, mail, address = range(5)
    assert got["has parent"] == [1, 1, 1, 1, 1]
    assert got["has grandparent"] == [0, 1, 1, 1, 1]
    assert got["parent body percentage"][menu] == 1  # the root's child
    assert 0 < got["parent body percentage"][mail] < got["parent body percentage"][title] < 1
    assert got["parent link density"][title] == 0
    assert got["parent link density"][menu] == got["grandparent link density"][title] == got["root link density"][0] > 0
    characters = len("© 2012 A Cat, a@b.org") + len("http://c.org/x")
    assert got["parent log(n characters)"][mail] == round(log(characters), 4)
    assert got["parent contains email"][address] == 1
    assert got["parent contains email"][menu] == 1
    assert got["parent contains form element"][menu] == 1
    assert got["parent contains form element"][title] == 0
    assert got["grandparent contains form element"][title] == 1
    assert got["parent tag div"] == [0, 0, 0, 1, 1]
    assert got["parent tag body"] == [1, 0, 0, 0, 0]
    assert np.isnan(got["grandparent link density"][menu])
    assert got["grandparent contains year"][menu] == 0


def test_b90_to_b128_root_and_the_block_s_tags() -> None:
    got = blocks_of(PAGE)
    assert got["root body percentage"] == [1] * 5
    assert got["root has stopword"] == [1] * 5
    assert got["root ends with punctuation"] == [0] * 5  # as the last block
    assert got["tag a"] == [1, 0, 0, 0, 0]
    assert got["tag li"] == [1, 0, 0, 0, 0]
    assert got["tag h1"] == [0, 1, 0, 0, 0]
    assert got["tag p"] == [0, 0, 1, 0, 1]
    assert got["tag span"] == [0, 0, 0, 1, 0]


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
