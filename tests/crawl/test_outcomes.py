from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext import Block, Page, QAPair
from scrapy_semtext.crawl.harvest import is_source_code, outcome_of_page
from scrapy_semtext.crawl.links import PageLink, pattern_of
from scrapy_semtext.crawl.patterns import HostPatterns
from scrapy_semtext.tree.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.crawl.links import Position

URL = "http://site.test/board/1/"
TEXT = "A text of an item, which is long enough to be one, as it has more than eighty letters in all of its words."
TITLES = ("How do I bake bread?", "My oven is too hot", "Which flour is best for rolls", "Bread does not rise at all")


def outcome(page: Page, links: Sequence[PageLink] = ()) -> str:
    return outcome_of_page(page, links, HostPatterns(), pattern_of(URL))


def headings(base: str, titles: Sequence[str]) -> list[PageLink]:
    return [
        PageLink(f"{base}{number}", title, "elsewhere", is_heading=True, like=4) for number, title in enumerate(titles)
    ]


def texts_below(titles: Sequence[str]) -> list[Block]:
    return [block for title in titles for block in (Block(title, "boilerplate", 0.2), Block(TEXT, "main", 0.9))]


def threads(position: Position = "elsewhere") -> list[PageLink]:
    return [
        PageLink(f"http://site.test/thread/{number}/", title, position, like=len(TITLES))
        for number, title in enumerate(TITLES)
    ]


def test_a_page_that_is_like_a_list_but_links_to_nothing_is_an_item() -> None:
    glossary = Page(url=URL, main_text=TEXT, is_overview=True, overview_probability=0.6)
    menu = [PageLink("http://site.test/a", "A", "navigation")] * 20
    assert outcome(glossary, menu) == "item"
    assert outcome(glossary, threads()) == "list"


def test_a_short_text_is_an_item_if_its_script_has_no_spaces() -> None:
    assert outcome(Page(url=URL, main_text="Words" * 10)) == "nothing"
    assert outcome(Page(url=URL, main_text="外婆的咸菜没有菜谱，盐要多。" * 3)) == "item"
    assert outcome(Page(url=URL, main_text="没有菜谱。" * 3)) == "nothing"


def test_text_below_headings_that_are_links_is_a_list() -> None:
    page = Page(url=URL, main_text=TEXT * 4, blocks=texts_below(TITLES))
    assert outcome(page, headings("http://site.test/", TITLES)) == "list"


def test_a_text_below_the_linked_heading_of_another_page_is_a_list() -> None:
    post = headings("http://site.test/", TITLES[:1])
    page = Page(url=URL, title="May 2024", main_text=TEXT, blocks=texts_below(TITLES[:1]))
    assert outcome(page, post) == "list"
    page.title = TITLES[0]  # the heading is that of the page, or of a reply to it
    assert outcome(page, post) == "item"


def test_an_article_below_the_last_heading_beside_it_is_an_item() -> None:
    blocks = [*(Block(title, "boilerplate", 0.2) for title in TITLES[:2]), Block(TEXT, "main", 0.9)]
    page = Page(url=URL, main_text=TEXT, blocks=blocks)
    assert outcome(page, headings("http://site.test/", TITLES[:2])) == "item"


def test_text_below_dates_that_are_links_to_posts_is_a_thread() -> None:
    dates = [f"2024-05-0{day} 12:24:10" for day in range(1, 5)]
    page = Page(url=URL, main_text=TEXT * 4, blocks=texts_below(dates))
    assert outcome(page, headings("http://site.test/post/", dates)) == "item"


def test_a_board_is_a_list_even_if_its_rows_are_taken_for_posts() -> None:
    rows = [QAPair("Baking", f"{title}\nby Ada, 3 replies, yesterday", "Baking") for title in TITLES]
    assert outcome(Page(url=URL, main_text=TEXT, qa_pairs=rows), threads()) == "list"


def test_a_thread_that_links_to_others_is_an_item() -> None:
    posts = [QAPair("Baking", f"{TEXT} {title}", "Baking") for title in TITLES]
    assert outcome(Page(url=URL, main_text=TEXT, qa_pairs=posts), threads()) == "item"
    similar = [QAPair("Baking", TEXT[: 20 + number], "Baking") for number in range(4)]
    assert outcome(Page(url=URL, main_text=TEXT, qa_pairs=similar), threads("navigation")) == "item"


def test_a_thread_whose_authors_are_headings_is_an_item() -> None:
    authors = ("Ada", "Bob", "Carl", "Dora")
    pairs = [QAPair("Bread", TEXT, "Bread", author=name, question_author="Ada") for name in authors[1:]]
    page = Page(url=URL, main_text=TEXT * 4, blocks=texts_below(authors), qa_pairs=pairs)
    assert outcome(page, headings("http://site.test/member/", authors)) == "item"


def test_headings_that_link_to_other_sites_make_no_list() -> None:
    page = Page(url=URL, main_text=TEXT * 4, blocks=texts_below(TITLES))
    assert outcome(page, headings("http://shop.test/", TITLES)) == "item"


def test_titles_of_the_latest_posts_beside_an_archive_do_not_count_against_its_heading() -> None:
    patterns = HostPatterns()
    for _ in TITLES:
        patterns.learn(pattern_of("http://site.test/1"), "item")
    post, *latest = headings("http://site.test/", TITLES)
    links = [post, *(replace(link, is_heading=False) for link in latest)]
    page = Page(url=URL, title="May 2024", main_text=TEXT, blocks=texts_below(TITLES[:1]))
    assert outcome_of_page(page, links, patterns, pattern_of(URL)) == "list"


def test_rows_with_the_last_post_of_each_known_thread_are_a_list() -> None:
    patterns = HostPatterns()
    for _ in range(3):
        patterns.learn(pattern_of("http://site.test/thread/9/"), "item")
    for shown in ("{title}", "{title} by Ada"):
        blocks = [
            Block(text, "main", 0.9)
            for title in TITLES
            for text in (shown.format(title=title), f"{title[::-1]} {TEXT}")
        ]
        page = Page(url=URL, main_text=TEXT * 4, blocks=blocks, qa_pairs=[QAPair("Latest", TEXT, "Latest")] * 3)
        assert outcome_of_page(page, threads(), patterns, pattern_of(URL)) == "list"
        assert outcome_of_page(page, threads(), HostPatterns(), pattern_of(URL)) == "item"
    thread = [Block(TEXT, "main", 0.9)] * 4 + [Block(title, "main", 0.9) for title in TITLES]
    posts = Page(url=URL, main_text=TEXT * 4, blocks=thread, qa_pairs=[QAPair("Bread", TEXT, "Bread")] * 3)
    assert outcome_of_page(posts, threads(), patterns, pattern_of(URL)) == "item"


def test_a_strip_of_like_pages_makes_no_list() -> None:
    links = [
        PageLink(f"http://site.test/product/{number}/", title, "text", is_heading=True, like=4)
        for number, title in enumerate(TITLES)
    ]
    blocks = [Block(TEXT, "main", 0.9), *(Block(title, "main", 0.9) for title in TITLES)]
    page = Page(url="http://site.test/product/7/", main_text=TEXT, blocks=blocks, is_overview=True)
    page.overview_probability = 0.6
    assert outcome(page, links) == "item"
    page.overview_probability = 0.95
    assert outcome(page, links) == "list"


@pytest.mark.parametrize(
    "code", ["<pre class=prettyprint>{}</pre>", "<div class=fragment>{}</div>", "<div><pre>{}</pre></div>"]
)
def test_a_file_of_source_code_is_no_item(code: str) -> None:
    lines = "\n".join(f"const value{number} = require('./module{number}');" for number in range(30))
    blocks = [Block("Source: index.js", "main", 0.9), Block(lines, "main", 0.9)]
    assert is_source_code(parse(f"<h1>Source: index.js</h1>{code.format(lines)}"), Page(url=URL, blocks=blocks))
    blocks += [Block(f"{TEXT} {number}", "main", 0.9) for number in range(12)]
    assert not is_source_code(parse(code.format(lines)), Page(url=URL, blocks=blocks))
