"""Makes training pages of software that does not exist: ``python -m research.generated_pages OUT DATA...``.

Each site is one draw of the grammar of `research.making.markup`, with a language, a frame (that of a real page, or
a drawn one), addresses, forms of titles and dates, and some pages: threads, articles with and without comments, lists
and others, as `_PLANS` says. The texts are those of the page sets DATA whose licence allows distributing models. The
lines have the form of qa_dev. The same seed and page sets give the same file.
"""

# ruff: noqa: E501 - templates
from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from research.frames import SITE_NAMES, DrawnFrame, frame_of
from research.making.content import FEWEST, TITLE, Article, Pool, Post, random_author, random_times
from research.making.writing import ALL, FEW, Writer
from scrapy_semtext.train.datasets import GENERATED, may_ship, read_all, split_side
from scrapy_semtext.train.posts import pair_page
from scrapy_semtext.words.words import language_of_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from research.frames import Frame
    from scrapy_semtext.train.datasets import AnnotatedPage

#: Sites of a set by default: about 1,500 pages.
SITES = 165
_LICENCE = "CC-BY-4.0, CC BY-SA 4.0, Apache-2.0 and MIT, as the sets that the pages are made of"
_ENGLISH, _REAL_FRAME, _OWN_WORDS = 0.45, 0.5, 0.85
_QUESTION = re.compile(r"(?:^|(?<=[.!] )|(?<=[。！]))([^.!?。！？\n]{8,100}[?？])")
_LONGEST_PAGE = 300_000
_FRAMES = 0.3  # share of the pages that are tried as frames
_SLUG = re.compile(r"[^\W_]+")
# Addresses of threads, and what later pages add; addresses of articles. {w}: words of the title, {i}: a number.
_THREADS = (
    ("/viewtopic.php?t={i}", "&start={o}"), ("/threads/{w}.{i}/", "page-{p}"), ("/t/{w}/{i}", "?page={p}"), ("/thread-{i}.html", "?page={p}"),
    ("/topic/{i}/{w}/", "page/{p}/"), ("/forum/{w}-{i}", "?p={p}"), ("/{i}", "/{p}"), ("/item?id={i}", "&p={p}"), ("/showthread.php?tid={i}", "&page={p}"),
    ("/node/{i}", "?page={p}"), ("/d/{i}-{w}", "/{p}"), ("/questions/{i}/{w}", "?page={p}"), ("/{w}", "/{p}"), ("/index.php?a=show&id={i}", "&page={p}"),
)  # fmt: skip
_ARTICLES = (
    "/20{y}/07/{w}/", "/{w}.html", "/blog/{w}", "/?p={i}", "/archives/{i}", "/{i}-{w}", "/news/{w}-{i}.html", "/post/{i}", "/docs/{w}",
)  # fmt: skip
_TITLES = (
    "{t} - {s}", "{t} | {s}", "{s} - {t}", "{t}", "{s}", "{s} :: {t}", "{t} « {s}", "{t} - {b} - {s}", "{t}-{b}-{s}", "{s} • {t}", "{t} — {s}", "{b}: {t}",
)  # fmt: skip
_HEADINGS = (
    "<h1{c}>{t}</h1>", '<h1{c}><a href="{u}">{t}</a></h1>', '<h2{c}><a href="{u}">{t}</a></h2>', "<div{c}><h1>{t}</h1></div>", "<h2{c}>{t}</h2>",
    '<h1><a href="/">{s}</a> » <a href="/b/3">{b}</a> » {t}</h1>', "<div{c}><span>{t}</span></div>", '<h1{c}>{t} <a href="{u}">{l}</a></h1>',
    "<h1{c}><span>{l}</span> {t}</h1>", "<h3{c}>{b}: {t}</h3>", "<header{c}><h1>{t}</h1><p>{b}</p></header>", "<table><tr><td{c}><b>{t}</b></td></tr></table>",
)  # fmt: skip
_PROPERTIES = (
    ("table", "<tr><th>{}:</th><td>{}</td></tr>"), ("dl", "<dt>{}</dt><dd>{}</dd>"), ("ul", "<li><b>{}</b> {}</li>"), ("div", "<div><span>{}</span> <span>{}</span></div>"),
)  # fmt: skip
_CELLS = (
    ("table", "tr", "td"), ("table", "tr", "td"), ("ul", "li", "div"), ("div", "div", "span"), ("div", "div", "div"), ("div", "ul", "li"),
)  # fmt: skip
_REPLIES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 14, 19, 25, 39)
_COMMENTS = (0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 10, 15, 30)


@dataclass
class Thread:
    """A real thread: its title, "" if unknown, and its posts."""

    title: str
    posts: list[str]


@dataclass
class SitePool(Pool):
    """The texts of the page sets, with their threads and the frames of their pages."""

    threads: dict[str, list[Thread]] = field(default_factory=lambda: defaultdict(list))
    frames: dict[str, list[Frame]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, pages: Iterable[AnnotatedPage], rng: Random) -> SitePool:
        """Collect the texts of pages whose licence allows it; not of pages that are held out, but for threads."""
        pool = cls()
        for page in filter(may_ship, pages):
            known = pair_page(page)
            if known.role in ("posts", "comments"):
                pool._add_posts(known.role, known.title, known.posts)
            elif known.role == "none" and split_side(page.domain) != "test":
                language = pool._add_article(page)
                if rng.random() < _FRAMES and len(page.html) < _LONGEST_PAGE and (frame := frame_of(page)):
                    pool.frames[language].append(frame)
        return pool

    def _add_posts(self, role: str, title: str, posts: list[str]) -> None:
        language = language_of_text("\n".join(posts[:5])) or "en"
        if role == "comments":
            self.comments[language].extend(posts)
            return
        self.questions[language].extend(found for post in posts[:1] for found in _QUESTION.findall(post)[:2])
        if title:
            self.questions[language].append(title)
        if len(posts) > 1:
            self.threads[language].append(Thread(title, posts))
        self.texts[language].extend(posts)

    def _add_article(self, page: AnnotatedPage) -> str:
        language = (page.lang or language_of_text(page.text) or "en")[:2]
        lines = [line.strip() for line in page.text.splitlines() if line.strip()]
        paragraphs = [line for line in lines if 40 <= len(line) <= 1_500]
        self.questions[language].extend(found for line in lines for found in _QUESTION.findall(line)[:1])
        title = page.extra.get("title") or (lines[0] if lines and len(lines[0]) < TITLE[1] else "")
        if page.page_type in (None, "article", "news") and len(paragraphs) > 2 and TITLE[0] <= len(title) <= TITLE[1]:
            self.articles[language].append(Article(title, paragraphs))
        return language

    def languages(self) -> list[str]:
        """The languages with enough texts, in order."""
        return sorted(language for language, some in self.articles.items() if len(some) >= FEWEST)


class Plan(NamedTuple):
    """A sort of site: its weight, how many pages of each kind it has, and medians of the words of its posts."""

    weight: int
    pages: dict[str, int]
    words: tuple[int, ...] = (15, 30)


_PLANS = {
    "forum": Plan(20, {"thread": 6, "board": 2, "message": 1}, (12, 20, 35, 60, 120)),
    "qa": Plan(10, {"thread": 6, "board": 1, "cards": 1}, (30, 60, 120)),
    "talk": Plan(6, {"thread": 6, "cards": 1}, (10, 25, 60)),
    "tickets": Plan(7, {"thread": 5, "board": 2, "message": 1}, (15, 40, 80)),
    "blog": Plan(17, {"article": 7, "plain": 1, "cards": 2, "static": 1, "message": 1}, (8, 15, 30, 60)),
    "news": Plan(6, {"article": 4, "plain": 3, "portal": 2}),
    "help": Plan(5, {"answer": 5, "cards": 1, "portal": 1}),
    "manual": Plan(3, {"manual": 6, "cards": 1}),
    "shop": Plan(3, {"product": 6, "cards": 2}),
    "firm": Plan(2, {"portal": 3, "static": 3, "message": 1}),
}
_ASKING = ("forum", "qa", "help", "tickets")
_WITH_THREADS = ("forum", "qa", "talk", "tickets")


@dataclass
class Made:
    """The content of a page with its truth; ``kind`` as in qa_dev, or one of the kinds of pages."""

    kind: str
    title: str
    html: str
    text: str
    address: str
    truth: dict[str, Any]


def generated_pages(pool: SitePool, seed: int = 1, sites: int = SITES) -> Iterator[dict[str, Any]]:
    """Yield the lines of so many sites, the pages of each together; a site is independent of the others."""
    for number in range(sites):
        yield from Site(pool, seed, number).pages()


class PageWriter(Writer):
    """Writes lists of pages too."""

    def byline(self, author: str, when: str) -> str:
        """Return a line with author, date and topic in some order."""
        some = [self.words.kept("by") + escape(author), f"<span>{when}</span>", f'<a href="/c/1">{self.board}</a>']
        return f"<p{self.names('line')}>{' '.join(self.rng.sample(some, 3))}</p>"

    def cards(self, items: Sequence[tuple[str, str]], times: Sequence[datetime]) -> str:
        """Return teasers of pages: title and excerpt, "" for none."""
        words, style = self.words, self.card_style
        more = f' <a href="/a/7">{words.kept("more")}</a>' if self.rng.random() < 0.9 else ""
        cards = []
        for (title, excerpt), when in zip(items, times, strict=True):
            post = Post(random_author(self.language, self.rng), when, [excerpt], shown_date=self.date(when))
            actions = words.kept("comments").format(n=self.rng.randint(1, 30), title="")
            body = style.divided([escape(excerpt, quote=False)]) + more if excerpt else ""
            cards.append(self.record(style, post, 1, title, body=body, actions=actions))
        return style.listed(cards)

    def board_of(self, titles: Sequence[str]) -> str:
        """Return a list of threads, or of tickets: a row each with its author, numbers and last post."""
        columns = self.words.all("board")[: self.rng.randint(3, 5)]
        outer, row, cell = self.rng.choice(_CELLS)
        head = "".join(f"<{cell}>{column}</{cell}>" for column in columns)
        rows = "".join(
            f"<{row}{self.names('card')}>{self._cells(title, cell, len(columns))}</{row}>" for title in titles
        )
        return f"<{outer}{self.names('list')}><{row}>{head}</{row}>{rows}</{outer}>"

    def _cells(self, title: str, cell: str, count: int) -> str:
        rng, author = self.rng, random_author(self.language, self.rng)
        below = f"<br>{author}" if count < 5 else ""
        link = f'<a href="/t/{rng.randint(1, 9999)}">{escape(title, quote=False)}</a>{below}'
        values = (link, author, rng.randint(0, 90), rng.randint(9, 9999), f"{author}<br>{self.date()}")[:count]
        return "".join(f"<{cell}{self.names(f'cell{n}')}>{value}</{cell}>" for n, value in enumerate(values))

    def rights(self) -> str:
        """Return lines on what visitors of a forum may do, and who they are."""
        return f"<div{self.names('line')}>{'<br>'.join(self.words.some('rights', 6))}</div>"


class Site(PageWriter):
    """A site of its own software; ``number`` tells it from others."""

    def __init__(self, pool: SitePool, seed: int, number: int) -> None:
        rng = Random(f"{seed} {number}")  # noqa: S311 - no secret
        self.number, self.sort = number, rng.choices([*_PLANS], [plan.weight for plan in _PLANS.values()])[0]
        language = "en" if rng.random() < _ENGLISH else rng.choice(pool.languages())
        part = "comment" if self.sort in ("blog", "news") else "post"
        parts = ALL if self.sort == "forum" else (*FEW, "accepted", "edited")
        median = rng.choice(_PLANS[self.sort].words)
        self.site_texts = pool
        super().__init__(pool, rng, language, language if rng.random() < _OWN_WORDS else "en", part, parts, median)
        self.name = f"{rng.choice(SITE_NAMES)} {rng.choice(('', self.board, ''))}".strip()
        host = rng.choice(("www", "forum", "blog", "community", "m"))
        self.host = f"{host}.{rng.choice((self.sort, 'site', 'x'))}-{number}.example"
        frames = pool.frames.get(self.language) or pool.frames.get("en")
        self.frame = rng.choice(frames) if frames and rng.random() < _REAL_FRAME else DrawnFrame(self, self.name)
        self.title_form, self.heading = rng.choice(_TITLES), rng.choice(_HEADINGS).replace("{c}", self.names("title"))
        self.address_form, self.later = rng.choice(
            _THREADS if self.sort in _WITH_THREADS else [(form, "") for form in _ARTICLES]
        )
        self.opening_style = self.style("article", FEW) if rng.random() < 0.4 else self.post_style
        self.asks = self.sort in _ASKING
        self.noted = rng.choice((0.0, 0.2, 0.4)) if self.sort == "qa" else 0.0

    def pages(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of the site."""
        for page, count in _PLANS[self.sort].pages.items():
            make: Callable[[], Made] = getattr(self, f"_{page}")
            for place in range(count):
                made = make()
                title = self.title_form.format(t=made.title, s=self.name, b=self.board)
                yield {
                    "id": f"{self.number}-{page}-{place}", "dataset": GENERATED, "engine": f"generated-{self.number}", "site": self.host,
                    "url": f"https://{self.host}{made.address}", "kind": made.kind, "lang": self.language, "licence": _LICENCE,
                    "html": self.frame.around(escape(title, quote=False), made.html), "main_text": made.text, **made.truth,
                }  # fmt: skip

    def _address(self, title: str, page: int = 1) -> str:
        words = [word.lower() for word in _SLUG.findall(title) if word.isascii()][: self.rng.randint(3, 9)]
        fields = {"w": "-".join(words) or f"a{self.rng.randint(1, 999)}", "i": self.rng.randint(10, 99999)}
        form = self.address_form + (self.later if page > 1 else "")
        return form.format(**fields, y=self.rng.randint(10, 25), p=page, o=10 * (page - 1))

    def _titled(self, title: str, address: str = "#") -> str:
        label = self.words.kept("labels") if self.rng.random() < 0.5 else ""
        return self.heading.format(t=escape(title, quote=False), u=address, s=self.name, b=self.board, l=label)

    # --- pages with posts ---

    def _thread(self) -> Made:
        """Make a page of a thread: the first or a later one, whose question may be its title alone."""
        rng = self.rng
        page = 1 if rng.random() < 0.8 or self.sort == "talk" else rng.randint(2, 9)
        posts = self.posts(1 + rng.choice(_REPLIES))
        title = self._asked(posts[0])
        is_link = self.sort == "talk" and rng.random() < 0.6
        opening = None if is_link or (page > 1 and rng.random() < 0.7) else posts.pop(0)
        if opening:
            for post in posts:
                post.parent -= post.parent >= 0
        if posts and rng.random() < 0.3:
            rng.choice(posts).accepted = True
        address = self._address(title, page)
        pager = (
            self.pager(page, page + rng.randint(page == 1, 9), address)
            if page > 1 or (len(posts) > 5 and rng.random() < 0.4)
            else ""
        )
        parts = [self._titled(title, address), self.submitted() if is_link else ""]
        parts += self._opened(title, opening, posts, page, pager)
        parts += [
            pager,
            *rng.sample([self.form(), self.links("related"), self.rights(), self.tools()], rng.randint(0, 3)),
        ]
        html = f"<div{self.names('thread')}>{''.join(parts)}</div>"
        is_first = page == 1 or opening is not None
        text = "\n".join(filter(None, [post.text for post in (*([opening] if opening else []), *posts)]))
        return Made("thread", title, html, text, address, self._truth(title, opening, posts, first_page=is_first))

    def _asked(self, opening: Post) -> str:
        """Return a title; in half of the threads with that of a real one, the opening post is that of it."""
        threads = self.site_texts.threads.get(self.language, [])
        thread = self.rng.choice(threads) if len(threads) > 9 else None
        if thread is None or not thread.title:
            return self.drawn_title()
        if self.rng.random() < 0.5:
            opening.lines = [line for line in thread.posts[0].split("\n") if line.strip()][:8]
        return thread.title

    def _opened(self, title: str, opening: Post | None, answers: list[Post], page: int, pager: str) -> list[str]:
        """Return the opening post, if any, and the answers: in one list, or apart."""
        first = 1 + 10 * (page - 1)
        is_apart = self.opening_style is not self.post_style or self.sort in ("qa", "talk", "tickets")
        head = self.answers_head(len(answers)) if is_apart else ""
        if opening is None:
            return [self.tools(), pager, head, self.listed(answers, title, first, self.noted)]
        if is_apart:
            notes = self.notes() if self.rng.random() < self.noted else ""
            asked = self.opening_style.listed(
                [self.record(self.opening_style, opening, 1, title, below=notes)], "article"
            )
            listed = (
                self.listed(answers, title, first + 1, self.noted) if answers else f"<p>{self.words.one('none')}</p>"
            )
            return [self._properties() if self.sort == "tickets" else "", asked, self.tools(), head, pager, listed]
        shown = [opening, *(replace(post, parent=post.parent + (post.parent >= 0)) for post in answers)]
        return [self.tools(), pager, self.listed(shown, title, first)]

    def _truth(self, title: str, opening: Post | None, answers: Sequence[Post], **more: bool) -> dict[str, Any]:
        asked = self._said(opening) if opening else {"text": "", "author": None, "date": None}
        said = [{**self._said(post), "accepted": post.accepted} for post in answers]
        if self.post_style.nested != "no":
            said = [{**each, "parent": post.parent} for each, post in zip(said, answers, strict=True)]
        return {"question": {"title": title, "body": asked.pop("text"), **asked}, "answers": said, **more}

    def _said(self, post: Post) -> dict[str, Any]:
        return {
            "text": post.text,
            "author": post.author,
            "date": None if "{a}" in self.date_form else post.when.isoformat(),
        }

    def _properties(self) -> str:
        tag, form = self.rng.choice(_PROPERTIES)
        names, values = self.words.all("fields2")[: self.rng.randint(3, 8)], self.words.all("values")
        return f"<{tag}{self.names('stats')}>{''.join(form.format(name, self.rng.choice(values)) for name in names)}</{tag}>"

    # --- articles ---

    def _prose(self, article: Article) -> tuple[str, str]:
        """Return paragraphs of an article as HTML, with pictures and headings between, and their text."""
        rng = self.rng
        parts, texts = [], []
        for place, line in enumerate(article.paragraphs[: rng.choice((1, 1, 2, 3, 5, 8, 14))]):
            if place and rng.random() < 0.12:
                texts.append(" ".join(line.split()[:5]))
                parts.append(f"<h2>{escape(texts[-1], quote=False)}</h2>")
            texts.append(line)
            parts.append(f"<p>{escape(line, quote=False)}</p>")
            if rng.random() < 0.08:
                parts.append(f'<figure><img src="/i/{place}.jpg" alt=""></figure>')
        return f"<div{self.names('body')}>{''.join(parts)}</div>", "\n".join(texts)

    def _article(self) -> Made:
        """Make an article with readers' comments, of which there may be none."""
        return self._written(self.posts(self.rng.choice(_COMMENTS), comment=True))

    def _plain(self) -> Made:
        """Make an article on which nobody can comment."""
        made = self._written(None)
        return replace(made, kind="article", truth={"question": {"title": made.title}})

    def _written(self, comments: list[Post] | None) -> Made:
        rng, article = self.rng, self.pool.article(self.language, self.rng)
        prose, text = self._prose(article)
        address = self._address(article.title)
        opening = replace(
            self.post(random_author(self.language, rng), next(random_times(rng, 1)), 9), lines=[text], code=[]
        )
        head = [self._titled(article.title, address), self.byline(opening.author, opening.shown_date)]
        inner = "".join([*rng.sample(head, 2), prose, *self.between(opening.author)])
        shown = self.comments(comments, article.title) if comments is not None else ""
        inside, tag = rng.random() < 0.3, rng.choice(("article", "div", "div"))
        html = f"<{tag}{self.names('article')}>{inner}{shown if inside else ''}</{tag}>{'' if inside else shown}"
        return Made("comments", article.title, html, text, address, self._truth(article.title, opening, comments or []))

    def _static(self) -> Made:
        """Make a page about the site, without author and date."""
        prose, text = self._prose(self.pool.article(self.language, self.rng))
        title = self.words.one("menu")
        return Made("service", title, self._titled(title) + prose, text, f"/about/{self.rng.randint(1, 99)}", {})

    def _answer(self) -> Made:
        """Make a page of a help centre: a question, or the title of one, and its answer."""
        rng, words, article = self.rng, self.words, self.pool.article(self.language, self.rng)
        prose, text = self._prose(article)
        asked = [word.format(n=rng.randint(0, 40), m=50) for word in words.all("helpful")]
        helpful = f"<div{self.names('foot')}><span>{asked[0]}</span> <button>{asked[1]}</button> <button>{asked[2]}</button></div>"
        line = self.byline(random_author(self.language, rng), self.date()) if rng.random() < 0.4 else ""
        html = "".join([self._titled(article.title), line, prose, helpful, self.links("related")])
        truth = {"pairs": [{"question": article.title, "answer": text}]}
        return Made("faq", article.title, html, f"{article.title}\n{text}", self._address(article.title), truth)

    def _manual(self) -> Made:
        """Make a page of a manual: sections with code, between links to the pages before and after it."""
        article = self.pool.article(self.language, self.rng)
        parts: list[str] = []
        texts: list[str] = []
        for line in article.paragraphs[:9]:
            texts += [" ".join(line.split()[:4]), line]
            code = self.coded(("import tool", "tool.run(1)", "$ tool --all")) if self.rng.random() < 0.3 else ""
            parts.append(f"<section><h2 id=s{len(parts)}>{escape(texts[-2])}</h2><p>{escape(line)}</p>{code}</section>")
        turn = "".join(f'<a href="/docs/{n}">{self.words.all("manual")[n]}{self.title()}</a>' for n in (1, 2))
        parts = [self.links("recent"), self._titled(article.title), *parts, f"<div{self.names('pager')}>{turn}</div>"]
        return Made("documentation", article.title, "".join(parts), "\n".join(texts), self._address(article.title), {})

    def _product(self) -> Made:
        """Make a page of a shop: name, price, description, properties, other products."""
        rng, words, article = self.rng, self.words.all("shop"), self.pool.article(self.language, self.rng)
        title, text = " ".join(article.title.split()[:5]), article.paragraphs[0]
        rows = "".join(f"<tr><td>{name}</td><td>{rng.randint(1, 99)} cm</td></tr>" for name in words[4:])
        buy = f"<div{self.names('box')}><span>{rng.randint(3, 900)},99 €</span><button>{words[0]}</button><p>{words[1]}</p></div>"
        parts = [
            '<img src="/p.jpg" alt="">',
            self._titled(title),
            buy,
            f"<div{self.names('body')}><p>{escape(text)}</p></div>",
        ]
        parts += [f"<table>{rows}</table>", self.links("related")]
        return Made("product", title, "".join(parts), f"{title}\n{text}", f"/p/{rng.randint(1, 999)}", {})

    # --- lists and messages ---

    def _board(self) -> Made:
        """Make a list of threads, or of tickets."""
        rng = self.rng
        titles = [self.drawn_title() for _ in range(rng.choice((3, 8, 15, 25)))]
        pager = self.pager(1, 9, "/b") if rng.random() < 0.6 else ""
        html = "".join([self._titled(self.board), self.tools(), pager, self.board_of(titles), pager])
        return Made("listing", self.board, html, "\n".join(titles), f"/b/{rng.randint(2, 99)}", {})

    def _cards(self) -> Made:
        """Make an index of articles, questions or products, or results of a search, maybe with excerpts."""
        rng, length = self.rng, self.rng.choice((0, 15, 30, 60))
        title = rng.choice((self.board, self.words.one("menu"), self.words.one("recent")))
        times = [*random_times(rng, rng.choice((2, 5, 10, 20)))]
        articles = [self.pool.article(self.language, rng) for _ in times]
        said = [" ".join(each.paragraphs[0].split()[:length])[: 8 * length] + "…" for each in articles]
        items = [
            (self.drawn_title() if self.asks else each.title, text if length else "")
            for each, text in zip(articles, said, strict=True)
        ]
        html = "".join([self._titled(title), self.cards(items, times), self.pager(1, 9, "/all")])
        text = "\n".join(part for item in items for part in item if part)
        return Made("listing", title, html, text, f"/all/{rng.randint(1, 99)}", {})

    def _portal(self) -> Made:
        """Make a start page: sections with a few links, teasers or calls."""
        rng = self.rng
        parts, texts = [], []
        for heading in self.words.some("boards", 8, 3):
            articles = [self.pool.article(self.language, rng) for _ in range(rng.randint(1, 4))]
            said = [" ".join(each.paragraphs[0].split()[:20]) if rng.random() < 0.4 else "" for each in articles]
            rows = [
                f'<a href="/a/1">{escape(each.title)}</a><p>{escape(text)}</p>'
                for each, text in zip(articles, said, strict=True)
            ]
            parts.append(
                f"<section{self.names('box')}><h2>{heading}</h2><ul><li>{'</li><li>'.join(rows)}</li></ul></section>"
            )
            texts += [each.title for each in articles]
        return Made("collection", self.name, "".join(parts), "\n".join(texts), "/", {})

    def _message(self) -> Made:
        """Make a page that says that something is missing or done, or asks to log in."""
        title, said = self.words.one("account"), self.words.one("denied")
        inner = f"<p>{said}</p><p><a href='/'>{self.words.one('menu')}</a></p>{self.form() if self.rng.random() < 0.5 else ''}"
        html = f"<h2>{title}</h2><div{self.names('box')}>{inner}</div>"
        return Made("other", title, html, said, f"/m/{self.rng.randint(1, 99)}.php", {})


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets to take texts and frames from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sites", type=int, default=SITES, help=f"sites, of nine pages on average (default: {SITES})")
    arguments = parser.parse_args()
    pool = SitePool.of(read_all(arguments.data, faq=True), Random(arguments.seed))  # noqa: S311 - no secret
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=1) as out:
        for row in generated_pages(pool, arguments.seed, arguments.sites):
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
