"""Threads to fill an engine with: texts of the page sets, put into trees of replies of our own."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from scrapy_semtext.train.datasets import read_all
from scrapy_semtext.train.posts import pair_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_NAMES = (
    "anna bert carla dmitri ella farid greta hugo ines jonas kira luca mona nils olga pavel quentin rosa "
    "stefan tilda ulrich vera walter xenia yusuf zora"
).split()
_LONGEST = 1_500  # characters of a post
_SIZES = (1, 2, 3, 5, 8, 12, 20)  # replies of a thread, if its page has as many
_LONG_SIZES = (18, 27, 40, 59)  # of every fourth thread, which takes replies of other pages as well
_EIGHTHS = {1: 1, 5: 0}  # replies of these threads of eight, for training
_ARTICLE = (3, 7)  # texts of an article
_TO_THE_QUESTION = 0.45  # of the replies
_RECENT = 6  # a reply answers one of so many before it
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|\S+@\S+")  # which engines shorten or hide
# What the markup of an engine would make something else of.
_MARKUP = re.compile(
    r"[*_#`~<>\[\]{}|\\=^]+|-{3,}|:\w+:|(?m:^[\s>+-]+|^\s*\d+[.)]\s+)|[:;8]-?[()DPpOo3/](?!\w)|!(?=\S)"
)


@dataclass(frozen=True)
class Reply:
    """A reply; ``parent`` is the number of the reply that it answers, None for the question."""

    text: str
    author: str
    parent: int | None
    votes: int


@dataclass(frozen=True)
class Thread:
    """A thread: a question with a title and a body, and replies in the order in which they were written.

    ``accepted`` is the number of the reply that solved it, None if there is none. ``lang`` and ``licence`` are those
    of the texts. The ``kind`` is "thread", or "comments" if the body is an article, whose comments the replies are.
    """

    id: str
    title: str
    body: str
    author: str
    replies: list[Reply]
    accepted: int | None
    lang: str | None = None
    licence: str = ""
    kind: str = "thread"

    def to_dict(self) -> dict[str, Any]:
        """Return the thread as plain values."""
        return asdict(self)


def threads_of(
    paths: Sequence[Path], count: int, seed: int | str, *, training: bool = False, articles: bool = False
) -> Iterator[Thread]:
    """Yield threads with the texts of threads of the page sets, of those pages alone that have an open licence.

    For ``training`` some have no reply, and with ``articles`` two in three are articles with comments.
    """
    pages, known = [], {}
    for each in read_all(paths, faq=True):
        page = pair_page(each)
        if page.role == "posts" and page.shippable and page.title and page.opening and len(page.posts) > 1:
            pages.append(page)
            known[page.id] = (each.lang, each.licence or "")
    rng = Random(seed)  # noqa: S311 - no secret
    rng.shuffle(pages)
    more = [(plain(text), page.id) for page in pages[count:] for text in page.posts[1:]]
    rng.shuffle(more)
    for number, page in enumerate(pages[:count]):
        texts = [(plain(text), page.id) for text in page.posts[1:]][: rng.choice(_SIZES)]
        if number % 4 == 3:
            wanted = rng.choice(_LONG_SIZES) - len(texts)
            texts, more = texts + more[:wanted], more[wanted:] + more[:wanted]
        if training:
            texts = texts[: _EIGHTHS.get(number % 8, len(texts))]
        sources = {text: source for text, source in texts if len(text.split()) > 1}
        body = plain(page.opening or "")
        is_article = articles and number % 3 > 0
        if is_article:
            wanted = rng.randint(*_ARTICLE)
            body = "\n".join([body, *(text for text, _ in more[:wanted] if text not in sources)])
            sources |= dict(more[:wanted]) if training else {}
            texts = [(text, source) for text, source in texts if text not in body]
            more = more[wanted:] + more[:wanted]
        replies = [*dict.fromkeys(text for text, _ in texts if len(text.split()) > 1)]
        if (replies or training) and body:
            thread = thread_of(page.id, one_line(page.title), body, replies, rng)
            licences = {known[source][1] for source in (page.id, *sources.values())}
            yield replace(
                thread,
                lang=known[page.id][0],
                licence=" and ".join(sorted(licences)),
                kind="comments" if is_article else "thread",
            )


def thread_of(name: str, title: str, body: str, texts: Sequence[str], rng: Random) -> Thread:
    """Put the texts into a tree of replies of authors drawn at random."""
    authors = rng.sample(_NAMES, k=min(len(_NAMES), 3 + len(texts) // 2))
    replies = []
    for number, text in enumerate(texts):
        recent = range(max(0, number - _RECENT), number)
        parent = None if not recent or rng.random() < _TO_THE_QUESTION else rng.choice(recent)
        replies.append(Reply(text, rng.choice(authors), parent, rng.choice((0, 0, 0, 1, 1, 2, 5))))
    accepted = rng.choice([n for n, reply in enumerate(replies) if reply.parent is None]) if replies else None
    return Thread(name, title, body, authors[0], replies, accepted if rng.random() < 0.5 else None)


def plain(text: str) -> str:
    """A text without addresses and marks, each line of it a paragraph, cut at the length of a post."""
    text = text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0]
    lines = (" ".join(_MARKUP.sub(" ", _ADDRESS.sub(" ", line)).split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def one_line(text: str) -> str:
    """A text as a title."""
    return " ".join(_MARKUP.sub(" ", text).split())[:100].strip()
