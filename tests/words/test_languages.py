"""Language tags."""

from __future__ import annotations

import pytest

from scrapy_semtext.words.words import language_tag, primary_language


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("EN", "en"),
        ("en-us", "en-US"),
        ("zh_hant_tw", "zh-Hant-TW"),
        ("DE-ch-1996", "de-CH-1996"),
        ("sgn-be-fr", "sgn-BE-FR"),
        ("en-ca-X-CA", "en-CA-x-ca"),  # of RFC 5646, section 2.1.1
        ("x-Klingon", "x-klingon"),
    ],
)
def test_a_tag_in_the_case_of_bcp_47(tag: str, expected: str) -> None:
    assert language_tag(tag) == expected


@pytest.mark.parametrize(("tag", "expected"), [("pt-BR", "pt"), (" EN_us", "en"), ("de", "de"), ("", ""), (None, "")])
def test_first_part_of_a_tag(tag: str | None, expected: str) -> None:
    assert primary_language(tag) == expected
