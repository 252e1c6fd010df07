"""Pairs that the markup states and pairs that the page shows, put together.

Markup is what the page's author says of it, but forums cut its texts short, leave posts out, or state questions that
the page does not show. The page has the last word on texts; the markup on who wrote them, when, and what was accepted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.page import QAPair

# Two texts are the same if they begin alike: so many letters and digits are compared.
_LOOK = 60
# A text of the markup that ends so is cut short, however much of the page's text it has.
_CUT = ("…", "...")
# What is neither a letter nor a digit, and as bytes for ASCII, of which most texts are.
_SIGNS = re.compile(r"[\W_]+")
_SIGNS_OF_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
# Markup has this much of an answer, or it is cut short.
_WHOLE = 0.9


def reconciled(stated: Sequence[QAPair], shown: Sequence[QAPair], page_text: Iterable[str]) -> list[QAPair]:
    """Return the pairs of a page, each once.

    ``stated`` are those of the markup, ``shown`` those that the structure shows, ``page_text`` the texts of the page.
    Where a thread shows all that the markup states and more, the pairs are those of the page in its order; else those
    of the markup: what lists questions states all of them. A pair of both has the markup's facts and the longer text,
    and ``source`` "markup". A pair of the markup that is nowhere on the page has ``shown`` false.
    """
    if not stated:
        return list(shown)
    whole = "".join(map(_squeezed, page_text))
    stated = [replace(pair, shown=_head(pair.answer) in whole) for pair in stated]
    by_answer = {_head(pair.answer): pair for pair in shown}
    known = {_head(pair.answer): pair for pair in stated}
    is_thread = len({pair.question_title for pair in stated}) == 1
    if is_thread and len(shown) > len(stated) and known.keys() <= by_answer.keys():
        return [_merged(known[head], pair) if (head := _head(pair.answer)) in known else pair for pair in shown]
    return [_merged(pair, by_answer.get(_head(pair.answer))) for pair in stated]


def _merged(stated: QAPair, shown: QAPair | None) -> QAPair:
    """The pair of the markup, with what it lacks from the page."""
    if shown is None:
        return stated
    answer = shown.answer if _is_cut(stated.answer, shown.answer) else stated.answer
    body = stated.question_body
    if shown.question_body and (body is None or _is_cut(body, shown.question_body)):
        body = shown.question_body
    title = stated.question_title or shown.question_title
    return replace(
        stated,
        answer=answer,
        question="\n".join(part for part in (title, body) if part),
        question_title=title,
        question_body=body,
        author=stated.author or shown.author,
        date=stated.date or shown.date,
        votes=shown.votes if stated.votes is None else stated.votes,
        accepted=shown.accepted if stated.accepted is None else stated.accepted,
    )


def _is_cut(stated: str, shown: str) -> bool:
    """Whether the markup's text is the beginning of the page's."""
    one, two = _squeezed(stated), _squeezed(shown)
    begins = two.startswith(one[: int(len(one) * _WHOLE)])
    return begins and len(one) < len(two) and (stated.rstrip().endswith(_CUT) or len(one) < _WHOLE * len(two))


def _head(text: str) -> str:
    return _squeezed(text)[:_LOOK]


def _squeezed(text: str) -> str:
    if text.isascii():
        return text.lower().encode("ascii").translate(None, _SIGNS_OF_ASCII).decode("ascii")
    return _SIGNS.sub("", text.lower())
