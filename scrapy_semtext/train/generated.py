"""Pages of software that does not exist, with their truth, for the models of posts, questions, comments and kinds.

Each site is one draw of the grammar of `scrapy_semtext.train.markup`, with a language, a frame (that of a real page, or
a drawn one), addresses, forms of titles and dates, and some pages: `_PLANS` says which. The texts are those of the page
sets (`scrapy_semtext.train.content`).
"""

# ruff: noqa: E501 - templates
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_semtext.train.comments import random_parents
from scrapy_semtext.train.content import Post, random_author, random_times, shown
from scrapy_semtext.train.frames import DrawnFrame
from scrapy_semtext.train.generated_words import Interface
from scrapy_semtext.train.markup import Names, RecordStyle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_semtext.train.content import Article, Pool

    Row = dict[str, Any]

LICENCE = "CC-BY-4.0, CC BY-SA 4.0, Apache-2.0 and MIT, as the sets that the pages are made of"
DATASET = "generated_pages"
_SITES = 165
_ENGLISH = 0.45
_REAL_FRAME = 0.5
_SLUG = re.compile(r"[^\W_]+")
# Addresses of threads and articles, then those of their later pages; {w}: words of the title, {i}: a number.
_ADDRESSES = (
    ("/viewtopic.php?t={i}", "&start={o}"), ("/threads/{w}.{i}/", "page-{p}"), ("/t/{w}/{i}", "?page={p}"), ("/thread-{i}.html", "?page={p}"),
    ("/topic/{i}/{w}/", "page/{p}/"), ("/forum/{w}-{i}", "?p={p}"), ("/{i}", "/{p}"), ("/item?id={i}", "&p={p}"), ("/showthread.php?tid={i}", "&page={p}"),
    ("/node/{i}", "?page={p}"), ("/d/{i}-{w}", "/{p}"), ("/questions/{i}/{w}", "?page={p}"), ("/{w}", "/{p}"), ("/index.php?a=show&id={i}", "&page={p}"),
)  # fmt: skip
_ARTICLES = (
    "/20{y}/0{p}/{w}/",
    "/{w}.html",
    "/blog/{w}",
    "/?p={i}",
    "/archives/{i}",
    "/{i}-{w}",
    "/news/{w}-{i}.html",
    "/post/{i}",
    "/docs/{w}",
)
_TITLES = (
    "{t} - {s}", "{t} | {s}", "{s} - {t}", "{t}", "{s}", "{s} :: {t}", "{t} « {s}", "{t} - {b} - {s}", "{t}-{b}-{s}", "{s} • {t}", "{t} — {s}", "{b}: {t}",
)  # fmt: skip
_SITE_NAMES = "Werkbank|Open Lab|Kaleido|The Workshop|Nordlicht|Plaza|Terra|Tinkerers|Mosaik|Harbour|Green Thumb|Studio 7|Riverside|Pixelhaus".split(
    "|"
)
_HEADINGS = (
    '<h1{c}>{t}</h1>', '<h1{c}><a href="{u}">{t}</a></h1>', '<h2{c}><a href="{u}">{t}</a></h2>', '<div{c}><h1>{t}</h1></div>', '<h2{c}>{t}</h2>',
    '<h1><a href="/">{s}</a> » <a href="/b/3">{b}</a> » {t}</h1>', '<div{c}><span>{t}</span></div>', '<h1{c}>{t} <a href="{u}">{l}</a></h1>',
    '<h1{c}><span>{l}</span> {t}</h1>', '<h3{c}>{b}: {t}</h3>', '<header{c}><h1>{t}</h1><p>{b}</p></header>', "<table><tr><td{c}><b>{t}</b></td></tr></table>",
)  # fmt: skip
_QUOTES = (
    "<blockquote{c}><cite>{h}</cite>{q}</blockquote>", "<blockquote{c}><div>{h}</div><div>{q}</div></blockquote>", "<blockquote{c}>{q}</blockquote>",
    "<div{c}><b>{h}</b><br>{q}</div>", "<table{c}><tr><td><b>{h}</b></td></tr><tr><td>{q}</td></tr></table>", "<fieldset{c}><legend>{h}</legend>{q}</fieldset>",
    "<div{c}><div>{h}</div><blockquote><p>{q}</p></blockquote></div>", "<aside{c}><div>{h}</div><blockquote>{q}</blockquote></aside>",
)  # fmt: skip
_CODES = ("<pre{c}><code>{x}</code></pre>", "<pre{c}>{x}</pre>", "<div{c}><pre>{x}</pre></div>", "<code{c}>{y}</code>")
_CODE_LINES = (
    "$ tool --run /etc/tool.conf",
    "for item in items:",
    "    print(item)",
    "if (a < b) {",
    "    return b;",
    "}",
    "SELECT name FROM t WHERE id = 7;",
)
_PARTS = (
    "avatar",
    "number",
    "accepted",
    "subject",
    "author",
    "rank",
    "stats",
    "date",
    "votes",
    "edited",
    "files",
    "signature",
    "actions",
)
_FEW = ("avatar", "author", "date", "actions", "votes", "number")


class Sort(NamedTuple):
    """A sort of site: its pages with their numbers, the median words of posts, and the shares of the slots of records."""

    weight: int
    pages: dict[str, int]
    words: tuple[int, ...]


_PLANS = {
    "forum": Sort(20, {"thread": 6, "board": 2, "message": 1}, (12, 20, 35, 60, 120)),
    "qa": Sort(10, {"question": 6, "board": 1, "cards": 1}, (30, 60, 120)),
    "talk": Sort(6, {"link": 6, "cards": 1}, (10, 25, 60)),
    "tickets": Sort(7, {"ticket": 5, "board": 2, "message": 1}, (15, 40, 80)),
    "blog": Sort(17, {"post": 7, "plain": 1, "cards": 2, "static": 1, "message": 1}, (8, 15, 30, 60)),
    "news": Sort(6, {"post": 4, "plain": 3, "portal": 2}, (15, 30)),
    "help": Sort(5, {"answer": 5, "cards": 1, "portal": 1}, (40,)),
    "manual": Sort(3, {"manual": 6, "cards": 1}, (40,)),
    "shop": Sort(3, {"product": 6, "cards": 2}, (40,)),
    "firm": Sort(2, {"portal": 3, "static": 3, "message": 1}, (40,)),
}
_POSTS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 14, 19, 25, 39)  # replies of a page
_COMMENTS = (0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 10, 15, 30)
_THREADS = ("forum", "qa", "talk", "tickets")


@dataclass
class Content:
    """The content of a page and its truth."""

    kind: str
    title: str
    html: str
    text: str
    address: str
    truth: Row


class Site:
    """A site of its own software; ``number`` tells it from others."""

    def __init__(self, pool: Pool, seed: int, number: int) -> None:
        self.rng = rng = Random(f"{seed} {number}")  # noqa: S311 - no secret
        self.pool, self.number = pool, number
        self.sort = rng.choices([*_PLANS], [plan.weight for plan in _PLANS.values()])[0]
        self.language = "en" if rng.random() < _ENGLISH else rng.choice(pool.languages())
        self.words = Interface(self.language if rng.random() < 0.85 else "en", rng)
        self.names = Names(rng)
        self.name = f"{rng.choice(_SITE_NAMES)} {rng.choice(('', self.words.one('boards'), ''))}".strip()
        self.host = f"{rng.choice(('www', 'forum', 'blog', 'community', 'm'))}.{self.sort[: rng.choice((0, 9))] or 'site'}-{number}.example"
        frames = pool.frames.get(self.language) or pool.frames["en"]
        self.frame = rng.choice(frames) if frames and rng.random() < _REAL_FRAME else DrawnFrame(self)
        self.title_form, self.heading = rng.choice(_TITLES), rng.choice(_HEADINGS).replace("{c}", self.names("title"))
        self.date_form, self.board = rng.choice(self.words.all("dates")), self.words.one("boards")
        self.median = rng.choice(_PLANS[self.sort].words)
        self.address = rng.choice(_ADDRESSES if self.sort in _THREADS else [(form, "?cpage={p}") for form in _ARTICLES])
        self.signatures: dict[str, str] = {}
        part = "comment" if self.sort in ("blog", "news") else "post"
        self.style = self._style(part, _PARTS if self.sort == "forum" else (*_FEW, "accepted", "edited"))
        self.opening_style = self._style("article", _FEW) if rng.random() < 0.4 else self.style
        self.small_style = RecordStyle(rng, self.names, "comment", ("author", "date"), ("stack", "media"))
        self.card_style = RecordStyle(
            rng, self.names, "card", ("subject", "author", "date", "votes"), ("stack", "media", "siblings")
        )
        self.quote, self.code = (
            rng.choice(forms).replace("{c}", self.names(n)) for forms, n in ((_QUOTES, "quote"), (_CODES, "code"))
        )
        self.shares = {
            each: rng.choice((0.0, 0.0, 0.2, 0.4)) for each in ("quote", "gone", "event", "ad", "tree", "code", "below")
        }

    def _style(self, part: str, parts: Sequence[str]) -> RecordStyle:
        some = [each for each in parts if each in ("author", "date") or self.rng.random() < 0.6]
        if self.rng.random() < 0.06:
            some.remove("date")
        return RecordStyle(self.rng, self.names, part, some)

    def pages(self) -> Iterator[Row]:
        """Yield the lines of the site."""
        makers: dict[str, Callable[[], Content]] = {
            "thread": self._thread, "question": self._thread, "link": self._thread, "ticket": self._thread, "board": self._board, "cards": self._cards,
            "message": self._message, "post": self._article, "plain": self._plain, "static": self._static, "portal": self._portal,
            "answer": self._answer, "manual": self._manual, "product": self._product,
        }  # fmt: skip
        for page, count in _PLANS[self.sort].pages.items():
            for place in range(count):
                made = makers[page]()
                fields = {"t": made.title, "s": self.name, "b": self.board}
                title = escape(self.title_form.format_map(fields), quote=False)
                yield {
                    "id": f"{self.number}-{page}-{place}", "dataset": DATASET, "engine": f"generated-{self.number}", "site": self.host,
                    "url": f"https://{self.host}{made.address}", "kind": made.kind, "lang": self.language, "licence": LICENCE,
                    "html": self.frame.around(title, made.html), "main_text": made.text, **made.truth,
                }  # fmt: skip

    # --- posts ---

    def _post(self, author: str, when: Any, median: int, *, comment: bool = False) -> Post:
        rng = self.rng
        words = max(3, min(400, int(median * rng.lognormvariate(0, 0.8))))
        post = Post(
            author, when, self.pool.text(self.language, words, rng, comment=comment), votes=rng.choice((0, 0, 1, 3, 12))
        )
        if not comment and self.style.holds_blocks and rng.random() < self.shares["code"]:
            post.code = rng.sample(_CODE_LINES, rng.randint(1, 4))
        post.shown_date = shown(when, self.date_form, self.words, rng.randint(2, 23))
        return post

    def _posts(self, count: int, *, comment: bool = False) -> list[Post]:
        """Draw distinct posts of some members, maybe replies to each other."""
        rng = self.rng
        members = [random_author(self.language, rng) for _ in range(1 + count // 2)]
        posts = [
            self._post(rng.choice(members), when, self.median, comment=comment) for when in random_times(rng, count)
        ]
        posts = [*{"\n".join(post.lines): post for post in posts}.values()]
        if self.style.nested != "no" or rng.random() < self.shares["tree"]:
            for post, parent in zip(posts, random_parents(len(posts), rng), strict=True):
                post.parent = parent
        for place, post in enumerate(posts[1:], 1):
            if self.style.holds_blocks and rng.random() < self.shares["quote"] * (0.2 if comment else 1):
                said = rng.choice(posts[:place])
                head = (
                    self.words.kept("said").format(name=said.author, date=said.shown_date)
                    if "{h}" in self.quote
                    else ""
                )
                post.quote = head, " ".join(said.lines)[:200]
        return posts

    def body(self, style: RecordStyle, post: Post) -> str:
        """Return the HTML of what a post says."""
        lines = [escape(line, quote=False) for line in post.lines]
        if self.rng.random() < 0.15:
            lines[-1] += ' <img src="/smile.gif" alt="">'
        inner = style.divided(lines)
        if post.quote:
            head, said = (escape(part, quote=False) for part in post.quote)
            inner = self.quote.format(h=head, q=said) + inner
        if post.code:
            code = [escape(line, quote=False) for line in post.code]
            inner += self.code.format(x="\n".join(code), y="<br>".join(line.replace("  ", "&nbsp; ") for line in code))
        return inner

    def _record(self, style: RecordStyle, post: Post, number: int, title: str, **more: str) -> str:
        more.setdefault("body", self.body(style, post))
        return style.record(self._values(post, number, title, **more), int(more.get("depth", 0)))

    def _values(self, post: Post, number: int, title: str, **more: str) -> dict[str, str]:
        rng, words = self.rng, self.words
        ident = str(rng.randint(100, 99999))
        link, author = f"#p{ident}", escape(post.author, quote=False)
        stats = [
            each.format(n=rng.randint(1, 4000), date=f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.2012")
            for each in words.some("stats", 3)
        ]
        if post.author not in self.signatures:
            said = self.pool.text(self.language, 12, rng)[0]
            self.signatures[post.author] = escape(said, quote=False) if rng.random() < 0.5 else ""
        return {
            "id": ident, "link": link, "author": author, "user": f"/user/{len(author) * 7}", "pic": f"/avatars/{ident}.jpg", "initial": author[:1],
            "number": str(number), "by": words.kept("by"), "says": words.kept("says"), "rank": words.one("ranks"), "stats": " ".join(stats),
            "stats_li": "</li><li>".join(stats), "stats_dd": "</dd><dd>".join(stats), "stats_br": "<br>".join(stats),
            "date": post.shown_date, "iso": post.when.isoformat(), "votes": str(post.votes), "accepted": words.kept("accepted") if post.accepted else "",
            "edited": words.kept("edited").format(name=author, date=post.shown_date, n=rng.randint(1, 4)) if rng.random() < 0.15 else "",
            "files": "x" if rng.random() < 0.08 else "", "signature": self.signatures[post.author], "actions": "|".join(words.all("actions")[:3]),
            "subject": escape(title if number == 1 else f"Re: {title}", quote=False), **more,
        }  # fmt: skip

    def _listed(self, style: RecordStyle, posts: list[Post], title: str, first: int = 1, part: str = "list") -> str:
        """Return posts as a list, replies inside those that they answer if the style does it, and other things between."""
        children: dict[int, list[int]] = {}
        for place, post in enumerate(posts):
            children.setdefault(post.parent if style.nested != "no" else -1, []).append(place)

        def record(place: int, depth: int) -> list[str]:
            replies = [html for each in children.get(place, ()) for html in record(each, depth + 1)]
            inside = style.below(replies) if style.nested == "inside" else ""
            more = {"replies": inside, "below": self._below(), "depth": str(depth)}
            own = self._record(style, posts[place], first + place, title, **more)
            return [own, *(replies if not inside else ())]

        records: list[str] = []
        for place in children.get(-1, ()):
            records += record(place, 0)
            if (other := self._between(style, first + place)) and place < len(posts) - 1:
                records.append(other)
        return style.listed(records, part)

    def _between(self, style: RecordStyle, number: int) -> str:
        """Draw what stands between two posts and is none, if anything."""
        rng, words = self.rng, self.words
        if rng.random() < 0.3 * self.shares["ad"]:
            return style.aside(f'{escape(words.one("ads"))} <a href="/ad"><img src="/ad.png" alt=""></a>')
        if rng.random() < 0.4 * self.shares["event"]:
            return style.aside(words.one("events").format(name=random_author(self.language, rng), date="2.3."))
        if rng.random() < 0.4 * self.shares["gone"]:
            when = next(random_times(rng, 1))
            post = Post(random_author(self.language, rng), when, [words.kept("gone")])
            return self._record(style, replace(post, shown_date=shown(when, self.date_form, words, 3)), number, "")
        return ""

    def _below(self) -> str:
        """Draw readers' comments below an answer, which are no answers."""
        rng = self.rng
        if self.sort != "qa" or rng.random() > self.shares["below"]:
            return ""
        notes = [
            self._post(random_author(self.language, rng), when, 14) for when in random_times(rng, rng.randint(1, 4))
        ]
        return self.small_style.listed([self._record(self.small_style, note, 1, "") for note in notes], "nested")

    # --- pages with posts ---

    def _thread(self) -> Content:
        rng, title = self.rng, ""
        count, page = 1 + rng.choice(_POSTS), 1 if rng.random() < 0.8 else rng.randint(2, 9)
        thread = rng.choice(self.pool.threads[self.language]) if len(self.pool.threads[self.language]) > 9 else None
        posts = self._posts(count)
        if thread is not None and thread.title:
            title = thread.title
            posts[0].lines = (
                [line for line in thread.posts[0].split("\n") if line.strip()][:8]
                if rng.random() < 0.5
                else posts[0].lines
            )
        title = title or self.pool.title(self.language, rng)
        if self.sort == "talk" and rng.random() < 0.6:
            page, opening, answers = 1, None, posts
        elif page > 1 and rng.random() < 0.7:
            opening, answers = None, posts
        else:
            opening, answers = posts[0], posts[1:]
        if answers and rng.random() < 0.3:
            rng.choice(answers).accepted = True
        for post in answers:
            post.parent -= opening is not None and post.parent >= 0
        address = self._address(title, page)
        inner = self._thread_html(title, opening, answers, page, address)
        return Content(
            "thread",
            title,
            inner,
            self._text([opening, *answers]),
            address,
            self._truth(title, opening, answers, first=page == 1 or opening is not None),
        )

    def _thread_html(self, title: str, opening: Post | None, answers: list[Post], page: int, address: str) -> str:
        rng, words = self.rng, self.words
        heading = self.titled(title, address)
        first = 1 + 10 * (page - 1)
        pager = self._pager(page, address) if page > 1 or rng.random() < 0.3 else ""
        head = words.kept("answers").format(n=len(answers))
        head = (
            f"<h2{self.names('head')}>{head}</h2>"
            if self.sort in ("qa", "talk") or self.opening_style is not self.style
            else ""
        )
        if opening is None:
            link = self._submitted(title) if self.sort == "talk" else ""
            parts = [heading, link, self._tools(), pager, head, self._listed(self.style, answers, title, first)]
        elif self.opening_style is not self.style or self.sort in ("qa", "talk", "tickets"):
            record = self._record(self.opening_style, opening, 1, title, below=self._below())
            asked = self.opening_style.listed([record], "article")
            listed = self._listed(self.style, answers, title, first + 1) if answers else f"<p>{words.one('none')}</p>"
            parts = [heading, self._properties(), asked, self._tools(), head, pager, listed]
        else:
            for post in answers:
                post.parent += post.parent >= 0
            parts = [heading, self._tools(), pager, self._listed(self.style, [opening, *answers], title, first)]
            for post in answers:
                post.parent -= post.parent >= 0
        parts.append(pager)
        parts += rng.sample(
            [self._form(), self._links("related"), self._lines("rights"), self._tools()], rng.randint(0, 3)
        )
        return f"<div{self.names('thread')}>{''.join(parts)}</div>"

    def _truth(self, title: str, opening: Post | None, answers: Sequence[Post], *, first: bool) -> Row:
        asked = {
            "title": title,
            "body": self._said(opening),
            "author": opening and opening.author,
            "date": opening and self._date(opening),
        }
        said = [
            {
                "text": self._said(post),
                "author": post.author,
                "date": self._date(post),
                "parent": post.parent,
                "accepted": post.accepted,
            }
            for post in answers
        ]
        return {"question": asked, "answers": said, "first_page": first}

    def _date(self, post: Post) -> str | None:
        return post.when.isoformat() if "{a}" not in self.date_form else None

    def _said(self, post: Post | None) -> str:
        """Return the text of a post, with what it quotes; "" for none."""
        if post is None:
            return ""
        quote = [line for line in post.quote or () if line]
        return "\n".join([*quote, *post.lines, *post.code])

    def _text(self, posts: Sequence[Post | None]) -> str:
        return "\n".join(filter(None, map(self._said, posts)))

    def _address(self, title: str, page: int = 1) -> str:
        form, later = self.address
        fields = {
            "w": self._slug(title),
            "i": self.rng.randint(10, 99999),
            "y": self.rng.randint(10, 25),
            "p": page,
            "o": 10 * (page - 1),
        }
        return (form + (later if page > 1 else "")).format_map({**fields, **({"p": 7} if page == 1 else {})})

    def _slug(self, title: str) -> str:
        words = [word.lower() for word in _SLUG.findall(title) if word.isascii()][: self.rng.randint(3, 9)]
        return "-".join(words) or f"a{self.rng.randint(1, 999)}"

    def titled(self, title: str, address: str) -> str:
        """Return the heading of a page."""
        words = self.words
        label = words.kept("labels") if self.rng.random() < 0.5 else ""
        return self.heading.format(t=escape(title, quote=False), u=address, s=self.name, b=self.board, l=label)

    def _submitted(self, title: str) -> str:
        rng = self.rng
        by = f"{self.words.kept('by')}{random_author(self.language, rng)}"
        site = f'<a href="https://paper.example/{self._slug(title)}">paper.example</a>'
        return f"<p{self.names('line')}>{' | '.join(rng.sample([by, site, f'{rng.randint(2, 900)} points', self.words.one('share')], 3))}</p>"

    def _properties(self) -> str:
        if self.sort != "tickets":
            return ""
        names, values = self.words.all("fields2"), self.words.all("values")
        rows = [(name, self.rng.choice(values)) for name in names[: self.rng.randint(3, 8)]]
        form = self.rng.choice(
            (
                "<tr><th>{}:</th><td>{}</td></tr>",
                "<dt>{}</dt><dd>{}</dd>",
                "<li><b>{}</b> {}</li>",
                "<div><span>{}</span><span>{}</span></div>",
            )
        )
        inner = "".join(form.format(*row) for row in rows)
        tag = {"<tr": "table", "<dt": "dl", "<li": "ul"}.get(form[:3], "div")
        return f"<{tag}{self.names('stats')}>{inner}</{tag}>"

    def _tools(self) -> str:
        links = "".join(f'<li><a href="/do/{n}">{word}</a></li>' for n, word in enumerate(self.words.some("tools", 4)))
        return f"<ul{self.names('actions')}>{links}</ul>" if self.rng.random() < 0.4 else ""

    def _pager(self, page: int, address: str) -> str:
        rng, words = self.rng, self.words
        last = page + rng.randint(1, 9)
        stated = words.kept("page").format(n=page, m=last) if rng.random() < 0.5 else ""
        links = [
            f'<a href="{address}/{n}">{n}</a>' if n != page else f"<b>{n}</b>"
            for n in range(max(1, page - 2), page + 3)
            if n <= last
        ]
        links.append(f'<a href="{address}/n">{words.kept("turn")}</a>')
        tag, inner = rng.choice((("ul", "".join(f"<li>{link}</li>" for link in links)), ("div", " ".join(links))))
        return f"<div{self.names('pager')}>{stated}<{tag}>{inner}</{tag}></div>"

    def _form(self) -> str:
        rng, words = self.rng, self.words
        heading = f"<h3>{words.kept('form')}</h3>"
        labels = "".join(f"<p><label>{label}</label><input type=text></p>" for label in words.some("fields", 7, 3))
        policy = f"<p>{words.one('policy')}</p>" if rng.random() < 0.4 else ""
        return f"<div{self.names('box')}>{heading}{policy}<form action=/post>{labels}<textarea></textarea><button>{words.kept('form')}</button></form></div>"

    def _links(self, key: str) -> str:
        titles = [self.pool.title(self.language, self.rng) for _ in range(self.rng.randint(3, 8))]
        links = "".join(f'<li><a href="/x/{n}">{escape(title)}</a></li>' for n, title in enumerate(titles))
        return f"<div{self.names('box')}><h3>{self.words.kept(key)}</h3><ul>{links}</ul></div>"

    def _lines(self, key: str) -> str:
        return f"<div{self.names('line')}>{'<br>'.join(self.words.some(key, 6))}</div>"

    # --- articles ---

    def _prose(self, article: Article) -> tuple[str, str]:
        """Return paragraphs of an article as HTML, with a picture or headings between, and their text."""
        rng = self.rng
        some = article.paragraphs[: rng.choice((1, 1, 2, 3, 5, 8, 14))]
        parts, texts = [], []
        for place, line in enumerate(some):
            if place and rng.random() < 0.12:
                heading = " ".join(line.split()[:5])
                parts.append(f"<h2>{escape(heading)}</h2>")
                texts.append(heading)
            parts.append(f"<p>{escape(line, quote=False)}</p>")
            texts.append(line)
            if rng.random() < 0.08:
                parts.append(f'<figure><img src="/i/{place}.jpg" alt=""></figure>')
        return "".join(parts), "\n".join(texts)

    def _plain(self) -> Content:
        """Make an article without comments."""
        made = self._article(commented=False)
        return replace(made, kind="article", truth={"question": {"title": made.title}})

    def _static(self) -> Content:
        """Make a page about the site, without author and date."""
        article = self.pool.article(self.language, self.rng)
        prose, text = self._prose(article)
        title = self.words.one("menu")
        return Content(
            "service",
            title,
            f"{self.titled(title, '/')}<div{self.names('body')}>{prose}</div>",
            text,
            f"/{self._slug(title)}",
            {},
        )

    def _article(self, *, commented: bool = True) -> Content:
        rng, words = self.rng, self.words
        article = self.pool.article(self.language, rng)
        prose, text = self._prose(article)
        address = self._address(article.title)
        opening = replace(self._post(random_author(self.language, rng), next(random_times(rng, 1)), 9), lines=[text])
        line = " ".join(
            rng.sample(
                [
                    words.kept("by") + opening.author,
                    f"<span>{opening.shown_date}</span>",
                    f'<a href="/c/1">{self.board}</a>',
                ],
                3,
            )
        )
        byline = f"<p{self.names('line')}>{line}</p>"
        foot = "".join(
            rng.sample(
                [self._tools(), self._links("related"), self._shares(), self._about(opening.author)], rng.randint(0, 3)
            )
        )
        inner = "".join(
            rng.choice(((self.titled(article.title, address), byline), (byline, self.titled(article.title, address))))
        )
        inner += f"<div{self.names('body')}>{prose}</div>{foot}"
        tag = rng.choice(("article", "div", "div"))
        comments, shown_comments = self._comments(article.title) if commented else ([], "")
        inside = rng.random() < 0.3
        inner = f"<{tag}{self.names('article')}>{inner}{shown_comments if inside else ''}</{tag}>{'' if inside else shown_comments}"
        return Content(
            "comments", article.title, inner, text, address, self._truth(article.title, opening, comments, first=True)
        )

    def _comments(self, title: str) -> tuple[list[Post], str]:
        """Draw readers' comments, and return them with their HTML: pingbacks, a policy and a form are among it."""
        rng, words = self.rng, self.words
        comments = self._posts(rng.choice(_COMMENTS), comment=True)
        form = self._form() if rng.random() < 0.7 else f"<p>{words.one('form')}</p>"
        if not comments:
            none = f"<p>{words.kept('none')}</p>" if rng.random() < 0.5 else ""
            return [], f"<div{self.names('comments')}>{none}{form}</div>"
        head = words.kept("comments").format(n=len(comments), title=escape(title))
        policy = f"<div{self.names('box')}><p>{words.kept('policy')}</p></div>" if rng.random() < 0.2 else ""
        listed = self._listed(self.style, comments, title)
        pings = "".join(
            f'<li><p>{words.kept("ping")}<a href="/p/{n}">{escape(self.pool.title(self.language, rng))}</a></p></li>'
            for n in range(rng.randint(1, 4))
        )
        pings = f"<ol{self.names('list')}>{pings}</ol>" if rng.random() < 0.15 else ""
        level = rng.choice(("h2", "h3", "h4", "div", "p"))
        parts = [f"<{level}{self.names('head')}>{head}</{level}>", policy, *rng.sample([listed, pings], 2), form]
        if rng.random() < 0.1:
            parts.insert(1, parts.pop())
        return comments, f"<div{self.names('comments')}>{''.join(parts)}</div>"

    def _shares(self) -> str:
        return f"<div{self.names('foot')}>{' '.join(f'<a href=/s>{word}</a>' for word in self.words.some('share', 6, 3))}</div>"

    def _about(self, author: str) -> str:
        said = " ".join(self.pool.text(self.language, 25, self.rng))
        return f"<div{self.names('box')}><img src=/a.jpg alt=''><h4>{author}</h4><p>{escape(said)}</p></div>"

    # --- pages without posts ---

    def _board(self) -> Content:
        """Make a list of threads, or of tickets: a row each with its author, numbers and last post."""
        rng, words = self.rng, self.words
        columns = words.all("board")[: rng.randint(3, 5)]
        cells = rng.choice((("tr", "td"), ("tr", "td"), ("li", "div"), ("div", "span"), ("div", "div"), ("ul", "li")))
        titles = [self.pool.title(self.language, rng) for _ in range(rng.choice((3, 8, 15, 25)))]
        rows = [self._row(title, cells, len(columns)) for title in titles]
        head = "".join(f"<{cells[1]}>{column}</{cells[1]}>" for column in columns)
        outer = {"tr": "table", "li": "ul"}.get(cells[0], "div")
        html = f"<{outer}{self.names('list')}><{cells[0]}>{head}</{cells[0]}>{''.join(rows)}</{outer}>"
        pager = self._pager(1, "/b/2") if rng.random() < 0.6 else ""
        return Content(
            "listing",
            self.board,
            f"{self.titled(self.board, '/b/2')}{self._tools()}{pager}{html}{pager}",
            "\n".join(titles),
            f"/b/{rng.randint(2, 99)}",
            {},
        )

    def _row(self, title: str, cells: tuple[str, str], count: int) -> str:
        rng = self.rng
        date = shown(next(random_times(rng, 1)), self.date_form, self.words, rng.randint(2, 23))
        author = random_author(self.language, rng)
        link = f'<a href="/t/{rng.randint(1, 9999)}">{escape(title)}</a>'
        values = [
            link + (f"<br>{author}" if count < 5 else ""),
            author,
            str(rng.randint(0, 90)),
            str(rng.randint(9, 9999)),
            f"{author}<br>{date}",
        ][:count]
        inner = "".join(f"<{cells[1]}{self.names(f'cell{n}')}>{value}</{cells[1]}>" for n, value in enumerate(values))
        return f"<{cells[0]}{self.names('card')}>{inner}</{cells[0]}>"

    def _cards(self) -> Content:
        """Make an index of articles, questions or products, or results of a search, maybe with excerpts."""
        rng, words = self.rng, self.words
        title = rng.choice((self.board, words.one("menu"), words.one("recent")))
        length = rng.choice((0, 15, 30, 60))
        cards, texts = [], []
        for when in random_times(rng, rng.choice((2, 5, 10, 20))):
            article = self.pool.article(self.language, rng)
            post = Post(
                random_author(self.language, rng),
                when,
                [" ".join(article.paragraphs[0].split()[:length])[: 8 * length] + "…"],
            )
            post.shown_date = shown(when, self.date_form, words, 3)
            body = self.body(self.card_style, post) + (
                f' <a href="/a/7">{words.kept("more")}</a>' if rng.random() < 0.9 else ""
            )
            cards.append(
                self._record(
                    self.card_style,
                    post,
                    1,
                    article.title,
                    body=body if length else "",
                    actions=words.kept("comments").format(n=3, title=""),
                )
            )
            texts.append(f"{article.title}\n{post.lines[0]}")
        inner = f"{self.titled(title, '/')}{self.card_style.listed(cards)}{self._pager(1, '/page')}"
        return Content("listing", title, inner, "\n".join(texts), f"/{self._slug(title)}/", {})

    def _portal(self) -> Content:
        """Make a start page: sections with a few links, teasers or calls."""
        rng = self.rng
        parts, texts = [], []
        for heading in self.words.some("boards", 8, 3):
            articles = [self.pool.article(self.language, rng) for _ in range(rng.randint(1, 4))]
            said = [
                escape(" ".join(article.paragraphs[0].split()[:20])) if rng.random() < 0.4 else ""
                for article in articles
            ]
            inner = "".join(
                f'<li><a href="/a/1">{escape(article.title)}</a><p>{text}</p></li>'
                for article, text in zip(articles, said, strict=True)
            )
            parts.append(f"<section{self.names('box')}><h2>{heading}</h2><ul>{inner}</ul></section>")
            texts += [article.title for article in articles]
        return Content("collection", self.name, "".join(parts), "\n".join(texts), "/", {})

    def _message(self) -> Content:
        """Make a page that says that something is missing or done, or asks to log in."""
        words, title = self.words, self.words.one("account")
        said = words.one("denied")
        html = f"<h2>{title}</h2><div{self.names('box')}><p>{said}</p><p><a href='/'>{words.one('menu')}</a></p>{self._form() if self.rng.random() < 0.5 else ''}</div>"
        return Content("other", title, html, said, f"/{self._slug(title)}.php", {})

    def _answer(self) -> Content:
        """Make a page of a help centre: a question, or the title of one, and its answer."""
        rng, words = self.rng, self.words
        article = self.pool.article(self.language, rng)
        prose, text = self._prose(article)
        address = self._address(article.title)
        asked = [word.format(n=rng.randint(0, 40), m=50) for word in words.all("helpful")]
        helpful = f"<div{self.names('foot')}><span>{asked[0]}</span> <button>{asked[1]}</button> <button>{asked[2]}</button></div>"
        date = shown(next(random_times(rng, 1)), self.date_form, words, 5)
        line = f"<p{self.names('line')}>{words.kept('by')}{random_author(self.language, rng)} {date}</p>"
        inner = f"{self.titled(article.title, address)}{line if rng.random() < 0.4 else ''}<div{self.names('body')}>{prose}</div>{helpful}{self._links('related')}"
        return Content(
            "faq",
            article.title,
            inner,
            f"{article.title}\n{text}",
            address,
            {"pairs": [{"question": article.title, "answer": text}]},
        )

    def _manual(self) -> Content:
        """Make a page of a manual: sections with code between the pages before and after it."""
        rng, words = self.rng, self.words
        article = self.pool.article(self.language, rng)
        parts: list[str] = []
        texts: list[str] = []
        for line in article.paragraphs[:9]:
            heading = " ".join(line.split()[:4])
            code = (
                self.code.format(x="\n".join(_CODE_LINES[:3]), y="<br>".join(_CODE_LINES[:3]))
                if rng.random() < 0.3
                else ""
            )
            parts.append(f"<section><h2 id=s{len(parts)}>{escape(heading)}</h2><p>{escape(line)}</p>{code}</section>")
            texts += [heading, line]
        turn = [words.all("manual")[place] + self.pool.title(self.language, rng) for place in (1, 2)]
        links = "".join(f'<a href="/docs/{n}">{escape(text)}</a>' for n, text in enumerate(turn))
        inner = f"{self._links('recent')}{self.titled(article.title, '#')}{''.join(parts)}<div{self.names('pager')}>{links}</div>"
        return Content("documentation", article.title, inner, "\n".join(texts), self._address(article.title), {})

    def _product(self) -> Content:
        """Make a page of a shop: name, price, description, properties, other products."""
        rng, words = self.rng, self.words
        article = self.pool.article(self.language, rng)
        title, text = " ".join(article.title.split()[:5]), article.paragraphs[0]
        rows = "".join(f"<tr><td>{name}</td><td>{rng.randint(1, 99)} cm</td></tr>" for name in words.some("shop", 8, 4))
        buy = f"<div{self.names('box')}><span>{rng.randint(3, 900)},99 €</span><button>{words.all('shop')[0]}</button><p>{words.all('shop')[1]}</p></div>"
        inner = f"<img src=/p.jpg alt=''>{self.titled(title, '#')}{buy}<div{self.names('body')}><p>{escape(text)}</p></div><table>{rows}</table>{self._links('related')}"
        return Content("product", title, inner, f"{title}\n{text}", f"/p/{self._slug(title)}-{rng.randint(1, 999)}", {})


def generated_pages(pool: Pool, seed: int = 1, sites: int = _SITES) -> Iterator[dict[str, Any]]:
    """Yield the lines of so many sites, the pages of each together; a site is independent of the others."""
    for number in range(sites):
        yield from Site(pool, seed, number).pages()
