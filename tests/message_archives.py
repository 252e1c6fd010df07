"""Archives of mailing lists in memory, a message a page, which differ in their heads, links, labels and footers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from functools import cached_property
from html import escape

from crawling import Answer
from generated_sites import question_of, sentences

HOST = "http://lists.test"
_TREES = ((None, 0, 0, 2), (None, 0), (None,), (None, 0, 1, 2, 0), (None, 0, 0), (None, 0))  # what each message answers
_NAMES = "Ann Lee|Pat O'Brien|Jan van der Berg|Иван Петров|Zoë Krüger|kai99".split("|")
_BEGIN = datetime(2019, 6, 3, 8, 0, tzinfo=timezone(timedelta(hours=2)))


@dataclass(frozen=True)
class Form:
    """``labels``: those of From, Date, Subject and To; ``links``: whether a page links to what it answers."""

    head: str
    labels: tuple[str, str, str, str] = ("From", "Date", "Subject", "To")
    reply: str = "Re: "
    tag: str = ""
    links: bool = True
    footer: str = ""
    html: bool = False


_FOOTER = "_______________________\nkitchen mailing list\nkitchen@lists.test\nhttp://lists.test/listinfo/kitchen"
FORMS = {
    "list": Form("list", tag="[kitchen] ", footer=_FOOTER),
    "table": Form("table", ("Von", "Datum", "Betreff", "An"), "AW: ", links=False, footer=_FOOTER),
    "terms": Form("terms", tag="[Kitchen] ", html=True),
    "text": Form("text", footer="You are a member of the kitchen circle.\nTo leave it: http://lists.test/leave"),
    "lines": Form("lines", ("De ", "Date ", "Objet ", "À "), "RE : ", html=True),
    "address": Form("address", html=True),
    "signed": Form("signed", links=False, tag="[kitchen] ", footer=_FOOTER),
}


@dataclass(frozen=True)
class Post:
    """A message: its thread, its place there and the place of what it answers, and its place in the archive."""

    thread: int
    place: int
    above: int | None
    number: int

    @property
    def path(self) -> str:
        return f"/2019/msg{self.number:05}.html"

    @property
    def author(self) -> str:
        return _NAMES[(self.thread + self.place) % len(_NAMES)]

    @property
    def sent(self) -> datetime:
        return _BEGIN + timedelta(hours=self.number)

    @property
    def text(self) -> str:
        lines = sentences(f"mail {self.thread} {self.place}", 2)
        return "\n".join([*([] if self.above is None else ["> As was said before."]), *lines])


class Archive:
    """An archive of one form: indexes by date and by thread, and its messages."""

    def __init__(self, form: Form) -> None:
        self.form = form
        places = [(place, thread) for thread, tree in enumerate(_TREES) for place in range(len(tree))]
        self.posts = [
            Post(thread, place, _TREES[thread][place], number) for number, (place, thread) in enumerate(sorted(places))
        ]

    @cached_property
    def threads(self) -> list[list[Post]]:
        return [[post for post in self.posts if post.thread == number] for number in range(len(_TREES))]

    def subject(self, post: Post) -> str:
        return f"{self.form.reply if post.place else ''}{self.form.tag}{question_of(post.thread)}"

    def pairs(self) -> set[tuple[str, str, str]]:
        """Return title and body of the question, and the answer, of all pairs."""
        return {
            (question_of(first.thread), first.text, post.text) for first, *others in self.threads for post in others
        }

    def answers(self) -> dict[str, Answer]:
        """Return the answers of the site by URL."""
        rows = "".join(f"<li>{self._link(post)} <i>{escape(post.author)}</i></li>" for post in self.posts)
        trees = "".join(
            f"<li>{self._link(first)}<ul>{''.join(f'<li>{self._link(each)}</li>' for each in others)}</ul>"
            for first, *others in self.threads
        )
        pages = {
            "/": "<h1>Kitchen archive</h1><p><a href=/date.html>By date</a> <a href=/thread.html>By thread</a></p>",
            "/date.html": f"<h1>Kitchen by date</h1><ul>{rows}</ul>",
            "/thread.html": f"<h1>Kitchen by thread</h1><ul>{trees}</ul>",
            **{post.path: self.page(post) for post in self.posts},
        }
        return {HOST + path: Answer(f"<html><body>{body}</body></html>".encode()) for path, body in pages.items()}

    def page(self, post: Post) -> str:
        """Return the page of a message."""
        form, subject = self.form, escape(self.subject(post))
        address = f"{escape(post.author)} &lt;<a href='mailto:x'>someone@mail.test</a>&gt;"
        values = [address, format_datetime(post.sent), subject, "kitchen@lists.test"]
        fields = list(zip(form.labels, values, strict=True))
        if form.head == "signed":
            head = (
                f"<b>{escape(post.author)}</b> <a href='mailto:x'>someone at mail.test</a><br>"
                f"<i>{post.sent:%a %b %d %H:%M:%S CEST %Y}</i>{self._neighbours(post)}"
            )
        else:
            head = {
                "list": "<ul>" + "".join(f"<li><em>{name}</em>: {value}</li>" for name, value in fields) + "</ul>",
                "table": "<table>" + "".join(f"<tr><td>{n}:</td><td>{v}</td></tr>" for n, v in fields) + "</table>",
                "terms": "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in fields) + "</dl>",
                "lines": "<div>" + "".join(f"<b>{name}:</b> {value}<br>" for name, value in fields) + "</div>",
                "address": "<address>" + "".join(f"<dfn>{n}</dfn>: {v}<br>" for n, v in fields[:2]) + "</address>",
                "text": "\n".join(f"<b>{name}:</b> {value}" for name, value in fields),
            }[form.head]
        text = "\n".join(filter(None, (post.text, f"-- \n{post.author}" if post.place else "", form.footer)))
        body = f"<pre>{escape(text)}</pre>"
        if form.html:
            body = "<div>" + "".join(f"<p>{escape(line)}</p>" for line in post.text.split("\n")) + "</div>"
        if form.head == "text":
            return f"<title>{subject}</title><pre>{head}\n{self._stated(post)}\n\n{escape(text)}</pre>"
        if form.head == "address":
            body = body.replace("</p></div>", f"<br>Received on {post.sent:%a %b %d %Y - %H:%M:%S CEST}</p></div>")
        end = f"{self._relations(post) if form.links else ''}{self._neighbours(post)}<p>Made by Archiver 3.1</p>"
        return f"<title>{subject}</title><h1>{subject}</h1>{head}<hr>{body}<hr>{end}"

    def _link(self, post: Post) -> str:
        return f"<a href={post.path}>{escape(self.subject(post))}</a>"

    def _stated(self, post: Post) -> str:
        lines = [f"<b>Message-ID:</b> &lt;{post.number}@mail.test&gt;"]
        if post.above is not None:
            above = self.threads[post.thread][post.above]
            lines.append(f"<b>In-Reply-To:</b> &lt;<a href={above.path}>{above.number}@mail.test</a>&gt;")
        return "\n".join(lines)

    def _relations(self, post: Post) -> str:
        thread = self.threads[post.thread]
        below = "".join(
            f"<li><strong>{self._link(each)}</strong><ul><li><em>From:</em> {escape(each.author)}</li></ul></li>"
            for each in thread
            if each.above == post.place
        )
        above = "" if post.above is None else f"<li><b>In reply to</b>: {self._link(thread[post.above])}</li>"
        return f"<ul>{above}{f'<li><b>Follow-Ups</b>:<ul>{below}</ul></li>' if below else ''}</ul>"

    def _neighbours(self, post: Post) -> str:
        near = {"Previous": post.number - 1, "Next": post.number + 1}
        rows = [
            f"<li>{name} message: {self._link(self.posts[number])}</li>"
            for name, number in near.items()
            if 0 <= number < len(self.posts)
        ]
        orders = " ".join(f"<a href=/{order}.html>[ {order} ]</a>" for order in ("date", "thread"))
        tag = "map" if self.form.head == "address" else "div"  # what is in <map> is not shown
        return f"<{tag}><ul>{''.join(rows)}<li>Messages sorted by: {orders}</li></ul></{tag}>"
