"""Runs of word characters are those that the pattern finds, in ASCII and in any other text."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from gate.quality import read_sample
from lxml import etree

from scrapy_semtext import description
from scrapy_semtext.compiled import runs as compiled
from scrapy_semtext.describe import describe
from scrapy_semtext.model.decision import word_counts
from scrapy_semtext.runs import count_of_runs, runs_in_lower_case

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


@pytest.mark.skipif(compiled is None, reason="not compiled")
def test_compiled_counts_are_those_of_the_pattern() -> None:
    texts = [*TEXTS, *ODD]
    for page in islice(read_sample(), 20):
        texts += [block.text for block in describe(page.html, page.url).text_blocks]
    assert word_counts(texts).tolist() == [len(re.findall(r"\w+", text)) for text in texts]
    assert word_counts([]).tolist() == []


def _shares(texts: list[str], about: str) -> tuple[list[float], list[float]]:
    content = "".join(character if character.isprintable() else " " for character in about)
    meta = etree.Element("meta", name="description", content=content)
    found = description.description_of([meta], texts)
    return found.share.tolist(), found.coverage.tolist()


@pytest.mark.skipif(compiled is None, reason="not compiled")
def test_compiled_shares_of_the_description_are_those_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [text for text in (*TEXTS, *ODD) if text]
    cases = [(odd, " ".join(odd)[:3000]), (odd, "İstanbul word"), ([], "word"), (odd, "")]
    for page in islice(read_sample(), 20):
        texts = [block.text for block in describe(page.html, page.url).text_blocks]
        cases.append((texts, texts[len(texts) // 2]))
    found = [_shares(*case) for case in cases]
    assert any(map(any, found[0]))
    monkeypatch.setattr(description, "runs", None)
    assert found == [_shares(*case) for case in cases]
