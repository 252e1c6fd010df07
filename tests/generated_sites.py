"""Small sites with known content, served on loopback: a blog, a forum, documentation, and one with endless URLs."""

from __future__ import annotations

import random
import re
from collections import Counter
from contextlib import contextmanager
from functools import lru_cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from example.bundled import true_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Answer = Callable[[dict[str, str]], str | None]

ARTICLES, THREADS, TOPICS, SUBJECTS, SCRIPTED = 18, 12, 12, 12, 12
_SHOWN = 5  # items on a page of a list
_POSTS = 4  # on a page of a thread


@lru_cache(maxsize=1)
def _sentences() -> tuple[str, ...]:
    unseen = dict.fromkeys(map(ord, "\u00ad\u200b"))  # soft hyphens and other characters that are not read
    texts = (true_texts()[path].translate(unseen) for path in sorted(true_texts()))
    parts = (" ".join(part.split()) for text in texts for part in re.split(r"(?<=[.!?])\s+", text))
    return tuple(part for part in parts if 60 < len(part) < 220 and part[0].isupper() and part[-1] in ".!?")


def sentences(name: str, count: int) -> list[str]:
    """Return random sentences of the bundled pages, always the same ones for a name."""
    return random.Random(name).sample(_sentences(), count)  # noqa: S311


def blog(article: Callable[[str], str] | None = None) -> dict[str, Answer]:
    """A blog: lists of teasers, articles, tags and an archive that list them again, and links to log in and to print.

    ``article`` returns the body of the article at a path, by default a title and paragraphs.
    """
    names = [f"/{2020 + number // 6}/{number % 12 + 1:02}/story-of-number-{number}/" for number in range(ARTICLES)]
    site: dict[str, Answer] = {}
    starts = range(0, ARTICLES, _SHOWN)
    for page, start in enumerate(starts, 1):
        following = f'<a rel="next" href="/page/{page + 1}/">Older posts</a>' if page < len(starts) else ""
        body = _teasers(names[start : start + _SHOWN]) + f"<nav>{following}</nav>"
        site["/" if page == 1 else f"/page/{page}/"] = _static(_framed("Stories", body, _BLOG_MENU))
    for tag in ("bread", "garden", "music"):
        site[f"/tag/{tag}/"] = _static(_framed(f"Tag {tag}", _teasers(names[len(tag) :: 3]), _BLOG_MENU))
    for year in (2020, 2021, 2022):
        chosen = [name for name in names if name.startswith(f"/{year}/")]
        site[f"/{year}/"] = _static(_framed(f"Archive of {year}", _teasers(chosen), _BLOG_MENU))
    site["/login"] = site["/register"] = _static(_framed("Log in", "<form><input name=user></form>", _BLOG_MENU))
    for name in names:
        links = f'<p><a href="{name}?print=1">Print</a> <a href="/tag/bread/">bread</a></p>'
        body = f"{(article or _article)(name)}{links}"
        html = _framed(_title(name), body, _BLOG_MENU)
        site[name] = _static(html.replace("<title>", f"{_ARTICLE_HEAD}<title>") if article else html)
    return site


_ARTICLE_HEAD = (
    '<meta property="og:type" content="article"><meta name="author" content="Mia Berg">'
    '<meta property="article:published_time" content="2024-05-03">'
)


def with_related(path: str) -> str:
    """An article with teasers of other articles below it, each with a date."""
    teasers = "".join(
        f"<li><h3><a href='/2020/0{number}/story-of-number-{number}/'>Story of number {number}"
        f" <small>0{number} May 2024</small></a></h3><p>{escape(sentences(f'{path}{number}', 1)[0])}</p></li>"
        for number in range(3)
    )
    return f"{_signed(path, paragraphs_of(path))}<section><h2>Related posts</h2><ul>{teasers}</ul></section>"


def as_diary(path: str) -> str:
    """An article about five days, each with its date and its text."""
    days = "".join(
        f"<section><h2>{day} May 2024</h2><p>{escape(' '.join(sentences(f'{path}{day}', 5)))}</p>"
        f"<p>{escape(' '.join(sentences(f'{path}{day}later', 5)))}</p></section>"
        for day in range(1, 6)
    )
    return f"{_signed(path, sentences(path, 3))}<article>{days}</article>"


def _signed(path: str, paragraphs: list[str]) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    return (
        f"<article class=post><h1>{_title(path)}</h1><div class=meta><span class=author>Mia Berg</span>"
        f" <time>3 May 2024</time></div><div class=entry>{text}</div></article>"
    )


_BLOG_MENU = {
    "/": "Home",
    "/tag/bread/": "bread",
    "/tag/garden/": "garden",
    "/tag/music/": "music",
    "/2020/": "2020",
    "/2021/": "2021",
    "/2022/": "2022",
    "/login": "Log in",
    "/register": "Register",
}


def forum() -> dict[str, Answer]:
    """A forum: two boards, threads (every third has two pages), profiles, and links to log in and to reply."""
    boards = ("baking", "gardening")
    heads = "".join(
        f'<li><h3><a href="/board/{name}/">{name.title()}</a></h3><p>All of it.</p></li>' for name in boards
    )
    site: dict[str, Answer] = {"/": _static(_framed("Forum", f"<ul>{heads}</ul>", _FORUM_MENU))}
    for place, board in enumerate(boards):
        numbers = range(place, THREADS, len(boards))
        rows = "".join(
            f'<li class=row><h3><a href="/thread/{number}/">{escape(question_of(number))}</a></h3>'
            f'<span>by <a href="/user/{number}/">writer{number}</a>, {len(posts_of(number)) - 1} replies</span></li>'
            for number in numbers
        )
        site[f"/board/{board}/"] = _static(_framed(board.title(), f"<ul class=threads>{rows}</ul>", _FORUM_MENU))
    for number in range(THREADS):
        site[f"/thread/{number}/"] = _thread(number)
        site[f"/user/{number}/"] = _static(_framed(f"writer{number}", "<p>Member since 2019.</p>", _FORUM_MENU))
    site["/login"] = site["/search"] = _static(_framed("Log in", "<form><input name=user></form>", _FORUM_MENU))
    return site


def quoting_forum(threads: int = THREADS) -> dict[str, Answer]:
    """The forum, with boards of several pages, latest threads first, that read as threads: they show the questions."""
    site = forum() | {f"/thread/{number}/": _thread(number) for number in range(threads)}
    for place, board in enumerate(("baking", "gardening")):
        site[f"/board/{board}/"] = _board(board, [*range(place, threads, 2)][::-1])
    return site


def _board(name: str, numbers: list[int]) -> Answer:
    def page(query: dict[str, str]) -> str:
        current = int(query.get("page", "1"))
        start = (current - 1) * _SHOWN
        rows = "".join(
            f"<div class=post><div class=author>writer{number}</div><time>2023-02-{number % 28 + 1:02}</time>"
            f'<div class=body><p><a href="/thread/{number}/">{escape(question_of(number))}</a></p>'
            f"<p>{escape(posts_of(number)[0])}</p></div></div>"
            for number in numbers[start : start + _SHOWN]
        )
        rules = f"<div class=post><div class=body><p>{escape(' '.join(sentences(name, 4)))}</p></div></div>"
        more = (
            f'<a rel="next" href="/board/{name}/?page={current + 1}">Next</a>' if start + _SHOWN < len(numbers) else ""
        )
        return _framed(name.title(), f"<h1>{name.title()}</h1>{rules}{rows}<nav class=pager>{more}</nav>", _FORUM_MENU)

    return page


_FORUM_MENU = {"/": "Forum", "/login": "Log in", "/search": "Search"}


def question_of(number: int) -> str:
    """Return the title of a thread."""
    return f"How do I keep my {('bread', 'roses', 'violin', 'bicycle')[number % 4]} in shape, part {number + 10}?"


def posts_of(number: int) -> list[str]:
    """Return the posts of a thread, the question first."""
    return [" ".join(sentences(f"post {number} {place}", 3)) for place in range(_POSTS + 2 if number % 3 == 0 else 3)]


def _thread(number: int) -> Answer:
    posts = posts_of(number)

    def page(query: dict[str, str]) -> str:
        current = int(query.get("page", "1"))
        start = (current - 1) * _POSTS
        shown = "".join(
            f'<div class="post" id="p{place}"><div class=author><a href="/user/{place}/">writer{place}</a></div>'
            f"<time>2023-02-{place + 1:02}</time><div class=body><p>{escape(post)}</p></div>"
            f'<a href="/thread/{number}/?reply={place}">Reply</a></div>'
            for place, post in list(enumerate(posts))[start : start + _POSTS]
        )
        more = (
            f'<a rel="next" href="/thread/{number}/?page={current + 1}">Next</a>' if start + _POSTS < len(posts) else ""
        )
        heading = f"<h1>{escape(question_of(number))}</h1>"
        return _framed(question_of(number), f"{heading}{shown}<nav class=pager>{more}</nav>", _FORUM_MENU)

    return page


def docs() -> dict[str, Answer]:
    """Documentation: pages in two chapters, each with a menu of all pages, and an index of words."""
    paths = [f"/docs/{('guide', 'reference')[number % 2]}/topic-{number}.html" for number in range(TOPICS)]
    menu = {"/": "Contents", **{path: _title(path) for path in paths}, "/search.html": "Search"}
    listed = "".join(f'<li><a href="{path}">{_title(path)}</a></li>' for path in paths)
    site: dict[str, Answer] = {"/": _static(_framed("Contents", f"<ul>{listed}</ul>", menu))}
    for path in paths:
        parts = "".join(
            f"<h2>Step {part}</h2><p>{escape(' '.join(sentences(f'{path}{part}', 3)))}</p>"
            f"<pre><code>run --step {part}</code></pre>"
            for part in range(3)
        )
        site[path] = _static(_framed(_title(path), f"<main><h1>{_title(path)}</h1>{parts}</main>", menu))
    site["/search.html"] = _static(_framed("Search", "<form><input name=q></form>", menu))
    return site


def wiki() -> dict[str, Answer]:
    """A wiki: a page for each subject, with a talk page and a list of the pages that link to it, and special pages."""
    names = [f"About_{number}_{('bread', 'roses', 'bicycles')[number % 3]}" for number in range(SUBJECTS)]
    menu = {"/wiki/Portal": "Portal", "/wiki/Special:Version": "Version", "/wiki/Special:All": "All pages"}
    listed = _listed({f"/wiki/{name}": name.replace("_", " ") for name in names})
    site: dict[str, Answer] = {"/wiki/Portal": _static(_framed("Portal", listed, menu))}
    special = {"/wiki/Special:Version": "Version", "/wiki/Special:All": "All pages"}
    for name in names:
        own = {f"/wiki/{name}": "Page", f"/wiki/Talk:{name}": "Discussion"}
        tools = {f"/wiki/Special:Links/{name}": "Links", f"/wiki/Special:Changes/{name}": "Related changes"}
        site[f"/wiki/{name}"] = _wiki_page(name, menu | own | tools)
        site[f"/wiki/Talk:{name}"] = _wiki_page(f"Talk:{name}", menu | own | tools)
        special |= tools
    for path in special:
        site[path] = _wiki_page(path.removeprefix("/wiki/"), menu)
    return site


def _wiki_page(name: str, menu: Mapping[str, str]) -> Answer:
    paragraphs = "".join(f"<p>{escape(' '.join(sentences(f'{name}{part}', 4)))}</p>" for part in range(3))
    title = name.replace("_", " ")
    return _static(_framed(title, f"<main><h1>{title}</h1>{paragraphs}</main>", menu))


def scripted() -> dict[str, Answer]:
    """Notes in plain HTML, stories that a script inserts, and pages into which a script inserts nothing.

    Each page that runs in a browser requests ``/seen`` followed by its own path.
    """
    site: dict[str, Answer] = {}
    notes = [f"/notes/note-of-number-{number}/" for number in range(SCRIPTED)]
    stories = [f"/stories/story-of-number-{number}/" for number in range(SCRIPTED)]
    empty = [f"/empty/empty-page-{number}/" for number in range(SCRIPTED)]
    listed = _teasers([*notes, *stories]) + _listed({path: _title(path) for path in empty})
    site["/"] = _static(_framed("Contents", f"{listed}{_SEEN}", {"/": "Home"}))
    for path in notes:
        site[path] = _static(_framed(_title(path), f"{_article(path)}{_SEEN}", {"/": "Home"}))
    for path in stories:
        site[f"/data{path}"] = _static(_article(path))
        site[path] = _static(_framed(_title(path), f"<main id=app></main>{_SEEN}{_FILLED}", {"/": "Home"}))
    for path in empty:
        site[path] = _static(_framed(_title(path), f"<p>Nothing yet.</p>{_SEEN}", {"/": "Home"}))
    return site


_SEEN = "<script>fetch('/seen' + location.pathname)</script>"
_FILLED = (
    "<script>fetch('/data' + location.pathname).then(answer => answer.text())"
    ".then(text => setTimeout(() => document.getElementById('app').innerHTML = text, 100))</script>"
)


def _article(path: str) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in paragraphs_of(path))
    return f"<article><h1>{_title(path)}</h1>{paragraphs}</article>"


def paragraphs_of(path: str) -> list[str]:
    """Return the paragraphs of an article of the blog or the site with scripts."""
    return [" ".join(sentences(f"{path}{part}", 4)) for part in range(4)]


def trap() -> dict[str, Answer]:
    """The blog, with an endless calendar, combinable facets, and URLs made up from the requested one."""
    traps = {"/events/2024/1/": "Events", "/shop/": "Shop", "/made/1/": "More"}
    site: dict[str, Answer] = {}
    for path, answer in blog().items():
        site[path] = _with_links(answer, traps)
    site["/shop/"] = _facets
    site["/made/"] = site["/events/"] = lambda _: None  # see _Handler: pages below these paths are made up
    return site


def _facets(query: dict[str, str]) -> str:
    links = {
        f"/shop/?{urlencode({**query, name: value})}": f"{name} {value}"
        for name, values in (("material", "oak pine"), ("width", "wide slim"), ("seller", "a b c"))
        for value in values.split()
    }
    return _framed("Shop", f"<p>Nothing fits.</p>{_listed(links)}", {"/": "Home"})


def made_up(path: str) -> str | None:
    """Return a page of the trap site for a path that it made up."""
    numbers = [int(part) for part in re.findall(r"\d+", path)]
    if path.startswith("/events/") and len(numbers) == 2:
        year, month = numbers
        links = {
            f"/events/{year + month // 12}/{month % 12 + 1}/": "Next month",
            f"/events/{year - 1}/{month}/": "Before",
        }
        return _framed(f"Events in {month} {year}", f"<p>No events in this month.</p>{_listed(links)}", {"/": "Home"})
    if path.startswith("/made/") and numbers:
        others = random.Random(numbers[0]).sample(range(10**6), 15)  # noqa: S311
        return _framed(f"Item {numbers[0]}", _listed({f"/made/{other}/": f"Item {other}" for other in others}), {})
    return None


def _with_links(answer: Answer, links: Mapping[str, str]) -> Answer:
    """Add links to the pages of an answer, with a new session number for each page."""

    def page(query: dict[str, str]) -> str | None:
        html = answer(query)
        return None if html is None else html.replace("<footer>", f"<footer>{_listed(links)}")

    return page


def _static(html: str) -> Answer:
    return lambda _: html


def _teasers(paths: list[str]) -> str:
    return "".join(
        f'<div class=teaser><h2><a href="{path}">{_title(path)}</a></h2>'
        f"<p>{escape(sentences(f'{path}0', 4)[0])}</p></div>"
        for path in paths
    )


def _title(path: str) -> str:
    name = path.strip("/").rpartition("/")[2].removesuffix(".html")
    return name.replace("-", " ").capitalize()


def _listed(links: Mapping[str, str]) -> str:
    return (
        "<ul>"
        + "".join(f'<li><a href="{escape(url)}">{escape(text)}</a></li>' for url, text in links.items())
        + "</ul>"
    )


def _framed(title: str, body: str, menu: Mapping[str, str]) -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{escape(title)}</title></head><body><nav>{_listed(menu)}</nav>"
        f"<div id=content>{body}</div><footer><p>Made for tests</p></footer></body></html>"
    )


class ServedSite:
    """A site on loopback; ``hits`` counts the requests for each path."""

    def __init__(self, url: str, hits: Counter[str]) -> None:
        self.url = url
        self.hits = hits

    def count(self, beginning: str = "/") -> int:
        """Return the number of requests for paths with this prefix."""
        return sum(count for path, count in self.hits.items() if path.startswith(beginning))


@contextmanager
def serving(site: Mapping[str, Answer]) -> Iterator[ServedSite]:
    """Serve a site at a free port."""
    hits: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            hits[self.path] += 1
            parts = urlsplit(self.path)
            answer = site.get(parts.path)
            html = answer(dict(parse_qsl(parts.query))) if answer else made_up(parts.path) if "/made/" in site else None
            body = (html or "<p>Not found</p>").encode()
            self.send_response(404 if html is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name is http.server's
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield ServedSite(f"http://127.0.0.1:{server.server_port}/", hits)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
