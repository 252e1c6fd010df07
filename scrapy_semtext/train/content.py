"""What generated pages say: texts of the page sets, by language, and drawn authors and dates."""

# ruff: noqa: E501 - templates
from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scrapy_semtext.train.datasets import may_ship, split_side
from scrapy_semtext.train.posts import pair_page
from scrapy_semtext.train.skeletons import Frame, frame_of
from scrapy_semtext.words.words import language_of_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from random import Random

    from scrapy_semtext.train.datasets import AnnotatedPage
    from scrapy_semtext.train.interfaces import Interface

_FIRST = (
    "Ann Bob Clara Dmitri Elif Fatima Gustav Hana Igor Jun Karl Lena Marek Nadia Omar Paula Rosa Sven Uma Yara".split()
)
_LAST = "Smith Novak Garcia Müller Rossi Ivanov Chen Kowalski Dubois Okafor Jensen Silva Tanaka Haddad Berg".split()
_NICKS = (
    "tea_lover42 skyhook the-real-max BlueBird77 jpl9 nomad oldtimer PixelPusher kat m0untain mira_k tobias77 QuietOne "
    "lens-cap user8812 rooftop Guest anonymous dr.who xX_rider_Xx"
).split()
_OTHERS = {
    "zh": "小明 风中追风 老王 海阔天空 程序猿 阿杰 月光 leo_zhang",
    "ru": "Сергей Ольга дядя_Вася Иван77 Марина К.",
    "ja": "たろう さくら 名無しさん ken_t",
}
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_QUESTION = re.compile(r"(?:^|(?<=[.!] )|(?<=[。！]))([^.!?。！？\n]{8,100}[?？])")
_LETTER = re.compile(r"[^\W_]")
_SPACELESS = ("zh", "ja")
_CHARS_A_WORD = 1.7  # in scripts without spaces
_TITLE = (6, 110)  # characters
_FEWEST = 6  # articles, or posts, of a language that is used
_LONGEST_PAGE = 300_000
_FRAMES = 0.3  # share of the pages that are tried as frames


@dataclass
class Article:
    """An article: its title and paragraphs."""

    title: str
    paragraphs: list[str]


@dataclass
class Thread:
    """A real thread: its title, "" if unknown, and its posts."""

    title: str
    posts: list[str]


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
    """The texts of the page sets by language, and the frames of their pages."""

    threads: dict[str, list[Thread]] = field(default_factory=lambda: defaultdict(list))
    articles: dict[str, list[Article]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    questions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    frames: dict[str, list[Frame]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, pages: Iterable[AnnotatedPage], rng: Random) -> Pool:
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

    @classmethod
    def of_posts(cls, posts: Iterable[str]) -> Pool:
        """Return a pool of posts alone, whose beginnings are titles, as if all were in English."""
        pool = cls()
        pool.texts["en"] = [*posts]
        pool.articles["en"] = [Article(" ".join(post.split()[:12]), [post]) for post in pool.texts["en"]]
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
        title = page.extra.get("title") or (lines[0] if lines and len(lines[0]) < _TITLE[1] else "")
        if page.page_type in (None, "article", "news") and len(paragraphs) > 2 and _TITLE[0] <= len(title) <= _TITLE[1]:
            self.articles[language].append(Article(title, paragraphs))
        return language

    def languages(self) -> list[str]:
        """The languages with enough texts, in order."""
        return sorted(language for language, some in self.articles.items() if len(some) >= _FEWEST)

    def article(self, language: str, rng: Random) -> Article:
        """Draw an article."""
        return rng.choice(self.articles[language])

    def title(self, language: str, rng: Random, *, asks: bool = False) -> str:
        """Draw a title: that of an article, or the beginning of one of its sentences; a question, if it often ``asks``."""
        if asks and rng.random() < 0.6 and len(questions := self.questions[language]) >= _FEWEST:
            return rng.choice(questions)
        article = self.article(language, rng)
        if rng.random() < 0.6:
            return article.title
        return cut(rng.choice(article.paragraphs), rng.randint(3, 11), language)[0][: _TITLE[1]]

    def text(self, language: str, words: int, rng: Random, *, comment: bool = False) -> list[str]:
        """Draw the lines of a post of about so many words."""
        texts = (comment and rng.random() < 0.5 and self.comments[language]) or self.texts[language]
        if len(texts) < _FEWEST or rng.random() < 0.1:
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
    others = _OTHERS.get(language)
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
