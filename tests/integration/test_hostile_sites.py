"""Pages and responses can neither stop a crawl, nor prolong it forever, nor lead it out of its scope."""

from __future__ import annotations

import gzip
import logging
import zlib
from typing import TYPE_CHECKING, Any

import harvesting
import pytest
from crawling import Answer
from generated_sites import serving
from hostile_site import HostileSite
from story_sites import START, TEXT, XML, crawled, moved, page, robots, story_site

from scrapy_semtext.crawl.frontier import Frontier, Guess, NewAddress
from scrapy_semtext.integration.spiders import site as site_module
from scrapy_semtext.integration.spiders.site import FRONTIER_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.crawl


OTHER = "http://other.test/"
LONG = "/" + "\u5317" * 300  # 2,700 characters when percent-encoded for the request


@pytest.mark.parametrize(
    "link", ["http://[::1]@site.test/c", "http://site.test:port/x", "http://site.test:99999/", LONG]
)
def test_a_link_that_cannot_be_asked_for_is_left(link: str) -> None:
    _, stats = crawled(story_site(links=f'<a href="{link}">a story</a>'), scope="domain")
    assert stats["finish_reason"] == "finished"
    assert stats["item_scraped_count"] == 4


@pytest.mark.parametrize("link", ["http://[::1]@site.test/s.xml", f"http://site.test{LONG}", "http://[", "http://a:b/"])
def test_a_sitemap_that_cannot_be_asked_for_is_left(link: str) -> None:
    index = (
        f"<sitemapindex><sitemap><loc>{link}</loc></sitemap><sitemap><loc>{START}2.xml</loc></sitemap></sitemapindex>"
    )
    listed = f"<urlset><url><loc>{link}</loc></url><url><loc>{START}hidden.html</loc></url></urlset>"
    files = {f"{START}1.xml": Answer(index.encode(), 200, XML), f"{START}2.xml": Answer(listed.encode(), 200, XML)}
    hidden = {f"{START}hidden.html": page("hidden")}
    _, stats = crawled(story_site() | robots(link, f"{START}1.xml") | files | hidden)
    assert stats["finish_reason"] == "finished"
    assert stats["item_scraped_count"] == 5


def test_an_address_of_a_job_that_cannot_be_asked_for_is_failed(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / FRONTIER_FILE)
    frontier.add([NewAddress("http://[::1]@site.test/c", Guess("content", 1.0))])
    frontier.close()
    _, stats = crawled(story_site(), {"JOBDIR": str(tmp_path)})
    assert stats["finish_reason"] == "finished"
    assert stats["semtext/crawl/failed"] == 1


def test_an_error_where_a_failure_is_counted_does_not_keep_it_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_failure: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(site_module, "reason_of", broken)
    forbidding = {f"{START}robots.txt": Answer(b"User-agent: *\nDisallow: /secret", 200, TEXT)}
    _, stats = crawled(story_site(links='<a href="/secret.html">a story</a>') | forbidding)
    assert stats["finish_reason"] == "finished"
    assert stats["item_scraped_count"] == 4


@pytest.mark.parametrize("settings", [{"URLLENGTH_LIMIT": 20}, {"DEPTH_LIMIT": 1}])
def test_limits_that_drop_requests_without_a_word_do_not_keep_it_from_ending(settings: dict[str, Any]) -> None:
    index = f"<sitemapindex><sitemap><loc>{START}2.xml</loc></sitemap></sitemapindex>"
    site = story_site() | robots(f"{START}1.xml") | {f"{START}1.xml": Answer(index.encode(), 200, XML)}
    _, stats = crawled(site, settings)
    assert stats["finish_reason"] == "finished"


@pytest.mark.parametrize(
    "site",
    [
        story_site(links='<a href="http://other.test\\@site.test/x">a story</a>'),
        story_site(links='<a href="http://other.test?@site.test/x">a story</a>'),
        story_site(links='<a href="/moved">a story</a>') | {f"{START}moved": moved(f"{OTHER}x")},
        story_site(links='<a href="/moved">a story</a>') | {f"{START}moved": moved("//other.test/x", 308)},
        story_site(links='<a href="/moved">a story</a>') | {f"{START}moved": moved("http://other.test\\@site.test/x")},
        story_site(links='<a href="/moved">a story</a>')
        | {f"{START}moved": page("moved", f'<meta http-equiv="refresh" content="0; url={OTHER}x">')},
        story_site(head=f'<link rel="alternate" type="application/rss+xml" href="{OTHER}feed">'),
        story_site() | robots(f"{OTHER}sitemap.xml"),
        story_site() | {f"{START}robots.txt": moved(f"{OTHER}robots.txt")},
        story_site()
        | {
            f"{START}sitemap.xml": Answer(
                f"<sitemapindex><sitemap><loc>{OTHER}2.xml</loc></sitemap></sitemapindex>".encode(), 200, XML
            )
        },
    ],
)
def test_no_other_host_is_asked(site: dict[str, Answer]) -> None:
    elsewhere = {f"{OTHER}{path}": page("elsewhere") for path in ("x", "feed", "2.xml", "@site.test/x")}
    hosts, stats = crawled(site | elsewhere)
    assert hosts == {"site.test"}
    assert stats["item_scraped_count"] == 4
    assert stats["finish_reason"] == "finished"


def test_a_thread_that_leads_away_is_an_item_without_what_is_there() -> None:
    thread = page("bread", '<link rel="next" href="/bread.html?page=2">')
    site = story_site() | {f"{START}bread.html": thread, f"{START}bread.html?page=2": moved(f"{OTHER}x")}
    hosts, stats = crawled(site | {f"{OTHER}x": page("bread")})
    assert hosts == {"site.test"}
    assert stats["item_scraped_count"] == 4


@pytest.mark.parametrize(
    "to", ["http://www.site.test/m.html", "https://site.test/m.html", "http://SITE.test:80/m.html"]
)
def test_a_redirect_within_the_site_is_followed(to: str) -> None:
    site = story_site(links='<a href="/moved">a story</a>') | {f"{START}moved": moved(to)}
    there = {url: page("moved") for url in (to, to.lower())}
    handler = "crawling.SiteHandler"
    _, stats = crawled(site | there, {"DOWNLOAD_HANDLERS": {"http": handler, "https": handler, "ftp": None}})
    assert stats["item_scraped_count"] == 5


def refreshing(name: str, to: str) -> Answer:
    return page(name, f'<meta http-equiv="refresh" content="0; url={to}">')


@pytest.mark.parametrize(
    ("to", "ignored", "sent"),
    [
        ("", 1, 4),
        ("/bread.html#top", 1, 4),
        ("/bread.html?PHPSESSID=123456789", 1, 5),
        ("/loaf.html", 1, 5),
        ("/plain.html", 0, 5),
    ],
    ids=["to itself", "to a part of itself", "to itself with a session", "to one that leads back", "to another"],
)
def test_a_refresh_is_followed_unless_it_leads_to_the_same_page(to: str, ignored: int, sent: int) -> None:
    names = {"bread.html": to, "bread.html?PHPSESSID=123456789": to, "loaf.html": "/bread.html"}
    site = story_site() | {f"{START}{name}": refreshing("bread", there) for name, there in names.items()}
    _, stats = crawled(site | {f"{START}plain.html": page("plain")}, sitemaps="false")
    assert stats["item_scraped_count"] == 4
    assert stats.get("semtext/crawl/refresh_ignored", 0) == ignored
    assert stats["downloader/request_count"] - 1 == sent, "without robots.txt"


@pytest.mark.smoke
def test_refreshes_count_as_pages() -> None:
    listed = story_site()
    site = listed | {
        START: refreshing("moved", "/1"),
        f"{START}1": refreshing("moved", "/2"),
        f"{START}2": listed[START],
    }
    _, stats = crawled(site, sitemaps="false", max_pages="3")
    assert stats["downloader/request_count"] - 1 == 3, "without robots.txt"


def test_a_start_address_that_leads_away_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        hosts, stats = crawled({START: moved(f"{OTHER}home"), f"{OTHER}home": page("elsewhere")})
    assert hosts == {"site.test"}
    assert stats["semtext/crawl/failed"] == 1
    assert f"{START} redirects out of scope: start from {OTHER}home" in caplog.text


def test_a_site_full_of_hostile_links_is_crawled_to_its_end() -> None:
    hostile = HostileSite(3, 600, "site.test", "other.test:81")
    hosts, stats = crawled(hostile.answers)
    assert hosts == {"site.test"}
    assert stats["finish_reason"] == "finished"
    assert stats["item_scraped_count"] >= len(hostile.items)
    assert "spider_exceptions/count" not in stats


LISTED = f"<url><loc>{START}hidden.html</loc></url></urlset>".encode()
LONG_MAP = b"<urlset>" + b"<!-- -->" * 300_000 + LISTED
RULES = b"User-agent: *\nDisallow: /secret\n"
LARGE = RULES + b"Disallow: /x\n" * 60_000 + b"Disallow: /garden"
FORBIDDEN = '<a href="/secret.html">a secret story</a>'
TOO_LARGE = "semtext/crawl/listings/too_large"


def packed(body: bytes, headers: Mapping[str, str], encoding: str = "gzip") -> Answer:
    compressor = zlib.compressobj(wbits=-15)
    data = gzip.compress(body) if encoding == "gzip" else compressor.compress(body) + compressor.flush()
    return Answer(data, 200, {**headers, "Content-Encoding": encoding})


def with_robots(answer: Answer) -> dict[str, Answer]:
    return story_site(links=FORBIDDEN) | {f"{START}secret.html": page("secret"), f"{START}robots.txt": answer}


def with_sitemap(answer: Answer) -> dict[str, Answer]:
    return story_site() | robots(f"{START}1.xml") | {f"{START}1.xml": answer, f"{START}hidden.html": page("hidden")}


@pytest.mark.parametrize("answer", [Answer(LARGE, 200, TEXT), packed(LARGE, TEXT), packed(LARGE, TEXT, "deflate")])
def test_the_beginning_of_a_large_robots_txt_is_obeyed(answer: Answer) -> None:
    _, stats = crawled(with_robots(answer))
    assert stats["item_scraped_count"] == 4
    assert stats["robotstxt/forbidden"] == 1
    assert stats["semtext/crawl/robots_cut"] == 2  # once for the rules, once for the sitemaps


@pytest.mark.parametrize("answer", [packed(RULES, TEXT), packed(RULES, TEXT, "deflate")])
def test_a_packed_robots_txt_is_obeyed(answer: Answer) -> None:
    _, stats = crawled(with_robots(answer))
    assert stats["robotstxt/forbidden"] == 1
    assert "semtext/crawl/robots_cut" not in stats


def test_a_robots_txt_that_is_packed_twice_is_not_unpacked_beyond_the_limit() -> None:
    twice = Answer(gzip.compress(gzip.compress(LARGE)), 200, {**TEXT, "Content-Encoding": "gzip, gzip"})
    _, stats = crawled(with_robots(twice))
    assert stats["item_scraped_count"] == 5
    assert "httpcompression/response_count" not in stats


def test_a_page_that_unpacks_to_more_than_the_limit_fails() -> None:
    large = packed(page("large").body + b" " * 6_000_000, {"Content-Type": "text/html"})
    _, stats = crawled(story_site(links='<a href="/large.html">a story</a>') | {f"{START}large.html": large})
    assert stats["item_scraped_count"] == 4
    assert stats["semtext/crawl/failed"] == 1


@pytest.mark.slow
def test_what_is_larger_is_neither_received_nor_lost_without_a_reason(tmp_path: Path) -> None:
    site = story_site(links=FORBIDDEN + '<a href="/large.html">a large story</a>')
    bodies = {url.removeprefix(START[:-1]): answer.body.decode() for url, answer in site.items()}
    bodies |= {"/robots.txt": LARGE.decode(), "/large.html": page("large").body.decode() + " " * 6_000_000}
    with serving({path: lambda _, body=body: body for path, body in bodies.items()}) as served:  # type: ignore[misc]
        items, printed = harvesting.crawl(served.url, tmp_path / "out.jsonl")
    assert len(items) == 4
    assert "1 too large" in printed
    assert not served.count("/secret.html")


@pytest.mark.parametrize(("settings", "items"), [({}, 5), ({"DOWNLOAD_MAXSIZE": 2_000_000}, 4)])
@pytest.mark.parametrize("answer", [packed(LONG_MAP, XML), Answer(gzip.compress(LONG_MAP), 200, XML)])
def test_a_smaller_limit_of_the_project_holds(settings: dict[str, int], items: int, answer: Answer) -> None:
    _, stats = crawled(with_sitemap(answer), settings)
    assert stats["item_scraped_count"] == items
    assert stats.get(TOO_LARGE, 0) == 5 - items


def test_a_sitemap_with_definitions_is_counted_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    body = b'<!DOCTYPE urlset [<!ENTITY a "b">]><urlset>' + LISTED
    site = with_sitemap(Answer(body, 200, XML)) | robots(f"{START}1.xml", f"{START}2.xml")
    with caplog.at_level(logging.WARNING):
        _, stats = crawled(site | {f"{START}2.xml": Answer(body, 200, XML)})
    assert stats["item_scraped_count"] == 4
    assert stats["semtext/crawl/listings/definitions"] == 2
    assert caplog.text.count("start from lists that link to them") == 1
