from __future__ import annotations

import json
from itertools import product
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.crawl.frontier import Frontier, Guess, NewAddress
from scrapy_semtext.crawl.links import Companions, PageLink
from scrapy_semtext.crawl.patterns import shown_form

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext.crawl.links import Position

NAMES = ("Bread", "Rye_flour", "How_to_bake", "Salt", "Water", "Yeast", "Oven")


def link(path: str, position: Position = "navigation") -> PageLink:
    return PageLink(f"http://site.test{path}", "", position)


def learnt(item: str, *paths: str, position: Position = "navigation") -> Companions:
    """Return what is learnt from items that all link to these paths; "{}" stands for the name of each item."""
    companions = Companions()
    for name in NAMES:
        companions.learn(
            f"http://site.test{item.format(name)}", [link(path.format(name), position) for path in (*paths, "/about")]
        )
    return companions


@pytest.mark.parametrize(
    ("item", "companion"),
    [
        ("/wiki/{}", "/wiki/Talk:{}"),
        ("/wiki/{}", "/w/index.php?title={}&action=history"),
        ("/wiki/{}", "/Special:Links/{}"),
        ("/story/{}.html", "/print/{}.html?plain=1"),
        ("/2025/02/{}/", "/2025/02/{}/feed/"),
        ("/start?page_name={}", "/start?do=edit&page_name={}"),
        ("/topic/{}/", "/account?after=/topic/{}/"),
    ],
)
def test_what_each_item_links_to_for_itself_is_a_companion(item: str, companion: str) -> None:
    found = learnt(item, companion)
    assert found.holds(f"http://site.test{companion.format('Never_seen')}")
    assert not found.holds(f"http://site.test{item.format('Never_seen')}")
    assert not found.holds("http://site.test/about")


@pytest.mark.parametrize(
    ("item", "other"),
    [
        ("/wiki/{}", "/fr/wiki/{}"),  # a translation
        ("/docs/latest/{}", "/docs/stable/{}"),  # another version
        ("/thread/{}/", "/thread/{}/?page=2"),
        ("/question/{}/how-to-bake/", "/question/{}/"),  # a short URL of the item
    ],
)
def test_translations_versions_and_later_pages_are_none(item: str, other: str) -> None:
    assert not learnt(item, other).holds(f"http://site.test{other.format('Never_seen')}")


def test_what_main_content_links_to_is_none() -> None:
    assert not learnt("/wiki/{}", "/wiki/Talk:{}", position="text").holds("http://site.test/wiki/Talk:Milk")


def test_pages_below_others_are_none_unless_all_have_the_same() -> None:
    companions = Companions()
    for name in NAMES:
        companions.learn(f"http://site.test/{name}/", [link(f"/{name}/part-of-{name}"), link(f"/{name}/install")])
    assert companions.holds("http://site.test/Milk/install")
    for name in NAMES:  # they turn out to be items themselves
        companions.learn(f"http://site.test/{name}/install", [])
    assert not companions.holds("http://site.test/Milk/install")


def test_numbers_that_are_equal_by_chance_are_none() -> None:
    companions = Companions()
    for number in range(6):
        users = [link(f"/user/{each}/") for each in range(6)]
        companions.learn(f"http://site.test/thread/{number}/", [*users, link(f"/reply/{number}/form")])
    assert not companions.holds("http://site.test/user/9/")
    assert companions.holds("http://site.test/reply/9/form")


def test_a_word_that_several_companions_begin_with_is_about_the_site() -> None:
    one, two = "/wiki/Special:Links/{}", "/wiki/Special:Changes/{}"
    assert not learnt("/wiki/{}", one).holds("http://site.test/wiki/Special:Version")
    assert learnt("/wiki/{}", one, two).holds("http://site.test/wiki/Special:Version")


def test_few_templates_are_kept_and_restored() -> None:
    companions = learnt("/wiki/{}", "/wiki/Talk:{}")
    for one, two in product(ascii_lowercase, repeat=2):
        companions.learn(f"http://site.test/wiki/{one}-{two}", [link(f"/x{one}{two}/{one}-{two}")])
    assert len(companions.templates) <= 200
    restored = Companions.from_dict(json.loads(json.dumps(companions.to_dict())))
    assert restored.templates == companions.templates
    assert restored.holds("http://site.test/wiki/Talk:Milk")


def test_companions_that_wait_are_put_aside_and_known_after_a_restart(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "crawl.sqlite")
    likely = Guess("content", 0.9)
    frontier.add(NewAddress(f"http://site.test/wiki/{name}", likely, "text", 1) for name in ("Talk:Milk", "Milk"))
    frontier.add([NewAddress("http://site.test/wiki/Talk:Record", likely, "record", 1)])
    frontier.add([NewAddress("http://site.test/wiki/Talk:Portal", likely)])  # the start URL
    frontier.add([NewAddress("http://site.test/wiki/Talk:Listed", likely, "sitemap", 1)])
    for name in NAMES[:3]:
        frontier.host("site.test").companions.learn(f"http://site.test/wiki/{name}", [link(f"/wiki/Talk:{name}")])
    frontier.close()
    frontier = Frontier(tmp_path / "crawl.sqlite")
    taken = []
    while (entry := frontier.take()) is not None:
        taken.append(entry.url.rpartition("/")[2])
        frontier.release(entry)
    assert sorted(taken) == ["Milk", "Talk:Listed", "Talk:Portal", "Talk:Record"]
    (left,) = frontier.inventory.waiting(9)
    assert (left.host, shown_form(left.pattern), left.number) == ("site.test", "/wiki/Talk:*", 1)
