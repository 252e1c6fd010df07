"""Sites in a file, to be crawled without their software: ``python -m research.site_crawls ENGINE... --record FOLDER``.

A recording is JSON lines, compressed by xz: first what is known of the site, then its answers by path.
"""

from __future__ import annotations

import http.client
import json
import lzma
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from email.message import Message
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from parsel import Selector

from research.site_crawls.known import KnownItem, from_row
from research.site_crawls.measure import lists_of
from research.site_crawls.oracle import path_of
from research.site_crawls.proxy import LoggingHandler, LoggingServer
from research.site_crawls.software import SOFTWARE, Software

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from research.site_crawls.site import Site

_MOST = 4_000  # answers in a recording
_PATIENCE = 60  # seconds
_LINKS = "a::attr(href), link[rel~=next]::attr(href), link[rel~=canonical]::attr(href)"


class Answer(NamedTuple):
    """An answer of a site. The body is kept if it is text."""

    path: str
    status: int
    media: str
    location: str
    body: str


def record(site: Site, path: Path) -> int:
    """Record all pages of a site that links lead to, breadth first; returns how many answers there are."""
    with site.serving(site.folder / "record.jsonl"):
        about = {
            "software": site.software.name,
            "port": site.port,
            "lists": lists_of(site),
            "known": [asdict(item) for item in site.known],
        }
        answers = [*_answers(site)]
    with lzma.open(path, "wt", encoding="utf-8", preset=9) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in (about, *answers))
    return len(answers)


def _answers(site: Site) -> Iterator[Answer]:
    queue = deque(["/robots.txt", "/sitemap.xml", site.software.start])
    queue += [page for item in site.known for page in item.pages]
    seen = set(queue)
    while queue and len(seen) < _MOST:
        answer = _ask(site.port, queue.popleft())
        yield answer
        own = urljoin(site.start, answer.path)
        targets = [answer.location] if answer.location else Selector(answer.body or "<p>").css(_LINKS).getall()
        for target in targets:
            url = urldefrag(urljoin(own, target.strip())).url
            if urlsplit(url).netloc == urlsplit(own).netloc and path_of(url) not in seen:
                seen.add(path_of(url))
                queue.append(path_of(url))


def _ask(port: int, path: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", path, headers={"User-Agent": "recording"})
        answer = connection.getresponse()
        body, media = answer.read(), answer.getheader("Content-Type") or ""
        is_text = media.startswith("text/") or "xml" in media
        text = body.decode(errors="replace") if is_text else ""
        return Answer(path, answer.status, media, answer.getheader("Location") or "", text)
    finally:
        connection.close()


@dataclass(frozen=True)
class RecordedSite:
    """A site from a recording, to be measured as a `Site`; ``work`` takes its crawls."""

    recording: Path
    work: Path

    @cached_property
    def _rows(self) -> list[Any]:
        with lzma.open(self.recording, "rt", encoding="utf-8") as lines:
            return [*map(json.loads, lines)]

    @property
    def software(self) -> Software:
        """The engine that was recorded."""
        return SOFTWARE[self._rows[0]["software"]]

    @property
    def folder(self) -> Path:
        """The folder with the lists that a perfect crawler needs."""
        folder = self.work / "sites" / self.software.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lists.json").write_text(json.dumps(self._rows[0]["lists"]))
        return folder

    @property
    def start(self) -> str:
        """The URL at which crawls begin, on the port that the pages name."""
        return f"http://127.0.0.1:{self._rows[0]['port']}{self.software.start}"

    @cached_property
    def known(self) -> list[KnownItem]:
        """The known content of the site."""
        return [*map(from_row, self._rows[0]["known"])]

    @contextmanager
    def serving(self, log: Path) -> Iterator[None]:
        """Serve the answers, and write ``log`` as the proxy of a live site does."""
        with _Server(self._rows[0]["port"], {row[0]: Answer(*row) for row in self._rows[1:]}, log) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                server.shutdown()
                thread.join()


class _Server(LoggingServer):
    def __init__(self, port: int, answers: dict[str, Answer], log: Path) -> None:
        super().__init__(port, _Handler, log)
        self.answers = answers


class _Handler(LoggingHandler):
    server: _Server

    def do_GET(self) -> None:  # noqa: N802 - named by http.server
        found = self.server.answers.get(self.path) or Answer(self.path, 404, "text/html", "", "<p>Not found.</p>")
        headers = Message()
        headers["Content-Type"] = found.media
        if found.location:
            headers["Location"] = found.location
        self.respond(found.status, headers, found.body.encode())
