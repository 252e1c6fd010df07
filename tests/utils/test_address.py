from __future__ import annotations

import pytest

from scrapy_semtext.utils.address import (
    Address,
    address_of,
    asked,
    domain_of,
    host_named,
    host_of,
    parsed,
    resolved,
    without_fragment,
)

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
