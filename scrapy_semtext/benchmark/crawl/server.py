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
    command = [sys.executable, "-m", "scrapy_semtext.benchmark.crawl.server", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None  # noqa: S101  it is a pipe
        assert process.stdin is not None  # noqa: S101
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()  # it ends by that


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without these two, headers and body leave in two packets and the second waits for the first's receipt.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        body = self.server.pages.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is http.server's
        pass


def main() -> None:
    """Serve the folder that the command line names until standard input ends."""
    server = _Server(Path(sys.argv[1]))
    Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
