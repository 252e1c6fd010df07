"""Real pages on thousands of hosts: ``http://127.A.B.C:PORT/PAGE``, served by a process of its own.

``python -m research.long_crawl.site FOLDER``: serves the files of a folder, named 0, 1, 2 ..., until its input ends.
A path ``/new/PAGE`` gives the page with class names and words that no answer before had.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CLASS = re.compile(rb"""(\sclass=["']?[\w-]+)""", re.IGNORECASE)
_PARAGRAPH = re.compile(rb"<(?:p|li|h[1-6])\b[^<>]*>", re.IGNORECASE)
_NEW_WORDS = 3  # in each paragraph
_LETTERS = b"etaoinshrdlcumwfgypbvk"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    """Serve the pages of a folder; yield the port and the id of the process."""
    command = [sys.executable, "-m", "research.long_crawl.site", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101  it is a pipe
        assert process.stdin is not None  # noqa: S101
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.stdin.close()  # it ends by that


def write_pages(files: Iterable[Path], folder: Path) -> list[int]:
    """Write the pages of JSON lines, with their HTML at ``html``, to a folder; return their sizes in bytes."""
    sizes: list[int] = []
    for file in files:
        with _opened(file) as lines:
            for line in lines:
                body = json.loads(line)["html"].encode("utf-8", "replace")
                (folder / str(len(sizes))).write_bytes(body)
                sizes.append(len(body))
    return sizes


def _opened(file: Path) -> Any:
    unpack: Any = {".xz": lzma.open, ".gz": gzip.open}.get(file.suffix, open)
    return unpack(file, "rt", encoding="utf-8")


def host(serial: int, pages_a_site: int) -> str:
    """The host of a request: another one, of the addresses of this machine, after so many pages."""
    number = serial // pages_a_site
    return f"127.{1 + number // 65_536 % 254}.{number // 256 % 256}.{number % 256}"


def renewed(body: bytes, serial: int) -> bytes:
    """Give a page class names and words of its own, three new words in each paragraph."""
    number = 0

    def with_new_words(match: re.Match[bytes]) -> bytes:
        nonlocal number
        number += 1
        return match[0] + b" ".join(_word(serial, number * _NEW_WORDS + place) for place in range(_NEW_WORDS)) + b" "

    suffix = b"-" + _word(serial, 0)
    return _PARAGRAPH.sub(with_new_words, _CLASS.sub(rb"\1" + suffix, body))


def _word(serial: int, number: int) -> bytes:
    """A word of letters, another for each pair of numbers below 22 ** 5 and 22 ** 3."""
    return bytes(_LETTERS[digit] for digit in _digits(serial, 5) + _digits(number, 3))


def _digits(value: int, places: int) -> list[int]:
    return [value // 22**place % 22 for place in range(places)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path) -> None:
        super().__init__(("0.0.0.0", 0), _Handler)  # noqa: S104  all addresses that begin with 127 lead here
        self.serials = count()
        self.pages = [(folder / str(number)).read_bytes() for number in range(sum(1 for _ in folder.iterdir()))]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without these two, headers and body leave in two packets and the second waits for the first's receipt.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60.0  # of a connection to a host that is not asked any more
    server: _Server

    def do_GET(self) -> None:
        *how, page = self.path.strip("/").split("/")
        body = self.server.pages[int(page)]
        if how == ["new"]:
            body = renewed(body, next(self.server.serials))
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is http.server's
        pass


def main() -> None:
    """Serve the folder that the command line names until standard input ends."""
    server = _Server(Path(sys.argv[1]))
    Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
