"""Sitemaps and feeds that are broken or hostile list nothing, and nothing outside of them is read."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from scrapy.http import Response

from scrapy_semtext.integration.spiders import listings
from scrapy_semtext.integration.spiders.listings import Listed, listed_addresses, sitemaps_of_robots

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://a.test/sitemap.xml"
SITEMAP = b"<urlset><url><loc>http://a.test/1</loc></url></urlset>"


def listed(body: bytes) -> Listed:
    return listed_addresses(Response(URL, body=body))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<urlset",
        b"<!-- <urlset -->",
        b"<?xml version='1.0'?><!-- <sitemapindex -->",
        b"<rss",
        b"\x00<feed\x00",
        b"<urlset>" + b"<a>" * 100_000,
        b"<rss>" * 10_000,
        b"\x1f\x8b\x08",
        b"\x1f\x8b\x08" + bytes(40),
        gzip.compress(SITEMAP, mtime=0)[:20],
        b"<rss><item><link>http://[</link></item></rss>",
    ],
)
def test_a_broken_one_lists_nothing(body: bytes) -> None:
    assert listed(body) == ([], [])


def test_one_that_is_cut_lists_what_it_has() -> None:
    assert listed(SITEMAP[:-14] + b"lastmod>").pages == ["http://a.test/1"]
    assert listed(gzip.compress(SITEMAP)).pages == ["http://a.test/1"]


def test_one_that_unpacks_to_gigabytes_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "_MAX_SITEMAP", 1_000)
    assert listed(gzip.compress(b" " * 2_000 + SITEMAP)) == ([], [])


def test_an_element_with_a_broken_name_costs_no_other() -> None:
    items = b"<a:b:c><link>http://a.test/0</link></a:b:c><item><link>http://a.test/1</link></item>"
    assert listed(b"<rss><channel>" + items + b"</channel></rss>").pages == ["http://a.test/1"]


def test_entities_and_definitions_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("http://a.test/secret")
    for kind, end in (("urlset", "<url><loc>&x;</loc></url>"), ("rss", "<item><link>&x;</link></item>")):
        head = f'<!DOCTYPE {kind} [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        pages = listed(f"{head}<{kind}>{end}</{kind}>".encode()).pages
        assert not any("secret" in page for page in pages)
        outside = f'<!DOCTYPE {kind} SYSTEM "{secret.as_uri()}"><{kind}>{end}</{kind}>'
        assert not any("secret" in page for page in listed(outside.encode()).pages)


def test_entities_that_grow_are_not_replaced() -> None:
    names = [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "http://a.test/"}">' for n in range(9)]
    body = f"<!DOCTYPE rss [{''.join(names)}]><rss><item><link>&a8;</link></item></rss>"
    assert sum(map(len, listed(body.encode()).pages)) < 1_000


@pytest.mark.parametrize(
    "head",
    [
        b'<!DOCTYPE urlset [<!ENTITY x "y">]>',
        b"<!DOCTYPE urlset []>",
        b"<!DOCTYPE urlset [<!ELEMENT url ANY>]>",
        b"<!DOCTYPE urlset SYSTEM '>' [<!ATTLIST url x CDATA 'y'>]>",
        b"<!-- <!DOCTYPE urlset> --><!DOCTYPE urlset [<!ENTITY % x 'y'>]>",
    ],
)
def test_one_that_defines_something_is_refused(head: bytes) -> None:
    reasons: list[str] = []
    assert listed_addresses(Response(URL, body=head + SITEMAP), reasons.append) == ([], [])
    assert reasons == ["definitions"]


def test_definitions_in_another_encoding_are_not_read() -> None:
    head = b'<?xml version="1.0" encoding="utf-7"?>+ADwAIQ-DOCTYPE urlset [+ADwAIQ-ENTITY x "http://a.test/x">]>'
    assert listed(head + SITEMAP.replace(b"http://a.test/1", b"&x;")).pages == []


@pytest.mark.parametrize(
    "head",
    [
        b'<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.test/rss-0.91.dtd">',
        b'<?xml version="1.0" encoding="windows-1251"?>\n<!DOCTYPE rss SYSTEM "rss.dtd">',
    ],
)
def test_an_ordinary_document_type_and_encoding_are_fine(head: bytes) -> None:
    body = "<rss><channel><image><url>http://a.test/i</url></image><item><title>м</title><link>http://a.test/1</link>"
    item = f"{body}</item></channel></rss>".encode("cp1251")
    assert listed(head + item).pages == ["http://a.test/1"]


@pytest.mark.parametrize("name", ["urlset", "rss"])
def test_elements_that_are_no_entries_are_not_read_without_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "_MAX_ENTRY", 200_000)
    reasons: list[str] = []
    entry = (
        b"<url><loc>http://a.test/1</loc></url>" if name == "urlset" else b"<item><link>http://a.test/1</link></item>"
    )
    body = f"<{name}>".encode() + entry + b"<a/>" * 100_000 + entry
    assert listed_addresses(Response(URL, body=body), reasons.append).pages == ["http://a.test/1"]
    assert reasons == ["too large"]
    assert len(listed(body[:100] + b"<a/>" * 10 + entry * 3).pages) >= 3


def test_entries_without_an_address_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "_MAX_LISTED", 3)
    assert listed(b"<urlset>" + b"<url/>" * 3 + SITEMAP[8:]).pages == []


def test_addresses_of_robots_that_are_none_are_left_out() -> None:
    body = b"Sitemap: http://[\nSitemap: \xff\nSitemap: http://a:b/\nSitemap: /1.xml\n"
    assert sitemaps_of_robots(Response("http://a.test/robots.txt", body=body)) == ["http://a.test/1.xml"]
