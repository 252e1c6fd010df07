from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_semtext.crawl import patterns
from scrapy_semtext.crawl.frontier import IN_SITEMAP, Frontier, Guess, NewAddress
from scrapy_semtext.crawl.job_file import signature_of
from scrapy_semtext.crawl.links import Pattern
from scrapy_semtext.crawl.patterns import LEAVE, MAX_PATTERNS, HostPatterns, LinkGain, shown_form

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from scrapy_semtext.crawl.frontier import Entry

LIKELY, MAYBE = Guess("content", 0.9), Guess("content", 0.5)


def add(frontier: Frontier, urls: Iterable[str], guess: Guess = MAYBE, via: Entry | None = None) -> LinkGain:
    return frontier.add([NewAddress(f"http://{url}", guess) for url in urls], via)


def take(frontier: Frontier) -> Entry:
    entry = frontier.take()
    assert entry is not None
    return entry


def finish(frontier: Frontier, entry: Entry, outcome: Any, **learnt: Any) -> None:
    frontier.learn(entry, outcome, **learnt)
    frontier.finish(entry, outcome)


def same(frontier: Frontier, entry: Entry, text: str, title: str = "") -> str | None:
    signature = signature_of(text)
    assert signature is not None
    return frontier.same_content(entry, entry.url, title, signature)


def left_of(frontier: Frontier) -> dict[str, int]:
    """Return the number of waiting URLs by form."""
    return {shown_form(each.pattern): each.number for each in frontier.inventory.waiting(99)}


def test_an_address_is_fetched_once() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/a", "site.test/a#b", "www.site.test/a/"])
    entry = take(frontier)
    assert entry.url == "http://site.test/a"
    assert frontier.take() is None
    assert frontier.finish(entry, "item")
    assert not frontier.finish(entry, "item")
    assert frontier.inventory.outcomes() == {"item": 1}


def test_patterns_that_give_items_go_first() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/story/{number}" for number in range(5)])
    add(frontier, [f"site.test/shop/{number}" for number in range(5)], LIKELY)
    outcomes = {"/story/#": "item", "/shop/#": "nothing"}
    order = []
    for _ in range(8):
        entry = take(frontier)
        outcome = outcomes[entry.pattern.fine]
        finish(frontier, entry, outcome)
        order.append(entry.pattern.fine)
    assert order[0] == "/shop/#"
    assert order.count("/story/#") == 5
    assert order.index("/story/#") < 5


def test_links_beside_titles_are_tried_one_by_one_after_these() -> None:
    frontier = Frontier()
    for number in range(4):
        frontier.add([NewAddress(f"http://site.test/post/{number}", Guess("content", 0.3), "beside")])
        frontier.add([NewAddress(f"http://site.test/t/{number}", LIKELY, "record")])
    threads = [take(frontier) for _ in range(4)]
    assert {entry.pattern.fine for entry in threads} == {"/t/#"}
    assert frontier.take() is None
    for entry in threads:
        finish(frontier, entry, "item")
    for entry in (take(frontier) for _ in range(2)):
        assert frontier.take() is None
        finish(frontier, entry, "duplicate", met=threads[0].url)
    assert frontier.take() is None
    assert left_of(frontier) == {"/post/#": 2}


def test_the_first_pages_of_other_links_are_tried_one_by_one() -> None:
    frontier = Frontier()
    for number, place in enumerate(("navigation", "text", "elsewhere")):
        frontier.add([NewAddress(f"http://site.test/{letters(number)}/{number}", MAYBE, place)])
    frontier.add([NewAddress("http://site.test/t/1", LIKELY, "record")])
    thread = take(frontier)
    assert thread.pattern.fine == "/t/#"
    finish(frontier, thread, "item")
    for _ in range(3):
        entry = take(frontier)
        assert frontier.take() is None
        finish(frontier, entry, "list", gain=LinkGain(5.0, 5.0))


def test_views_are_not_likelier_because_pages_of_their_form_are_useful() -> None:
    frontier = Frontier()
    frontier.add([NewAddress("http://site.test/t?id=1&last=1", LIKELY, "record", code="a1")])
    finish(frontier, take(frontier), "item")
    frontier.add([NewAddress("http://site.test/t?id=2&last=2", Guess("content", 0.3), "beside", code="b2")])
    frontier.add([NewAddress("http://site.test/board/1", MAYBE, "text", code="c3")])
    assert take(frontier).url == "http://site.test/board/1"


def test_a_start_tells_nothing_about_links_of_its_form() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/index.php"], Guess("start", 1.0))
    finish(frontier, take(frontier), "list", gain=LinkGain(5.0, 5.0))
    frontier.add([NewAddress("http://site.test/help.php", Guess("content", 0.4), "elsewhere", code="a1")])
    frontier.add([NewAddress("http://site.test/board.php?id=1", MAYBE, "text", code="b2")])
    assert take(frontier).url == "http://site.test/board.php?id=1"


def test_pages_that_fail_bring_the_end() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/story/{number}" for number in range(20)], LIKELY)
    while (entry := frontier.take()) is not None:
        finish(frontier, entry, "item")
    for number in range(100):
        frontier.add([NewAddress(f"http://site.test/{letters(number)}/{number}", MAYBE, code=f"{number:x}")])
    fetched = 0
    while (entry := frontier.take()) is not None:
        finish(frontier, entry, "failed")
        fetched += 1
    assert fetched < 15


def test_start_addresses_are_fetched_although_others_like_them_gave_nothing() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/story/{number}" for number in range(40)], Guess("content", 1.0))
    fetched = 0
    while (entry := frontier.take() or frontier.take_start()) is not None:
        fetched += 1
        finish(frontier, entry, "failed")
    assert fetched == 40
    assert frontier.waiting() == 0


def test_patterns_that_give_nothing_are_left() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/calendar/{number}" for number in range(500)])
    fetched = 0
    while (entry := frontier.take()) is not None:
        finish(frontier, entry, "nothing")
        fetched += 1
    assert fetched < 10
    assert left_of(frontier) == {"/calendar/#": 500 - fetched}


def test_lists_that_lead_to_lists_alone_are_left() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/made/0"])
    fetched = 0
    while (entry := frontier.take()) is not None:
        gain = add(frontier, [f"site.test/made/{20 * entry.id + each}" for each in range(20)], via=entry)
        finish(frontier, entry, "list", gain=gain)
        fetched += 1
    assert fetched < 30


def test_hosts_take_turns() -> None:
    frontier = Frontier(per_host=2)
    add(frontier, [f"large.test/{number}" for number in range(50)])
    add(frontier, ["small.test/1", "small.test/2"])
    assert [take(frontier).host for _ in range(4)] == ["large.test", "small.test"] * 2
    assert frontier.take() is None  # two URLs of each host are being fetched


def test_a_host_is_left_after_its_most_pages() -> None:
    frontier = Frontier(most_of_host=3)
    add(frontier, [f"site.test/{number}" for number in range(50)])
    assert [frontier.take() is not None for _ in range(4)] == [True, True, True, False]


def test_a_killed_job_fetches_again_what_had_no_item_yet(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    frontier = Frontier(path)
    add(frontier, ["site.test/1", "site.test/2", "site.test/3"])
    done, cut_off = take(frontier), take(frontier)
    for entry, text in ((done, "one"), (cut_off, "two")):
        assert same(frontier, entry, text) is None
    frontier.finish(done, "item", '{"url": 1}')
    frontier.cover(cut_off, ["http://site.test/2?page=2"])
    # Not closed, as if the process was killed.
    frontier = Frontier(path)
    assert [*frontier.items()] == ['{"url": 1}']
    assert frontier.state_of(done.url) == "done"
    assert frontier.state_of("http://site.test/2?page=2") == "new"
    again = take(frontier)
    assert again.url == cut_off.url
    assert same(frontier, again, "two") is None  # its own text from before is forgotten


def test_the_same_and_near_identical_texts_are_found() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/a", "site.test/b", "site.test/c"])
    words = [f"word{number}" for number in range(400)]
    texts = [" ".join(words), " ".join(words).upper() + "!", " ".join([*words[:399], "changed"])]
    found = [same(frontier, take(frontier), text) for text in texts]
    assert found == [None, "http://site.test/a", "http://site.test/a"]


def test_keys_of_queries_that_make_no_difference_are_learnt() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/post?id=1&visit={number}" for number in range(6)])
    fetched: list[str] = []
    while len(fetched) < 4:
        entry = take(frontier)
        signature = signature_of("the same")
        assert signature is not None
        known = frontier.same_content(entry, entry.url, "", signature)
        outcome = "item" if known is None else "duplicate"
        finish(frontier, entry, outcome)
        fetched.append(outcome)
    assert fetched == ["item", "duplicate", "duplicate", "duplicate"]


def test_links_at_one_place_are_left_whatever_their_form() -> None:
    frontier = Frontier()

    def members(number: int) -> NewAddress:
        return NewAddress(f"http://site.test/{letters(number)}/posts", LIKELY, "elsewhere", code="a1")

    frontier.add(map(members, range(100)))
    frontier.add([NewAddress("http://site.test/thread/1", LIKELY, "elsewhere", code="b2")])
    fetched = []
    while (entry := frontier.take()) is not None:
        fetched.append(entry.url)
        finish(frontier, entry, "nothing")
    assert "http://site.test/thread/1" in fetched
    assert len(fetched) < 15


def test_what_nothing_is_known_of_is_tried_while_pages_bring_something_new() -> None:
    frontier = Frontier()
    unlikely = Guess("other", LEAVE - 0.02)
    frontier.add([NewAddress(f"http://site.test/forum.php?board={n}", unlikely, "elsewhere", code="a1") for n in "123"])
    entry = take(frontier)
    assert frontier.take() is None  # the first one may tell
    finish(frontier, entry, "list", gain=LinkGain(5.0, 5.0))
    assert frontier.take() is not None


def test_links_that_act_are_not_tried_once_others_lead_to_items() -> None:
    frontier = Frontier()
    view = Guess("other", LEAVE - 0.02)
    add(frontier, [f"site.test/thread/{number}" for number in range(5)], LIKELY)
    while (entry := frontier.take()) is not None:
        finish(frontier, entry, "item")
    add(frontier, ["site.test/forum.php?action=recent"], view)
    assert frontier.take() is None
    add(frontier, ["site.test/forum.php?board=recent"], view._replace(role="content"))
    assert take(frontier).url == "http://site.test/forum.php?board=recent"


def test_views_that_add_to_the_query_of_items_are_left_once_one_repeats_an_item() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/t?id={number}" for number in range(4)], LIKELY)
    threads = [take(frontier) for _ in range(4)]
    for entry in threads:
        finish(frontier, entry, "item")
    add(frontier, [f"site.test/t?id={number}&last={number}" for number in range(9)], LIKELY)
    finish(frontier, take(frontier), "duplicate", met=threads[0].url)
    assert frontier.take() is None
    add(frontier, ["site.test/t?id=9"], LIKELY)
    finish(frontier, take(frontier), "duplicate", met="http://site.test/t?id=0&last=0")
    add(frontier, ["site.test/t?id=10"], LIKELY)
    assert frontier.take() is not None


def test_views_wait_for_what_they_add_to_and_one_is_tried() -> None:
    frontier = Frontier()
    views = [NewAddress(f"http://site.test/t?id={number}&go=last", LIKELY, "record") for number in range(3)]
    frontier.add(views)
    first = take(frontier)
    assert frontier.take() is None
    add(frontier, [f"site.test/t?id={number}" for number in range(2, 5)])
    finish(frontier, first, "item")
    taken = [take(frontier) for _ in range(3)]
    assert [entry.pattern.coarse for entry in taken] == ["/t?id=#"] * 3
    for entry in taken:
        finish(frontier, entry, "item")
    assert frontier.take() is None
    add(frontier, ["site.test/t?id=2&print=1"], LIKELY)
    assert take(frontier).url.endswith("print=1")


def test_the_state_of_a_host_is_bounded_and_can_be_saved() -> None:
    patterns = HostPatterns()
    for number in range(3 * MAX_PATTERNS):
        pattern = Pattern(f"/{number}", "/")
        patterns.link(pattern, 0.5, is_next=False)
        patterns.take(pattern)
        patterns.learn(pattern, "nothing")
        patterns.land(pattern)
    assert len(patterns.fine) <= MAX_PATTERNS
    assert HostPatterns.from_dict(patterns.to_dict()) == patterns


def crawl(frontier: Frontier, site: dict[str, tuple[str, list[str]]]) -> list[str]:
    """Fetch all URLs; ``site`` has the outcome and the links of each path, a list's link to its next page last."""
    fetched = []
    while (entry := frontier.take()) is not None:
        path = entry.url.removeprefix("http://site.test")
        outcome, links = site.get(path, ("nothing", []))
        gain = add(frontier, [f"site.test{link}" for link in links], LIKELY, via=entry)
        finish(frontier, entry, outcome, gain=gain)
        fetched.append(path)
    return fetched


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def test_addresses_of_more_forms_than_are_kept_are_fetched_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "MAX_PATTERNS", 20)
    urls = [f"site.test/{letters(number)}/{letters(number)}/{number}" for number in range(100)]
    path = tmp_path / "job.sqlite"
    frontier = Frontier(path)
    assert add(frontier, urls).items == 100
    assert len(frontier.host("site.test").patterns.fine) == 20 + 1
    assert frontier.waiting() == sum(left_of(frontier).values()) == 100
    fetched = []
    for _ in range(70):
        fetched.append(take(frontier))
        finish(frontier, fetched[-1], "item")
    frontier.close()
    frontier = Frontier(path)
    while (entry := frontier.take()) is not None:
        fetched.append(entry)
        finish(frontier, entry, "item")
    assert sorted(entry.url for entry in fetched) == sorted(f"http://{url}" for url in urls)
    state = frontier.host("site.test").patterns
    assert len(state.coarse) <= 20
    assert HostPatterns.from_dict(state.to_dict()) == state
    assert frontier.waiting() == 0


def test_forms_that_are_not_kept_are_left_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MAX_PATTERNS", 3)
    frontier = Frontier()
    add(frontier, [f"site.test/users/{letters(number)}/{number}" for number in range(200)])
    fetched = 0
    while (entry := frontier.take()) is not None:
        finish(frontier, entry, "nothing")
        fetched += 1
    assert fetched < 15
    assert frontier.waiting() == 200 - fetched


def test_a_page_claimed_on_a_host_of_many_forms_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MAX_PATTERNS", 2)
    frontier = Frontier()
    add(frontier, ["site.test/a/1", "site.test/b/1", "site.test/c/1"])
    first = take(frontier)
    claimed = frontier.claim("http://site.test/d/1", first)
    assert claimed is not None
    for entry in (first, claimed):
        finish(frontier, entry, "item")
    assert all(tally.flying == 0 for tally in frontier.host("site.test").patterns.fine.values())
    assert frontier.waiting() == 2


def test_a_site_ends_when_lists_of_all_patterns_bring_nothing_new() -> None:
    stories = [f"/story/{number}" for number in range(40)]
    site: dict[str, tuple[str, list[str]]] = {story: ("item", []) for story in stories}
    names = [f"{name}s" for name in ("tag", "year", "author", "place", "mood", "season", "theme", "level")]
    for name in names:
        for number in range(10):
            site[f"/{name}/{number}"] = ("list", stories[number::10])
    site["/"] = ("list", [*stories, *(path for path in site if not path.startswith("/story"))])
    frontier = Frontier()
    add(frontier, ["site.test/"])
    fetched = crawl(frontier, site)
    assert {*stories} <= {*fetched}
    assert len(fetched) < 1.5 * len(stories)
    assert frontier.waiting() > 50


def test_the_pager_that_brings_new_items_goes_before_lists_of_known_ones() -> None:
    stories = [f"/story/{number}" for number in range(60)]
    site: dict[str, tuple[str, list[str]]] = {story: ("item", []) for story in stories}
    for number in range(6):
        site[f"/index{number}"] = ("list", [*stories[10 * number :][:10], f"/index{number + 1}"])
    for number in range(30):
        site[f"/tag/{number}"] = ("list", stories[number % 10 :: 10][:1])
    site["/index0"] = ("list", [*stories[:10], *(f"/tag/{number}" for number in range(30)), "/index1"])
    frontier = Frontier()
    add(frontier, ["site.test/index0"])
    fetched = crawl(frontier, site)
    assert sum(path.startswith("/tag/") for path in fetched[: fetched.index("/index5")]) < 10
    assert {*stories} <= {*fetched}


def test_lists_that_promise_less_wait_for_the_one_that_is_fetched() -> None:
    frontier = Frontier()
    following = NewAddress("http://site.test/page/2", Guess("next", 0.95), "next")
    frontier.add([following, NewAddress("http://site.test/archive", Guess("content", 0.4))])
    entry = take(frontier)
    assert entry.url == following.url
    assert frontier.take() is None
    add(frontier, ["site.test/story/1"], LIKELY)
    story = take(frontier)
    assert story.url == "http://site.test/story/1"
    for done, outcome in ((story, "item"), (entry, "list")):
        finish(frontier, done, outcome)
    assert take(frontier).url == "http://site.test/archive"


def test_a_number_of_first_pages_that_makes_no_difference_is_learnt() -> None:
    frontier = Frontier()
    add(frontier, [f"site.test/board/{number}" for number in range(3)])
    for number in range(3):
        entry = take(frontier)
        assert same(frontier, entry, f"board {number}") is None
        frontier.finish(entry, "list")
    add(frontier, [f"site.test/board/{number}?page=1" for number in range(6)], LIKELY)
    for number in range(3):
        entry = take(frontier)
        assert entry.url.endswith(f"{number}?page=1")
        assert same(frontier, entry, f"board {number}") is not None
        frontier.finish(entry, "duplicate")
    add(frontier, [f"site.test/board/{number}" for number in range(3, 6)])
    rest = []
    while (left := frontier.take()) is not None:
        frontier.finish(left, "list")
        rest.append(left.url)
    assert rest == [f"http://site.test/board/{number}" for number in (3, 4, 5)]
    assert frontier.state_of("http://site.test/board/5?page=2") == "new"


def test_a_new_round_looks_at_lists_that_brought_nothing_new(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    frontier = Frontier(path)
    add(frontier, ["site.test/", *(f"site.test/story/{number}" for number in range(10))])
    links = [f"/tag/{number}" for number in range(60)]
    site = {f"/story/{number}": ("item", links) for number in range(10)} | {link: ("list", [""]) for link in links}
    crawl(frontier, site)
    assert frontier.host("site.test").patterns.dry > 2
    frontier.complete_round()
    frontier.close()
    frontier = Frontier(path)
    frontier.begin_round()
    assert frontier.host("site.test").patterns.dry == 0


def test_a_new_round_looks_at_pages_that_led_to_items(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    frontier = Frontier(path)
    add(frontier, ["site.test/"])
    threads = [f"/t/{number}" for number in range(9)]
    site: dict[str, tuple[str, list[str]]] = {thread: ("item", []) for thread in threads}
    site |= {"/": ("nothing", ["/b/1", "/b/2", "/b/3", "/about"]), "/about": ("item", ["/t/0"])}
    site |= {"/b/1": ("item", threads[:4]), "/b/2": ("item", threads[4:8]), "/b/3": ("item", threads[8:])}
    crawl(frontier, site)
    pages = frontier.host("site.test").patterns.fine["/b/#"].pages
    frontier.complete_round()
    for _ in range(3):
        assert frontier.begin_round(["http://site.test/"])
        known = []
        while (entry := frontier.take() or frontier.take_start()) is not None:
            known += [entry.url] * entry.is_known
            finish(frontier, entry, "known" if entry.is_known else "nothing")
        assert sorted(known) == [f"http://site.test/b/{number}" for number in (1, 2, 3)]
        assert frontier.host("site.test").patterns.fine["/b/#"].pages == pages
        assert frontier.inventory.outcomes() == {"known": 13, "nothing": 1}
        frontier.complete_round()


def test_a_later_page_that_is_the_next_one_of_a_list_is_followed_as_such() -> None:
    frontier = Frontier()
    later = NewAddress("http://site.test/board?page=3", Guess("later", 0.15))
    frontier.add([later, NewAddress("http://site.test/about", MAYBE)])
    frontier.add([later._replace(guess=Guess("next", 0.95), place="next")])
    entry = take(frontier)
    assert (entry.url, entry.role, entry.place) == (later.url, "next", "next")
    assert frontier.waiting() == 1


def test_lists_of_items_that_a_feed_has_are_followed_to_those_behind_them() -> None:
    stories = [f"/story/{number}" for number in range(200)]
    site: dict[str, tuple[str, list[str]]] = {story: ("item", []) for story in stories}
    for number in range(20):
        site[f"/index{number}"] = ("list", [*stories[10 * number :][:10], f"/index{number + 1}"])
    frontier = Frontier()
    add(frontier, ["site.test/index0"])
    frontier.add(NewAddress(f"http://site.test{story}", LIKELY, IN_SITEMAP) for story in stories[:150])
    assert {*stories} <= {*crawl(frontier, site)}


def test_what_became_of_an_address_is_known_under_all_its_addresses() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/post?id=1"])
    frontier.finish(take(frontier), "item")
    frontier.host("site.test").patterns.ignored.add("visit")
    assert frontier.inventory.outcome_of("http://site.test/post?id=1&visit=7") == "item"
    assert frontier.inventory.outcome_of("http://site.test/post?id=2") == ""


def test_later_pages_wait_for_what_is_being_fetched() -> None:
    frontier = Frontier()
    add(frontier, ["site.test/thread/1"], LIKELY)
    add(frontier, ["site.test/thread/1?page=2"], Guess("later", 0.25))
    thread = take(frontier)
    assert frontier.take() is None
    frontier.finish(thread, "nothing")
    assert take(frontier).url.endswith("?page=2")
