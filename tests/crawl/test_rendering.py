"""The choice of pages that need a browser."""

from __future__ import annotations

import pytest

from scrapy_semtext import Page, QAPair
from scrapy_semtext.crawl.rendering import Rendering, is_thin, runs_scripts
from scrapy_semtext.page import Record
from scrapy_semtext.tree.parsing import parse

SHELL = Page(main_text="Please wait.")
FULL = Page(main_text="Mix flour and water. " * 20)
WITH_SCRIPT = parse("<div id=app></div><script src=app.js></script>")
PLACE = ("site.test", "/story/#/")


def need(rendering: Rendering, page: Page = SHELL) -> bool:
    """Return whether a page of the pattern is rendered after it has been read."""
    return rendering.is_needed(*PLACE, page, WITH_SCRIPT) and rendering.begin(*PLACE)


@pytest.mark.parametrize(
    ("page", "thin"),
    [
        (SHELL, True),
        (FULL, False),
        (Page(main_text="Short", qa_pairs=[QAPair("How?", "Slowly.")]), False),
        (Page(records=[Record(title, f"http://a.test/{title}") for title in "abc"]), False),
    ],
)
def test_pages_with_text_pairs_or_records_hold_enough(page: Page, thin: bool) -> None:
    assert is_thin(page) == thin


@pytest.mark.parametrize(
    ("html", "runs"),
    [
        ("<script>go()</script>", True),
        ("<script type=module src=a.js></script>", True),
        ("<script type=text/javascript src=a.js></script>", True),
        ("<script type=application/ld+json>{}</script><p>Text", False),
        ("<p>Text", False),
    ],
)
def test_data_are_no_scripts(html: str, runs: bool) -> None:
    assert runs_scripts(parse(html)) == runs


def test_after_three_pages_that_needed_it_the_next_are_rendered_at_once() -> None:
    rendering = Rendering("auto")
    for _ in range(3):
        assert not rendering.comes_first(*PLACE)
        assert need(rendering)
        assert rendering.learn(*PLACE, FULL, was_read=True)
    assert rendering.comes_first(*PLACE)
    assert not rendering.comes_first("site.test", "/board/#/")


def test_after_three_times_in_vain_no_more_are_rendered() -> None:
    rendering = Rendering("auto")
    assert need(rendering)
    assert need(rendering)
    rendering.fail(*PLACE, was_read=True)
    assert not rendering.learn(*PLACE, SHELL, was_read=True)
    assert need(rendering)
    assert rendering.waits(*PLACE), "it is the third"
    rendering.learn(*PLACE, SHELL, was_read=True)
    assert not rendering.waits(*PLACE)
    assert not need(rendering)
