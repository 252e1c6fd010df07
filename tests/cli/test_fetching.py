"""The hosts that may be fetched from for users who must not reach a private network."""

from __future__ import annotations

import gzip
import itertools
import socket
import time
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_semtext.cli import main
from scrapy_semtext.cli.fetching import fetch, is_public
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PUBLIC = "93.184.216.34 2606:2800:220:1::1 ::ffff:93.184.216.34 64:ff9b::5db8:d822 2606:2800::5efe:5db8:d822"
OTHER = """
127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255
::1 :: fe80::1 fe80::1%eth0 fd00::1 ff02::1
::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:0:4136:e378:8000:63bf:80ff:fffe
fec0::1 64:ff9b:1::5db8:d822 ::5db8:d822 ::ffff:0:5db8:d822 4000::1 9000::1 2001:db8::1 100::1
2606:2800:220:1:0:5efe:a00:1 2606:2800:220:1:200:5efe:7f00:1 fe80::5efe:5db8:d822 ::ffff:10.0.0.1
"""


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", OTHER.split())
def test_other_addresses(address: str) -> None:
    assert not is_public(address)


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[tuple[str, int]]:
    """Make all names resolve to these addresses, none of which responds; return the addresses connected to."""
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
        fetch("http://intranet.test/", 1, public_only=True)
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


def drip(first: bytes, then: bytes | None = None, pause: float = 0.0) -> Iterator[bytes]:
    """Yield what a server sends: some bytes, and others that never end."""
    yield first
    while then is not None:
        yield then
        time.sleep(pause)


@contextmanager
def answering(answer: Callable[[], Iterable[bytes]]) -> Iterator[tuple[str, list[int]]]:
    """A server that sends any bytes; yields its URL, and the number of bytes read from each connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    taken: list[int] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection = listener.accept()[0]
                taken.append(0)
                Thread(target=send, args=(connection, len(taken) - 1), daemon=True).start()

    def send(connection: socket.socket, number: int) -> None:
        with connection, suppress(OSError):
            connection.recv(65536)
            for part in answer():
                connection.sendall(part)
                taken[number] += len(part)

    Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", taken
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
SLOW = {
    "silence": partial(drip, b"", then=b"", pause=0.5),
    "a status line": partial(drip, b"HTTP/1.1 ", then=b"2", pause=0.05),
    "headers": partial(drip, OK + b"X: ", then=b"x", pause=0.05),
    "many headers": partial(drip, OK, then=b"X: x\r\n", pause=0.05),
    "100 Continue": partial(drip, b"", then=b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.01),
    "a chunk's size": partial(drip, CHUNKED, then=b"0", pause=0.05),
    "a trailer": partial(drip, CHUNKED + b"0\r\n", then=b"X: x\r\n", pause=0.02),
    "a body": partial(drip, OK + b"\r\n", then=b"<p>", pause=0.05),
}


@pytest.mark.parametrize("answer", SLOW.values(), ids=SLOW)
def test_a_deadline_holds_for_the_whole_fetch(answer: Callable[[], Iterator[bytes]]) -> None:
    with answering(answer) as (url, _):
        began = time.monotonic()
        with pytest.raises(CommandError, match=r"took longer than 0\.3 seconds"):
            fetch(url, 0.3, 1 << 20)
        assert time.monotonic() - began < 0.6


def test_a_deadline_holds_for_a_handshake_and_for_the_address_of_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(lambda: drip(b"\x16\x03\x03\x40\x00", then=b"\x00", pause=0.05)) as (url, _):
        with pytest.raises(CommandError, match=r"took longer than 0\.3 seconds"):
            fetch(url.replace("http:", "https:"), 0.3, 1 << 20)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(1))
        with pytest.raises(CommandError, match=r"took longer than 0\.3 seconds"):
            fetch(url, 0.3, 1 << 20)


def test_a_deadline_holds_for_a_chain_of_redirects() -> None:
    numbers = itertools.count()

    def moved() -> Iterator[bytes]:
        time.sleep(0.1)
        yield b"HTTP/1.1 302 Found\r\nLocation: /%d\r\n\r\n" % next(numbers)

    with answering(moved) as (url, taken):
        with pytest.raises(CommandError, match=r"took longer than 0\.3 seconds"):
            fetch(url, 0.3, 1 << 20)
        time.sleep(0.2)
        assert len(taken) <= 4, "the fetch went on after its end"


def test_the_body_of_a_redirect_is_not_read() -> None:
    found = b"HTTP/1.1 302 Found\r\nLocation: /page\r\n\r\n"
    answers = iter((drip(found, then=b"x" * 65536), drip(OK + b"Content-Length: 3\r\n\r\n<p>")))
    with answering(lambda: next(answers)) as (url, taken):
        document = fetch(url, 2, 1 << 20)
        assert (document.html, document.url) == ("<p>", f"{url}/page")
        assert taken[0] < 16 << 20  # what the buffers of the two sockets hold


CUT = {
    "nothing": b"",
    "a status line": b"HTTP/1.1 200",
    "headers": OK + b"Content-Len",
    "the end of headers": OK,
    "a redirect": b"HTTP/1.1 302 Found\r\nLocation: /somewh",
    "a body": OK + b"Content-Length: 9\r\n\r\n<p>",
    "a chunk": CHUNKED + b"9\r\n<p>",
    "a chunk's size": CHUNKED + b"3\r\n<p>\r\n9",
    "the last chunk": CHUNKED + b"3\r\n<p>\r\n",
    "gzip data": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"<p>" * 99)[:-9],
}


@pytest.mark.parametrize("sent", CUT.values(), ids=CUT)
def test_what_ends_too_early_is_an_error(sent: bytes) -> None:
    with answering(lambda: [sent]) as (url, _), pytest.raises(CommandError, match="was not sent completely"):
        fetch(url, 2, 1 << 20)


HEADERS = (
    b"Content-Length: -5",
    b"Content-Length: " + b"9" * 5000,
    b"Content-Type: text/html; charset=" + b"x" * 60000,
    b"Content-Type: text/html; charset=zlib",
    b"Content-Type: text/html; charset=punycode",
    b"Content-Type: text/html; charset=\x80",
    b"Content-Encoding: \xff",
    b"Location: http://[::1",
)


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[:40])
def test_hostile_headers_give_a_page_or_an_error_for_people(header: bytes) -> None:
    status = b"302 Found" if header.startswith(b"Location") else b"200 OK"
    answer = [b"HTTP/1.1 " + status + b"\r\n" + header + b"\r\n\r\n<p>word"]
    with answering(lambda: answer) as (url, _), suppress(CommandError):
        assert fetch(url, 2, 1 << 20).html == "<p>word"


def test_what_a_server_says_does_not_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    with answering(lambda: [b"HTTP/1.1 404 \x1b[2J\x9bNone\r\n\r\n"]) as (url, _):
        assert main(["extract", url]) == 1
    assert "404 ?[2J?None" in capsys.readouterr().err
