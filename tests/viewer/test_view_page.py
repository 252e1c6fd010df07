"""The view in a browser: what a person sees first, and can navigate to."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

import pytest
from viewing import PAGE, annotated

from scrapy_semtext.page import Block, Comment, Page, QAPair, Record, Section
from scrapy_semtext.viewer import NeighborLinks, view_page
from scrapy_semtext.viewer.view import ShownBlock, color

if TYPE_CHECKING:
    from viewing import Open, Opened

MENU = "".join(f"<li>Menu {number}</li>" for number in range(80))
LONG_PAGE = f"""
<title>t</title><body><ul>{MENU}</ul><h1>First content</h1><p>More content</p>
{"<div>Advertisement</div>" * 60}<p>Second content</p><hr>{"<div>Related</div>" * 60}
<p>Third content</p><footer>Imprint</footer><p hidden>Kept out of sight: content</p></body>
"""
FULL = replace(
    PAGE,
    qa_pairs=[QAPair("First content", "Second content", author="Ann", votes=3, score=0.87)],
    records=[Record("Third content", "https://example.com/3", numbers={"replies": 12})],
    comments=[Comment("More content"), Comment("Not on the page", parent=0)],
    sections=[Section("First content", "More content", sections=[Section("Third content", "", level=2)])],
)


@pytest.fixture
def opened(open_page: Open) -> Opened:
    return open_page(view_page(annotated(LONG_PAGE, about=FULL)))


def test_it_opens_at_the_first_part_of_the_main_content(opened: Opened) -> None:
    assert opened.in_view("First content")
    assert opened.selected() == "First content"
    about = opened.page.locator("#about-block").inner_text()
    assert about.startswith("Block 2 · main content · probability of main content: 90 % · <h1>")
    assert opened.page.locator("#run-number").inner_text() == "part 1 of 4"


def test_the_title_has_its_own_color_and_the_best_pairs_come_first() -> None:
    pairs = [QAPair("Why?", "No.", score=0.3), QAPair("How?", "So.", score=0.9), QAPair("When?", "Now.", score=0.5)]
    about = replace(PAGE, title="Bread", qa_pairs=pairs)
    view = view_page(annotated("<li>Bread</li><h1>Bread</h1><p>content", about=about))
    colored = re.findall(r'data-block="(\d)" data-by="model" style="background:(#\w+)', unescape(view))
    assert dict(colored) == {"0": color("boilerplate", 0.2), "1": color("title", 1.0), "2": color("main", 0.9)}
    assert view.index("How?") < view.index("When?") < view.index("Why?")
    turned = ShownBlock(Block("Bread", "main", 0.9), "main", 0.9, "person", hidden=False, is_title=True)
    assert turned.color == color("main", 0.9, by="person")


def test_keys_and_buttons_lead_from_part_to_part(opened: Opened) -> None:
    press = opened.page.keyboard.press
    press("n")
    assert opened.in_view("Second content")
    press("j")
    assert opened.in_view("Third content")
    press("p")
    assert opened.in_view("Second content")
    press("k")
    assert opened.in_view("First content")
    opened.page.get_by_label("Next part of the main content").click()
    assert opened.selected() == "Second content"
    opened.copy.get_by_text("Related").first.click()
    press("n")
    assert opened.selected() == "Third content", "keys work in the page too, from what was clicked"
    press("ArrowDown")
    assert opened.selected() == "Imprint"


def test_the_main_content_can_be_shown_alone(opened: Opened) -> None:
    opened.page.get_by_label("main content alone").check()
    shown = opened.copy.locator("semtext-mark:visible").all_inner_texts()
    assert shown == ["First content", "More content", "Second content", "Third content", "Kept out of sight: content"]
    assert opened.page.locator("#blocks li:visible").count() == 5
    assert opened.copy.locator("hr:visible").count() == 0
    opened.page.keyboard.press("m")
    assert opened.copy.locator("hr:visible").count() == 1
    assert opened.page.locator("#blocks li:visible").count() == opened.page.locator("#blocks li").count()


def test_panels_lead_to_the_blocks_that_their_entries_begin_in(opened: Opened) -> None:
    page = opened.page
    tabs = page.get_by_role("tab").all_inner_texts()
    assert tabs == ["All blocks (9)", "Pairs (1)", "Records (1)", "Comments (2)", "Sections (2)"]
    page.get_by_role("tab", name="Pairs").click()
    assert "Ann · 3 votes · score 87 %" in page.get_by_role("tabpanel").inner_text()
    page.get_by_role("button", name="Second content").click()
    assert opened.in_view("Second content")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Records").click()
    assert "replies: 12" in page.get_by_role("tabpanel").inner_text()
    page.get_by_role("button", name="Third content").click()
    assert opened.in_view("Third content")
    page.get_by_role("tab", name="Comments").click()
    assert page.get_by_role("tabpanel").get_by_role("button").all_inner_texts() == ["More content"]
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tabpanel").get_by_role("button").all_inner_texts() == ["First content", "Third content"]


def test_views_lead_to_each_other(open_page: Open) -> None:
    view = view_page(annotated("<p>content"), NeighborLinks("1.html", "3.html?a&b", "index.html"))
    links = open_page(view).page.get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == ["1.html", "index.html", "3.html?a&b"]
    with pytest.raises(ValueError, match="not the URL of a page"):
        view_page(annotated("<p>content"), NeighborLinks(next_url="javascript:alert(1)"))


@pytest.mark.parametrize("width", [800, 1280])
def test_controls_and_page_fit_the_window(open_page: Open, width: int) -> None:
    html = LONG_PAGE.replace("<h1>", f"<h1 class='{'name ' * 100}'>")
    about = replace(FULL, title="A title " * 60, url="https://example.com/" + 300 * "a")
    opened = open_page(view_page(annotated(html, about=about), NeighborLinks(next_url="2.html")), width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for name in ("iframe", "aside", "footer", "#run-after", "#show-keys"):
        assert opened.page.locator(name).is_visible()


@pytest.mark.parametrize(("html", "said"), [("", "The page has no text."), ("<p>x", "Nothing of this page was kept.")])
def test_pages_without_main_content_say_so(open_page: Open, html: str, said: str) -> None:
    opened = open_page(view_page(annotated(html, about=Page())))
    assert opened.page.locator("#about-block").inner_text() == said
    assert opened.page.locator("#run-number").inner_text() == "nothing kept"


COVERED = {
    "a fixed layer": ("", "<div style='position:fixed;inset:0;background:#fff;z-index:99999'></div>"),
    "a fixed layer with text": ("", "<div style='position:fixed;inset:0;background:#fff;z-index:9'>Accept</div>"),
    "a generated layer": (
        "html::after,body::after{content:'';position:fixed;inset:0;background:#fff;z-index:2147483647}",
        "",
    ),
    "opacity": ("html,body,div{opacity:0!important}", ""),
    "no display": ("#post{display:none!important}", ""),
    "cut off": ("#post{clip-path:inset(50%);position:absolute;width:1px;height:1px;overflow:hidden}", ""),
    "small letters": ("p{font-size:0}", ""),
    "white on white": ("p{color:#fff;-webkit-text-fill-color:transparent}", ""),
    "no scrolling": ("html,body{height:100%!important;overflow:hidden!important;position:fixed!important}", ""),
    "colorless": ("semtext-mark{display:none!important;opacity:0!important;background:none!important}", ""),
}


@pytest.mark.parametrize("name", COVERED)
def test_no_style_of_the_page_hides_the_main_content(open_page: Open, name: str) -> None:
    style, body = COVERED[name]
    html = f"<style>{style}</style><body>{body}<div id=post><p>The content</p></div>{'<p>x</p>' * 90}</body>"
    opened = open_page(view_page(annotated(html)))
    assert opened.in_view("The content")
    assert opened.is_on_top("The content")
    filters = opened.copy.get_by_text("The content").evaluate(
        "e => [e.parentElement, e.parentElement.parentElement].map(each => getComputedStyle(each).filter)"
    )
    assert filters == ["none", "none"]
