"""Pages of the web, from any host or from public hosts alone.

The latter is for whoever names an address and must not reach a private network by it. What is checked is the address
that is connected to, after the name was resolved, for each redirect again: a name that resolves to something else a
moment later gains nothing.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import time
import zlib
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from w3lib.url import safe_url_string

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.text.decoding import decode_html
from scrapy_semtext.utils.version import __version__

#: The largest page, in bytes.
LARGEST = 32 << 20

_SCHEMES = ("http://", "https://")
_READABLE = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_CHUNK = 1 << 16
_HEADERS = {
    "User-Agent": f"scrapy-semtext/{__version__}",
    "Accept": "text/html, application/xhtml+xml, */*;q=0.5",
    "Accept-Encoding": "gzip",
}

# Addresses of IPv6 in which a gateway finds one of IPv4 (RFC 6052).
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


class Document(NamedTuple):
    """A page's text and, if known, its address."""

    html: str
    url: str | None


def is_address(source: str) -> bool:
    """Return whether a page is to be fetched."""
    return source.lower().startswith(_SCHEMES)


def fetch(url: str, timeout: float = 30, limit: int = LARGEST, *, public_only: bool = False) -> Document:
    """Fetch a page over HTTP, redirects and proxies of the environment included.

    ``timeout`` is in seconds for the whole, ``limit`` in bytes of the unpacked body. With ``public_only`` no host of a
    private network is connected to, and no proxy, which could do so. Raises CommandError if there is no page, with the
    reason.
    """
    deadline = time.monotonic() + timeout
    try:
        request = Request(safe_url_string(url), headers=_HEADERS)  # noqa: S310 - http(s) only
        with _opener(public_only=public_only).open(request, timeout=timeout) as response:
            content_type = response.headers.get("Content-Type", "")
            kind = content_type.partition(";")[0].strip().lower()
            if kind and kind not in _READABLE:
                raise CommandError(f"{url} is {kind}, not an HTML page.")
            body = _body(response, url, limit, deadline)
            return Document(decode_html(body, content_type), response.geturl())
    except HTTPError as error:
        error.close()
        raise CommandError(f"{url} was answered with {error.code} {error.reason}.") from error
    except (http.client.HTTPException, OSError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            raise CommandError(f"{url} took longer than {timeout:g} seconds.") from error
        raise CommandError(f"{url} cannot be fetched: {reason or type(error).__name__}") from error


def _opener(*, public_only: bool) -> OpenerDirector:
    """An opener for http and https alone: urllib's own also opens files and FTP, and follows redirects to FTP."""
    opener = OpenerDirector()
    connecting = (_PublicHTTPHandler(), _PublicHTTPSHandler()) if public_only else (HTTPHandler(), HTTPSHandler())
    for handler in (
        ProxyHandler({} if public_only else None),
        *connecting,
        HTTPRedirectHandler(),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
        UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _body(response: http.client.HTTPResponse, url: str, limit: int, deadline: float) -> bytes:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise CommandError(f"{url} has the Content-Encoding {encoding}, which was not requested.")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16) if "gzip" in encoding else None
    parts: list[bytes] = []
    size = 0
    while chunk := response.read1(_CHUNK):
        try:
            part = unpacker.decompress(chunk, limit - size + 1) if unpacker else chunk
        except zlib.error as error:
            raise CommandError(f"{url} is not valid gzip data: {error}") from error
        parts.append(part)
        size += len(part)
        if size > limit:
            raise CommandError(f"{url} is larger than {limit >> 20} MiB.")
        if time.monotonic() > deadline:
            raise TimeoutError
    if response.length or (unpacker and parts and not unpacker.eof):
        raise CommandError(f"{url} ended before all of it was sent.")
    return b"".join(parts)


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
            raise CommandError(
                f"{host} is not fetched from: {resolved[0]} is not a public address. `semtext mcp` fetches from such"
                " hosts if it is started with --allow-private."
            )
    *others, last = dict.fromkeys(str(resolved[0]) for *_, resolved in found)
    for other in others:
        with suppress(OSError):
            return socket.create_connection((other, port), timeout, source_address)
    return socket.create_connection((last, port), timeout, source_address)


def _to_public(connection: http.client.HTTPConnection) -> http.client.HTTPConnection:
    """Return a connection that is made to public hosts alone; http.client has no other place to say so."""
    connection._create_connection = connect_to_public  # type: ignore[attr-defined]
    return connection


class _PublicHTTPHandler(HTTPHandler):
    def http_open(self, req: Any) -> Any:
        return self.do_open(lambda *given, **named: _to_public(http.client.HTTPConnection(*given, **named)), req)


class _PublicHTTPSHandler(HTTPSHandler):
    def https_open(self, req: Any) -> Any:
        return self.do_open(lambda *given, **named: _to_public(http.client.HTTPSConnection(*given, **named)), req)
