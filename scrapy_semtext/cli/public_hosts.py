"""Connections to public hosts alone, so that whoever names an address cannot reach a private network by it.

What is checked is the address that is connected to, after the name was resolved, for each redirect again: a name that
resolves to something else a moment later gains nothing.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
from contextlib import suppress
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler

from scrapy_semtext.cli.errors import CommandError

# Addresses of IPv6 in which a gateway finds one of IPv4 (RFC 6052).
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the internet, and so is one of IPv4 that it embeds."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def connect_to_public(
    address: tuple[str, int], timeout: float | None = None, source_address: tuple[str, int] | None = None
) -> socket.socket:
    """Do what `socket.create_connection` does. Raises CommandError if the host has an address that is not public."""
    host, port = address
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, resolved in found:
        if not is_public(str(resolved[0])):
            raise CommandError(f"{host} is not fetched from: {resolved[0]} is not a public address.")
    *others, last = dict.fromkeys(str(resolved[0]) for *_, resolved in found)
    for other in others:
        with suppress(OSError):
            return socket.create_connection((other, port), timeout, source_address)
    return socket.create_connection((last, port), timeout, source_address)


class _PublicHTTPConnection(http.client.HTTPConnection):
    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self._create_connection = connect_to_public


class _PublicHTTPSConnection(http.client.HTTPSConnection):
    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self._create_connection = connect_to_public


class PublicHTTPHandler(HTTPHandler):
    """Opens http addresses of public hosts."""

    def http_open(self, req: Any) -> Any:
        """Connect and send the request."""
        return self.do_open(_PublicHTTPConnection, req)


class PublicHTTPSHandler(HTTPSHandler):
    """Opens https addresses of public hosts."""

    def https_open(self, req: Any) -> Any:
        """Connect and send the request."""
        return self.do_open(_PublicHTTPSConnection, req)
