"""The scores of crawls of known sites, the lists that are needed, and the trap site."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from research.site_crawls.known import KnownItem, KnownPair, read, thread_item, write
from research.site_crawls.oracle import lists_for
from research.site_crawls.proxy import Hit
from research.site_crawls.report import table
from research.site_crawls.scoring import score
from research.site_crawls.trap import TrapServer, TrapSite

if TYPE_CHECKING:
    from pathlib import Path

BREAD = KnownItem("article", ["/bread/"], "Bread", "Bread\nMix flour, water and salt, and bake it.")
FORMS = ["Oven too hot\nHow do I cool it?", "Oven too hot", "How do I cool it?"]
THREAD = KnownItem(
    "thread",
    ["/topic/1/", "/topic/1/?page=2"],
    "Oven too hot",
    "Oven too hot\nHow do I cool it?\nOpen the door a little.\nTurn the knob to the left.",
    [
        KnownPair(FORMS, "Open the door a little."),
        KnownPair(FORMS, "Turn the knob to the left."),
    ],
)
ITEMS: list[dict[str, Any]] = [
    {"url": "http://site.test/bread/", "main_text": BREAD.main_text, "qa_pairs": []},
    {
        "url": "http://site.test/topic/1/#post-2",
        "main_text": THREAD.main_text,
        "qa_pairs": [{"question": "Oven too hot", "answer": pair.answer} for pair in THREAD.pairs],
    },
]


def hit(path: str, status: int = 200) -> Hit:
    return Hit(path, status, "", "text/html", 0.1, "")


def hits(*paths: str) -> list[Hit]:
    return [hit(path) for path in ("/robots.txt", *paths)]


def test_crawl_without_fault() -> None:
    scored = score([BREAD, THREAD], ["/"], hits("/", "/bread/", "/topic/1/", "/topic/1/?page=2"), ITEMS)

    assert (scored.pages, scored.lists, scored.requests) == (3, 1, 4)  # robots.txt costs nothing
    assert (scored.found, scored.wasted, scored.words, scored.pairs) == (1, 0, 1, 1)
    assert (scored.items, scored.others, scored.twice, scored.items_twice) == (2, 0, 0, 0)


def test_requests_beyond_the_needed_ones_are_wasted() -> None:
    scored = score([BREAD, THREAD], ["/"], hits("/", "/login/", "/bread/", "/bread/", "/bread/?print=1"), ITEMS)

    assert scored.found == pytest.approx(2 / 3)  # the item under its address, but not the second page of the thread
    assert scored.wasted == pytest.approx(2 / 5)
    assert scored.twice == 1


def test_item_under_another_address_is_known_by_its_text() -> None:
    again = {**ITEMS[0], "url": "http://site.test/?p=7"}
    scored = score([BREAD], ["/"], hits("/", "/bread/", "/?p=7"), [ITEMS[0], again])

    assert (scored.others, scored.items_twice) == (0, 1)
    assert scored.words < 1  # the text came out twice


def test_pages_of_a_thread_are_one_item() -> None:
    pages = [
        {
            "url": f"http://site.test{path}",
            "main_text": text,
            "qa_pairs": [{"question": THREAD.title, "answer": pair.answer}],
        }
        for path, text, pair in zip(
            THREAD.pages,
            ("Oven too hot\nHow do I cool it?\nOpen the door a little.", "Turn the knob to the left."),
            THREAD.pairs,
            strict=True,
        )
    ]
    scored = score([THREAD], ["/"], hits("/", *THREAD.pages), pages)

    assert (scored.words, scored.pairs, scored.items_twice, scored.in_parts) == (1, 1, 0, 1)


def test_lost_items_and_pairs_of_other_pages_count() -> None:
    pairs = [{"question": "a", "answer": "b"}]
    list_page = {"url": "http://site.test/", "main_text": "Oven too hot", "qa_pairs": pairs}
    scored = score([BREAD], ["/"], hits("/", "/bread/"), [list_page])

    assert (scored.found, scored.words, scored.pairs, scored.others) == (1, 0, 0.5, 1)


def test_fewest_lists_that_lead_to_all_content() -> None:
    links = {
        "/": {"/tag/all/", "/new/", "/login/"},
        "/new/": {"/a/", "/new/?page=2"},
        "/new/?page=2": {"/b/"},
        "/tag/all/": {"/a/", "/b/", "/c/"},
        "/a/": {"/a/?page=2", "/d/"},
        "/a/?page=2": set(),
    }
    content = {"/a/", "/a/?page=2", "/b/", "/c/"}

    assert lists_for("/", links, content, follows_content=False) == ["/", "/tag/all/"]
    with pytest.raises(ValueError, match="1 pages of content, such as /d/"):
        lists_for("/", links, {*content, "/d/"}, follows_content=False)
    assert lists_for("/", links, {*content, "/d/"}, follows_content=True) == ["/", "/tag/all/"]


def test_known_items_are_read_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path / "known.jsonl", [BREAD, THREAD])

    assert read(tmp_path / "known.jsonl") == [BREAD, THREAD]


def test_thread_as_known_item() -> None:
    thread = {"title": "Oven", "body": "", "replies": [{"text": "Open the door."}]}

    assert thread_item(thread, ["/1/"]) == KnownItem(
        "thread", ["/1/"], "Oven", "Oven\nOpen the door.", [KnownPair(["Oven", "Oven"], "Open the door.")]
    )


def test_trap_site_has_articles_and_addresses_without_end() -> None:
    site = TrapSite([(f"Title {number}", "One line.\nAnother line.") for number in range(12)])

    assert "/article/9/" in (site.page("/") or "")
    assert "/article/11/" in (site.page("/page/2/") or "")
    assert "Another line." in (site.page("/article/11/") or "")
    assert site.page("/page/3/") is None
    for path in ("/calendar/2050-01-31/", "/shop/?colour=red&page=900", "/made/999999/", "/?sid=1"):
        assert site.is_trap(path)
        assert site.page(path)
    assert not site.is_trap("/article/1/")


def test_trap_server_keeps_what_was_asked_for() -> None:
    server = TrapServer(0, TrapSite([("Title", "Text.")]))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        with urlopen(f"http://127.0.0.1:{server.server_port}/calendar/2024-03-04/", timeout=10) as response:
            assert b"No events" in response.read()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert server.paths == ["/calendar/2024-03-04/"]


def test_table_has_a_line_for_each_crawl() -> None:
    from research.site_crawls.measure import Row

    scored = score([BREAD], ["/"], hits("/", "/bread/"), ITEMS[:1])
    lines = table([Row("Blog", "roles", 3, 1.6, scored)]).splitlines()

    assert lines[2].startswith("| Blog | roles | 1 | 1 | 3 | 2 | 1.000 | 0.000 | 1.000 | 1.000 |")
