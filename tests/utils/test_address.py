"""Addresses, and names of files made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_semtext.cli.row_files import Target, writing
from scrapy_semtext.utils.address import (
    Address,
    address_of,
    asked,
    domain_of,
    file_slug,
    host_named,
    host_of,
    parsed,
    resolved,
    without_fragment,
)
from scrapy_semtext.viewer.folder import view_name

if TYPE_CHECKING:
    from pathlib import Path


MALFORMED = ["http://[", "http://[::1/a", "//[a"]


@pytest.mark.smoke
def test_an_address_in_parts() -> None:
    address = address_of("HTTPS://ann:secret@WWW.Example.com:8080/a/B?c=D#e")
    assert address == Address("https", "ann:secret@WWW.Example.com:8080", "www.example.com", "/a/B", "c=D")
    assert address.host == "example.com:8080"
    assert address.is_known


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("WWW.Example.com:443", "example.com"),
        ("example.com.:8080", "example.com:8080"),
        ("ann:secret@example.com:80", "example.com"),
        ("b\xfccher.test", "xn--bcher-kva.test"),
        ("\uff41.test", "a.test"),
        *((each, "") for each in ("", "a:port", "a:99999", "a b", "a\x00", "%61.test", "a\ud800", ".a")),
    ],
)
def test_hosts_are_compared_in_one_form(written: str, host: str) -> None:
    assert host_named(written) == host
    assert host_of(f"http://{written}/x") == host


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://a.test/\xfc?b=c d#e", "http://a.test/%C3%BC?b=c%20d#e"),
        (" HTTPS://A.test/x\ty ", "https://a.test/xy"),
        *((each, None) for each in ("", "/x", "ftp://a.test/", "javascript:x", "http:///a", "http://a:port/")),
        *((each, None) for each in ("http://ann@a.test/", "http://b.test\\@a.test/", "http://a.test/\ud800")),
        ("http://a.test/" + "\u5317" * 300, None),
    ],
)
def test_an_address_is_asked_for_as_it_is_or_not_at_all(url: str, address: str | None) -> None:
    assert asked(url) == address


@pytest.mark.parametrize("url", MALFORMED)
def test_what_is_no_address_has_no_parts(url: str) -> None:
    assert parsed(url) is None
    assert address_of(url) == ("", "", "", "", "")
    assert host_of(url) == ""
    assert resolved(url, "http://a.test/") is None
    assert resolved("b", url) is None


@pytest.mark.parametrize(("url", "path"), [(None, ""), ("", ""), ("page.html", "page.html"), ("/a", "/a")])
def test_an_address_without_a_host(url: str | None, path: str) -> None:
    assert not address_of(url).is_known
    assert (host_of(url), address_of(url).path) == ("", path)


def test_addresses_are_resolved_and_lose_their_fragment() -> None:
    assert resolved("../b#c", "http://a.test/x/y") == "http://a.test/b#c"
    assert resolved("b", None) == "b"
    assert without_fragment("http://a.test/b#c#d") == "http://a.test/b"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.co.uk", "b.co.uk"),
        ("www.example.com", "example.com"),
        ("www.alice.github.io", "alice.github.io"),
        ("github.io", "github.io"),
        ("shop.myshopify.com", "shop.myshopify.com"),
        ("10.0.0.1", "10.0.0.1"),
        ("localhost", "localhost"),
    ],
)
def test_registered_domain_of_a_host(host: str, domain: str) -> None:
    assert domain_of(host) == domain


HOSTILE = [
    "http://a.test/../../etc/passwd",
    "http://a.test/%2e%2e/%2e%2e/etc/passwd",
    "http://../..",
    "../../../root/.ssh/id",
    "..",
    "",
    "\x00",
    "http://a.test/a\x00b\nc\rd",
    "http://a.test/C:\\Windows\\system32",
    "C:\\Windows\\x:stream",
    "http://[",
    "http://a.test/" + "x" * 5_000,
    "http://a.test/" + "北" * 5_000,
    "http://a.test/\ud800\ud801",
    "http://con",
    "http://nul.txt/",
    "LPT1",
    "http://a.test/-rf?--help=1",
    "http://a.test/$(id)`id`;|&<>*?\"'",
    "http://a.test/\u202egpj.exe",
    "http://a.test/ .",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_gives_a_file_in_the_folder(url: str, tmp_path: Path) -> None:
    for name in (f"{file_slug(url) or 'page'}.md", view_name(1, url), view_name(1, None, url)):
        path = tmp_path / name
        assert path.parent == tmp_path
        assert path.resolve().parent == tmp_path.resolve()
        assert name[0] not in "-."
        assert name.isprintable()
        assert not set(name) & set('/\\:*?"<>|')
        assert len(name.encode()) < 200
        assert name.partition(".")[0].lower() not in ("con", "nul", "lpt1")
        path.write_text("x", encoding="utf-8")
        assert len([*tmp_path.iterdir()]) == 1
        path.unlink()


def test_no_two_pages_share_a_file(tmp_path: Path) -> None:
    urls = ["http://a.test/b", "http://a.test/b/", "http://a.test/b-2", "http://a.test/B", "http://a.test/b.html"]
    target = Target(str(tmp_path), "markdown-folder", "pages")
    with writing(target, ()) as writer:
        assert writer.add({"url": url, "main_text": url} for url in urls) == len(urls)
    texts = {path.name: path.read_text(encoding="utf-8").splitlines()[-1] for path in tmp_path.iterdir()}
    names = ["a-test-b.md", "a-test-b-2.md", "a-test-b-2-2.md", "a-test-b-3.md", "a-test-b-4.md"]
    assert texts == dict(zip(names, urls, strict=True))
