"""The bundled site over HTTP, on this machine only."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from example.bundled import bundled_pages
from example.navigation import MOVED, ROBOTS, make_navigation
from example.threads import thread_pages

HTML = "text/html; charset=utf-8"
TEXT = "text/plain; charset=utf-8"

#: A picture of one grey pixel.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)

# Bundled pages are copies of pages that load scripts and pictures from elsewhere. A crawler does not, and a browser
# that looks at the site must not.
_SHUT = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the site says to a request; ``packed`` tells that the body is compressed by gzip."""

    body: bytes = b""
    content_type: str = HTML
    status: int = 200
    packed: bool = False
    headers: dict[str, str] = field(default_factory=dict)


class BundledSite:
    """Knows the answer to every path."""

    def __init__(self) -> None:
        self._made = {path: Answer(html.encode()) for path, html in make_navigation().items()}
        self._made |= {
            "/robots.txt": Answer(ROBOTS.encode(), TEXT),
            "/odd/picture.png": Answer(PICTURE, "image/png"),
            "/odd/notes.txt": Answer(b"Not a page, but text.\n", TEXT),
            "/odd/empty.html": Answer(b""),
            "/odd/binary.html": Answer(bytes(range(256)) * 16 + PICTURE),
            "/odd/unclosed.html": Answer(b"<div><p>Nothing here <b>is <table><td>closed" * 500),
            "/private/page.html": Answer(b"<p>robots.txt asks not to come here"),
        }

    def answer(self, path: str) -> Answer:
        """Return the answer to a path (with or without a query)."""
        path = urlsplit(path).path
        if path in self._made:
            return self._made[path]
        if path in thread_pages():
            return Answer(thread_pages()[path].encode(), headers=_SHUT)
        page = bundled_pages().get(path)
        if page is not None:
            return Answer(page.packed(), packed=True, headers=_SHUT)
        if path.startswith(MOVED) and (new := path.replace(MOVED, "/pages/", 1)) in bundled_pages():
            return Answer(status=301, headers={"Location": new})
        return Answer(b"<h1>Not found</h1>", status=404)


class SiteServerThread:
    """Serves the bundled site from a thread of its own, at a free port of the loopback interface."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(BundledSite()))
        # The short interval lets close() return soon.
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True, name="bundled site")
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the index."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(site: BundledSite) -> type[BaseHTTPRequestHandler]:
    """Return the request handler of a site: http.server wants a class, not an object."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Without these two, headers and body leave in two packets and the second waits for the first's receipt.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._send(site.answer(self.path), with_body=True)

        def do_HEAD(self) -> None:
            self._send(site.answer(self.path), with_body=False)

        def _send(self, answer: Answer, *, with_body: bool) -> None:
            body, headers = answer.body, {"Content-Type": answer.content_type, **answer.headers}
            if answer.packed and "gzip" in self.headers.get("Accept-Encoding", ""):
                headers["Content-Encoding"] = "gzip"
            elif answer.packed:
                body = gzip.decompress(body)
            self.send_response(answer.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is http.server's
            """Say nothing: Scrapy logs what it fetches."""

    return Handler
