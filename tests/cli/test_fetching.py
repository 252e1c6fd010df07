"""Which hosts are fetched from where whoever names an address must not reach a private network."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.fetching import connect_to_public, fetch, is_public

PUBLIC = "93.184.216.34 2606:2800:220:1::1 ::ffff:93.184.216.34 64:ff9b::5db8:d822"
OTHER = """
127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255
::1 :: fe80::1 fe80::1%eth0 fd00::1 ff02::1
::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:0:4136:e378:8000:63bf:80ff:fffe
"""


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", OTHER.split())
def test_other_addresses(address: str) -> None:
    assert not is_public(address)


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[tuple[str, int]]:
    """Let every name resolve to these addresses, of which none answers; returns what is connected to."""
    tried: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *_: Any) -> Any:
        tried.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(socket, "create_connection", connect)
    return tried


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = resolve_to(monkeypatch, "93.184.216.34", "10.0.0.1")
    with pytest.raises(CommandError, match=r"intranet\.test is not fetched from: 10\.0\.0\.1.+--allow-private"):
        connect_to_public(("intranet.test", 80))
    assert tried == []


def test_what_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = resolve_to(monkeypatch, "93.184.216.34", "93.184.216.35")
    for scheme in ("http", "https"):
        with pytest.raises(CommandError, match="Connection refused"):
            fetch(f"{scheme}://site.test/", 1, 1000, public_only=True)
    assert [address for address, _ in tried] == ["93.184.216.34", "93.184.216.35"] * 2


def test_no_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://93.184.216.99:3128")
    tried = resolve_to(monkeypatch, "93.184.216.34")
    with pytest.raises(CommandError):
        fetch("http://site.test/", 1, 1000, public_only=True)
    assert tried == [("93.184.216.34", 80)]
