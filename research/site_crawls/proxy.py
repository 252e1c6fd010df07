"""A server before another one that writes a line of JSON for each request: the access log of any engine.

``python -m research.site_crawls.proxy PORT PORT_BEHIND LOG``. The header Host is passed on, so that the engine links
to the port of this server.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import Message

_DROPPED = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"})
_PATIENCE = 60  # seconds


@dataclass(frozen=True)
class Hit:
    """A request: its path with query, the status, where a redirect led, the media type and the seconds it took."""

    path: str
    status: int
    location: str
    media: str
    seconds: float
    agent: str


class LoggingServer(ThreadingHTTPServer):
    """Writes a line into ``log`` for each request; ``handler`` calls `LoggingHandler.respond`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, handler: type[LoggingHandler], log: Path) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self._log, self._lock = log, Lock()

    def write(self, hit: Hit) -> None:
        """Write a line into the log."""
        with self._lock, self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(vars(hit)) + "\n")


class LoggingHandler(BaseHTTPRequestHandler):
    """Answers GET and HEAD by `do_GET`, which a subclass has."""

    protocol_version = "HTTP/1.1"
    server: LoggingServer

    def respond(self, status: int, headers: Message, body: bytes, seconds: float = 0.0) -> None:
        """Log the request and send an answer."""
        media, location = headers.get("Content-Type", "").partition(";")[0], headers.get("Location", "")
        self.server.write(Hit(self.path, status, location, media, seconds, self.headers.get("User-Agent", "")))
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() not in _DROPPED:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        """Answer as for GET, without a body."""
        self.do_GET()  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Write nothing to standard error."""


class LoggingProxy(LoggingServer):
    """Passes requests on to ``behind``, a port of this machine."""

    def __init__(self, port: int, behind: int, log: Path) -> None:
        super().__init__(port, _Handler, log)
        self.behind = behind


class _Handler(LoggingHandler):
    server: LoggingProxy

    def do_GET(self) -> None:
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=_PATIENCE)
        try:
            connection.request(self.command, self.path, headers={**dict(self.headers), "Connection": "close"})
            answer = connection.getresponse()
            body = answer.read()
        except OSError as error:
            self.send_error(502, str(error))
            return
        finally:
            connection.close()
        self.respond(answer.status, answer.headers, body, round(time.monotonic() - begin, 3))


def read_hits(log: Path) -> list[Hit]:
    """The requests in a log, none if there is no file yet."""
    if not log.exists():
        return []
    return [Hit(**json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    LoggingProxy(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])).serve_forever()
