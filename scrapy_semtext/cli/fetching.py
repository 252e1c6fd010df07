"""Fetching of web pages, from any host or only from public hosts.

The latter is for users who name a URL but must not reach a private network through it. The IP address that is actually
connected to is checked, after the name was resolved, and again for each redirect; a name that resolves differently a
moment later does not circumvent the check.
"""

from __future__ import annotations

import argparse
import http.client
import io
import ipaddress
import socket
import zlib
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from threading import Event, Thread
from typing import Any, NamedTuple
from urllib import request
from urllib.error import HTTPError, URLError

from w3lib.url import safe_url_string

from scrapy_semtext.cli.terminal import CommandError
from scrapy_semtext.limits import COMMAND_LIMITS, LimitError, Limits
from scrapy_semtext.utils.version import __version__
from scrapy_semtext.words.decoding import NotAPageError, html_text

_SCHEMES = ("http://", "https://")
_READABLE = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_CHUNK = 1 << 16
_HEADERS = {
    "User-Agent": f"scrapy-semtext/{__version__}",
    "Accept": "text/html, application/xhtml+xml, */*;q=0.5",
    "Accept-Encoding": "gzip",
}

# IPv6 addresses that a gateway translates to an IPv4 address (RFC 6052, and the middle of those of RFC 5214), and the
# global unicast addresses.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
_ISATAP, _ISATAP_MASK = 0x5EFE, 0xFDFFFFFF
_INTERNET = (_TRANSLATED, *map(ipaddress.ip_network, ("2000::/3", "::ffff:0:0/96")))


class Document(NamedTuple):
    """A page's text and, if known, its URL."""

    html: str
    url: str | None


def add_timeout(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declare the maximum duration of a fetch."""
    parser.add_argument(
        "--timeout", type=float, default=30, metavar="SECONDS", help="maximum duration of a fetch (%(default)g)"
    )


def is_address(source: str) -> bool:
    """Return whether a page has to be fetched."""
    return source.lower().startswith(_SCHEMES)


def fetch(url: str, timeout: float = 30, limit: int = COMMAND_LIMITS.body, *, public_only: bool = False) -> Document:
    """Fetch a page over HTTP, following redirects and using the proxies of the environment.

    ``timeout`` is the total in seconds, ``limit`` the maximum size of the decompressed body in bytes. With
    ``public_only`` no host of a private network is connected to, and no proxy, which could do so. Raises CommandError
    with the reason if there is no page.
    """
    connector = _Connector(public_only=public_only)
    answer: Future[tuple[bytes, str, str]] = Future()
    # Operations that cannot be canceled, such as a DNS lookup, are left to a daemon thread.
    Thread(target=_answer, args=(answer, url, timeout, limit, connector), daemon=True).start()
    try:
        body, content_type, final = answer.result(timeout)
        return Document(html_text(body, content_type), final)
    except NotAPageError as error:
        raise CommandError(f"{url} is {error}.") from error
    except HTTPError as error:
        error.close()
        raise CommandError(f"{url} was answered with {error.code} {error.reason}.") from error
    except (LimitError, FutureTimeoutError, http.client.HTTPException, OSError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, (FutureTimeoutError, TimeoutError)):
            raise CommandError(f"{url} took longer than {timeout:g} seconds.") from error
        if isinstance(reason, http.client.IncompleteRead):
            raise CommandError(f"{url} was not sent completely.") from error
        raise CommandError(f"{url} cannot be fetched: {reason or type(error).__name__}") from error
    finally:
        connector.close()


def _answer(answer: Future[Any], url: str, timeout: float, limit: int, connector: _Connector) -> None:
    """Set the result to a page's body, its Content-Type and its URL, or to the exception that was raised."""
    try:
        asked = request.Request(safe_url_string(url), headers=_HEADERS)  # noqa: S310 - http(s) only
        with _opener(connector).open(asked, timeout=timeout) as response:
            content_type = response.headers.get("Content-Type", "")
            kind = content_type.partition(";")[0].strip().lower()
            if kind and kind not in _READABLE:
                raise CommandError(f"{url} is {kind}, not an HTML page.")
            answer.set_result((_body(response, url, limit), content_type, response.geturl()))
    except Exception as error:  # noqa: BLE001  raised again where the result is read
        answer.set_exception(error)


def _opener(connector: _Connector) -> request.OpenerDirector:
    """Return an opener for http and https only: urllib's own also opens files and FTP, and redirects to FTP."""
    opener = request.OpenerDirector()
    handlers = (request.ProxyHandler({} if connector.public_only else None), connector, _Redirects())
    for each in (*handlers, request.HTTPErrorProcessor(), request.HTTPDefaultErrorHandler(), request.UnknownHandler()):
        opener.add_handler(each)
    return opener


def _body(response: http.client.HTTPResponse, url: str, limit: int) -> bytes:
    unpacker = _unpacker(response, url)
    body = bytearray()
    # The decompressor would keep what follows the end of gzip data.
    while not (unpacker and unpacker.eof) and (chunk := response.read1(_CHUNK)):
        try:
            body += unpacker.decompress(chunk, limit - len(body) + 1) if unpacker else chunk
        except zlib.error as error:
            raise CommandError(f"{url} is not valid gzip data: {error}") from error
        Limits(body=limit).check_body(len(body))
    if not unpacker.eof if unpacker and body else response.length:
        raise http.client.IncompleteRead(b"")
    return bytes(body)


def _unpacker(response: http.client.HTTPResponse, url: str) -> Any:
    """Return a decompressor, None for a body that is not compressed."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise CommandError(f"{url} has the Content-Encoding {encoding}, which was not requested.")
    return zlib.decompressobj(zlib.MAX_WBITS | 16) if "gzip" in encoding else None


def is_public(address: str) -> bool:
    """Return whether an IP address is on the public internet, and so is any IPv4 address that it embeds."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if not any(ip in network for network in _INTERNET):
            return False
        if (inner := _embedded(ip)) is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def _embedded(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if ip in _TRANSLATED or int(ip) >> 32 & _ISATAP_MASK == _ISATAP:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


class _Connector(request.HTTPHandler):
    """Makes the connections of one fetch, and closes all of them when it is closed, whatever their state."""

    https_request = request.HTTPHandler.http_request

    def __init__(self, *, public_only: bool) -> None:
        super().__init__()
        self.public_only = public_only
        self._sockets: list[socket.socket] = []
        self._closed = Event()

    def http_open(self, req: Any) -> Any:
        def connection(host: str, **named: Any) -> Any:
            kind = http.client.HTTPSConnection if req.type == "https" else http.client.HTTPConnection
            made: Any = kind(host, **named)
            made.response_class, made._create_connection = _response, self._connect  # there is no other way to set them
            return made

        return self.do_open(connection, req)

    https_open = http_open

    def _connect(self, address: tuple[str, int], timeout: float, _: Any) -> socket.socket:
        """Connect to one of the checked addresses. Raises CommandError if one of them is not allowed."""
        host, port = address
        found = dict.fromkeys(str(each[-1][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        for each in found:
            if self.public_only and not is_public(each):
                raise CommandError(
                    f"{host} is not fetched from: {each} is not a public address. `semtext mcp` fetches from such"
                    " hosts if it is started with --allow-private."
                )
        *others, last = found
        for other in others:
            with suppress(OSError):
                return self._connected((other, port), timeout)
        return self._connected((last, port), timeout)

    def _connected(self, address: tuple[str, int], timeout: float) -> socket.socket:
        if self._closed.is_set():
            raise TimeoutError
        connection = socket.create_connection(address, timeout)
        self._sockets.append(connection.dup())  # TLS takes over the socket itself
        if self._closed.is_set():
            self.close()
        return connection

    def close(self) -> None:
        self._closed.set()
        while self._sockets:
            with suppress(OSError, IndexError), self._sockets.pop() as each:
                each.shutdown(socket.SHUT_RDWR)


class _Lines(io.BufferedReader):
    """Reads lines of HTTP; http.client itself treats the end of the data as the end of the headers."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n") and len(line) != size:
            raise http.client.IncompleteRead(line)
        return line


def _response(*given: Any, **named: Any) -> Any:
    response: Any = http.client.HTTPResponse(*given, **named)
    response.fp = _Lines(response.fp.detach())
    return response


class _Redirects(request.HTTPRedirectHandler):
    def http_error_302(self, req: Any, fp: Any, *rest: Any) -> Any:
        fp.close()  # otherwise its body would be read, however long
        return super().http_error_302(req, fp, *rest)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302  # type: ignore[assignment]
