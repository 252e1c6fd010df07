from __future__ import annotations

from scrapy_semtext.dom.tree import parse
from scrapy_semtext.records.columns import Addresses, columns_of, stand_in_turns

BASE = "https://example.com/list/"


def texts(html: str) -> list[list[str]]:
    return [[member.text for member in column.members] for column in columns_of(parse(html), Addresses(BASE))]


def test_links_at_like_places_are_one_column() -> None:
    rows = "".join(f"<li><a href=/{i}>Title {i}</a> by <b><a href=/u/{i}>Ann {i}</a></b></li>" for i in range(3))
    assert texts(f"<ul>{rows}</ul>") == [["Title 0", "Title 1", "Title 2"], ["Ann 0", "Ann 1", "Ann 2"]]


def test_the_parts_of_a_card_are_columns_of_their_own() -> None:
    cards = "".join(f"<a href=/{i}><span>News</span><h3>Title {i}</h3><p>Lead {i}</p></a>" for i in range(3))
    found = texts(f"<div>{cards}</div>")
    assert ["Title 0", "Title 1", "Title 2"] in found
    assert ["Lead 0", "Lead 1", "Lead 2"] in found
    assert ["News Title 0 Lead 0", "News Title 1 Lead 1", "News Title 2 Lead 2"] in found
    assert ["News", "News", "News"] in found


def test_a_text_that_all_records_have_tells_none_apart() -> None:
    rows = "".join(f"<li><a href=/{i}>Read more</a></li>" for i in range(4))
    assert texts(f"<ul>{rows}</ul>") == []


def test_names_part_lists_that_tags_do_not() -> None:
    def links(name: str) -> str:
        return "".join(f"<div class='{name} n{i}'><a href=/{name}/{i}>{name} {i}</a></div>" for i in range(3))

    found = texts(links("story") + links("topic"))
    assert ["story 0", "story 1", "story 2"] in found
    assert ["topic 0", "topic 1", "topic 2"] in found
    assert len(found[0]) == 6


def test_numbers_and_modifiers_of_names_do_not_part_a_list() -> None:
    names = ("row-1 row-odd", "row-2 row-even", "row-3 row-odd row-last")
    rows = "".join(f"<p class='{name}'><a href=/{i}>Title {i}</a></p>" for i, name in enumerate(names))
    rows += "".join(f"<p class=side><a href=/s/{i}>Side {i}</a></p>" for i in range(3))
    assert ["Title 0", "Title 1", "Title 2"] in texts(rows)


def test_links_of_menus_and_footers_are_left_out() -> None:
    links = "".join(f"<a href=/{i}>Section {i}</a>" for i in range(4))
    assert texts(f"<nav>{links}</nav><footer>{links}</footer>") == []


def test_headings_without_a_link_are_candidates() -> None:
    rows = "".join(f"<div><h3>Title {i}</h3><p><a href=/{i}>More</a></p></div>" for i in range(3))
    assert texts(rows)[0] == ["Title 0", "Title 1", "Title 2"]


def test_addresses_are_absolute_and_without_fragment() -> None:
    addresses = Addresses(BASE)
    assert addresses("item?a=1#top") == "https://example.com/list/item?a=1"
    assert addresses(" /item ") == "https://example.com/item"
    assert addresses("//cdn.example.com/a") == "https://cdn.example.com/a"
    assert addresses("/../item") == "https://example.com/item"
    for none in (
        None,
        "",
        "#comments",
        "javascript:void(0)",
        "mailto:ann@example.com",
        "//[broken",
        "http://[broken",
        "http://broken]/1",
        "http://a\u2100b/",
    ):
        assert addresses(none) is None


def test_columns_of_the_same_records_stand_in_turns() -> None:
    assert stand_in_turns([0, 2, 4, 6], [1, 3, 5, 7])
    assert not stand_in_turns([0, 1, 2, 3], [4, 5, 6, 7])
