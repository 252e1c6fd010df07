from __future__ import annotations

import pytest

from scrapy_semtext import Block, Page, QAPair, Record
from scrapy_semtext.crawl.frontier import Frontier, Guess, NewAddress
from scrapy_semtext.crawl.harvest import Harvest
from scrapy_semtext.crawl.links import PageLink, are_of_one
from scrapy_semtext.crawl.scope import CrawlScope
from scrapy_semtext.tree.parsing import parse

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
    return Harvest(frontier, CrawlScope([URL]))


def test_an_item_goes_on_where_its_next_page_is_linked(harvest: Harvest, frontier: Frontier) -> None:
    page = Page(url=URL, title="Bread", main_text=TEXT, qa_pairs=[QAPair("How?", "Slowly.")])
    assert read(page, "<a href=?page=2>Next</a><a href=/thread/7/>Other</a>", harvest, frontier) == (
        "item",
        f"{URL}?page=2",
    )
    assert frontier.state_of("http://site.test/thread/7/") == "waiting"


def test_a_later_page_of_a_known_item_is_no_item(harvest: Harvest, frontier: Frontier) -> None:
    assert read(Page(url=URL, title="Bread", main_text=TEXT), "<p>", harvest, frontier)[0] == "item"
    frontier.complete_round()
    frontier.begin_round()
    for title, outcome in (("Bread - page 2", "later"), ("Cake", "item")):
        page = Page(url=f"{URL}?page={len(title)}", title=title, main_text=f"Of {title}: {TEXT}")
        assert read(page, f"<link rel=prev href={URL}>", harvest, frontier)[0] == outcome


def test_the_same_text_is_a_duplicate(harvest: Harvest, frontier: Frontier) -> None:
    assert read(Page(url=URL, main_text=TEXT), "<p>", harvest, frontier)[0] == "item"
    assert read(Page(url=f"{URL}print", main_text=TEXT), "<p>", harvest, frontier)[0] == "duplicate"
    titled = Page(url=f"{URL}?page=1", title="Bread", main_text=f"Bread\n{TEXT}")
    assert read(titled, "<p>", harvest, frontier)[0] == "duplicate"


def test_a_later_page_of_a_board_with_the_same_text_has_links_of_its_own(harvest: Harvest, frontier: Frontier) -> None:
    read(Page(url=URL, main_text=TEXT), "<p>", harvest, frontier)
    later = Page(url=f"{URL}?page=2", main_text=TEXT)
    assert read(later, "<a href=/thread/2/>Wine</a>", harvest, frontier)[0] == "list"
    assert frontier.state_of("http://site.test/thread/2/") == "waiting"


def test_the_next_page_of_an_unwanted_item_is_fetched_for_itself(harvest: Harvest, frontier: Frontier) -> None:
    frontier.add([NewAddress(URL, Guess("content", 0.9))])
    entry = frontier.take()
    assert entry is not None
    harvest.leave_out(entry, f"{URL}?page=2")
    assert frontier.state_of(f"{URL}?page=2") == "waiting"


def test_the_canonical_address_of_an_item_is_not_fetched(harvest: Harvest, frontier: Frontier) -> None:
    read(Page(url=f"{URL}?from=mail", main_text=TEXT), f"<link rel=canonical href={URL}>", harvest, frontier)
    assert frontier.state_of(URL) == "done"


def test_a_later_page_that_came_first_is_fetched_again_from_its_first_one(harvest: Harvest, frontier: Frontier) -> None:
    later = Page(url=f"{URL}?page=2", title="Bread", main_text=f"{TEXT} More.")
    assert read(later, f"<link rel=prev href={URL}>", harvest, frontier)[0] == "later"
    entry = frontier.take()
    assert entry is not None
    first = Page(url=URL, title="Bread", main_text=TEXT)
    assert harvest.read(parse("<a href=?page=2>Next</a>"), first, entry) == ("item", f"{URL}?page=2")
    assert harvest.known(later, entry) is None


@pytest.mark.parametrize(("text", "state"), [("1", "new"), ("2", "waiting")])
def test_pagers_lead_back_to_a_first_page_without_a_number(
    text: str, state: str, harvest: Harvest, frontier: Frontier
) -> None:
    page = Page(url=URL, title="Bread", main_text=TEXT)
    read(page, f"<a href=/thread/2/>Wine</a><a href=/thread/2/?page=1>{text}</a>", harvest, frontier)
    assert frontier.state_of("http://site.test/thread/2/?page=1") == state


def test_pages_of_a_form_are_no_items(harvest: Harvest, frontier: Frontier) -> None:
    def badge(number: int) -> Page:
        texts = [f"This badge has the name {number}", TEXT, "Nobody has got it so far, and it may be that none will."]
        blocks = [Block(text, "main", 0.9) for text in texts]
        return Page(
            url=f"http://site.test/badge/{number}/", title=f"{number}", main_text="\n".join(texts), blocks=blocks
        )

    outcomes = [read(badge(number), "<p>", harvest, frontier)[0] for number in range(3)]
    assert outcomes == ["item", "nothing", "nothing"]


def test_the_next_page_of_a_list_of_known_items_is_put_off(harvest: Harvest, frontier: Frontier) -> None:
    records = [Record(f"Story {number} of bread", f"http://site.test/story/{number}") for number in range(4)]
    guesses = []
    for name, shown in (("news", records), ("again", records[1:])):
        following = f"http://site.test/{name}/2/"
        page = Page(url=f"http://site.test/{name}/1/", records=shown, is_overview=True, next_page=following)
        links = "".join(f"<a href={record.url}>{record.title}</a>" for record in shown)
        assert read(page, f"{links}<a href={following}>Next</a>", harvest, frontier)[0] == "list"
        waiting = frontier.host("site.test").patterns.fine
        guesses.append(next(tally.guessed for fine, tally in waiting.items() if fine.startswith(f"/{name}/#/ @")))
    assert guesses[0] > 0.9
    assert guesses[1] < 0.7


def test_a_redirect_to_a_later_page_starts_the_thread_at_its_first(harvest: Harvest, frontier: Frontier) -> None:
    frontier.add([NewAddress("http://site.test/post/31", Guess("content", 0.9))])
    entry = frontier.take()
    assert entry is not None
    later = Page(url=f"{URL}?page=2", title="Bread", main_text=TEXT)
    assert harvest.read(parse(f"<a href={URL}>1</a>"), later, entry).outcome == "later"
    frontier.finish(entry, "later")
    first = Page(url=URL, title="Bread", main_text=f"First. {TEXT}")
    assert read(first, "<a href=?page=2 rel=next>Next</a>", harvest, frontier) == ("item", f"{URL}?page=2")


@pytest.mark.parametrize("query", ["?post=31", "latest/"])
def test_a_post_of_a_later_page_starts_the_thread_at_its_first(
    query: str, harvest: Harvest, frontier: Frontier
) -> None:
    pager = "<div class=pager><a href=/thread/1/?page=1>1</a> <b>2</b> <a href=/thread/1/?page=3>3</a></div>"
    page = Page(url=f"{URL}{query}", title="Bread", main_text=TEXT)
    assert read(page, pager, harvest, frontier)[0] == "later"
    assert frontier.state_of(URL) == "waiting"
    assert read(Page(url="http://site.test/7", title="Wine", main_text=TEXT), pager, harvest, frontier)[0] == "item"


def test_addresses_that_redirect_to_known_items_are_left(harvest: Harvest, frontier: Frontier) -> None:
    threads = [f"http://site.test/thread/{number}/" for number in range(9)]
    frontier.add(NewAddress(url, Guess("content", 0.9), "record") for url in threads)
    frontier.add(NewAddress(f"http://site.test/post/{number}", Guess("content", 0.9)) for number in range(9))
    fetched = []
    while (entry := frontier.take()) is not None:
        number = int(entry.url.strip("/").rpartition("/")[2])
        page = Page(url=threads[number], title=f"{number}", main_text=f"{TEXT} {number}")
        found = harvest.read(parse("<p>"), page, entry)
        frontier.finish(entry, found.outcome)
        fetched.append(entry.url)
    assert {*threads} & {*fetched} or len(fetched) <= 12
    assert len(fetched) <= 12
    assert frontier.inventory.outcomes()["item"] == 9


def test_a_list_of_whole_posts_goes_on_at_its_next_page(harvest: Harvest, frontier: Frontier) -> None:
    titles = ("How I bake bread", "A trip to the sea", "My oven is too hot")
    blocks = [Block(text, "main", 0.9) for title in titles for text in (title, f"{title} {TEXT}")]
    page = Page(url="http://site.test/", main_text=TEXT, blocks=blocks)
    html = "".join(f"<h2><a href=/story/{n}>{title}</a></h2><p>{TEXT}</p>" for n, title in enumerate(titles))
    assert read(page, f"{html}<a href=/page/2/>Older posts</a>", harvest, frontier)[0] == "list"
    waiting = frontier.host("site.test").patterns.fine
    assert [tally.next for fine, tally in waiting.items() if fine.startswith("/page/#/ @")] == [1]


def test_a_next_article_is_not_the_next_page() -> None:
    assert are_of_one(Page(title="Bread"), Page(title="Bread - Page 2"))
    assert not are_of_one(Page(title="Bread"), Page(title="Wine"))
    assert not are_of_one(Page(), Page())


def test_what_a_crawl_may_fetch() -> None:
    scope = CrawlScope(["http://www.site.test/blog/"], deny=["/private/"])
    assert scope.holds("https://site.test/a")
    assert not scope.holds("https://site.test/private/a")
    assert not scope.holds("https://other.test/a")
    assert not scope.holds("https://forum.site.test/a")
    assert CrawlScope(["http://www.site.co.uk/"], by_domain=True).holds("http://forum.site.co.uk/")
    assert not CrawlScope(["https://alice.github.io/"], by_domain=True).holds("https://mallory.github.io/")
    allowing = CrawlScope(["http://site.test/"], allow=["/a/"])
    assert allowing.holds("http://other.test/a/")
    assert allowing.holds("http://site.test/")
    assert not allowing.holds("http://site.test/b/")
    assert allowing.reaches("http://site.test/sitemap.xml")
    assert not allowing.reaches("http://other.test/sitemap.xml")


@pytest.mark.parametrize("by_domain", [False, True])
def test_a_crawl_keeps_to_its_host_however_it_is_written(by_domain: bool) -> None:
    scope = CrawlScope(["http://site.test/"], by_domain=by_domain)
    same = "http://SITE.test./ https://www.site.test:443/ http://\uff53ite.test/ http://site.test:80/x.xml"
    for url in same.split():
        assert scope.reaches(url), url
    for url in "http://a.test\\@site.test/ http://site.test:8080x/ http://site.test@a.test/ http://a?site.test".split():
        assert not scope.reaches(url), url
    assert not CrawlScope(["http://site.test/"], allow=["//[^/]*site[.]test"]).reaches("http://a.test\\.site.test/")


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
    scope = CrawlScope(["http://site.test/"], strategy=strategy)  # type: ignore[arg-type]
    links = [
        (outcome, PageLink("http://site.test/a", "", position))
        for outcome in ("list", "item")
        for position in ("record", "next", "text")
    ]
    assert [f"{outcome} {link.position}" for outcome, link in links if scope.follows(link, outcome)] == followed  # type: ignore[arg-type]
