"""Titles of notes, warnings and boxes that open."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.dom.joining import segment
from scrapy_semtext.dom.tree import parse
from scrapy_semtext.output.notices import with_titles
from scrapy_semtext.output.render import page_html, page_markdown

PROSE = "Restart the server before you read on, since every job that is running will be stopped by it."


def kept(html: str) -> list[str]:
    """What is kept of a page of which long blocks are the main content."""
    blocks = segment(parse(f"<p>{PROSE}</p>{html}<p>{PROSE}</p>"))
    keep = np.array([len(block.text) > 60 for block in blocks])
    words = np.array([float(len(block.text.split())) for block in blocks])
    titles = with_titles(blocks, keep, words) & ~keep
    return [block.text for block, title in zip(blocks, titles, strict=True) if title]


@pytest.mark.parametrize(
    "box",
    [
        "<div class='admonition warning'><p class=admonition-title>Warning</p><p>{}</p></div>",
        "<div class='theme-admonition alert'><div><span><svg></svg></span>Warning</div><div><p>{}</p></div></div>",
        "<div class=markdown-alert><p class=markdown-alert-title>Warning</p><p>{}</p></div>",
        "<div class='admonitionblock note'><table><tr><td><div>Warning</div><td><p>{}</p></table></div>",
        "<div class='confluence-information-macro'><p class=title>Warning</p><div><p>{}</p></div></div>",
        "<details><summary>Warning</summary><p>{}</p></details>",
        "<div class=hint><h4>Warning</h4><p>{}</p></div>",
        "<aside class='note important'><header>Warning</header><section><p>{}</p></section></aside>",
    ],
)
def test_the_title_of_a_box_is_content_with_its_text(box: str) -> None:
    assert kept(box.format(PROSE)) == ["Warning"]
    assert kept(box.format("Buy now")) == []


@pytest.mark.parametrize(
    "box",
    [
        "<div><p>Share</p><p>{}</p></div>",
        "<div class=alert><button>Close</button><p>{}</p></div>",
        "<div class=alert><p>×</p><p>{}</p></div>",
        "<div class=alert><p><a href=/>All notes</a></p><p>{}</p></div>",
        "<div class=notebook><p>Share</p><p>{}</p></div>",
        "<div class=note><p>{}</p><p>Share</p><p>{}</p></div>",
    ],
)
def test_other_short_texts_are_no_titles(box: str) -> None:
    assert kept(box.format(PROSE, PROSE)) == []


@pytest.mark.parametrize("kind", ["note", "tip", "important", "warning", "caution"])
def test_the_alerts_of_github(kind: str) -> None:
    name, text = f"markdown-alert-{kind}", "<p>Read on.</p><p>Or not.</p>"
    box = f"<div class='markdown-alert {name}'><p class=markdown-alert-title><svg></svg>{kind.title()}</p>{text}</div>"
    assert page_markdown(segment(parse(box))) == f"> [!{kind.upper()}]\n> Read on.\n>\n> Or not."
    assert page_html(segment(parse(box))).startswith(f'<blockquote class="{name}">\n<p>{kind.title()}</p>')
    source = f"<blockquote><p>[!{kind.upper()}]<br>Read on.</p></blockquote>"
    assert page_markdown(segment(parse(source))) == f"> [!{kind.upper()}]  \n> Read on."


def test_other_brackets_in_a_quotation_are_escaped() -> None:
    assert page_markdown(segment(parse("<blockquote>[!NOTED] it</blockquote>"))) == r"> \[!NOTED\] it"
