from __future__ import annotations

import pytest

from scrapy_semtext.words.characters import letters_of, one_line


@pytest.mark.parametrize(
    ("text", "line"), [(None, ""), ("", ""), (" \n ", ""), (" a\xa0b\n\tc ", "a b c"), ("a\u200bb", "a\u200bb")]
)
def test_white_space_is_squeezed(text: str | None, line: str) -> None:
    assert one_line(text) == line


def test_letters_and_digits_in_lower_case() -> None:
    assert letters_of("Straße 12, «Été»!") == "strasse12été"
    assert letters_of("?!") == ""
