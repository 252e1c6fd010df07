from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files

import pytest

from scrapy_semtext.dom.tags import GROUPS
from scrapy_semtext.text.word_tables import TAG_WORDS, WORDS, alternatives, characters, paragraphs, tag_words


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("p", "paragraph"),
        ("div", "division"),
        ("h1", "primary headline"),
        ("nav", "navigation"),
        ("ul", "unordered list"),
        ("td", "table data cell"),
        ("center", "centered division"),
        ("TD", "table data cell"),
    ],
)
def test_elements_read_as_in_the_html_reference(tag: str, words: str) -> None:
    assert tag_words(tag) == tuple(words.split())


def test_every_element_that_segmentation_knows_has_words() -> None:
    assert set(GROUPS) - set(TAG_WORDS) <= {"annotation", "annotation-xml"}  # MathML, cut like a custom element


@pytest.mark.parametrize("table", ["abbreviations", "utilities", "tags"])
def test_a_table_has_each_name_once(table: str) -> None:
    text = (files("scrapy_semtext.text") / "tables" / f"{table}.txt").read_text("utf-8")
    names = [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]
    assert len(names) == len(set(names)) > 10
    assert all(name == name.lower() for name in names)


def test_each_list_has_a_name_of_its_own() -> None:
    patterns = [lines[0] for lines in paragraphs("patterns")]
    words = [line.split()[0] for lines in paragraphs("words") for line in lines]
    assert max(Counter(patterns).values()) == max(Counter(words).values()) == 1
    assert all(WORDS.values())


@pytest.mark.parametrize("name", [lines[0] for lines in paragraphs("patterns")])
def test_alternatives_are_a_pattern_that_matches_something_only(name: str) -> None:
    assert re.compile(alternatives(name)).fullmatch("") is None


@pytest.mark.parametrize(
    ("name", "there", "elsewhere"), [("unspaced", "漢かไ", "aя1"), ("marks", "\u0301\u200d", "aé漢")]
)
def test_characters_stand_in_a_class(name: str, there: str, elsewhere: str) -> None:
    pattern = re.compile(f"[{characters(name)}]")
    assert all(map(pattern.match, there))
    assert not any(map(pattern.match, elsewhere))


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("my-post", ("my", "post")),
        ("discourse-assets", ("discourse", "assets")),
        ("o:p", ("o", "p")),
        ("foreignobject", ("foreignobject",)),
        ("arguments", ("arguments",)),  # an unknown tag stays as it is
        ("h7", ("h7",)),
        ("-", ("-",)),
        ("", ()),
    ],
)
def test_other_names_are_cut_at_delimiters(tag: str, words: tuple[str, ...]) -> None:
    assert tag_words(tag) == words
