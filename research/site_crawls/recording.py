"""Sites of real software in files, to be crawled without that software.

A recording is JSON lines, compressed by xz: first what is known of the site (``port``, which its pages name; ``lists``,
the paths of the fewest lists that lead to all content, the start of the site first; ``known``, its content), then its
answers by path.
"""

from __future__ import annotations

import json
import lzma
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class KnownPair:
    """A true pair; any form of the question will do."""

    questions: list[str]
    answer: str


@dataclass(frozen=True)
class KnownItem:
    """An article, thread, question or documentation page; ``pages`` are the paths of its pages, the first one first."""

    kind: str
    pages: list[str]
    title: str
    main_text: str
    pairs: list[KnownPair] = field(default_factory=list)


class Answer(NamedTuple):
    """An answer of a site. The body is kept if it is text."""

    path: str
    status: int
    media: str
    location: str
    body: str


class Hit(NamedTuple):
    """A request: its path with query, and the status of the answer."""

    path: str
    status: int


@dataclass(frozen=True)
class RecordedSite:
    """A site from a recording."""

    recording: Path

    @property
    def name(self) -> str:
        """The name of the recording."""
        return self.recording.name.partition(".")[0]

    @cached_property
    def _rows(self) -> list[Any]:
        with lzma.open(self.recording, "rt", encoding="utf-8") as lines:
            return [*map(json.loads, lines)]

    @property
    def lists(self) -> list[str]:
        """The paths of the lists that a perfect crawler needs."""
        return [*self._rows[0]["lists"]]

    @property
    def start(self) -> str:
        """The URL at which crawls begin, on the port that the pages name."""
        return f"http://127.0.0.1:{self._rows[0]['port']}{self.lists[0]}"

    @cached_property
    def known(self) -> list[KnownItem]:
        """The known content of the site."""
        rows = self._rows[0]["known"]
        return [KnownItem(**{**row, "pairs": [KnownPair(**pair) for pair in row["pairs"]]}) for row in rows]

    @contextmanager
    def serving(self, log: Path) -> Iterator[None]:
        """Serve the answers, and write a line into ``log`` for each request."""
        with _Server(self._rows[0]["port"], {row[0]: Answer(*row) for row in self._rows[1:]}, log) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                server.shutdown()
                thread.join()


def read_hits(log: Path) -> list[Hit]:
    """The requests in a log, none if there is no file."""
    return [Hit(*json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, answers: dict[str, Answer], log: Path) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers, self.log, self.lock = answers, log, threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        found = self.server.answers.get(self.path) or Answer(self.path, 404, "text/html", "", "<p>Not found.</p>")
        with self.server.lock, self.server.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(Hit(self.path, found.status)) + "\n")
        body = found.body.encode()
        self.send_response_only(found.status)
        self.send_header("Content-Type", found.media)
        self.send_header("Content-Length", str(len(body)))
        if found.location:
            self.send_header("Location", found.location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - named by http.server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Write nothing to standard error."""
