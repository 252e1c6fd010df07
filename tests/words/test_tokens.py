"""Tokens are what the pattern finds, in ASCII and in any other text."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lxml import etree

from scrapy_semtext.features import table
from scrapy_semtext.words.characters import Characters, lower_tokens, word_counts

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
def test_tokens_are_those_of_the_pattern(text: str) -> None:
    tokens = re.findall(r"\w+", text.lower())
    assert lower_tokens(text) == tokens
    assert word_counts([text]).tolist() == [len(tokens)]


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


def _lower(text: str) -> str:
    """Return the lower case letter by letter: letters with longer lower case stay, and both small sigmas are one."""
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text).replace("ς", "σ")


def _shares(texts: list[str], about: str) -> tuple[list[float], list[float]]:
    content = "".join(character if character.isprintable() else " " for character in about)
    meta = etree.Element("meta", name="description", content=content)
    found = table.descriptions_of([[meta]], Characters(texts), np.array([0, len(texts)]))
    return found.share.tolist(), found.coverage.tolist()


@pytest.mark.parametrize("about", ["İstanbul'da Größe, word", "ὈΔΥΣΣΕΎΣ ſſſſ", "of no use"])
def test_blocks_are_compared_with_the_words_of_a_description(about: str) -> None:
    texts = [*TEXTS, *ODD]
    words = {token for token in re.findall(r"\w+", _lower(about)) if len(token) >= 4}
    tokens = [[token for token in re.findall(r"\w+", _lower(text[:1500])) if len(token) >= 4] for text in texts]
    both = [[token for token in found if token in words] for found in tokens]
    share, coverage = _shares(texts, about)
    assert share == [len(some) / max(len(found), 1) for some, found in zip(both, tokens, strict=True)]
    assert coverage == [len(set(some)) / max(len(words), 1) for some in both]
