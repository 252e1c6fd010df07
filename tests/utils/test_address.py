from __future__ import annotations

import pytest

from scrapy_semtext.utils.address import (
    Address,
    address_of,
    domain_of,
    host_of,
    parsed,
    resolved,
    without_fragment,
)

MALFORMED = ["http://[", "http://[::1/a", "//[a"]


def test_an_address_in_parts() -> None:
    address = address_of("HTTPS://ann:secret@WWW.Example.com:8080/a/B?c=D#e")
    assert address == Address("https", "ann:secret@WWW.Example.com:8080", "www.example.com", "/a/B", "c=D")
    assert address.host == "example.com:8080"
    assert address.is_known


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
        ("10.0.0.1", "10.0.0.1"),
        ("localhost", "localhost"),
    ],
)
def test_registered_domain_of_a_host(host: str, domain: str) -> None:
    assert domain_of(host) == domain
