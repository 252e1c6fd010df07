"""Makes training pages in the markup of many programs: ``python -m research.themed_pages OUT DATA...``.

A theme, ``research/themes/NAME.html``, is a Jinja template with a macro for each kind of page that a program shows
(threads, lists of threads, members, ...), written for this purpose in the manner of that program. The texts are those
of the page sets DATA whose licence allows distributing models. The lines have the form of qa_dev; the engine is the
theme, so folds leave out whole themes. The same seed and page sets give the same file.

A theme sets ``about``: the ``language`` of its interface, the ``sort`` of site ("forum", "qa", "talk", "tickets",
"blog", "help") and the ``address`` of each kind of page, with {id}, {slug}, {page} and {offset}. Each macro gets
``site`` and ``page``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from research.frames import SITE_NAMES
from research.generated_pages import SitePool
from research.making.content import Interface, cut, random_author, random_times
from scrapy_semtext.train.datasets import THEMED, read_all
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import all_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The folder of the themes.
THEMES = Path(__file__).parent / "themes"
_LICENCE = "CC-BY-4.0, CC BY-SA 4.0, Apache-2.0 and MIT, as the sets that the texts are from"
_SLUG = re.compile(r"[^\W_]+")
_REPLIES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 14, 19)
_COMMENTS = (0, 1, 1, 2, 3, 4, 6, 9)
_WORDS = (6, 12, 20, 35, 60, 120)
_PAGES = {"thread": 8, "later": 2, "article": 6, "answer": 6}  # of a theme; of all other kinds:
_OTHERS = 3
_LISTS = ("list", "index", "search", "recent", "tags")
_PER_PAGE = 20


@dataclass
class Member:
    """Somebody who writes on a site; ``signature`` is "" for most."""

    id: int
    name: str
    posts: int
    joined: datetime
    place: str
    signature: str = ""


@dataclass
class ThemePost:
    """A post, answer or comment: ``number`` is its place in the thread, from 1 on, ``depth`` counts its parents."""

    id: int
    number: int
    author: Member
    when: datetime
    lines: list[str]
    quote: tuple[str, str] | None = None
    code: list[str] = field(default_factory=list)
    votes: int = 0
    accepted: bool = False
    depth: int = 0
    parent: int = -1
    edited: bool = False

    @property
    def text(self) -> str:
        """The text as it is shown."""
        return "\n".join([*filter(None, self.quote or ()), *self.lines, *self.code])


@dataclass
class Listed:
    """A thread, article or question in a list."""

    id: int
    title: str
    slug: str
    author: Member
    when: datetime
    replies: int
    views: int
    votes: int
    last: Member
    last_when: datetime
    last_id: int
    excerpt: str
    board: Board
    is_sticky: bool = False
    is_closed: bool = False
    pages: int = 1


@dataclass
class Board:
    """A board, a category or a product of a site."""

    id: int
    name: str
    slug: str
    text: str
    threads: int
    posts: int
    latest: Listed | None = None


@dataclass
class ThemePage:
    """What a page shows: ``posts`` (also answers, and comments on articles), or ``threads``, or ``members``."""

    kind: str
    title: str
    id: int
    slug: str
    board: Board
    url: str = ""
    number: int = 1
    last: int = 1
    posts: list[ThemePost] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    author: Member | None = None
    when: datetime | None = None
    threads: list[Listed] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    related: list[Listed] = field(default_factory=list)


class ThemeSite:
    """A site made with a theme, whose templates draw by ``pick`` and ``between``."""

    def __init__(self, name: str, about: dict[str, Any], pool: SitePool, seed: int) -> None:
        self.rng = Random(f"{seed} {name}")  # noqa: S311 - no secret
        self.theme, self.pool, self.sort = name, pool, about["sort"]
        self.language, self.addresses = about["language"], about["address"]
        self.texts_in = self.language if self.language in pool.languages() else "en"
        self.name = self.rng.choice(SITE_NAMES)
        self.host = f"{self.rng.choice(('www', 'forum', 'community', 'x'))}.{name.replace('_', '-')}.example"
        self.words = Interface(self.language, self.rng)
        self.members = [self._member(number) for number in range(1, self.rng.randint(8, 30))]
        names = self.rng.sample(self.words.all("boards"), min(6, len(self.words.all("boards"))))
        self.boards = [self._board(number, each) for number, each in enumerate(names, self.rng.randint(1, 40))]
        for board in self.boards:
            board.latest = self.listed(board)

    def _member(self, number: int) -> Member:
        rng = self.rng
        signature = " ".join(self.pool.text(self.texts_in, 8, rng)) if rng.random() < 0.3 else ""
        joined, place = next(random_times(rng, 1)), rng.choice(("", "", "Berlin", "Austin, TX", "Lyon", "UK"))
        return Member(number, random_author(self.language, rng), rng.randint(1, 4000), joined, place, signature)

    def _board(self, number: int, name: str) -> Board:
        text = " ".join(self.pool.text(self.texts_in, 10, self.rng))
        threads = self.rng.randint(3, 900)
        return Board(number, name, self.slug(name), text, threads, threads * self.rng.randint(1, 9))

    def pick(self, *values: Any) -> Any:
        """Draw one of the values."""
        return self.rng.choice(values)

    def between(self, least: int, most: int) -> int:
        """Draw a number."""
        return self.rng.randint(least, most)

    def slug(self, title: str) -> str:
        """Return the words of a title as part of an address."""
        words = [word.lower() for word in _SLUG.findall(title) if word.isascii()]
        return "-".join(words[:8]) or f"a{len(title)}"

    def address(self, kind: str, item: Any = None, page: int = 1) -> str:
        """Return the address of a page of this kind; ``item`` is a thread, board, member or page."""
        form = self.addresses.get(kind) or "#"
        number, slug = (
            (item.id, getattr(item, "slug", "") or self.slug(getattr(item, "name", ""))) if item else (1, "x")
        )
        return str(form).format(id=number, slug=slug, page=page, offset=_PER_PAGE * (page - 1))

    # --- content ---

    def title(self) -> str:
        """Draw the title of a thread or article."""
        threads = self.pool.threads.get(self.texts_in, [])
        if self.sort not in ("blog", "help") and len(threads) > 9 and self.rng.random() < 0.6:
            return self.rng.choice(threads).title or self.pool.title(self.texts_in, self.rng, asks=True)
        return self.pool.title(self.texts_in, self.rng, asks=self.sort in ("qa", "help"))

    def listed(self, board: Board | None = None) -> Listed:
        """Draw an item of a list."""
        rng, title = self.rng, self.title()
        times = [*random_times(rng, 2)]
        number = rng.randint(10, 99999)
        excerpt = " ".join(self.pool.text(self.texts_in, rng.choice((12, 30)), rng))
        replies = rng.choice(_REPLIES)
        author, last = rng.choice(self.members), rng.choice(self.members)
        return Listed(
            number,
            title,
            self.slug(title),
            author,
            times[0],
            replies,
            views=rng.randint(9, 9999),
            votes=rng.randint(-2, 40),
            last=last,
            last_when=times[1],
            last_id=number * 9,
            excerpt=excerpt,
            board=board or rng.choice(self.boards),
            is_sticky=rng.random() < 0.08,
            is_closed=rng.random() < 0.08,
            pages=1 + replies // 8,
        )

    def posts(self, count: int) -> tuple[str, list[ThemePost]]:
        """Draw a title and so many posts: those of a real thread, or other texts."""
        rng, threads = self.rng, self.pool.threads.get(self.texts_in, [])
        title, texts = self.title(), []
        if len(threads) > 9 and rng.random() < 0.5:
            thread = rng.choice(threads)
            title = thread.title or title
            texts = [cut(post, rng.choice((60, 150, 300)), self.texts_in) for post in thread.posts[:count]]
        median = rng.choice(_WORDS)
        while len(texts) < count:
            words = max(2, int(median * rng.lognormvariate(0, 0.7)))
            texts.append(self.pool.text(self.texts_in, words, rng, comment=self.sort == "blog"))
        found: list[ThemePost] = []
        first = rng.randint(10, 99999)
        for number, (lines, when) in enumerate(zip(texts, random_times(rng, count), strict=True), 1):
            post = ThemePost(first + number * rng.randint(1, 3), number, rng.choice(self.members), when, lines)
            post.votes, post.edited = rng.choice((0, 0, 1, 2, 5, 17)), rng.random() < 0.06
            if found and rng.random() < 0.15 and self.sort in ("forum", "tickets"):
                other = rng.choice(found)
                post.quote = other.author.name, " ".join(cut(other.text, 15, self.texts_in))
            if rng.random() < 0.05 and self.sort != "blog":
                post.code = ["import tool", "tool.run(verbose=True)"]
            found.append(post)
        return title, found

    def nest(self, posts: Sequence[ThemePost]) -> None:
        """Make the posts a tree of replies, in the order in which it is shown."""
        above: list[int] = []
        for place, post in enumerate(posts):
            while above and self.rng.random() < 0.5:
                above.pop()
            post.parent, post.depth = above[-1] if above else -1, len(above)
            above.append(place)

    # --- pages ---

    def page(self, kind: str) -> ThemePage:
        """Draw what a page of a kind shows."""
        rng, board = self.rng, self.rng.choice(self.boards)
        page = ThemePage(kind, board.name, rng.randint(10, 99999), board.slug, board)
        page.related = [self.listed() for _ in range(5)]
        page.members = rng.sample(self.members, min(len(self.members), rng.randint(3, 15)))
        page.author, page.when = rng.choice(self.members), next(random_times(rng, 1))
        if kind in ("thread", "later"):
            page.title, page.posts = self.posts(1 + rng.choice(_REPLIES))
            page.last = rng.choice((1, 1, 1, 2, 5))
            if kind == "later":
                page.number = rng.randint(2, 5)
                page.last = page.number + rng.randint(0, 3)
            if len(page.posts) > 1 and rng.random() < 0.3:
                rng.choice(page.posts[1:]).accepted = True
            if self.sort == "talk":
                self.nest(page.posts[1:])
        elif kind in ("article", "answer"):
            article = self.pool.article(self.texts_in, rng)
            page.title, page.paragraphs = article.title, article.paragraphs[: rng.choice((1, 2, 3, 6, 12))]
            page.posts = self.posts(rng.choice(_COMMENTS))[1] if kind == "article" else []
            self.nest(page.posts)
        else:
            page.id = board.id
            page.threads = [self.listed(board if kind == "list" else None) for _ in range(rng.choice((3, 8, 15, 25)))]
            page.last = rng.choice((1, 3, 12))
        if kind not in (*_LISTS, "members"):
            page.slug = self.slug(page.title)
        page.url = self.address(kind, page, page.number)
        return page

    def truth(self, page: ThemePage) -> dict[str, Any]:
        """Return what is known of a page, in the form of qa_dev."""
        said: list[dict[str, Any]] = [
            {"text": post.text, "author": post.author.name, "date": post.when.isoformat()} for post in page.posts
        ]
        question: dict[str, Any] = {"title": page.title, "body": "\n".join(page.paragraphs)}
        if page.kind == "thread":
            question["body"], answers = said[0]["text"], said[1:]
            if self.sort == "talk":
                answers = [{**each, "parent": post.parent} for each, post in zip(answers, page.posts[1:], strict=True)]
            return {"kind": "thread", "question": question, "answers": answers, "first_page": True}
        if page.kind == "later":
            return {"kind": "thread", "question": question, "answers": said, "first_page": False}
        if page.kind == "article":
            return {"kind": "comments", "question": question, "answers": said}
        if page.kind == "answer":
            return {"kind": "faq", "pairs": [{"question": page.title, "answer": question["body"]}]}
        return {"kind": "listing" if page.kind in _LISTS else "other"}


def _lines(post: ThemePost, by: str = "p") -> Markup:
    """Return the own lines of a post as HTML: in elements of this tag, or with <br> after each."""
    if by == "br":
        return Markup("<br />\n").join(escape(line) for line in post.lines)
    return Markup("").join(Markup("<{0}>{1}</{0}>").format(by, line) for line in post.lines)


def _dated(months: Sequence[str]) -> Any:
    def date(when: datetime, form: str) -> str:
        """Return a date by a form of `datetime.strftime`; %B and %b are months of the language."""
        month = months[when.month - 1]
        return when.strftime(form.replace("%B", month).replace("%b", month[:3]))

    return date


def _ago(when: datetime) -> str:
    days = (datetime(2026, 1, 1) - when) // timedelta(days=1)
    return f"{days // 365} years ago" if days > 730 else f"{days} days ago"


def themed_pages(pool: SitePool, seed: int = 1, themes: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the lines of the sites of all themes, or of those named; a site is independent of the others."""
    environment = Environment(loader=FileSystemLoader(THEMES), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"lines": _lines, "ago": _ago, "date": str}
    for name in themes or sorted(path.stem for path in THEMES.glob("*.html")):
        theme = environment.get_template(f"{name}.html")
        about: dict[str, Any] = theme.make_module().__dict__["about"]
        site = ThemeSite(name, about, pool, seed)
        environment.filters["date"] = _dated(site.words.all("months"))
        macros = theme.make_module({"site": site})
        for kind in about["address"]:
            for number in range(_PAGES.get(kind, _OTHERS) if hasattr(macros, kind) else 0):
                yield _row(site, site.page(kind), f"{name}-{kind}-{number}", getattr(macros, kind))


def _row(site: ThemeSite, page: ThemePage, name: str, macro: Callable[[ThemeSite, ThemePage], str]) -> dict[str, Any]:
    html = str(macro(site, page))
    said = [post.text for post in page.posts] if page.kind in ("thread", "later") else page.paragraphs
    return {
        "id": name,
        "dataset": THEMED,
        "engine": site.theme,
        "site": site.host,
        "url": f"https://{site.host}{page.url}",
        "lang": site.language,
        "licence": _LICENCE,
        "html": html,
        "main_text": "\n".join(said) or all_text(parsing.parse(html)),
        **site.truth(page),
    }


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets to take texts from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--themes", nargs="+", default=(), help="names of themes; all by default")
    arguments = parser.parse_args()
    pool = SitePool.of(read_all(arguments.data, faq=True), Random(arguments.seed))  # noqa: S311 - no secret
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=1) as out:
        for row in themed_pages(pool, arguments.seed, arguments.themes):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
