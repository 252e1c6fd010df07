"""Real pages on thousands of hosts: ``http://127.A.B.C:PORT/PAGE``, served by a process of its own.

``python -m research.long_crawl.site FOLDER``: serves the files of a folder, named 0, 1, 2 ..., until its input ends.
A path ``/new/PAGE`` gives the page with class names, attributes and words that no answer before had.
"""

from __future__ import annotations

import gzip
import json
import lzma
import re
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.benchmark import server

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASS = re.compile(rb"""\sclass=["']?[\w-]+""", re.IGNORECASE)
_PARAGRAPH = re.compile(rb"<(?:p|li|h[1-6])\b[^<>]*>", re.IGNORECASE)
_NEW_WORDS = 3  # in each paragraph
_LETTERS = b"etaoinshrdlcumwfgypbvk"


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
    """Give a page names of its own, an attribute and a class for each class, and three new words a paragraph."""
    number = 0

    def with_new_names(match: re.Match[bytes]) -> bytes:
        nonlocal number
        number += 1
        return b" data-" + _word(serial, number) + match[0] + b"-" + _word(serial, 0)

    def with_new_words(match: re.Match[bytes]) -> bytes:
        nonlocal number
        number += 1
        return match[0] + b" ".join(_word(serial, number * _NEW_WORDS + place) for place in range(_NEW_WORDS)) + b" "

    return _PARAGRAPH.sub(with_new_words, _CLASS.sub(with_new_names, body))


def _word(serial: int, number: int) -> bytes:
    """A word of letters, another for each pair of numbers below 22 ** 5 and 22 ** 3."""
    return bytes(_LETTERS[digit] for digit in _digits(serial, 5) + _digits(number, 3))


def _digits(value: int, places: int) -> list[int]:
    return [value // 22**place % 22 for place in range(places)]


class _Server(server.PageServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(("0.0.0.0", 0), _Handler)  # noqa: S104  all addresses that begin with 127 lead here
        self.serials = count()
        self.pages = [(folder / str(number)).read_bytes() for number in range(sum(1 for _ in folder.iterdir()))]


class _Handler(server.PageHandler):
    timeout = 60.0  # of a connection to a host that is not asked any more
    server: _Server

    def page(self) -> bytes:
        *how, page = self.path.strip("/").split("/")
        body = self.server.pages[int(page)]
        return renewed(body, next(self.server.serials)) if how == ["new"] else body


if __name__ == "__main__":
    server.serve(_Server(Path(sys.argv[1])))
