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
from typing import TYPE_CHECKING, NamedTuple

from research.benchmark.server import PageHandler, PageServer

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


class RecordedSite:
    """A site from a recording: its ``name``, the paths of its ``lists`` and its ``known`` content.

    Crawls begin at ``start``, on the port that the pages name.
    """

    def __init__(self, recording: Path) -> None:
        with lzma.open(recording, "rt", encoding="utf-8") as lines:
            about, *answers = map(json.loads, lines)
        self.name = recording.name.partition(".")[0]
        self.lists: list[str] = about["lists"]
        self.start = f"http://127.0.0.1:{about['port']}{self.lists[0]}"
        self.known = [
            KnownItem(**{**row, "pairs": [KnownPair(**each) for each in row["pairs"]]}) for row in about["known"]
        ]
        self._port, self._answers = about["port"], {row[0]: Answer(*row) for row in answers}

    @contextmanager
    def serving(self, log: Path) -> Iterator[None]:
        """Serve the answers, and write a line into ``log`` for each request."""
        with _Server(self._port, self._answers, log) as server:
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


class _Server(PageServer):
    def __init__(self, port: int, answers: dict[str, Answer], log: Path) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers, self.log, self.lock = answers, log, threading.Lock()


class _Handler(PageHandler):
    server: _Server

    def do_GET(self) -> None:  # noqa: N802 - named by http.server
        found = self.server.answers.get(self.path) or Answer(self.path, 404, "text/html", "", "<p>Not found.</p>")
        with self.server.lock, self.server.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(Hit(self.path, found.status)) + "\n")
        self.send(found.body.encode(), found.status, found.media, found.location)

    do_HEAD = do_GET  # noqa: N815
