from __future__ import annotations

from scrapy_semtext.tree.tags import GROUPS
from scrapy_semtext.words.word_tables import TAG_WORDS


def test_every_element_that_segmentation_knows_has_words() -> None:
    assert set(GROUPS) - set(TAG_WORDS) <= {"annotation", "annotation-xml"}  # MathML, cut like a custom element
