"""Links as hostile pages write them, and a site full of them that `semtext crawl` has to bear.

``python -m research.fuzzing --links 20000 --seed N`` serves such a site on loopback and crawls it. The crawl has to end
by itself, to give each item of the site, and to ask no other host for anything.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

_BEGINNINGS = (
    *("http://",) * 12, "https://", "HTTP://", "http:///", "http:/", "http:", "http:\\\\", "http:\\/", "ht\ttp://",
    "\x01http://", " http://", "//", "///", "////", "/\\", "\\\\", "\\/", "://", "http://http://", "feed:http://",
    "view-source:http://", "ftp://", "file:///", "ws://", "gopher://", "x-unknown://", "about:", "javascript:",
    "data:text/html,", "mailto:",
)  # fmt: skip
# {here} is the host of the site, {name} that without its port, {there} another one.
_HOSTS = (
    *("{here}",) * 8, *("{there}",) * 3, "{there}\\@{here}", "{here}\\@{there}", "{there}\\{here}", "{here}@{there}",
    "{there}@{here}", "u:p@{here}", "@{here}", "[::1]@{here}", "[{here}]", "[{here}", "{here}]", "[::1]",
    "[::ffff:{name}]", "[v1.x]", "[]", "[fe80::1%25eth0]", "{name}:port", "{name}:99999", "{name}:-1", "{name}:",
    "{name}:0", "{name}:\u0661\u0662", "{here}:80", "{name}:1e3", "", ".", "..", ".{here}", "{name}.", "{name}..",
    "www.{here}", "{name},", "*.{name}", "-", "_", "{name}\u3002", "{here}%00.{there}", "%31%32%37.0.0.1", "{name}%2e",
    "{name}%3a80", "{name}%40{there}", "{name}%2f{there}", "%", "%zz", "{here}\x00", "{here}\t", "{here} ",
    "{here}\n.evil.test", "{here}\x7f", "{name}\r\nX: y", "{here}\ud800", "\udfff{name}", "{here}#@{there}",
    "{here}?@{there}", "{there}#@{here}", "{there}?{here}", "{there};@{here}", "{here}&@{there}", "b\xfccher.test",
    "xn--a", "xn--bcher-kva.test", "\uff11\uff12\uff17.0.0.1", "\u2488", "\u0130.test", "\xdf.test", "2130706433",
    "0x7f.1", "0177.0.0.1", "127.1", "169.254.169.254", "localhost", "a" * 70 + ".test", "a." * 200 + "test",
)  # fmt: skip
_PATHS = (
    "", "/", "/x", "/x/y/z", "/{word}/{number}", "/{word}/{number}", "/{word}.html", "/{word}?id={number}", "?{word}",
    "/../../..", "/./.", "/.", "/..", "/...", "/%2e%2e/", "/a//b///c", "//", "///", "/\\..\\x", "/;jsessionid=1;x",
    "/%", "/%zz", "/%00", "/%ud800", "/%C3", "/\x00", "/\x1f", "/a\tb\nc", "/ a b ", "/\ud800", "/?\udc00", "#\ud800",
    "/\x85", "/#", "#", "/#[", "/?[", "/]", "/?#?#", "/|", "/^`{}", "/\xfc", "/\u5317", "/" + "\u5317" * 300,
    "/" + "a" * 8_000, "/?page=" + "9" * 5_000, "/page/" + "9" * 5_000 + "/", "/?page=\u0663", "/?page=\xb2",
    "/?start=-1", "/?offset=1e9", "/" + "a/" * 2_000, "/?" + "a=b&" * 500, "/?" + "a" * 8_000, "/?a[]=1&a[]=2",
    "/robots.txt", "/sitemap.xml", "/x.pdf",
)  # fmt: skip
_WORDS = (
    "bread", "garden", "music", "letters", "rivers", "winter", "clocks", "bridges", "painting", "markets", "stones",
)  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSENT = re.compile("[\x00\r\n]")  # what no header can have
_ITEMS, _SECONDS = 40, 1_200


def hostile_link(random: Random, here: str, there: str) -> str:
    """Return a link as no page should write it; ``here`` is the host of the page, ``there`` another one, with ports."""
    word, number = "".join(random.choices("abcdefghij", k=6)), random.randrange(1_000_000)
    host = random.choice(_HOSTS).format(here=here, there=there, name=here.partition(":")[0])
    path = random.choice(_PATHS).replace("{word}", word).replace("{number}", str(number))
    link = random.choice(_BEGINNINGS) + host + path
    if random.random() < 0.2:
        place = random.randrange(len(link) + 1)
        link = link[:place] + random.choice("@\\/:[]%#?\t\n\r\x00\ud800. \xad\u200b\u202e") + link[place:]
    return link


class Answer(NamedTuple):
    """What the site answers."""

    body: bytes
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


_MISSING = Answer(b"not found", status=404)


class HostileSite:
    """The answers of a site with so many hostile links, by path: pages, robots.txt, sitemaps, feeds, redirects."""

    def __init__(self, seed: int, links: int, here: str, there: str) -> None:
        self._random = Random(seed)  # noqa: S311  to be repeated
        self._here, self._there = here, there
        self.items = [f"/story/{_WORDS[number % len(_WORDS)]}-of-{number}.html" for number in range(_ITEMS)]
        self.answers: dict[str, Answer] = {}
        on_pages = links - 4 * (links // 20) - links // 5
        self._robots(self._links(links // 20))
        self._sitemaps(self._links(links // 20), self._links(links // 5))
        self._feed(self._links(links // 20))
        moved = self._redirects(self._links(links // 20))
        shown = [*self._links(on_pages), *moved]
        self._random.shuffle(shown)
        self._pages(shown)

    def answer(self, path: str) -> Answer:
        """Return the answer to a path; for one that only a hostile link names, mostly a story of its own."""
        if path in self.answers:
            return self.answers[path]
        random = Random(path)  # noqa: S311
        if random.random() < 0.2 or path in ("/sitemap.xml", "/robots.txt"):
            return _MISSING
        return Answer(self._page(f"Found at {random.randrange(10**6)}", "", _text(random), []))

    def _links(self, count: int) -> list[str]:
        return [hostile_link(self._random, self._here, self._there) for _ in range(count)]

    def _robots(self, links: list[str]) -> None:
        lines = [
            "User-agent: *",
            "Disallow: /private",
            f"Crawl-delay: {'9' * 5_000}",
            f"Sitemap: http://{self._here}/index.xml",
        ]
        lines += [f"Sitemap: {_UNSENT.sub('', link)}" for link in links]
        lines += [f"Disallow: /never{link}" for link in links]
        self.answers["/robots.txt"] = Answer("\n".join(lines).encode("utf-8", "surrogatepass"), "text/plain")

    def _sitemaps(self, indexed: list[str], listed: list[str]) -> None:
        index = [f"http://{self._here}/map.xml", *indexed]
        body = "".join(
            f"<sitemap><loc>{_written(link)}</loc><lastmod>{'9' * 5_000}</lastmod></sitemap>" for link in index
        )
        self.answers["/index.xml"] = Answer(f"<sitemapindex>{body}</sitemapindex>".encode(), "application/xml")
        body = "".join(f"<url><loc>{_written(link)}</loc><lastmod>0000-99-99</lastmod></url>" for link in listed)
        self.answers["/map.xml"] = Answer(f"<urlset>{body}</urlset>".encode(), "application/xml")

    def _feed(self, links: list[str]) -> None:
        body = "".join(f"<item><link>{_written(link)}</link><pubDate>{'9' * 50}</pubDate></item>" for link in links)
        self.answers["/feed"] = Answer(f"<rss><channel>{body}</channel></rss>".encode(), "application/rss+xml")

    def _redirects(self, links: list[str]) -> list[str]:
        """The paths of addresses that lead on, half of them by a header."""
        paths = []
        for number, link in enumerate(links):
            path = f"/{self._random.choice(_WORDS)}/{self._random.choice(_WORDS)}-{number}"
            paths.append(path)
            sent = _UNSENT.sub("", link)
            headers = (
                ("Location", sent),
                ("Retry-After", "9" * 5_000),
                ("Set-Cookie", f"a=b; domain={sent[:200]}; Max-Age=1e999"),
            )
            refresh = f'<meta http-equiv="refresh" content="0; url={_written(link)}">'.encode()
            self.answers[path] = Answer(b"", status=302, headers=headers) if number % 2 else Answer(refresh)
        return paths

    def _pages(self, links: list[str]) -> None:
        share = len(links) // (_ITEMS + 1) + 1
        shares = [links[start : start + share] for start in range(0, share * (_ITEMS + 1), share)]
        listed = "".join(
            f'<h2><a href="{path}">{self._title(number)}</a></h2>' for number, path in enumerate(self.items)
        )
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed">'
        self.answers["/"] = Answer(self._page("All stories of the town", feed, listed, shares.pop()))
        for number, path in enumerate(self.items):
            following = f"http://{self._there}/story" if number % 2 else _written(self._links(1)[0])
            head = f'<link rel="next" href="{following}"><link rel="canonical" href="{_written(self._links(1)[0])}">'
            self.answers[path] = Answer(self._page(self._title(number), head, _text(self._random), shares.pop()))

    def _title(self, number: int) -> str:
        return f"What is told of {_WORDS[number % len(_WORDS)]} in street {number}"

    def _page(self, title: str, head: str, body: str, links: list[str]) -> bytes:
        listed = "".join(f'<li><a href="{_written(link)}">{self._random.choice(_WORDS)}</a></li>' for link in links)
        return (
            f"<html><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}</main>"
            f"<footer><ul>{listed}</ul></footer></body></html>"
        ).encode()


def _text(random: Random) -> str:
    sentences = [" ".join(random.choices(_WORDS, k=12)).capitalize() + "." for _ in range(20)]
    return "".join(f"<p>{' '.join(sentences[start : start + 5])}</p>" for start in range(0, 20, 5))


def _written(link: str) -> str:
    """A link as markup has it; lone surrogates as references, as no encoding has them."""
    return _SURROGATE.sub(lambda found: f"&#x{ord(found[0]):x};", escape(link))


@contextmanager
def serving(answer_to: Callable[[str], Answer]) -> Iterator[tuple[str, list[str]]]:
    """Serve answers on loopback; yield host and port, and the list of what is asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer = answer_to(self.path)
            self.send_response_only(answer.status)
            for name, value in (("Content-Type", answer.kind), *answer.headers):
                self.send_header(name, value.encode("utf-8", "surrogatepass").decode("latin-1"))  # as bytes
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


class Recorder:
    """An extension that writes the host of each request that is sent into the file FUZZING_ASKED."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Record from the start."""
        recorder = cls(crawler.settings["FUZZING_ASKED"])
        crawler.signals.connect(recorder.record, signal=signals.request_reached_downloader)
        return recorder

    def record(self, request: Request) -> None:
        """Write the host of a request."""
        with Path(self._path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(urlsplit(request.url).netloc.replace("\n", " ") + "\n")


class Crawled(NamedTuple):
    """What came of a crawl: what is wrong with it, how many links it bore, its requests, and what it printed."""

    violations: list[str]
    links: int
    requests: int
    printed: str


def crawl_hostile_site(seed: int, links: int, *arguments: str) -> Crawled:
    """Serve a site with hostile links and run `semtext crawl` over it; return what came of it."""
    made: list[HostileSite] = []  # when the addresses of both servers are known

    def answer(path: str) -> Answer:
        return made[0].answer(path)

    with (
        tempfile.TemporaryDirectory() as name,
        serving(lambda _: _MISSING) as (there, leaked),
        serving(answer) as (here, _),
    ):
        site = HostileSite(seed, links, here, there)
        made.append(site)
        folder = Path(name)
        done = _run(here, folder, arguments)
        text = (folder / "out.jsonl").read_text("utf-8") if (folder / "out.jsonl").exists() else ""
        hosts = (folder / "asked").read_text("utf-8").splitlines()
        others = {host for host in hosts if host.removeprefix("www.").replace(".:", ":") != here}
        log = (folder / "log").read_text("utf-8", "replace")
        found = [f"the other host was asked for {path}" for path in leaked]
        found += [f"{host!r} was asked" for host in sorted(others)]
        paths = {urlsplit(json.loads(line)["url"]).path for line in text.splitlines()}
        found += [f"there is no item of {path}" for path in site.items if path not in paths]
        if done.returncode or "ended: finished" not in done.stderr:
            found.append(f"status {done.returncode}: {done.stderr}")
        found += sorted({line for line in log.splitlines() if " ERROR: " in line and "Error downloading" not in line})
        return Crawled(found, links, len(hosts), done.stderr)


def _run(here: str, folder: Path, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    settings: dict[str, Any] = {
        "EXTENSIONS": json.dumps({"research.fuzzing.links.Recorder": 0}),
        "FUZZING_ASKED": folder / "asked",
        "AUTOTHROTTLE_ENABLED": False,
        "RETRY_ENABLED": False,
    }
    given = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    outputs = ["-o", str(folder / "out.jsonl"), "--log", str(folder / "log")]
    command = [sys.executable, "-m", "scrapy_semtext", "crawl", f"http://{here}/", *outputs, *given, *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), *sys.path]))}
    return subprocess.run(  # noqa: S603
        command, check=False, capture_output=True, text=True, env=environment, timeout=_SECONDS
    )
