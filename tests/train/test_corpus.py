"""Training examples: for which blocks the true text determines whether they are main content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.train.corpus import PageExample, prepare_page
from scrapy_semtext.train.datasets import AnnotatedPage

if TYPE_CHECKING:
    from scrapy_semtext.features.table import ParsedPage

HEADING, NOTE = "Results for apple pie", "A note of the cook on apples and their many kinds."
STEPS = "Peel the apples, cut them in thin slices and bake them for an hour.", "Serve the pie while it is still warm."
HTML = f"""<nav><p>Home of the cooks</p></nav><h1>{HEADING}</h1><div><p>{NOTE}</p></div><hr>
<div><p>{STEPS[0]}</p><p>{STEPS[1]}</p></div>
<div><p><a href="/other">Another pie that you may want to bake tomorrow</a></p></div>"""


def page(kind: str, text: str = "\n".join(STEPS)) -> AnnotatedPage:
    return AnnotatedPage("1", "set", None, kind, "en", HTML, text, "example.com")


def texts(parsed: ParsedPage) -> list[str]:
    return [block.text for block in parsed.text_blocks]


def example(kind: str) -> PageExample[list[str]]:
    found = prepare_page(page(kind), texts, scored=False)
    assert found is not None
    return found


def unknown(kind: str) -> str:
    found = example(kind)
    return "\n".join(text for text, known in zip(found.input, found.known, strict=True) if not known)


def test_of_a_recipe_only_navigation_and_links_are_surely_boilerplate() -> None:
    assert unknown("recipe") == f"{HEADING}\n{NOTE}"
    found = example("recipe")
    assert "\n".join(text for text, label in zip(found.input, found.labels, strict=True) if label) == "\n".join(STEPS)


def test_pages_with_unknown_labels_are_not_scored() -> None:
    assert prepare_page(page("recipe"), texts, scored=True) is None
    assert prepare_page(page("article"), texts, scored=True) is not None
