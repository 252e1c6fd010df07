"""Titles of notes, warnings, expandable boxes and parts of the content."""

from __future__ import annotations

import numpy as np
import pytest
from rendering import page_html, page_markdown

from scrapy_semtext.read.main_text import with_titles, without_orphans
from scrapy_semtext.tree.parsing import parse
from scrapy_semtext.tree.scopes import segment

PROSE = "Restart the server before you read on, since every job that is running or waits will then be stopped by it."


def kept(html: str, *, likely: bool = False) -> list[str]:
    """Return the kept texts of a page whose long blocks are the main content."""
    blocks = segment(parse(f"<p>{PROSE}</p>{html}<p>{PROSE}</p>"))
    keep = np.array([len(block.text) > 60 for block in blocks])
    words = np.array([float(len(block.text.split())) for block in blocks])
    titles = with_titles(blocks, keep, words, np.full(len(blocks), likely)) & ~keep
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
    "part",
    [
        "<section><div><div><h2>Lending</h2></div></div><div><p>{}</p></div></section>",
        "<div><h2>Lending</h2><a href=/e>Edit</a><button>Copy</button></div><p>{}</p>",
        "<section><header><h2>Lending</h2></header><div><h3>Lending</h3><p>{}</p></div></section>",
        "<p class=op><b>Lending</b> <code>/v1/tools</code></p><div>{}</div>",
    ],
)
def test_the_heading_above_a_text_is_content_with_it(part: str) -> None:
    assert {text.split()[0] for text in kept(part.format(PROSE), likely=True)} == {"Lending"}
    assert kept(f"{part.format('Buy now')}<div><p>{PROSE}</p></div>".replace("h2", "b").replace("h3", "b")) == []


def test_headings_of_boxes_that_are_no_content_are_none() -> None:
    links = "<ul><li><a href=#one>One thing</a><li><a href=#two>Another</a></ul>"
    letter = "<div class=letter><h3>Our letter</h3><p>Every day at six in your inbox.</p></div>"
    dropped = f"{letter}<div><h2>Contents</h2>{links}</div>"
    cards = "<div><h3>A</h3>B</div><div><h3>C</h3>D</div>"
    page = f"<p>{PROSE}</p>{dropped}<div><h2>Hours</h2>3 min</div><p>{PROSE}</p>{cards}"
    blocks = segment(parse(page))
    keep = np.array([len(block.text) > 60 or block.scope.tag in ("h2", "h3") for block in blocks])
    words = np.array([float(len(block.text.split())) for block in blocks])
    left = without_orphans(blocks, keep, words)
    assert [block.text for block, one in zip(blocks, keep & ~left, strict=True) if one] == ["Our letter", "Contents"]


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


PANELS = "<button>Pump house</button><div><p>{}</p></div><button>Lower lock</button><div><p>{}</p></div>"


@pytest.mark.parametrize(
    ("html", "titles"),
    [
        (f"<div>{PANELS}</div>", ["Pump house", "Lower lock"]),
        (f"<section>{PANELS.replace('div', 'section')}</section>", ["Pump house", "Lower lock"]),
        ("<div><div><h2><button>Stairs</button></h2><div><div><p>{}</p></div></div></div></div>", ["Stairs"]),
        ("<div><p>{}</p><button>Show more</button><div><p>{}</p></div></div>", []),
        ("<div><button>Share</button><p>{}</p></div>", []),
        ("<div><div><button>×</button></div><div><p>{}</p></div><div><button>+</button></div><div>x</div></div>", []),
    ],
)
def test_a_button_that_opens_content_is_its_title(html: str, titles: list[str]) -> None:
    assert kept(html.format(PROSE, PROSE)) == titles


@pytest.mark.parametrize("heading", ["<a href=/shop><h4>{}</h4></a>", "<h3><a href=/shop>{}</a></h3>", "<h2>{}</h2>"])
@pytest.mark.parametrize("title", ["Harbour shop", "Der Laden am Hafen", "Лавка у гавани", "港口商店"])
def test_a_likely_heading_between_content_is_content(heading: str, title: str) -> None:
    html = f"{heading.format(title)}<p>{PROSE}</p>"
    assert kept(html, likely=True) == [title]
    assert kept(html) == []
    assert kept(f"<h5>Share</h5>{html}", likely=True) == []
    assert kept(f"<nav><div>{heading.format(title)}</div></nav><aside><p>{PROSE}</p></aside>", likely=True) == []
