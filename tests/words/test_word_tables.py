from __future__ import annotations

import pytest

from scrapy_semtext.tree.tags import GROUPS
from scrapy_semtext.words.word_tables import TAG_WORDS, tag_words


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
