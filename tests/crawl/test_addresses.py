from __future__ import annotations

import pytest

from scrapy_semtext.crawl.links import address_key, can_be_page, differing_parts, may_follow, pattern_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://site.test/a", "https://www.site.test/a/#top"),
        ("http://site.test/", "http://site.test/index.html"),
        ("http://site.test/a?x=1&y=2", "http://site.test/a?y=2&x=1"),
        ("http://site.test/a", "http://site.test/a?utm_source=mail&PHPSESSID=0a1b2c3d4e5f"),
        ("http://site.test/a;jsessionid=12AB", "http://site.test/a"),
        ("http://site.test/topic?t=5", "http://site.test/topic?t=5&start=0"),
    ],
)
def test_addresses_of_one_page_have_the_same_key(one: str, other: str) -> None:
    assert address_key(one) == address_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://site.test/a", "http://site.test/b"),
        ("http://site.test/a?id=1", "http://site.test/a?id=2"),
        ("http://site.test/?sid=3", "http://site.test/?sid=4"),  # a section's number, not a session
        ("http://site.test/a", "http://blog.site.test/a"),
    ],
)
def test_addresses_of_two_pages_have_not(one: str, other: str) -> None:
    assert address_key(one) != address_key(other)


def test_keys_that_make_no_difference_on_a_site_are_ignored() -> None:
    assert address_key("http://site.test/a?id=1&token=x", {"token"}) == address_key("http://site.test/a?id=1")
    assert differing_parts("http://site.test/a?id=1&token=x", "http://site.test/a?id=1") == {("token", "x")}
    assert differing_parts("http://site.test/a", "http://site.test/b") is None


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://site.test/2024/05/my-first-post.html", "/#/#/*.html"),
        ("http://site.test/tag/python/", "/tag/python/"),
        ("http://site.test/viewtopic.php?f=2&t=19", "/viewtopic.php?f=#&t=#"),
        ("http://site.test/w/index.php?title=Bread&action=edit", "/w/index.php?action=edit&title=*"),
        ("http://site.test/wiki/Talk:Bread", "/wiki/Talk:*"),
        ("http://site.test/thread-17-page-2.html", "/thread-#-page-#.html"),
        ("http://site.test/thread-17-2-1.html", "/thread-#-#-#.html"),
        ("http://site.test/index.php?topic=17.0;prev_next=next", "/index.php?prev_next=next&topic=#"),
        ("http://site.test/?user/mia-berg/posts/2.html", "/?user/*/posts/#.html"),
        ("http://site.test/", "/"),
    ],
)
def test_the_pattern_of_an_address(url: str, pattern: str) -> None:
    assert pattern_of(url).fine == pattern


@pytest.mark.parametrize(
    "url",
    [
        "mailto:me@site.test",
        "http://site.test/picture.JPG",
        "http://site.test/feed.xml",
        "http://[site.test/",
        "http://site.test/a/b/a/b/a/b/",
        f"http://site.test/{'x' * 700}",
    ],
)
def test_what_no_page_can_be_behind(url: str) -> None:
    assert not can_be_page(url)
    assert can_be_page("http://site.test/a/b/a.html")


@pytest.mark.parametrize(
    "later",
    [
        "http://site.test/thread/5/?page=2",
        "http://site.test/thread/5/page/2",
        "http://site.test/thread/5/page-2",
        "http://site.test/thread/5/?page=2&sort=votes",
        "http://site.test/thread/6/",  # possibly the next thread: the title decides
    ],
)
def test_what_may_be_a_later_page(later: str) -> None:
    assert may_follow("http://site.test/thread/5/", later)


@pytest.mark.parametrize(
    "other", ["http://site.test/thread/5/reply", "http://site.test/about", "http://b.test/?page=2"]
)
def test_what_is_no_later_page(other: str) -> None:
    assert not may_follow("http://site.test/thread/5/", other)
