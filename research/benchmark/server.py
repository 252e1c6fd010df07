"""The site that is crawled: pages of a folder, over HTTP on this machine alone, from a process of its own."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serve the files of a folder by name; yield the address, with a slash at its end."""
    with serving("research.benchmark.server", folder) as (port, _):
        yield f"http://127.0.0.1:{port}/"


@contextmanager
def serving(module: str, folder: Path) -> Iterator[tuple[int, int]]:
    """Run a module that calls `serve` in a process of its own; yield its port and the id of the process."""
    command = [sys.executable, "-m", module, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101  it is a pipe
        assert process.stdin is not None  # noqa: S101
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.stdin.close()  # it ends by that


class PageServer(ThreadingHTTPServer):
    """Serves HTML on a free port."""

    daemon_threads = True
    request_queue_size = 128


class PageHandler(BaseHTTPRequestHandler):
    """Answers with what `page` returns, and 404 for None."""

    protocol_version = "HTTP/1.1"
    # Without these two, headers and body leave in two packets and the second waits for the first's receipt.
    wbufsize = -1
    disable_nagle_algorithm = True

    def page(self) -> bytes | None:
        """Return the page that is asked for."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer a request."""
        body = self.page()
        self.send(body or b"", 404 if body is None else 200)

    def send(self, body: bytes, status: int, media: str = "text/html; charset=utf-8", location: str = "") -> None:
        """Send an answer, to a HEAD request without its body."""
        self.send_response_only(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is http.server's
        """Log nothing."""


def serve(server: PageServer) -> None:
    """Print the port, and serve until standard input ends."""
    Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    sys.stdin.read()


class _Server(PageServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}


class _Handler(PageHandler):
    server: _Server

    def page(self) -> bytes | None:
        return self.server.pages.get(self.path)


if __name__ == "__main__":
    serve(_Server(Path(sys.argv[1])))
