"""Writes posts, and the parts of pages around them, in the drawn markup and the language of one site."""

# ruff: noqa: E501 - templates
from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from research.making.content import TABLES, Interface, Post, date_text, random_author, random_times
from research.making.markup import Names, RecordStyle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from random import Random

    from research.making.content import Pool

#: The slots of the records of a forum, and those of other posts.
ALL = (
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
FEW = ("avatar", "author", "date", "actions", "votes", "number")
_LONG_ENOUGH = 30  # words of posts with code
_LONGEST = 400
_CARDS = ("subject", "author", "date", "votes")
_LIKELY_DEEPER = (0.3, 0.5, 0.7, 0.9)
_HEADS = ("h2", "h3", "h4", "div", "p")
_SITES = ("paper.example", "blog.example.net", "journal.example.org")


class Writer:
    """Writes posts in one markup; ``post_style`` is that of replies or comments, named by ``part``."""

    def __init__(
        self,
        pool: Pool,
        rng: Random,
        language: str,
        words: str,
        part: str = "post",
        parts: Sequence[str] = FEW,
        median: int = 30,
    ) -> None:
        """``words``: the language of the interface; ``parts``: the slots of records; ``median``: the words of posts."""
        self.pool, self.rng, self.language, self.median = pool, rng, language, median
        self.words, self.names = Interface(words, rng), Names(rng)
        self.date_form, self.board = self.words.one("dates"), self.words.one("boards")
        self.post_style = self.style(part, parts)
        self.card_style = RecordStyle(rng, self.names, "card", _CARDS, ("stack", "media", "siblings"))
        self.small_style = RecordStyle(rng, self.names, "comment", ("author", "date"), ("stack", "media"))
        quote: str = rng.choice(TABLES["quotes"])
        code: str = rng.choice(TABLES["codes"])
        self.quote, self.code = quote.replace("{c}", self.names("quote")), code.replace("{c}", self.names("code"))
        self.shares = {each: rng.choice((0.0, 0.0, 0.2, 0.4)) for each in ("quote", "gone", "event", "ad", "code")}
        self.asks = False
        self._signatures: dict[str, str] = {}

    def style(self, part: str, parts: Sequence[str]) -> RecordStyle:
        """Draw a markup for records: nearly always with author and date, and some of the other slots."""
        some = [each for each in parts if each in ("author", "date") or self.rng.random() < 0.6]
        if self.rng.random() < 0.06:
            some.remove("date")
        return RecordStyle(self.rng, self.names, part, some)

    def post(self, author: str, when: datetime, median: float, *, comment: bool = False) -> Post:
        """Draw a post of about so many words."""
        rng = self.rng
        words = max(3, min(_LONGEST, int(median * rng.lognormvariate(0, 0.8))))
        lines = self.pool.text(self.language, words, rng, comment=comment)
        post = Post(author, when, lines, votes=rng.choice((0, 0, 1, 3, 12)), shown_date=self.date(when))
        if words > _LONG_ENOUGH and self.post_style.holds_blocks and rng.random() < self.shares["code"]:
            code = TABLES["lines of code"]
            first = rng.randrange(len(code))
            post.code = code[first : first + rng.randint(1, 5)]
        return post

    def date(self, when: datetime | None = None) -> str:
        """Return a date, drawn if none is given, as the site shows it."""
        return date_text(when or next(random_times(self.rng, 1)), self.date_form, self.words, self.rng.randint(2, 23))

    def posts(self, count: int, *, comment: bool = False) -> list[Post]:
        """Draw distinct posts of some members, maybe replies to each other, or with quotations."""
        rng = self.rng
        members = [random_author(self.language, rng) for _ in range(1 + count // 2)]
        drawn = [
            self.post(rng.choice(members), when, self.median, comment=comment) for when in random_times(rng, count)
        ]
        posts = [*{"\n".join(post.lines): post for post in drawn}.values()]
        if self.post_style.nested != "no":
            for post, parent in zip(posts, random_parents(len(posts), rng), strict=True):
                post.parent = parent
        for place, post in enumerate(posts[1:], 1):
            if self.post_style.holds_blocks and rng.random() < self.shares["quote"] * (0.2 if comment else 1):
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
        return inner + self.coded(post.code) if post.code else inner

    def coded(self, lines: Sequence[str]) -> str:
        """Return lines of code as HTML."""
        code = [escape(line, quote=False) for line in lines]
        return self.code.format(x="\n".join(code), y="<br>".join(line.replace("  ", "&nbsp; ") for line in code))

    def record(
        self, style: RecordStyle, post: Post, number: int = 1, title: str = "", depth: int = 0, **slots: str
    ) -> str:
        """Return a post as a record; ``slots`` replace what would be in these slots."""
        return style.record({"body": self.body(style, post), **self._values(post, number, title), **slots}, depth)

    def _values(self, post: Post, number: int, title: str) -> dict[str, str]:
        rng, words, author = self.rng, self.words, escape(post.author, quote=False)
        ident = str(rng.randint(100, 99999))
        stats = [
            each.format(n=rng.randint(1, 4000), date=f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.2012")
            for each in words.some("stats", 3)
        ]
        if author not in self._signatures:
            self._signatures[author] = self.said(12) if rng.random() < 0.5 else ""
        edited = words.kept("edited").format(name=author, date=post.shown_date, n=rng.randint(1, 4))
        return {
            "id": ident, "link": f"#p{ident}", "author": author, "user": f"/user/{len(author) * 7}", "pic": f"/avatars/{ident}.jpg",
            "initial": author[:1], "number": str(number), "by": words.kept("by"), "says": words.kept("says"), "rank": words.one("ranks"),
            "stats": " ".join(stats), "stats_li": "</li><li>".join(stats), "stats_dd": "</dd><dd>".join(stats), "stats_br": "<br>".join(stats),
            "date": post.shown_date, "iso": post.when.isoformat(), "votes": str(post.votes), "edited": edited if rng.random() < 0.15 else "",
            "accepted": words.kept("accepted") if post.accepted else "", "files": "x" if rng.random() < 0.08 else "",
            "signature": self._signatures[author], "actions": "|".join(words.all("actions")[:3]),
            "subject": escape(title if number == 1 else f"Re: {title}", quote=False),
        }  # fmt: skip

    def listed(self, posts: Sequence[Post], title: str, first: int = 1, below: float = 0.0) -> str:
        """Return posts as a list, replies inside those that they answer if the style does so, and other things between.

        ``below``: the share of posts that have small comments.
        """
        style = self.post_style
        children: dict[int, list[int]] = {}
        for place, post in enumerate(posts):
            children.setdefault(post.parent, []).append(place)

        def record(place: int, depth: int) -> list[str]:
            replies = [html for each in children.get(place, ()) for html in record(each, depth + 1)]
            inside = style.below(replies) if style.nested == "inside" else ""
            slots = {"replies": inside, "below": self.notes() if self.rng.random() < below else ""}
            return [
                self.record(style, posts[place], first + place, title, depth, **slots),
                *([] if inside else replies),
            ]

        records: list[str] = []
        for place in children.get(-1, ()):
            records += record(place, 0)
            if (other := self._between(first + place)) and place < len(posts) - 1:
                records.append(other)
        return style.listed(records)

    def _between(self, number: int) -> str:
        """Draw what stands between two posts and is none, if anything."""
        rng, words, style = self.rng, self.words, self.post_style
        if rng.random() < 0.3 * self.shares["ad"]:
            return style.aside(f'{escape(words.one("ads"))} <a href="/ad"><img src="/ad.png" alt=""></a>')
        name = random_author(self.language, rng)
        event = words.one("events").format(name=name, date=self.date())
        if rng.random() < 0.4 * self.shares["event"]:
            return style.aside(event)
        if rng.random() < 0.4 * self.shares["gone"]:
            post = Post(name, next(random_times(rng, 1)), [rng.choice((words.kept("gone"), words.kept("gone"), event))])
            return self.record(style, replace(post, shown_date=self.date(post.when)), number)
        return ""

    def notes(self) -> str:
        """Draw readers' comments below an answer, which are no answers."""
        rng, style = self.rng, self.small_style
        notes = [
            self.post(random_author(self.language, rng), when, 14) for when in random_times(rng, rng.randint(1, 4))
        ]
        return style.listed([self.record(style, replace(note, code=[])) for note in notes], "nested")

    def comments(self, posts: Sequence[Post], title: str) -> str:
        """Return readers' comments on an article; pingbacks, a policy and a form may be among them."""
        rng, words = self.rng, self.words
        form = self.form() if rng.random() < 0.7 else f"<p>{words.one('form')}</p>"
        if not posts:
            none = f"<p>{words.kept('none')}</p>" if rng.random() < 0.5 else ""
            return f"<div{self.names('comments')}>{none}{form}</div>"
        head = words.kept("comments").format(n=len(posts), title=escape(title))
        level = rng.choice(_HEADS)
        policy = f"<div{self.names('box')}><p>{words.kept('policy')}</p></div>" if rng.random() < 0.2 else ""
        pings = [
            f'<li><p>{words.kept("ping")}<a href="/p/{n}">{self.title()}</a></p></li>' for n in range(rng.randint(1, 4))
        ]
        pinged = f"<ol{self.names('list')}>{''.join(pings)}</ol>" if rng.random() < 0.15 else ""
        parts = [
            f"<{level}{self.names('head')}>{head}</{level}>",
            policy,
            *rng.sample([self.listed(posts, title), pinged], 2),
            form,
        ]
        if rng.random() < 0.1:
            parts.insert(1, parts.pop())
        return f"<div{self.names('comments')}>{''.join(parts)}</div>"

    # --- around posts ---

    def said(self, words: int) -> str:
        """Draw a text of about so many words."""
        return escape(" ".join(self.pool.text(self.language, words, self.rng)), quote=False)

    def title(self) -> str:
        """Draw a title."""
        return escape(self.drawn_title(), quote=False)

    def drawn_title(self) -> str:
        """Draw a title as text; where people ask, many are questions."""
        return self.pool.title(self.language, self.rng, asks=self.asks)

    def pager(self, page: int, last: int, address: str) -> str:
        """Return links to other pages; the current one is marked, or is no link."""
        rng, words = self.rng, self.words
        stated = words.kept("page").format(n=page, m=last) if rng.random() < 0.5 else ""
        marked = rng.choice(
            ("<b>{}</b>", "<span>{}</span>", '<strong class="current">{}</strong>', '<a class="active">{}</a>')
        )
        near = sorted({1, 2, page - 1, page, page + 1, last} & {*range(1, last + 1)})
        links = [marked.format(n) if n == page else f'<a href="{address}?p={n}">{n}</a>' for n in near]
        links.append(f'<a href="{address}?p={page + 1}">{words.kept("turn")}</a>')
        listed = (
            f"<ul><li>{'</li><li>'.join(links)}</li></ul>" if rng.random() < 0.5 else f"<div>{' '.join(links)}</div>"
        )
        return f"<div{self.names('pager')}>{stated}{listed if not stated or rng.random() < 0.7 else ''}</div>"

    def answers_head(self, count: int) -> str:
        """Return the heading of answers."""
        head, level = self.words.kept("answers").format(n=count), self.rng.choice(_HEADS)
        return f"<{level}{self.names('head')}>{head}</{level}>"

    def submitted(self) -> str:
        """Return what stands below the title of a link that was submitted: by whom, when, and votes."""
        rng = self.rng
        site = rng.choice(_SITES)
        by, link = (
            f"{self.words.kept('by')}{random_author(self.language, rng)}",
            f'<a href="https://{site}/a">{site}</a>',
        )
        some = rng.sample(
            [by, link, self.date(), f"{rng.randint(2, 900)} points", self.words.one("share")], rng.randint(2, 5)
        )
        return f"<p{self.names('line')}>{' | '.join(some)}</p>"

    def tools(self) -> str:
        """Return buttons for a thread, or none."""
        links = "".join(f'<li><a href="/do/{n}">{word}</a></li>' for n, word in enumerate(self.words.some("tools", 4)))
        return f"<ul{self.names('actions')}>{links}</ul>" if self.rng.random() < 0.4 else ""

    def form(self) -> str:
        """Return a form for a reply or a comment, maybe with a policy."""
        words = self.words
        labels = "".join(f"<p><label>{label}</label><input type=text></p>" for label in words.some("fields", 7, 3))
        policy = f"<p>{words.one('policy')}</p>" if self.rng.random() < 0.4 else ""
        head = words.kept("form")
        inner = f"<h3>{head}</h3>{policy}<form action=/post>{labels}<textarea></textarea><button>{head}</button></form>"
        return f"<div{self.names('box')}>{inner}</div>"

    def links(self, key: str) -> str:
        """Return a box of links to other threads or articles, with a heading of the interface."""
        links = "".join(f'<li><a href="/x/{n}">{self.title()}</a></li>' for n in range(self.rng.randint(3, 8)))
        return f"<div{self.names('box')}><h3>{self.words.kept(key)}</h3><ul>{links}</ul></div>"

    def between(self, author: str) -> list[str]:
        """Draw what stands between an article and its comments: buttons, links to others, about the author."""
        links = " ".join(f'<a href="/s">{word}</a>' for word in self.words.some("share", 6, 3))
        shares = f"<div{self.names('foot')}>{links}</div>"
        about = (
            f'<div{self.names("box")}><img src="/a.jpg" alt=""><h4>{escape(author)}</h4><p>{self.said(25)}</p></div>'
        )
        return self.rng.sample(
            [self.tools(), self.links("related"), shares, about], self.rng.choice((0, 0, 1, 1, 2, 3))
        )


def random_parents(count: int, rng: Random) -> list[int]:
    """Draw the answer that each one replies to, -1 for the question; each follows its parent's other replies.

    Therefore the order of the answers is that of a displayed tree.
    """
    deeper = rng.choice(_LIKELY_DEEPER)
    above: list[int] = []  # the last answer and its ancestors
    parents = []
    for number in range(count):
        while above and rng.random() > deeper:
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(number)
    return parents
