"""A site with addresses without end, beside a few articles.

An endless calendar, a shop's facets that combine, session numbers in every link, and addresses that are made up from
the one asked for, a million of them; none of them leads to text that is not among the articles.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date, timedelta
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, starmap
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FACETS = {"colour": ("red", "green", "blue"), "size": ("s", "m", "l"), "sort": ("price", "name"), "maker": ("a", "b")}
_PER_PAGE = 10
_ARTICLE = "<article><h2>{}</h2>{}</article>"
_MADE_UP = 1_000_000
_TODAY = date(2024, 3, 4)


class TrapSite:
    """The pages of the site: `page` answers a path with HTML, or None where there is nothing."""

    def __init__(self, articles: Sequence[tuple[str, str]]) -> None:
        self.articles = articles
        self._session = count(1)
        self._parts: dict[str, Callable[[str, dict[str, str]], str | None]] = {
            "": self._index,
            "page": self._index,
            "article": self._article,
            "calendar": self._calendar,
            "shop": self._shop,
            "made": self._made,
        }

    def page(self, address: str) -> str | None:
        """The HTML at an address."""
        parts = urlsplit(address)
        name, _, rest = parts.path.strip("/").partition("/")
        query = dict(parse_qsl(parts.query))
        answer = self._parts.get(name)
        body = answer(rest, query) if answer else None
        return None if body is None else self._framed(body)

    @staticmethod
    def is_trap(address: str) -> bool:
        """Whether an address is one of the endless ones."""
        parts = urlsplit(address)
        return bool(re.match(r"/(?:calendar|shop|made)\b", parts.path)) or "sid" in dict(parse_qsl(parts.query))

    def _framed(self, body: str) -> str:
        session = f"sid={hashlib.md5(str(next(self._session)).encode()).hexdigest()}"  # noqa: S324 - no secret
        menu = (("/", "Home"), ("/calendar/2024-03-04/", "Calendar"), ("/shop/", "Shop"), ("/made/1/", "More"))
        links = [*menu, (f"/?{session}", "Your visit")]
        return f"<html><title>Trap</title><nav>{_links(links)}</nav>{body}<footer>All rights reserved.</footer></html>"

    def _index(self, rest: str, query: dict[str, str]) -> str | None:
        number = int(rest or 1) if (rest or "1").isdigit() else 0
        shown = [*enumerate(self.articles)][(number - 1) * _PER_PAGE : number * _PER_PAGE] if number else []
        if not shown:
            return None
        session = f"?sid={query['sid']}" if "sid" in query else ""
        heads = (f'<a href="/article/{place}/{session}">{escape(title)}</a>' for place, (title, _) in shown)
        teasers = (f"<p>{escape(text[:120])}</p>" for _, (_, text) in shown)
        following = (
            f'<a href="/page/{number + 1}/{session}">Next</a>' if number * _PER_PAGE < len(self.articles) else ""
        )
        return f"<main>{''.join(starmap(_ARTICLE.format, zip(heads, teasers, strict=True)))}</main>{following}"

    def _article(self, rest: str, query: dict[str, str]) -> str | None:  # noqa: ARG002 - a session changes nothing
        place = int(rest) if rest.isdigit() else len(self.articles)
        if place >= len(self.articles):
            return None
        title, text = self.articles[place]
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
        return f"<article><h1>{escape(title)}</h1>{paragraphs}</article>"

    def _calendar(self, rest: str, query: dict[str, str]) -> str | None:  # noqa: ARG002
        try:
            day = date.fromisoformat(rest)
        except ValueError:
            return None
        days = [day + timedelta(each) for each in (-28, -7, -1, 1, 7, 28)]
        links = _links([(f"/calendar/{each}/", f"{each:%d %B %Y}") for each in days])
        return f"<h1>{day:%d %B %Y}</h1><p>No events on this day.</p>{links}"

    def _shop(self, rest: str, query: dict[str, str]) -> str | None:  # noqa: ARG002
        links = [
            (f"/shop/?{urlencode({**query, facet: value})}", f"{facet}: {value}")
            for facet, values in _FACETS.items()
            for value in values
            if query.get(facet) != value
        ]
        page = int(query.get("page", "1")) if query.get("page", "1").isdigit() else 1
        links.append((f"/shop/?{urlencode({**query, 'page': page + 1})}", "Next"))
        return f"<h1>Shop</h1><p>Nothing fits your choice.</p>{_links(links)}"

    def _made(self, rest: str, query: dict[str, str]) -> str | None:  # noqa: ARG002
        if not rest.isdigit() or int(rest) >= _MADE_UP:
            return None
        seeds = [hashlib.md5(f"{rest}-{each}".encode()).hexdigest() for each in range(20)]  # noqa: S324 - no secret
        links = [(f"/made/{int(seed, 16) % _MADE_UP}/", f"Item {seed[:6]}") for seed in seeds]
        return f"<h1>Item {rest}</h1>{_links(links)}"


def _links(links: Sequence[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f'<li><a href="{escape(url)}">{escape(text)}</a></li>' for url, text in links) + "</ul>"


class TrapServer(ThreadingHTTPServer):
    """Serves a trap site on a port, 0 for any that is free; each path asked for goes into ``paths``."""

    daemon_threads = True

    def __init__(self, port: int, site: TrapSite) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.site = site
        self.paths: list[str] = []
        self.lock = Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: TrapServer

    def do_GET(self) -> None:
        html = self.server.site.page(self.path)
        with self.server.lock:
            self.server.paths.append(self.path)
        body = (html or "<p>Not found.</p>").encode()
        self.send_response(200 if html is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass
