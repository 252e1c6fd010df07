"""The markups of lists of questions, and of pages without such lists, that `research.faq_pages` writes."""

# ruff: noqa: E501
from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from research.generated_pages import PageWriter
from research.making.content import LANGUAGES, Pool, Post, random_author, random_times

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    #: A question, or a title, and its paragraphs.
    Item = tuple[str, tuple[str, ...]]
    Markup = Callable[[Sequence[Item], random.Random, bool], str]


class Titles(NamedTuple):
    """Titles of a language: that speak of questions, others, and those of what stands below a list."""

    faq: list[str]
    other: list[str]
    contact: list[str]


_TABLES: Any = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TITLES = {language: Titles(**titles) for language, titles in _TABLES["titles"].items()}
#: By family: what opens a list, a pair, and what closes the list, divided by bars. {q}: the question, {a}: the
#: paragraphs of its answer, {t}: its text on lines, {n}: its number, {id}: its anchor, {c}: a class name.
_TEMPLATES: dict[str, list[str]] = _TABLES["lists"]
_NUMBERS = ("{n}. ", "{n}) ", "({n}) ", "1.{n} ", "2.{n}. ", "G{n}. ", "Q{n}: ", "Q{n}. ", "Question {n}: ", "3.{n}: ")


def _list_of(templates: Sequence[str]) -> Markup:
    def written(items: Sequence[Item], chance: random.Random, is_named: bool) -> str:
        opening, item, closing = chance.choice(templates).split("|")
        name = (
            chance.choice(("faq", "faqs", "question"))
            if is_named
            else chance.choice(("item", "x1", "box", "entry", "tx-7"))
        )
        number = chance.choice(_NUMBERS) if chance.random() < 0.3 and "{n}" not in item and "Q:" not in item else ""
        groups = _groups(items, chance)
        level = chance.choice((2, 2, 3, 4))
        level = next((int(item[at + 2]) - 1 for at in [item.find("<h")] if at >= 0 and item[at + 2].isdigit()), level)
        questions = {question: number.format(n=place + 1) + question for place, (question, _) in enumerate(items)}
        body = ""
        for place, group in enumerate(groups):
            if len(groups) > 1:
                body += f"<h{max(level, 2)} id=g{place}>{('Orders', 'Payment', 'Parts', 'Advanced')[place % 4]}</h{max(level, 2)}>"
            body += opening.format(c=name)
            for at, (question, answer) in enumerate(group):
                values = {
                    "q": escape(questions[question]),
                    "a": _paragraphs(answer, chance),
                    "t": "<br>".join(map(escape, answer)),
                }
                body += item.format(**values, n=at + 1, id=f"q{place}-{at}", c=name)
            body += closing.format(c=name)
        return _contents(groups, questions, chance) + body if chance.random() < 0.3 else body

    return written


def _groups(items: Sequence[Item], chance: random.Random) -> list[Sequence[Item]]:
    if len(items) < 6 or chance.random() < 0.6:
        return [items]
    ends = [0, *sorted(chance.sample(range(2, len(items) - 1), min(3, len(items) // 4) or 1)), len(items)]
    return [items[begin:end] for begin, end in pairwise(ends)]


def _contents(groups: Sequence[Sequence[Item]], questions: dict[str, str], chance: random.Random) -> str:
    """A list of contents that links to the questions."""
    kind, tag = chance.choice(("flat", "nested", "paragraphs", "terms")), chance.choice(("ul", "ol"))
    links = [
        [f'<a href="#q{place}-{at}">{escape(questions[question])}</a>' for at, (question, _) in enumerate(group)]
        for place, group in enumerate(groups)
    ]
    if kind == "paragraphs":
        return "".join(f"<p>{link}</p>" for group in links for link in group)
    if kind == "terms":
        inner = ["".join(f"<dt>{link}</dt>" for link in group) for group in links]
        terms = "".join(
            f"<dt><a href=#g{n}>Part {n + 1}</a></dt><dd><dl>{terms}</dl></dd>" for n, terms in enumerate(inner)
        )
        return f"<dl class=toc>{terms if len(groups) > 1 else inner[0]}</dl>"
    inner = ["".join(f"<li>{link}</li>" for link in group) for group in links]
    if kind == "flat":
        return f"<{tag} class=toc>{''.join(inner)}</{tag}>"
    nested = "".join(
        f'<li><a href="#g{place}">Part {place + 1}</a><{tag}>{group}</{tag}></li>' for place, group in enumerate(inner)
    )
    return f"<h2>Contents</h2><{tag}>{nested}</{tag}>"


def _paragraphs(answer: Sequence[str], chance: random.Random) -> str:
    if len(answer) > 2 and chance.random() < 0.4:
        return f"<p>{escape(answer[0])}</p><ul>{''.join(f'<li>{escape(line)}</li>' for line in answer[1:])}</ul>"
    tags = ["pre" if line.startswith("$ ") else "p" for line in answer]
    return "".join(f"<{tag}>{escape(line)}</{tag}>" for tag, line in zip(tags, answer, strict=True))


#: Families in whose lists problems may stand among questions.
WITH_TERMS = frozenset({"details", "dl", "wp-details"})
#: Pages that list questions with their answers, by family.
LISTS: dict[str, Markup] = {name: _list_of(templates) for name, templates in _TEMPLATES.items()}


# --- pages that list no questions with answers -----------------------------------------------------------------------


def _split(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """The questions, and the titles that are not questions."""
    at = next(place for place, (title, _) in enumerate(items) if not title)
    return list(items[:at]), list(items[at + 1 :])


_HEADINGS = "Overview|What to watch for|The results|How we got here|Pros and cons|A closer look|Conclusion".split("|")


def _article_of(template: str) -> Markup:
    """An article with one to three headings that are questions, fewer than half of its headings."""

    def written(items: Sequence[Item], chance: random.Random, _: bool) -> str:
        asked, titles = _split(items)
        level = chance.choice((2, 2, 3, 4))
        plain = [(title, text) for title, (_, text) in zip(_HEADINGS, titles, strict=False)]
        parts = chance.choice((titles, plain, titles[3:])) + asked[: chance.choice((1, 2, 2, 3))]
        chance.shuffle(parts)
        rows = [
            (title, "".join(f"<p>{escape(line)}</p>" for line in text * chance.choice((1, 1, 2, 3))))
            for title, text in parts
        ]
        links = "".join(f"<li><a href=#s{n}>{escape(title)}</a></li>" for n, (title, _) in enumerate(rows))
        body = "".join(template.format(q=escape(title), a=text, l=level, n=n) for n, (title, text) in enumerate(rows))
        return f"<ul>{links}</ul>{body}" if chance.random() < 0.25 else body

    return written


def _rhetoric(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """Text with questions in its paragraphs, list items or quotes."""
    asked, titles = _split(items)
    item = chance.choice(
        ("<p>{t} {q}</p>", "<li>{t} {q}</li>", "<p>{q} {t}</p>", "<blockquote>{q}</blockquote><p>{t}</p>", "<p>{q}</p>")
    )
    rows = [item.format(q=escape(title), t=escape(text[0][:250])) for title, text in asked[: chance.choice((2, 3, 5))]]
    rows += [f"<p>{escape(text[0])}</p>" for _, text in titles[: chance.choice((2, 5, 8))]]
    chance.shuffle(rows)
    return "".join(rows)


def _contents_alone(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """A table of contents whose links lead to other parts of an article."""
    asked, titles = _split(items)
    links = "".join(
        f'<li><a href="{chance.choice(("#s", "/p/"))}{n}">{escape(title)}</a></li>'
        for n, (title, _) in enumerate(asked)
    )
    return f"<ul>{links}</ul>" + "".join(
        f"<h2>{escape(title)}</h2><p>{escape(text[0])}</p>" for title, text in titles[:4]
    )


def _drawn(kind: str, number: int) -> Markup:
    """Teasers, rows of a board, or comments on an article, some of which ask, in the drawn markup of one site."""

    def written(items: Sequence[Item], chance: random.Random, _: bool) -> str:
        asked, titles = _split(items)
        parts = asked + titles[: chance.choice((0, 2, 4))]
        chance.shuffle(parts)
        drawn = Random(f"{kind} {number}")  # noqa: S311 - no secret
        writer = PageWriter(
            Pool.of_posts(text[0] for _, text in titles), drawn, "en", drawn.choice(LANGUAGES), "comment"
        )
        length, share = drawn.choice((0, 160, 160, 300)), chance.choice((0.3, 0.5, 0.8))
        if kind == "board":
            return writer.board_of([title for title, _ in parts])
        times = [*random_times(drawn, len(parts))]
        if kind == "cards":
            return writer.cards([(title, text[0][:length]) for title, text in parts], times)
        said = [title if chance.random() < share else text[0][:250] for title, text in parts]
        posts = [Post(random_author("en", chance), when, [one]) for one, when in zip(said, times, strict=True)]
        above = "".join(f"<p>{escape(text[0])}</p>" for _, text in titles[:3])
        return above + writer.comments([replace(post, shown_date=writer.date(post.when)) for post in posts], "")

    return written


def _related(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """A list of related questions below an article."""
    asked, titles = _split(items)
    text = "".join(f"<p>{escape(text[0])}</p>" for _, text in titles[:4])
    item = chance.choice(
        ("<li><a href=/q/{n}>{q}</a></li>", "<li>{q}</li>", "<p><a href=/q/{n}>{q}</a> <span>{n} answers</span></p>")
    )
    rows = "".join(item.format(n=n, q=escape(title)) for n, (title, _) in enumerate(asked))
    return f"{text}<h3>{chance.choice(('Related questions', 'People also ask', 'More'))}</h3><ul>{rows}</ul>"


def _short(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """A short article with a question in its text, and a call to action."""
    asked, titles = _split(items)
    text = [f"<p>{escape(title)} {escape(text[0])}</p>" for title, text in asked[:2]]
    text += [f"<p>{escape(text[0])}</p>" for _, text in titles[: chance.choice((0, 1, 3))]]
    text += [f"<h3>{escape(asked[-1][0])}</h3><p>Call us today and we will help you. <a href=/c>Contact</a></p>"]
    chance.shuffle(text)
    return "".join(text)


def _calls(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """Sections of a landing page, one or two of which ask the visitor something."""
    titles = _split(items)[1]
    calls = "Ready to start?|Questions?|Need help?|Want to know more?|Looking for something else?|Not convinced?".split(
        "|"
    )
    parts = [(title, text) for title, text in titles[: chance.choice((2, 4, 6))]]
    parts += [(call, ("Write to us and we will get back to you within a day.",)) for call in chance.sample(calls, 2)]
    chance.shuffle(parts)
    item = chance.choice(
        (
            "<section><h2>{q}</h2><p>{t}</p><a class=btn href=/go>Go</a></section>",
            "<div class=col><h3>{q}</h3><p>{t}</p></div>",
        )
    )
    return "".join(item.format(q=escape(title), t=escape(text[0][:300])) for title, text in parts)


_GUIDES = (
    "What you need|How it works|How to get started|Why choose us|Where to buy|What's included|When to go|How to clean it|"
    "Who we are|What is new|How we test|Was Sie brauchen|Wie es geht|Comment ça marche"
).split("|")


def _guide(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """A guide whose headings begin like questions but are not."""
    titles = _split(items)[1]
    level = chance.choice((2, 3))
    parts = [
        *zip(chance.sample(_GUIDES, chance.choice((2, 3, 5))), titles, strict=False),
        *((one[0], one) for one in titles[5:]),
    ]
    return "".join(f"<h{level}>{escape(title)}</h{level}><p>{escape(one[1][0])}</p>" for title, one in parts)


def _facts(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """Terms with their meanings, or collapsible parts of a product page."""
    asked, titles = _split(items)
    heads = ("Description", "Delivery", "Size", "Materials", "Care", "Reviews", "Warranty", "Returns", "Why we like it")
    item = chance.choice(
        (
            "<dt>{q}</dt><dd>{t}</dd>",
            "<details><summary>{q}</summary><p>{t}</p></details>",
            "<tr><th>{q}</th><td>{t}</td></tr>",
        )
    )
    rows = "".join(
        item.format(q=title, t=escape(text[0][:200]))
        for title, (_, text) in zip(chance.sample(heads, 6), titles, strict=False)
    )
    wrap = {"<dt": "dl", "<tr": "table"}.get(item[:3], "div")
    below = "".join(f"<p>{escape(title)}</p>" for title, _ in asked[:2])
    return f"<{wrap}>{rows}</{wrap}>{below}"


def _quiz(items: Sequence[Item], chance: random.Random, _: bool) -> str:
    """Quiz questions for the reader to answer."""
    asked, titles = _split(items)
    options = "".join(f"<li>{escape(title[:40])}</li>" for title, _ in titles[: chance.choice((2, 3, 4))])
    item = chance.choice(
        (
            "<h3>{q}</h3><ul>{o}</ul>",
            "<p><b>{q}</b></p><ol>{o}</ol>",
            "<fieldset><legend>{q}</legend><ul>{o}</ul></fieldset>",
        )
    )
    return "".join(item.format(q=escape(title), o=options) for title, _ in asked)


_DRAWN = {"cards": 4, "board": 1, "comments": 1}
#: Pages that list none.
WITHOUT: dict[str, Markup] = {
    "no-article": _article_of("<h{l} id=s{n}>{q}</h{l}>{a}"),
    "no-sections": _article_of("<section id=s{n}><h{l}>{q}</h{l}><div>{a}</div></section>"),
    "no-bold": _article_of("<p><strong>{q}</strong></p>{a}"),
    "no-rhetoric": _rhetoric,
    "no-contents": _contents_alone,
    "no-related": _related,
    "no-short": _short,
    "no-calls": _calls,
    "no-guide": _guide,
    "no-facts": _facts,
    "no-quiz": _quiz,
    **{f"no-{kind}-{number}": _drawn(kind, number) for kind, count in _DRAWN.items() for number in range(count)},
}
