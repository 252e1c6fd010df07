"""What generated pages say: texts of the page sets by language, words of interfaces, and drawn authors and dates.

The words are in the table ``interfaces``.
"""

# ruff: noqa: E501 - templates
from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib.resources import files
from random import Random
from typing import Any

from scrapy_semtext.words.word_tables import paragraphs

#: Tables of what is drawn, by name.
TABLES: dict[str, Any] = json.loads((files(__package__) / "tables.json").read_text(encoding="utf-8"))
_FIRST, _LAST, _NICKS = (TABLES[name].split() for name in ("first names", "last names", "nicks"))
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_LETTER = re.compile(r"[^\W_]")
_SPACELESS = ("zh", "ja")
_CHARS_A_WORD = 1.7  # in scripts without spaces
#: The least and the most characters of a title.
TITLE = (6, 110)
#: The number of articles, or posts, of a language from which on it is used.
FEWEST = 6


@dataclass
class Article:
    """An article: its title and paragraphs."""

    title: str
    paragraphs: list[str]


@dataclass
class Post:
    """A post or comment; ``quote`` is an earlier author with a part of what they wrote, ``code`` lines below the text."""

    author: str
    when: datetime
    lines: list[str]
    quote: tuple[str, str] | None = None
    code: list[str] = field(default_factory=list)
    parent: int = -1
    votes: int = 0
    accepted: bool = False
    shown_date: str = ""

    @property
    def text(self) -> str:
        """The text as it is shown: what it quotes, what it says, its code."""
        return "\n".join([*filter(None, self.quote or ()), *self.lines, *self.code])


@dataclass
class Pool:
    """The texts of the page sets by language."""

    articles: dict[str, list[Article]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    questions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of_posts(cls, posts: Iterable[str]) -> Pool:
        """Return a pool of posts alone, whose beginnings are titles, as if all were in English."""
        pool = cls()
        pool.texts["en"] = [*posts]
        pool.articles["en"] = [Article(" ".join(post.split()[:12]), [post]) for post in pool.texts["en"]]
        return pool

    def article(self, language: str, rng: Random) -> Article:
        """Draw an article."""
        return rng.choice(self.articles[language])

    def title(self, language: str, rng: Random, *, asks: bool = False) -> str:
        """Draw a title: that of an article, or the beginning of one of its sentences; a question, if it often ``asks``."""
        if asks and rng.random() < 0.6 and len(questions := self.questions[language]) >= FEWEST:
            return rng.choice(questions)
        article = self.article(language, rng)
        if rng.random() < 0.6:
            return article.title
        return cut(rng.choice(article.paragraphs), rng.randint(3, 11), language)[0][: TITLE[1]]

    def text(self, language: str, words: int, rng: Random, *, comment: bool = False) -> list[str]:
        """Draw the lines of a post of about so many words."""
        texts = (comment and rng.random() < 0.5 and self.comments[language]) or self.texts[language]
        if len(texts) < FEWEST or rng.random() < 0.1:
            texts = self.article(language, rng).paragraphs
        while not _LETTER.search("".join(lines := cut(rng.choice(texts), words, language))):
            texts = self.texts[language] or texts  # signs alone, which may be all that an article has
        return lines


def cut(text: str, words: int, language: str) -> list[str]:
    """Return the lines of a text up to about so many words, whole sentences if possible."""
    most = words * _CHARS_A_WORD if language in _SPACELESS else words
    lines: list[str] = []
    total = 0.0
    for line in text.split("\n"):
        taken: list[str] = []
        for sentence in _SENTENCE.split(line.strip()):
            size = len(sentence) if language in _SPACELESS else len(sentence.split())
            if total and (total >= most or total + size > 1.4 * most):
                break
            taken.append(sentence if size <= 2 * most else _begin(sentence, int(most), language))
            total += size
        if taken:
            lines.append(("" if language in _SPACELESS else " ").join(taken).strip())
        if total >= most:
            break
    return [line for line in lines if line] or [text.strip()[:40]]


def _begin(sentence: str, most: int, language: str) -> str:
    return sentence[:most] if language in _SPACELESS else " ".join(sentence.split()[: max(1, most)])


def random_author(language: str, rng: Random) -> str:
    """Draw the name of a member or an author."""
    others: str = TABLES["nicks by language"].get(language, "")
    if others and rng.random() < 0.6:
        return rng.choice(others.split())
    return rng.choice(
        (f"{rng.choice(_FIRST)} {rng.choice(_LAST)}", rng.choice(_FIRST), rng.choice(_NICKS), rng.choice(_NICKS))
    )


def random_times(rng: Random, count: int) -> Iterator[datetime]:
    """Yield rising times."""
    when = datetime(
        rng.randint(2004, 2025), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)
    )
    for _ in range(count):
        yield when
        when += timedelta(minutes=int(rng.expovariate(1 / rng.choice((9, 90, 900, 9000)))) + 1)


def date_text(when: datetime, form: str, words: Interface, age: int) -> str:
    """Return a date as a site shows it."""
    clock = f"{when.hour:02}" if ":" in form else ""
    fields = {
        "D": when.day,
        "M": words.all("months")[when.month - 1],
        "m": f"{when.month:02}",
        "Y": when.year,
        "a": age,
    }
    return form.format_map({**fields, "H": clock, "N": f"{when.minute:02}"})


_WORDS = {
    language: {key: tuple(words.split("|")) for key, _, words in (line.partition("=") for line in lines)}
    for language, *lines in paragraphs("interfaces")
}
#: The languages with words of their own.
LANGUAGES = tuple(_WORDS)


class Interface:
    """The words of a language; a key without words in it has those of English."""

    def __init__(self, language: str, rng: Random) -> None:
        self._words = {**_WORDS["en"], **_WORDS.get(language, {})}
        self._rng = rng
        self._kept: dict[str, str] = {}

    def all(self, key: str) -> tuple[str, ...]:
        """Return all the words of a key."""
        return self._words[key]

    def one(self, key: str) -> str:
        """Draw a word."""
        return self._rng.choice(self._words[key])

    def some(self, key: str, most: int, least: int = 1) -> list[str]:
        """Draw distinct words."""
        words = self._words[key]
        return self._rng.sample(words, min(len(words), self._rng.randint(least, most)))

    def kept(self, key: str) -> str:
        """Return the word that the site always uses, drawn on the first call."""
        if key not in self._kept:
            self._kept[key] = self.one(key)
        return self._kept[key]
