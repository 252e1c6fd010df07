"""Quotations of earlier posts in a thread can be removed from its main text."""

from __future__ import annotations

import numpy as np
import pytest
from kettle_threads import kettle_thread, sentence
from shipped import extractor

from scrapy_semtext.extractor import Options
from scrapy_semtext.features.table import describe
from scrapy_semtext.read.main_text import without_quotes
from scrapy_semtext.tree.scopes import main_text

FIRST = "The kettle leaks from the spout whenever the water in it begins to boil."
SECOND = "Descale it once a month with vinegar, and rinse it twice."


def left(*posts: str) -> list[str]:
    """Return the kept lines of a page of posts that were all content before."""
    page = describe("".join(f"<div class=post id={number}>{post}</div>" for number, post in enumerate(posts)), None)
    blocks = page.text_blocks
    of_block = [
        next(int(scope.element.get("id")) for scope in block.scope.ancestry() if scope.classes == "post")
        for block in blocks
    ]
    keep = np.ones(len(blocks), dtype=np.bool_)
    result = without_quotes([block.text for block in blocks], page.layout(), keep, np.array(of_block))
    return main_text(blocks, result.tolist()).split("\n")


@pytest.mark.parametrize("header", ["Ann said:", "Originally posted by Ann", "Ann schrieb:", "Zitat von Ann", "Quote:"])
def test_a_quotation_is_left_out_with_its_header(header: str) -> None:
    posts = f"<p>{FIRST}</p>", f"<h4>{header}</h4><blockquote><p>{FIRST}</p></blockquote><p>{SECOND}</p>"
    assert left(*posts) == [FIRST, SECOND]


def test_part_of_a_post_may_be_quoted() -> None:
    posts = f"<p>{FIRST}</p><p>{SECOND}</p>", "<blockquote>Descale it once a month with vinegar</blockquote><p>Why?</p>"
    assert left(*posts) == [FIRST, SECOND, "Why?"]


def test_what_no_earlier_post_says_is_no_quotation() -> None:
    posts = f"<blockquote>{SECOND}</blockquote><p>So says the manual.</p>", f"<p>{SECOND}</p><p>Right.</p>"
    assert left(*posts) == [SECOND, "So says the manual.", SECOND, "Right."]


def test_elements_that_hold_nothing_but_repeats_are_quotations() -> None:
    quoting = f"<div class=zitat7>{FIRST}</div><p>Mine, too.</p>", f"<div class=zitat8>{SECOND}</div><p>How often?</p>"
    posts = f"<p>{FIRST}</p><p>{SECOND}</p>", *quoting
    assert left(*posts) == [FIRST, SECOND, "Mine, too.", "How often?"]
    assert left(*posts[:2]) == [FIRST, SECOND, FIRST, "Mine, too."]  # one alone may be a coincidence


def test_a_post_that_is_all_repetition_stays() -> None:
    assert left(f"<p>{FIRST}</p>", f"<blockquote>{FIRST}</blockquote>") == [FIRST, FIRST]


def test_posts_of_few_words() -> None:
    assert left("<p>One.</p>", "<p>Two.</p>") == ["One.", "Two."]


@pytest.mark.slow
def test_a_thread_is_read_with_and_without_its_quotations() -> None:
    thread = kettle_thread(6)
    for number in (4, 6):
        reply = f"<p>{sentence(number)}</p>"
        assert reply in thread
        thread = thread.replace(reply, f"<blockquote><p>{sentence(number - 2)}</p></blockquote>{reply}")
    for drop, times in ((False, 2), (True, 1)):
        page = extractor().read(thread, options=Options(sections=False, kinds=False, drop_quotes=drop))
        assert page.main_text.count(sentence(2)) == times
        quotes = any(sentence(2) in pair.answer and sentence(4) in pair.answer for pair in page.qa_pairs)
        assert quotes is not drop
