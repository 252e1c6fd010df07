from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext import Block, Page, Record
from scrapy_semtext.crawl.frontier import chapters_of, guess_of
from scrapy_semtext.crawl.links import PageLink, following_page, next_page, page_links
from scrapy_semtext.tree.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

URL = "http://site.test/news/"
HTML = """
<nav><a href=/>Home</a> <a href=/login>Log in</a></nav>
<h2><a href=/story/1>A story of bread and of those who bake it</a></h2>
<p>All of <a href=../about rel="author nofollow">it</a></p>
<div><a href=/story/2>Another story</a> <a href=/picture.png>Picture</a></div>
<a href="?page=2"><i></i></a>
"""


def page() -> Page:
    return Page(
        url=URL, blocks=[Block("All of it", "main", 0.9)], records=[Record("A story", "http://site.test/story/1")]
    )


def links() -> dict[str, PageLink]:
    return {link.url.removeprefix("http://site.test"): link for link in page_links(parse(HTML), page())}


def test_links_know_where_they_stand() -> None:
    found = links()
    positions = {url: link.position for url, link in found.items()}
    assert positions == {
        "/": "navigation",
        "/login": "navigation",
        "/story/1": "record",
        "/about": "text",
        "/story/2": "elsewhere",
        "/news/?page=2": "next",
    }
    assert found["/story/1"].is_heading
    assert found["/story/1"].like == 2
    assert found["/about"].rel == ("author", "nofollow")


def test_the_next_page_is_found_by_its_number_if_no_word_says_so() -> None:
    assert next_page(parse(HTML), page()) == f"{URL}?page=2"
    assert (
        next_page(parse("<a href='?page=2'></a><a href='?page=3'></a>"), Page(url=f"{URL}?page=2")) == f"{URL}?page=3"
    )


def test_a_later_page_of_a_record_is_not_the_next_page_of_the_list() -> None:
    html = HTML.replace("?page=2", "/story/1?page=2")
    found = {link.url: link.position for link in page_links(parse(html), page())}
    assert found["http://site.test/story/1?page=2"] == "elsewhere"


def rows(*links: str) -> Sequence[str]:
    """Return the positions of links to records of a list that stand beside each other in its rows."""
    cells = [[each.format(n=number) for each in links] for number in range(6)]
    shown = "".join(f"<li>{''.join(row)}</li>" for row in cells)
    urls = [each.partition("href=")[2].partition(">")[0] for row in cells for each in row]
    read = Page(url=URL, records=[Record("A title", f"http://site.test{url}") for url in urls])
    return [each.position for each in page_links(parse(f"<ul>{shown}</ul>"), read)][: len(links)]


def test_of_the_links_in_a_row_the_title_is_that_of_the_record() -> None:
    title = "<a href=/t/{n}>How do I bake bread number {n}</a>"
    for other in ("/t/{n}?r=3{n}>RE: How do I bake bread number {n}", "/post/3{n}>2 days ago", "/user/{n}>Ada"):
        assert rows(title, f"<a href={other}</a>") == ["record", "beside"], other
        assert rows(f"<a href={other}</a>", title)[1] == "record", other
    assert (
        rows("<a href=/t/{n}>How do I bake bread number {n}</a>", "<a href=/t/9{n}>And another loaf</a>")[0] == "record"
    )


def positions(html: str, url: str, *records: str) -> dict[str, str]:
    read = Page(url=url, records=[Record("A title", record) for record in records])
    return {link.url.rpartition("/")[2]: link.position for link in page_links(parse(html), read)}


def test_titles_of_a_list_that_was_read_with_its_links_to_last_posts_are_those_of_records() -> None:
    html = "".join(
        f"<li><a href=/read?t={n}>\u6d82\u6599</a> <a href=/read?t={n}&page=e>2 days ago</a>" for n in range(4)
    )
    found = positions(html, "http://site.test/list?f=1", *(f"http://site.test/read?t={n}&page=e" for n in range(4)))
    assert [found[f"read?t={n}"] for n in range(4)] == ["record"] * 4
    assert [found[f"read?t={n}&page=e"] for n in range(4)] == ["beside"] * 4


def test_views_of_a_page_stand_beside_it_but_not_the_records_of_a_list_or_the_pages_of_a_script() -> None:
    html = "<a href=/read?t=1&from=7>#7</a> <a href=/read?t=1&print=yes>Print</a> <a href=/read?t=2>Another</a>"
    found = positions(html, "http://site.test/read?t=1")
    assert found == {"read?t=1&from=7": "beside", "read?t=1&print=yes": "beside", "read?t=2": "elsewhere"}
    html = "".join(f"<a href=/shop?kind=1&item={n}>Thing {n}</a>" for n in range(3))
    things = [f"http://site.test/shop?kind=1&item={n}" for n in range(3)]
    assert {*positions(html, "http://site.test/shop?kind=1", *things).values()} == {"record"}
    html = "<a href=/index.php>Home</a> <a href=/index.php?board=1>Board</a> <a href=/index.php?board=2>Another</a>"
    assert {*positions(html, "http://site.test/").values()} == {"elsewhere"}


def test_words_of_actions_in_a_list_of_contents_are_pages() -> None:
    words = "install users export search settings tutorial models views history admin tests cache email".split()
    for place in ("navigation", "text"):
        contents = [link(f"/guide/{word}.html", word.title(), place) for word in words]
        calm = [
            link(f"/guide/{word}-of-it.html", f"The {word} of it", place) for word in ("how", "why", "what", *words)
        ]
        chapters = chapters_of([*contents, *calm, *[link(f"/guide/a{number}.html", "A", place) for number in range(9)]])
        assert "http://site.test/guide/export.html" in chapters
        assert {guess_of(each, chapters=chapters).role for each in contents} == {"content"}
    menu = [link(f"/{word}", word, "navigation") for word in ("login", "register", "search", "about", "rules", "help")]
    assert chapters_of(menu) == set()


def test_a_title_among_titles_in_headings_may_be_the_word_of_an_action() -> None:
    names = ("walk", "rain", "Datenschutz", "bread")
    titles = [replace(link(f"/{name}/", name), is_heading=True, place="a") for name in names]
    assert guess_of(titles[2], chapters_of(titles)).role == "content"
    assert guess_of(titles[2], chapters_of(titles[1:])).role == "other"
    other = [replace(title, place=str(number)) for number, title in enumerate(titles)]
    assert guess_of(other[2], chapters_of(other)).role == "other"


def link(url: str, text: str = "", position: str = "elsewhere", rel: tuple[str, ...] = ()) -> PageLink:
    return PageLink(f"http://site.test{url}", text, position, rel)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "acting",
    [
        link("/login", "Log in", "navigation"),
        link("/ucp.php?mode=register", "Sign up"),
        link("/post/5/print", "A story of bread"),
        link("/wiki?title=Bread&action=edit", "Edit"),
        link("/x/1", "Reply"),
        link("/kontakt/impressum", "Impressum"),
    ],
)
def test_links_that_act_are_not_followed(acting: PageLink) -> None:
    assert guess_of(acting).role == "other"
    assert guess_of(acting).probability < 0.1


def test_a_title_with_the_word_of_an_action_is_none() -> None:
    assert guess_of(link("/wiki/History_of_coffee", "History of coffee", "text")).role == "content"
    assert guess_of(link("/wiki/page_history", "All versions", "navigation")).role == "other"


def test_titles_of_records_are_likelier_than_links_in_menus_and_these_than_orders() -> None:
    record = guess_of(link("/story/1", "A story", "record"))
    menu = guess_of(link("/section", "Section", "navigation"))
    order = guess_of(link("/section?sort=price", "Price"))
    assert record.probability > menu.probability > order.probability
    assert guess_of(link("/story/1?page=3", "3")).role == "later"
    assert guess_of(link("/section?page=2", "Next", "next")).role == "next"


def test_a_thread_goes_on_in_its_own_pager_not_in_that_of_its_board() -> None:
    board = "<div class=pager><a rel=next href=/board/1/page/2/>Next</a></div>"
    own = "<p><b>1</b> <a href=/thread/5/page/2/>2</a></p>"
    url = "http://site.test/thread/5/"
    for html in (board + own, own + board):
        assert following_page(parse(html), Page(url=url)) == f"{url}page/2/"
    assert following_page(parse(board), Page(url=url)) is None


def test_if_one_link_may_not_be_followed_the_next_is_tried() -> None:
    html = "<div class=pager><a href=/board/1/>Next</a> <a href=/thread/6/>Next</a></div>"
    page = Page(url="http://site.test/thread/5/", next_page="http://site.test/board/1/")
    assert following_page(parse(html), page) == "http://site.test/thread/6/"  # the title decides
