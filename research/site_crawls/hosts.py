"""Many small sites on this machine, 127.0.1.1 to 127.0.1.N, each a blog over pages whose texts are made of paragraphs.

``python -m research.site_crawls.hosts PORT HOSTS PAGES PARAGRAPHS.json``: prints a line when all of them are served.
"""

from __future__ import annotations

import json
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PER_LIST = 20
_PARAGRAPHS = (3, 9)  # of an article


def addresses(hosts: int) -> list[str]:
    """The addresses of the hosts."""
    return [f"127.0.1.{number}" for number in range(1, hosts + 1)]


class SmallSite:
    """The pages of one host: lists of ``pages`` articles, made from ``paragraphs`` as they are asked for."""

    def __init__(self, number: int, pages: int, paragraphs: Sequence[str]) -> None:
        self._number, self._pages, self._paragraphs = number, pages, paragraphs

    def page(self, path: str) -> str | None:
        """The HTML at a path, None if there is nothing."""
        name, _, rest = path.strip("/").partition("/")
        if not name or (name == "page" and rest.isdigit()):
            body = self._list(int(rest or 1))
        elif name == "article" and rest.isdigit() and int(rest) < self._pages:
            body = self._article(int(rest))
        else:
            return None
        site = f"Site {self._number}"
        menu = '<nav><a href="/">Home</a> <a href="/about/">About</a> <a href="/login/">Log in</a></nav>'
        return f"<html><head><title>{site}</title></head><body>{menu}{body}<footer>{site}, 2024</footer></body></html>"

    def _list(self, number: int) -> str:
        shown = range((number - 1) * _PER_LIST, min(self._pages, number * _PER_LIST))
        items = "".join(f'<h2><a href="/article/{place}/">{self._title(place)}</a></h2>' for place in shown)
        is_last = number * _PER_LIST >= self._pages
        return f"<main>{items}</main>" + ("" if is_last else f'<a rel="next" href="/page/{number + 1}/">Next page</a>')

    def _title(self, place: int) -> str:
        words = self._random(place).choice(self._paragraphs).split()
        return escape(" ".join(words[:8]))

    def _article(self, place: int) -> str:
        rng = self._random(place)
        title, count = self._title(place), rng.randint(*_PARAGRAPHS)
        texts = "".join(f"<p>{escape(text)}</p>" for text in rng.sample(self._paragraphs, count))
        return f"<article><h1>{title}</h1>{texts}</article>"

    def _random(self, place: int) -> Random:
        return Random(f"{self._number}-{place}")  # noqa: S311 - no secret


class SmallServer(ThreadingHTTPServer):
    """Serves one site."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: str, port: int, site: SmallSite) -> None:
        super().__init__((address, port), _Handler)
        self.site = site


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def do_GET(self) -> None:
        html = self.server.site.page(self.path)
        body = (html or "<p>Not found.</p>").encode()
        self.send_response(200 if html is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def paragraphs_of(texts: Path) -> Iterator[str]:
    """The longer paragraphs of the prepared texts."""
    for article in json.loads(texts.read_text(encoding="utf-8"))["articles"]:
        yield from (text for text in article["paragraphs"] if len(text.split()) > 20)


def main(port: str, hosts: str, pages: str, texts: str) -> None:
    """Serve until the standard input ends."""
    paragraphs = [*paragraphs_of(Path(texts))]
    for number, address in enumerate(addresses(int(hosts)), 1):
        server = SmallServer(address, int(port), SmallSite(number, int(pages), paragraphs))
        Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
