"""Responses to site spiders are neither received nor unpacked beyond a limit; robots.txt is cut."""

from __future__ import annotations

import gzip
import logging
import zlib
from typing import TYPE_CHECKING

import harvesting
import pytest
from crawling import Answer
from generated_sites import serving
from story_sites import START, TEXT, XML, crawled, page, robots, story_site

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = pytest.mark.crawl

LISTED = f"<url><loc>{START}hidden.html</loc></url></urlset>".encode()
LONG = b"<urlset>" + b"<!-- -->" * 300_000 + LISTED
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
@pytest.mark.parametrize("answer", [packed(LONG, XML), Answer(gzip.compress(LONG), 200, XML)])
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
