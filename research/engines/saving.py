"""What the scripts of all engines share: the threads to fill in, and the pages that come out.

A script runs in the virtual environment of its engine, so that this file imports the standard library alone:
``python -m research.engines.fill_ENGINE THREADS.json PAGES.jsonl FOLDER``.
"""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: When the first thread begins.
BEGIN = datetime(2024, 3, 4, 8, 15, tzinfo=timezone.utc)
#: The languages of sites whose engine is translated, thread by thread.
LANGUAGES = ("en", "de", "fr", "en", "es", "ru", "en", "zh-hans", "ja")
#: What the authors who have a signature write below their posts.
SIGNATURE = "Search before you ask, and say which version you have."
_SIGNED = "aeiou"  # the initials of these authors
_LICENCE = "CC-BY-4.0, MIT or Apache-2.0 (stated by the page sets the texts are of); text: rights of its authors"


def date_of(thread: int, post: int) -> datetime:
    """The time of a post (0 for the question) of a thread: an hour to two after the one before."""
    return BEGIN + timedelta(days=thread, minutes=67 * post + post * post % 53)


def authors_of(threads: list[dict[str, Any]]) -> list[str]:
    """The authors of all threads."""
    return sorted({each["author"] for thread in threads for each in (thread, *thread["replies"])})


def has_signature(author: str) -> bool:
    """Whether posts of an author end with the signature."""
    return author[0] in _SIGNED


def posts_of(thread: dict[str, Any]) -> list[tuple[str, str]]:
    """The author and the text of each post, the question first."""
    return [(thread["author"], thread["body"]), *((reply["author"], reply["text"]) for reply in thread["replies"])]


def tree_order(thread: dict[str, Any]) -> list[int]:
    """The numbers of the replies as a tree shows them: each before those to it, and these before the next."""
    children: dict[int | None, list[int]] = {}
    for number, reply in enumerate(thread["replies"]):
        children.setdefault(reply["parent"], []).append(number)
    order: list[int] = []
    stack = children.get(None, [])[::-1]
    while stack:
        order.append(stack.pop())
        stack += children.get(order[-1], [])[::-1]
    return order


def paragraphs(text: str) -> str:
    """A text with empty lines between its lines, which markup takes for paragraphs."""
    return text.replace("\n", "\n\n")


def html_paragraphs(text: str) -> str:
    """A text as an editor of the browser sends it."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"<p>{line}</p>" for line in escaped.split("\n") if line)


@dataclass
class Job:
    """A run of a script: its threads, where pages go, and an empty folder for the engine's data."""

    engine: str
    threads: list[dict[str, Any]]
    out: Path
    folder: Path
    kind: str = "thread"
    languages: Sequence[str] = ("en",)

    @classmethod
    def of_command(
        cls, engine: str, *, title_alone: bool = False, kind: str = "thread", translated: bool = False
    ) -> Job:
        """Read the command line; with ``title_alone`` the title is the whole question of every fifth thread.

        The site of a ``translated`` engine speaks several languages, see `language`.
        """
        path, out, folder = map(Path, sys.argv[1:4])
        os.chdir(folder)
        threads = json.loads(path.read_text(encoding="utf-8"))
        if title_alone:
            threads = [
                {**thread, "body": thread["body"] if n % 5 or thread.get("kind") == "comments" else ""}
                for n, thread in enumerate(threads)
            ]
        return cls(engine, threads, out, folder, kind, LANGUAGES if translated else LANGUAGES[:1])

    def language(self, number: int) -> str:
        """The language that the site speaks around a thread."""
        return self.languages[number % len(self.languages)]

    def save_all(
        self,
        number: int,
        skin: str,
        address: str,
        read: Callable[[str], str],
        *,
        size: int,
        url: str = "{}?page={}",
        nested: bool = False,
    ) -> None:
        """Save a thread over pages of ``size`` posts (the question is one); ``url`` is that of a later page."""
        count = 1 + len(self.threads[number]["replies"])
        for page, begin in enumerate(range(0, count, size), 1):
            path = address if page == 1 else url.format(address, page)
            shown = range(max(0, begin - 1), min(count, begin + size) - 1)
            self.save(number, skin, path, read(path), shown=shown, nested=nested, page=page)

    def save(
        self,
        number: int,
        skin: str,
        url: str,
        html: str,
        *,
        shown: Sequence[int] | None = None,
        nested: bool = False,
        page: int = 1,
        repeats: bool = False,
        site: str = "http://forum.example",
    ) -> None:
        """Write a page of a thread; ``shown`` are the numbers of the replies on it in their order, all by default.

        With ``nested`` the page shows which reply answers which, and with ``repeats`` later pages show the question
        again. A page without answers is not saved, unless its thread has none. Raises ValueError if the page lacks a
        post or has another order.
        """
        thread = self.threads[number]
        shown = range(len(thread["replies"])) if shown is None else shown
        if not shown and thread["replies"]:
            return
        answers = [_answer(thread, number, reply, shown, nested=nested) for reply in shown]
        body = thread["body"] if page == 1 or repeats else ""
        require(body, [answer["text"] for answer in answers], html, url)
        row = {
            "id": f"engines-{self.engine}-{skin}-{thread['id']}-{page}",
            "dataset": "engines",
            "engine": self.engine,
            "skin": skin,
            "kind": thread.get("kind", "thread") if self.kind == "thread" else self.kind,
            "url": site + url,
            "html": html,
            "main_text": "\n".join(filter(None, [thread["title"], body, *(answer["text"] for answer in answers)])),
            "question": {name: thread[name] for name in ("title", "body", "author")},
            "answers": answers,
            "first_page": page == 1,
            "nested": nested,
            "repeats": repeats,
            "lang": thread.get("lang"),
            "site_lang": self.language(number),
            "licence": thread.get("licence") or _LICENCE,
        }
        with self.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _answer(thread: dict[str, Any], number: int, reply: int, shown: Sequence[int], *, nested: bool) -> dict[str, Any]:
    entered = thread["replies"][reply]
    answer = {name: entered[name] for name in ("text", "author", "votes")}
    parent = shown.index(entered["parent"]) if nested and entered["parent"] in shown else None
    date = date_of(number, reply + 1).isoformat()
    return {**answer, "date": date, "parent": parent, "accepted": thread["accepted"] == reply}


def wsgi_page(application: Callable[..., Iterable[bytes]], host: str, path: str, **environ: Any) -> str:
    """The page of a WSGI application at a path."""
    given = {
        "REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "", "CONTENT_LENGTH": "0",
        "HTTP_HOST": host, "SERVER_NAME": host, "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1", "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(), "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    written: list[bytes] = []
    body = application({**given, **environ}, lambda *_: written.append)
    return b"".join([*written, *body]).decode()


def require(body: str, texts: list[str], html: str, url: str) -> None:
    """Raise ValueError if a page lacks a text, or has the texts after the question in another order."""
    page = letters(visible_text(html))
    if letters(body) not in page:
        raise ValueError(f"{url} does not show the question {body[:60]!r}")
    end = 0
    for text in texts:
        begin = page.find(letters(text), end)
        if begin < 0:
            raise ValueError(f"{url} does not show, or not where it should, the post {text!r}")
        end = begin + len(letters(text))


def letters(text: str) -> str:
    """What no typography changes of a text."""
    return "".join(filter(str.isalnum, text)).casefold()


def visible_text(html: str) -> str:
    """The text of a page without scripts and head."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return "".join(parser.pieces)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._hidden: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in ("script", "style", "title", "template", "textarea") and self._hidden is None:
            self._hidden = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._hidden:
            self._hidden = None

    def handle_data(self, data: str) -> None:
        if self._hidden is None:
            self.pieces.append(data)
