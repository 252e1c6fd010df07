"""Runs of word characters are those that the pattern finds, in ASCII and in any other text."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from scrapy_semtext.features import description
from scrapy_semtext.text.tokens import count_of_runs, runs_in_lower_case

ASCII = "".join(map(chr, range(128)))
TEXTS = (
    "",
    "It's 5 o'clock: snake_case, e-mail@host.example!",
    " ".join(f"a{sign}b" for sign in ASCII),  # every sign of ASCII between two letters
    "Ärger mit „Größe“, naïve café",
    " ".join(f"é{sign}É" for sign in bytes(range(256)).decode("cp1252", "ignore")),  # and every sign of that page
    "Is that so? Łódź",  # begins as text of the page does, and is not
    "日本語の文 with English",
)


@pytest.mark.parametrize("text", TEXTS)
def test_runs_are_those_of_the_pattern(text: str) -> None:
    runs = re.findall(r"\w+", text.lower())
    assert runs_in_lower_case(text) == runs
    assert count_of_runs(text) == len(runs)


ODD = (
    "",
    "x",
    "İstanbul'da İSTANBUL",
    "ſſſſ ΣΑΣ ὈΔΥΣΣΕΎΣ",
    "𝒜𝒷𝒸𝒹 😀😀😀😀 𐐀𐐁𐐂𐐃",
    "a\u0307bcd \x01\x1fwxyz",
    "٣٤٥٦_१२३४",
    "word " * 9000,
)


def _shares(texts: list[str], about: str) -> tuple[list[float], list[float]]:
    content = "".join(character if character.isprintable() else " " for character in about)
    meta = etree.Element("meta", name="description", content=content)
    found = description.description_of([meta], texts)
    return found.share.tolist(), found.coverage.tolist()
