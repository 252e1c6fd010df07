"""Texts of the page sets that sites are filled with: threads and articles, each used once on a site."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

from research.engines.threads import one_line, plain, thread_of, threads_of
from scrapy_semtext.training.datasets import may_ship, read_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_ALL_THREADS = 10_000
_TYPES = ("article", "documentation")
_WORDS = (80, 1_500)  # of an article
_LONG = 24  # words that a paragraph needs to be a post
_LONG_THREADS = (18, 27, 40, 59)  # posts of every fourth thread


def prepare(paths: Sequence[Path], out: Path) -> dict[str, Any]:
    """Return the threads and articles of the page sets with an open licence; they are kept in the file ``out``."""
    if not out.exists():
        drawn = {
            "threads": [thread.to_dict() for thread in threads_of(paths, _ALL_THREADS, seed=24)],
            "articles": [*_articles(paths)],
        }
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(drawn, ensure_ascii=False), encoding="utf-8")
    texts: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return texts


def _articles(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    titles: set[str] = set()
    seen: set[str] = set()
    for page in read_all(paths):
        title = one_line(page.extra.get("title") or page.extra.get("extra", {}).get("title") or "")
        if page.page_type not in _TYPES or not may_ship(page) or not title or title.casefold() in titles:
            continue
        lines = [line for text in page.text.split("\n") for line in plain(text).split("\n")]
        lines = [line for line in dict.fromkeys(lines) if line and line not in seen and line != title]
        if _WORDS[0] <= sum(len(line.split()) for line in lines) <= _WORDS[1]:
            titles.add(title.casefold())
            seen.update(lines)
            yield {"id": page.id, "type": page.page_type, "title": title, "paragraphs": lines}


def articles(texts: dict[str, Any], count: int, seed: int) -> list[dict[str, Any]]:
    """Draw articles with comments, which are replies of threads; raises ValueError if there are too few.

    Those that ask something are left out: they may hold a FAQ, whose pairs are not known.
    """
    rng = Random(seed)  # noqa: S311 - no secret
    found = [article for article in texts["articles"] if not any(map(_asks, article["paragraphs"]))]
    drawn = rng.sample(found, min(count, len(found)))
    if len(drawn) < count:
        raise ValueError(f"the page sets have {len(drawn)} articles, {count} are needed: name more sets with --data")
    comments = [reply for thread in texts["threads"] for reply in thread["replies"]]
    rng.shuffle(comments)
    for article in drawn:
        article["comments"] = [comments.pop() for _ in range(min(len(comments), rng.choice((0, 1, 2, 4))))]
    return drawn


def _asks(paragraph: str) -> bool:
    return paragraph.rstrip().endswith("?")


def threads(texts: dict[str, Any], count: int, seed: int) -> list[dict[str, Any]]:
    """Draw threads: those of the page sets, and more whose posts are the paragraphs of an article."""
    rng = Random(seed)  # noqa: S311 - no secret
    drawn = rng.sample(texts["threads"], min(count, len(texts["threads"])))
    spare = rng.sample(texts["articles"], len(texts["articles"]))
    while len(drawn) < count:
        if not spare:
            raise ValueError(f"the page sets have texts for {len(drawn)} threads: name more sets with --data")
        first, posts = spare.pop(), []
        posts = _posts(first)
        wanted = rng.choice(_LONG_THREADS) if len(drawn) % 4 == 3 else 0
        while spare and len(posts) < wanted:
            posts += _posts(spare.pop())
        if len(posts) > 1:
            drawn.append(thread_of(first["id"], first["title"], posts[0], posts[1:], rng).to_dict())
    rng.shuffle(drawn)
    return drawn


def _posts(article: dict[str, Any]) -> list[str]:
    """The long paragraphs of an article, each with the short ones before it."""
    posts, before = [], []
    for paragraph in article["paragraphs"]:
        before.append(paragraph)
        if sum(len(each.split()) for each in before) >= _LONG:
            posts.append("\n".join(before))
            before = []
    return posts
