from __future__ import annotations

import pytest

from scrapy_semtext import Page, QAPair
from scrapy_semtext.crawling.frontier import Frontier, NewAddress
from scrapy_semtext.crawling.harvest import Harvest
from scrapy_semtext.crawling.links import PageLink
from scrapy_semtext.crawling.roles import Guess
from scrapy_semtext.crawling.scope import Scope
from scrapy_semtext.crawling.threads import are_of_one
from scrapy_semtext.dom.tree import parse

URL = "http://site.test/thread/1/"
TEXT = "A text of an item, which is long enough to be one, as it has more than eighty letters in all of its words."


def read(page: Page, html: str, harvest: Harvest, frontier: Frontier) -> tuple[str, str | None]:
    frontier.add([NewAddress(page.url or "", Guess("content", 0.9))])
    entry = frontier.take()
    assert entry is not None
    found = harvest.read(parse(html), page, entry)
    frontier.finish(entry, found.outcome)
    return found


@pytest.fixture
def frontier() -> Frontier:
    return Frontier()


@pytest.fixture
def harvest(frontier: Frontier) -> Harvest:
    return Harvest(frontier, Scope([URL]))


def test_an_item_goes_on_where_its_next_page_is_linked(harvest: Harvest, frontier: Frontier) -> None:
    page = Page(url=URL, title="Bread", main_text=TEXT, qa_pairs=[QAPair("How?", "Slowly.")])
    assert read(page, "<a href=?page=2>Next</a><a href=/thread/7/>Other</a>", harvest, frontier) == (
        "item",
        f"{URL}?page=2",
    )
    assert frontier.state_of(f"{URL}?page=2") == "done"  # it belongs to the item
    assert frontier.state_of("http://site.test/thread/7/") == "waiting"


def test_a_later_page_is_left_to_its_first_one(harvest: Harvest, frontier: Frontier) -> None:
    page = Page(url=f"{URL}?page=2", title="Bread", main_text=TEXT)
    assert read(page, f"<link rel=prev href={URL}>", harvest, frontier) == ("later", None)
    assert frontier.state_of(URL) == "waiting"


def test_the_same_text_is_a_duplicate(harvest: Harvest, frontier: Frontier) -> None:
    assert read(Page(url=URL, main_text=TEXT), "<p>", harvest, frontier)[0] == "item"
    assert read(Page(url=f"{URL}print", main_text=TEXT), "<p>", harvest, frontier)[0] == "duplicate"


def test_the_canonical_address_of_an_item_is_not_fetched(harvest: Harvest, frontier: Frontier) -> None:
    read(Page(url=f"{URL}?from=mail", main_text=TEXT), f"<link rel=canonical href={URL}>", harvest, frontier)
    assert frontier.state_of(URL) == "done"


def test_short_pages_are_nothing(harvest: Harvest, frontier: Frontier) -> None:
    assert read(Page(url=URL, main_text="Member since 2019."), "<p>", harvest, frontier)[0] == "nothing"


def test_a_next_article_is_not_the_next_page() -> None:
    assert are_of_one(Page(title="Bread"), Page(title="Bread - Page 2"))
    assert not are_of_one(Page(title="Bread"), Page(title="Wine"))
    assert not are_of_one(Page(), Page())


def test_what_a_crawl_may_fetch() -> None:
    scope = Scope(["http://www.site.test/blog/"], deny=["/private/"])
    assert scope.holds("https://site.test/a")
    assert not scope.holds("https://site.test/private/a")
    assert not scope.holds("https://other.test/a")
    assert not scope.holds("https://forum.site.test/a")
    assert Scope(["http://www.site.co.uk/"], by_domain=True).holds("http://forum.site.co.uk/")
    allowing = Scope(["http://site.test/"], allow=["/a/"])
    assert allowing.holds("http://other.test/a/")
    assert allowing.holds("http://site.test/")
    assert not allowing.holds("http://site.test/b/")


@pytest.mark.parametrize(
    ("strategy", "followed"),
    [
        ("all", ["list record", "list next", "list text", "item record", "item next", "item text"]),
        ("lists", ["list record", "list next", "list text"]),
        ("next-pages", ["list record", "list next"]),
        ("given", []),
    ],
)
def test_strategies(strategy: str, followed: list[str]) -> None:
    scope = Scope(["http://site.test/"], strategy=strategy)  # type: ignore[arg-type]
    links = [
        (outcome, PageLink("http://site.test/a", "", position))
        for outcome in ("list", "item")
        for position in ("record", "next", "text")
    ]
    assert [f"{outcome} {link.position}" for outcome, link in links if scope.follows(link, outcome)] == followed  # type: ignore[arg-type]
