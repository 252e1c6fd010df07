"""Makes pages to train the FAQ model on: ``python -m research.faq_pages OUT DATA...``.

Questions with answers of real pages are laid out in the markups of many generators, as a whole page or inside a page,
under titles that mention questions and under others. Pages that list questions without answers, or only some of whose
headings are questions, have no pairs. The lines have the format of qa_dev (``kind`` "faq", ``pairs``); the domain of a
page is the family of its markup, so that folds over domains leave out whole markups. Only pages whose licence allows
distributing trained weights are used, and their licences are stated.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from research.faq_markups import LISTS, TITLES, WITH_TERMS, WITHOUT
from research.frames import Frame, frame_of
from scrapy_semtext.train.datasets import may_ship, read_all
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.nodes import PageNodes
from scrapy_semtext.words.cues import OPENS_AS_QUESTION, asks
from scrapy_semtext.words.words import language_of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from research.faq_markups import Markup
    from scrapy_semtext.train.datasets import AnnotatedPage

_LISTS, _WITHOUT = 36, 48  # pages a family
_FRAMES, _LONGEST_PAGE = 320, 400_000
_HEAD = "<!DOCTYPE html><html><head><title>"
_SENTENCE = re.compile(r"(?:^|(?<=[.!] )|(?<=[。！]))(?P<q>[^.!?。！？\n]{10,140}[?？؟]) *(?P<a>[^\n?？؟]{40,900})")
_PARTS = re.compile(r"[.:]\s")


class Asked(NamedTuple):
    """A question of a page, and the paragraphs that answer it."""

    question: str
    answer: tuple[str, ...]


@dataclass
class Pool:
    """Questions, and problems stated without a question, with answers, by language; and other parts of pages."""

    asked: dict[str, list[Asked]] = field(default_factory=lambda: defaultdict(list))
    stated: list[Asked] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    licences: set[str] = field(default_factory=set)

    def add(self, page: AnnotatedPage) -> None:
        """Add the questions and the paragraphs of a page."""
        lines = [line.strip() for line in page.text.splitlines() if line.strip()]
        found = [*_of_pairs(page), *_of_lines(lines)] or [*_of_sentences(lines)]
        language = (found and language_of_text("\n".join(one.question for one in found))) or page.lang or "en"
        self.asked[language].extend(found)
        self.stated.extend(_of_statements(page))
        self.paragraphs.extend([line for line in lines if 120 <= len(line) <= 900][:4])
        if title := page.extra.get("title"):
            self.titles.append(title)
        self.licences.add(page.licence or page.dataset)


def _of_pairs(page: AnnotatedPage) -> Iterator[Asked]:
    question = page.extra.get("question") or {}
    title, answers = question.get("title") or "", page.extra.get("answers") or []
    if answers and (asks(title) or OPENS_AS_QUESTION.begins(title)):
        yield Asked(title, tuple(answers[0]["text"].splitlines()[:6]))
    for pair in page.extra.get("pairs") or ():
        yield Asked(pair["question"], tuple(pair["answer"].splitlines()))


def _of_statements(page: AnnotatedPage) -> Iterator[Asked]:
    """The title of a thread that is not a question, with the first answer."""
    title, answers = (page.extra.get("question") or {}).get("title") or "", page.extra.get("answers") or []
    if answers and 8 <= len(title) <= 90 and not asks(title):
        yield Asked(title, tuple(answers[0]["text"].splitlines()[:3]))


def _of_lines(lines: Sequence[str]) -> Iterator[Asked]:
    for question, *rest in zip(lines, lines[1:], [*lines[2:], ""], strict=False):
        if 12 <= len(question) <= 160 and asks(question) and len(rest[0]) > 30 and not asks(rest[0]):
            more = rest[1:] if len(rest[1]) > 80 and not asks(rest[1]) else []
            yield Asked(question, (rest[0], *more))


def _of_sentences(lines: Sequence[str]) -> Iterator[Asked]:
    for line in lines:
        for found in _SENTENCE.finditer(line):
            yield Asked(found["q"].strip(), (found["a"].strip(),))


def _bare(title: str, body: str) -> str:
    name = escape(title)
    return f"{_HEAD}{name}</title></head><body><h1>{name}</h1>{body}</body></html>"


class Maker:
    """Lays out the questions of a pool in frames."""

    def __init__(self, pool: Pool, frames: Sequence[tuple[str, Frame]], seed: int) -> None:
        self._pool, self._frames = pool, frames
        self._chance = random.Random(seed)  # noqa: S311
        self._languages = [language for language, asked in pool.asked.items() if len(asked) >= 8]

    def pages(self) -> Iterator[dict[str, object]]:
        """Yield the lines of all families."""
        for family, layout in LISTS.items():
            for number in range(_LISTS):
                yield self._listing(family, number, layout)
        for family, layout in WITHOUT.items():
            for number in range(_WITHOUT):
                yield self._without(family, number, layout)

    def _listing(self, family: str, number: int, layout: Markup) -> dict[str, object]:
        chance = self._chance
        language = "en" if chance.random() < 0.5 else chance.choice(self._languages)
        asked, has_terms = self._take(language), family in WITH_TERMS
        if has_terms and chance.random() < 0.3:  # problems among the questions, or alone
            stated = chance.sample(self._pool.stated, chance.choice((1, 2, 6)))
            asked = [*asked[: 0 if len(stated) > 2 and family != "dl" else None], *stated]
            chance.shuffle(asked)
        elif chance.random() < 0.2:  # no question marks
            opening = [one for one in asked if OPENS_AS_QUESTION.begins(one.question)]
            asked = (
                [one._replace(question=one.question.rstrip("?？ ")) for one in opening] if len(opening) > 2 else asked
            )
        if len(asked) > 2 and chance.random() < 0.1:  # the same answer twice
            asked[1] = asked[1]._replace(answer=asked[-1].answer)
        if chance.random() < 0.3:
            asked = [one._replace(answer=(*one.answer, *self._more())) for one in asked]
        words = TITLES.get(language, TITLES["en"])
        is_named = chance.random() < 0.4
        title = chance.choice(words.faq if is_named else [*words.other, *chance.sample(self._pool.titles, 3)])
        inside = chance.random() < 0.35
        above = chance.choice(words.faq if chance.random() < 0.5 else words.other)
        body = layout([(one.question, one.answer) for one in asked], chance, is_named)
        if inside:
            body = f"<h2>{escape(above)}</h2>{body}" if chance.random() < 0.85 else body
        elif chance.random() < 0.4:
            body = f"<p>{escape(chance.choice(self._pool.paragraphs))}</p>{body}"
        if chance.random() < 0.3:
            body += (
                f"<h2>{escape(chance.choice(words.contact))}</h2><p>{escape(chance.choice(self._pool.paragraphs))}</p>"
            )
        pairs = [{"question": one.question, "answer": "\n".join(one.answer)} for one in asked]
        return self._line(family, number, title, body, pairs, is_named, inside=inside, language=language)

    def _without(self, family: str, number: int, layout: Markup) -> dict[str, object]:
        chance = self._chance
        language = "en" if chance.random() < 0.6 else chance.choice(self._languages)
        asked = [(one.question, (chance.choice(self._pool.paragraphs),)) for one in self._take(language)]
        statements = [(title, (chance.choice(self._pool.paragraphs),)) for title in chance.sample(self._pool.titles, 8)]
        mixed = layout([*asked, ("", ()), *statements], chance, False)
        is_named = chance.random() < 0.2
        words = TITLES.get(language, TITLES["en"])
        title = chance.choice(words.faq) if is_named else chance.choice(self._pool.titles)
        inside = chance.random() < 0.4
        return self._line(family, number, title, mixed, [], is_named, inside=inside, language=language)

    def _more(self) -> list[str]:
        """Further paragraphs of an answer, and lines of code."""
        more = self._chance.sample([*self._pool.paragraphs, "$ tool --check --all"], self._chance.choice((0, 1, 2, 4)))
        return [*more, "$ tool --run /etc/tool.conf"] if self._chance.random() < 0.3 else more

    def _take(self, language: str) -> list[Asked]:
        """Some questions that are near each other in the pool, each once."""
        pool, chance = self._pool.asked[language], self._chance
        count = min(chance.choice((2, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 10, 12, 16, 24, 40)), len(pool))
        begin = chance.randint(0, len(pool) - count)
        return [*{one.question.casefold(): one for one in pool[begin : begin + count]}.values()]

    def _line(
        self,
        family: str,
        number: int,
        title: str,
        body: str,
        pairs: list[dict[str, str]],
        is_named: bool,
        *,
        inside: bool,
        language: str,
    ) -> dict[str, object]:
        chance = self._chance
        licence, frame = chance.choice(self._frames)
        is_bare = not inside and chance.random() < 0.35
        html = _bare(title, body) if is_bare else self._framed(frame, title, body, inside=inside)
        place = chance.choice(
            ("faq", "help/faq", "questions", "support") if is_named else ("a", "node/12", "shop", "docs/x")
        )
        used = "; ".join(sorted(self._pool.licences | {licence}))
        return {
            "id": f"{family}-{number}",
            "engine": family,
            "site": f"{family}.example",
            "url": f"https://{family}.example/{place}/{number}",
            "kind": "faq",
            "lang": language,
            "html": html,
            "main_text": title,
            "pairs": pairs,
            "licence": f"CC-BY-4.0, CC BY-SA 4.0, Apache-2.0 and MIT, as the pages it is made of: {used}",
        }

    def _framed(self, frame: Frame, title: str, body: str, *, inside: bool) -> str:
        """The page with the body in place of its main text, or ``inside`` it."""
        if not inside:
            return frame.around(escape(title), f"<h1>{escape(title)}</h1>{body}")
        main, chance = [*frame.main], self._chance
        main.insert(len(main) if chance.random() < 0.6 else chance.randint(len(main) // 2, len(main)), body)
        return frame.around(frame.title, "".join(main))


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("out", type=Path, help="the file of JSON lines to write, .xz")
    parser.add_argument("data", type=Path, nargs="+", help="the page sets to take questions and pages from")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    pool, chance = Pool(), random.Random(arguments.seed)  # noqa: S311
    frames: list[tuple[str, Frame]] = []
    pages = [page for page in read_all(arguments.data, faq=True) if may_ship(page)]
    for page in pages:
        pool.add(page)
    around = [page for page in pages if page.page_type not in ("faq", "qa", "thread", "forum")]
    for page in chance.sample(around, len(around)):
        is_usable = len(frames) < _FRAMES and len(page.html) < _LONGEST_PAGE and "FAQPage" not in page.html
        if is_usable and sum(PageNodes.of_page(parsing.parse(page.html, page.url)).asking) < 2:
            frames += [(page.licence or page.dataset, frame) for frame in [frame_of(page)] if frame]
    rows = Maker(pool, frames, arguments.seed).pages()
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=2) as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
