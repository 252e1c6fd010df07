"""Passages that occur twice on a page are content only once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shipped import extractor

from scrapy_semtext.extractor import Options
from scrapy_semtext.read.main_text import without_repeats
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.segmentation import Scope, search
from scrapy_semtext.words.characters import word_counts

FIRST = "The kettle leaks from the spout whenever the water in it begins to boil."
SECOND = "Descale it once a month with vinegar."


def left(texts: list[str], keep: list[bool] | None = None) -> list[bool]:
    """Return which texts of a page are kept, each in an element of a different type."""
    kept = np.array([True] * len(texts) if keep is None else keep)
    scopes = [Scope(None, None, f"x-{n}", "", False) for n in range(len(texts))]
    result: list[bool] = without_repeats(texts, kept, word_counts(texts), scopes).tolist()
    return result


def times(html: str, text: str) -> int:
    """Return how often a text remains on a page."""
    blocks = search(parse(html))
    texts, scopes = [block.text for block in blocks], [block.scope for block in blocks]
    kept = without_repeats(texts, np.ones(len(texts), dtype=np.bool_), word_counts(texts), scopes)
    return sum(block == text and keeps for block, keeps in zip(texts, kept.tolist(), strict=True))


VERSES = [
    f"This is the {which} verse of a song, and no other verse is like it at all." for which in ("first", "second")
]
CARDS = [("Kettles", FIRST), ("Teapots", SECOND), ("Kettles", FIRST)]


@pytest.mark.parametrize(
    "form",
    [
        "<p>{}</p><p class=refrain>{}</p>",
        "<div class=stanza><p>{}</p></div><div class=stanza><p>{}</p></div>",
        "<p>{}</p><blockquote><p>{}</p></blockquote>",
        "<div class=verse>{}</div><div class=refrain>{}</div>",
        "<table><tr><td>{}</td></tr><tr><td>{}</td></tr></table>",
        "<h3>{}</h3><p>{}</p>",
        "<dt>{}</dt><dd>{}</dd>",
        "<div class=item id=i1><h3>{}</h3><div class=answer><p>{}</p></div></div>",
    ],
)
def test_a_refrain_comes_again(form: str) -> None:
    assert times("".join(form.format(verse, FIRST) for verse in VERSES), FIRST) == 2


@pytest.mark.parametrize("mark", ["?", "？", "؟", "?»"])
def test_questions_may_have_the_same_answer(mark: str) -> None:
    form = "<article class=a{}><h3>{}{}</h3><div>{}</div></article>"
    assert times("".join(form.format("bc"[n], verse, mark, FIRST) for n, verse in enumerate(VERSES)), FIRST) == 2


@pytest.mark.parametrize(
    "html",
    [
        f"<p class=wide>{FIRST}</p><p class=narrow>{FIRST}</p>",
        f"<div class=wide><p>{FIRST}</p><p>{SECOND}</p></div><div class=narrow><p>{FIRST}</p><p>{SECOND}</p></div>",
        f"<div class=lead>{FIRST}</div><p>{VERSES[0]}</p><p>{FIRST}</p>",
        f"<div class=slides>{''.join(f'<div>{text}</div>' for text in (FIRST, VERSES[0], FIRST))}</div>",
        f"<ul><li>{FIRST}</li><li>{VERSES[0]}</li><li>{FIRST}</li></ul>",
        "".join(f"<div class=card><h4>{name}</h4><p>{text}</p></div>" for name, text in CARDS),
    ],
)
def test_copies_of_other_kinds_are_left_out(html: str) -> None:
    assert times(html, FIRST) == 1


def test_a_passage_that_stands_there_again_is_left_out() -> None:
    assert left([FIRST, SECOND, "Else.", FIRST, SECOND]) == [True, True, True, False, False]


def test_case_and_white_space_do_not_matter() -> None:
    assert left([f"{FIRST} {SECOND}", f"{FIRST}\n{SECOND.upper()}"]) == [True, False]


def test_every_further_time_is_left_out() -> None:
    assert left([FIRST, SECOND] * 3) == [True, True] + [False] * 4


def test_what_stands_there_often_is_of_the_content() -> None:
    assert all(left([FIRST, SECOND] * 4))
    assert left([FIRST, SECOND, "Else.", FIRST, SECOND, SECOND, SECOND]) == [True, True, True, False, True, True, True]


@pytest.mark.parametrize("texts", [["Read more", "Read more"], [SECOND, "Else.", SECOND]])
def test_short_passages_may_come_again(texts: list[str]) -> None:
    assert all(left(texts))


def test_another_order_is_another_passage() -> None:
    other = "Never let it boil dry."
    assert left([SECOND, other, "Else.", SECOND, other]) == [True, True, True, False, False]
    assert all(left([SECOND, other, "Else.", other, SECOND]))


def test_what_was_no_content_before_is_no_repetition() -> None:
    texts = [FIRST, SECOND, FIRST, SECOND]
    assert left(texts, [False, False, True, True]) == [False, False, True, True]


ARTICLE = "".join(f"<p>{number}. {FIRST} {SECOND}</p>" for number in range(6))
PAGE = (
    "<meta property=og:type content=article><meta name=description content='How to mend a kettle.'>"
    "<title>A kettle</title><body class='single single-post'><nav><a href=/>Home</a> <a href=/about>About</a></nav>"
    "<h1>A kettle</h1><p>By Ann, May 3, 2020</p>"
    f"<article class=desktop>{ARTICLE}</article><article class=mobile>{ARTICLE}</article>"
)


@pytest.mark.slow
def test_an_article_with_a_copy_for_phones_is_read_once() -> None:
    options = Options(pairs=False, sections=False, kinds=False)
    page = extractor().read(PAGE, options=options)
    assert [page.main_text.count(f"{number}. The kettle") for number in range(6)] == [1] * 6
    assert "\n".join(block.text for block in page.blocks if block.is_main) == page.main_text
    paper = extractor().read(PAGE, options=replace(options, labeler="network"))
    assert paper.main_text.count("The kettle leaks") == 12
