"""Forums in memory that differ in how their lists link to threads and to the last post of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from crawling import Answer
from generated_sites import question_of, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

HOST = "http://board.test"
BOARDS, THREADS, SHOWN = 3, 30, 4  # SHOWN: posts per page
_LENGTHS = (2, 3, 1, 6, 10, 4)  # numbers of posts of threads


@dataclass(frozen=True)
class Form:
    """URLs of a forum, with {n} for the thread, {k} for the page and {p} for the post, numbered over all threads.

    ``redirects``: whether the URL of a post redirects to the page with the post, or shows that page itself.
    ``rows``: the markup of a row of a board.
    """

    thread: str
    later: str
    post: str
    redirects: bool = True
    rows: str = "table"
    board: str = "/board/{b}/"
    canonical: bool = False


FORMS = {
    "post": Form("/t/{n}", "/t/{n}?page={k}", "/post/{p}"),
    "query": Form("/t/{n}", "/t/{n}?page={k}", "/t/{n}?r={p}", redirects=False),
    "view": Form(
        "/topic/{n}-some-words/", "/topic/{n}-some-words/?page={k}", "/topic/{n}-some-words/?view=last", rows="list"
    ),
    "latest": Form("/threads/some-words.{n}/", "/threads/some-words.{n}/page-{k}", "/threads/some-words.{n}/latest"),
    "direct": Form("/d/{n}/title", "/d/{n}/title/page/{k}", "/d/{n}/title/page/{k}#post-{p}", redirects=False),
    "phpbb": Form(
        "/viewtopic.php?t={n}",
        "/viewtopic.php?t={n}&start={s}",
        "/viewtopic.php?p={p}",
        False,
        "list",
        "/viewforum.php?f={b}",
    ),
    "part": Form(
        "/d/{n}-some-words", "/d/{n}-some-words?page={k}", "/d/{n}-some-words/{p}", redirects=False, canonical=True
    ),
    "message": Form(
        "/index.php?topic={n}",
        "/index.php?topic={n}&page={k}",
        "/index.php?topic={n}&msg={p}",
        False,
        "div",
        "/index.php?board={b}",
    ),
    "goto": Form(
        "/showthread.php?t={n}", "/showthread.php?t={n}&page={k}", "/showthread.php?t={n}&goto=newpost", rows="div"
    ),
    "files": Form("/thread-{n}.html", "/thread-{n}-page-{k}.html", "/thread-{n}-lastpost.html", rows="div"),
}


def posts_of(number: int) -> list[str]:
    """Return the posts of a thread."""
    return [" ".join(sentences(f"board {number} {place}", 3)) for place in range(_LENGTHS[number % len(_LENGTHS)])]


def answers_of(number: int) -> int:
    """Return the number of answers of a thread."""
    return len(posts_of(number)) - 1


def pages_of(number: int) -> int:
    """Return the number of pages of a thread."""
    return -(-len(posts_of(number)) // SHOWN)


FIRST_POST = [sum(map(len, map(posts_of, range(number)))) + 1 for number in range(THREADS)]


class ForumSite:
    """A forum of one form. ``needed`` is the number of requests needed to find all its posts."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.needed = 1 + BOARDS + sum(map(pages_of, range(THREADS)))

    def answers(self) -> dict[str, Answer]:
        """Return the answers of the site by URL."""
        pages = dict(self._pages())
        return {HOST + re.sub("#.*", "", path): answer for path, answer in pages.items()}

    def thread(self, number: int, page: int = 1) -> str:
        form = self.form.thread if page == 1 else self.form.later
        return form.format(n=number, k=page, s=(page - 1) * SHOWN)

    def post(self, number: int, place: int) -> str:
        page = place // SHOWN + 1
        if "{k}" in self.form.post and page == 1:
            return f"{self.thread(number)}#post-{FIRST_POST[number] + place}"
        return self.form.post.format(n=number, p=FIRST_POST[number] + place, k=page)

    def _pages(self) -> Iterator[tuple[str, Answer]]:
        heads = [(self.form.board.format(b=b), f"Board {b}", range(b, THREADS, BOARDS)[-1]) for b in range(BOARDS)]
        yield "/", _page("Boards", self._rows([(url, name, last) for url, name, last in heads]))
        for board, (url, name, _) in enumerate(heads):
            rows = [(self.thread(n), question_of(n), n) for n in range(board, THREADS, BOARDS)][::-1]
            yield url, _page(name, self._rows(rows))
        for number in range(THREADS):
            for page in range(1, pages_of(number) + 1):
                yield self.thread(number, page), self._thread(number, page)
            for place in range(len(posts_of(number))):
                path, page = self.post(number, place), place // SHOWN + 1
                if "#" in path:
                    continue
                if self.form.redirects:
                    target = f"{HOST}{self.thread(number, page)}#p{place}"
                    yield path, Answer(b"", 302, {"Location": target})
                else:
                    yield path, self._thread(number, page)

    def _rows(self, rows: list[tuple[str, str, int]]) -> str:
        outer, row, cell = {"table": ("table", "tr", "td"), "list": ("ul", "li", "span"), "div": ("div", "div", "div")}[
            self.form.rows
        ]
        shown = "".join(
            f"<{row}><{cell}><a href='{escape(url)}'>{escape(title)}</a></{cell}><{cell}>{answers_of(n)}</{cell}>"
            f"<{cell}><a href='{escape(self.post(n, answers_of(n)))}'>{n % 9 + 1} days ago</a> by user{n}</{cell}>"
            f"</{row}>"
            for url, title, n in rows
        )
        return f"<{outer}>{shown}</{outer}>"

    def _thread(self, number: int, page: int) -> Answer:
        places = [*enumerate(posts_of(number))][(page - 1) * SHOWN : page * SHOWN]
        posts = "".join(
            f"<div class=post id=p{place}><div class=author><b>user{place}</b> <time datetime=2024-01-0{place % 9 + 1}>"
            f"2024-01-0{place % 9 + 1}</time> <a href='{escape(self.post(number, place))}'>#{place + 1}</a></div>"
            f"<div class=body><p>{escape(text)}</p></div></div>"
            for place, text in places
        )
        pager = "".join(
            f"<a href='{escape(self.thread(number, other))}'>{other}</a> "
            for other in range(1, pages_of(number) + 1)
            if other != page
        )
        head = f"<link rel=canonical href='{self.thread(number, page)}'>" if self.form.canonical else ""
        return _page(
            question_of(number), f"<h1>{escape(question_of(number))}</h1>{posts}<div class=pager>{pager}</div>", head
        )


def _page(title: str, body: str, head: str = "") -> Answer:
    menu = "<div><a href='/'>Oak Board</a></div>"
    head = f"<title>{escape(title)} - Oak Board</title>{head}"
    return Answer(f"<!doctype html><html lang=en><head>{head}</head><body>{menu}{body}</body></html>".encode())
