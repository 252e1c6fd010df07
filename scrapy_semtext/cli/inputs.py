"""A page from a file, standard input or the web."""

from __future__ import annotations

import http.client
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
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
from scrapy_semtext.cli.public_hosts import PublicHTTPHandler, PublicHTTPSHandler
from scrapy_semtext.text.decoding import decode_html, is_binary
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    import argparse

_SCHEMES = ("http://", "https://")
_READABLE = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_CHUNK = 1 << 16
_HEADERS = {
    "User-Agent": f"scrapy-semtext/{__version__}",
    "Accept": "text/html, application/xhtml+xml, */*;q=0.5",
    "Accept-Encoding": "gzip",
}


class Document(NamedTuple):
    """A page's text and, if known, its address."""

    html: str
    url: str | None


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the page to read and how it is fetched."""
    parser.add_argument("page", metavar="FILE|URL|-", help="a file, an http or https address, or - for standard input")
    add_fetch_options(parser)


def add_fetch_options(parser: argparse.ArgumentParser) -> None:
    """Declare the address of a page from a file, and how pages are fetched."""
    reading = parser.add_argument_group("reading the page")
    reading.add_argument("--url", help="the address of a page from a file, to make its links absolute")
    add_fetch_limits(reading)


def add_fetch_limits(group: argparse._ArgumentGroup) -> None:
    """Declare how long a fetch may take, and how large a page may be."""
    group.add_argument(
        "--timeout", type=float, default=30, metavar="SECONDS", help="time limit for the whole fetch (%(default)g)"
    )
    group.add_argument("--max-size", type=int, default=32, metavar="MIB", help="largest page to fetch (%(default)s)")


def read_page(source: str, arguments: argparse.Namespace) -> Document:
    """Read a page from a file, standard input or the web. Raises CommandError, or OSError for a file."""
    document = _document(source, arguments)
    if is_binary(document.html):
        raise CommandError(f"{source} is not a page but a picture, a PDF or an archive.")
    return document


def is_address(source: str) -> bool:
    """Return whether a page is to be fetched."""
    return source.lower().startswith(_SCHEMES)


def _document(source: str, arguments: argparse.Namespace) -> Document:
    if is_address(source):
        document = fetch(source, arguments.timeout, arguments.max_size << 20)
        return document._replace(url=arguments.url or document.url)
    if source == "-":
        return Document(decode_html(sys.stdin.buffer.read()), arguments.url)
    if "://" in source:
        raise CommandError(f"{source}: only http and https addresses can be fetched.")
    return Document(decode_html(Path(source).read_bytes()), arguments.url)


def fetch(url: str, timeout: float, limit: int, *, public_only: bool = False) -> Document:
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
    connecting = (PublicHTTPHandler(), PublicHTTPSHandler()) if public_only else (HTTPHandler(), HTTPSHandler())
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
            raise CommandError(f"{url} is larger than {limit >> 20} MiB. Allow more with --max-size.")
        if time.monotonic() > deadline:
            raise TimeoutError
    if response.length or (unpacker and parts and not unpacker.eof):
        raise CommandError(f"{url} ended before all of it was sent.")
    return b"".join(parts)
