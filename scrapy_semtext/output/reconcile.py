"""Merge the pairs from a page's markup with the pairs from its visible content.

Markup is the author's description of the page, but forums shorten its texts, omit posts, or include questions that the
page does not display. The page decides about texts; the markup about authors, dates, and acceptance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.positions import renumbered
from scrapy_semtext.text.folding import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# The number of letters and digits at the beginning by which two texts are compared.
_LOOK = 60
# A text in the markup with this ending was shortened, however much of the page's text it has.
_CUT = ("…", "...")
# If markup has a smaller share of an answer than this, it was shortened.
_WHOLE = 0.9


def reconciled(stated: Sequence[QAPair], shown: Sequence[QAPair], page_text: Iterable[str]) -> list[QAPair]:
    """Return the pairs of a page without duplicates.

    ``stated`` are those of the markup, ``shown`` those found in the page's structure, ``page_text`` the texts of the
    page. If a thread displays all that the markup has and more, the result is the page's pairs in page order; otherwise
    it is the markup's, because the markup of question lists is complete. A pair of both has the markup's facts and the
    longer text, and ``source`` "markup". The structure of replies is that of the markup if it has one, else that of the
    page. A pair of the markup that does not occur on the page has ``shown`` false.
    """
    if not stated:
        return list(shown)
    whole = "".join(map(letters_of, page_text))
    stated = [replace(pair, shown=_head(pair.answer) in whole) for pair in stated]
    known = {_head(pair.answer): place for place, pair in enumerate(stated)}
    shown = [_without_answer(pair) if _head(pair.question_body or "") in known else pair for pair in shown]
    places = {_head(pair.answer): place for place, pair in enumerate(shown)}
    is_thread = len({pair.question_title for pair in stated}) == 1
    if is_thread and len(shown) > len(stated) and known.keys() <= places.keys():
        return _in_order_of_page(stated, shown, known, places)
    return _in_order_of_markup(stated, shown, places)


def _in_order_of_page(
    stated: Sequence[QAPair], shown: Sequence[QAPair], known: Mapping[str, int], places: Mapping[str, int]
) -> list[QAPair]:
    """Return all pairs of a thread; ``known`` and ``places`` map the beginnings of answers to the indexes of both."""
    if is_nested := _is_nested(stated):
        stated = renumbered(stated, {place: places[_head(pair.answer)] + 1 for place, pair in enumerate(stated)})
    pairs = []
    for pair in shown:
        place = known.get(_head(pair.answer))
        pairs.append(pair if place is None else _merged(stated[place], pair, stated[place] if is_nested else pair))
    return _of_one_question(pairs) if len({pair.question for pair in shown}) == 1 else pairs


def _in_order_of_markup(stated: Sequence[QAPair], shown: Sequence[QAPair], places: Mapping[str, int]) -> list[QAPair]:
    """Return all pairs of the markup; ``places`` maps the beginnings of answers to the indexes of displayed pairs."""
    found = [places.get(_head(pair.answer)) for pair in stated]
    positions = {place: position for position, place in enumerate(found, 1) if place is not None}
    by_place = dict(zip(positions, renumbered(shown, positions), strict=True))
    is_nested = _is_nested(stated)
    return [
        pair if place is None else _merged(pair, by_place[place], pair if is_nested else by_place[place])
        for pair, place in zip(stated, found, strict=True)
    ]


def _is_nested(pairs: Sequence[QAPair]) -> bool:
    return any(pair.answer_to is not None for pair in pairs)


def _without_answer(pair: QAPair) -> QAPair:
    """Return a pair of the page without its question's body, which the markup states as an answer."""
    if not pair.question_body or not pair.question_title:
        return pair
    return pair.asked_as(QAPair(pair.question_title, "", question_title=pair.question_title))


def _merged(stated: QAPair, shown: QAPair, tree: QAPair) -> QAPair:
    """Return a markup pair completed from the page's pair, with ``answer_to`` from one of the two (``tree``)."""
    answer = shown.answer if _is_cut(stated.answer, shown.answer) else stated.answer
    body, probability = stated.question_body, stated.question_score
    is_part = body is not None or shown.question != shown.question_title  # the page's body may be uncertain
    if body is None:
        body, probability = shown.question_body, shown.question_score
    elif shown.question_body and shown.question != shown.question_title and _is_cut(body, shown.question_body):
        body = shown.question_body
    title = stated.question_title or shown.question_title
    return replace(
        stated,
        answer=answer,
        question="\n".join(part for part in (title, body if is_part else None) if part),
        question_title=title,
        question_body=body,
        author=stated.author or shown.author,
        date=stated.date or shown.date,
        votes=shown.votes if stated.votes is None else stated.votes,
        accepted=shown.accepted if stated.accepted is None else stated.accepted,
        question_author=stated.question_author or shown.question_author,
        question_date=stated.question_date or shown.question_date,
        question_score=probability,
        answer_to=tree.answer_to,
        depth=tree.depth,
    )


def _of_one_question(pairs: Sequence[QAPair]) -> list[QAPair]:
    """Return the pairs of a thread, those found only on the page with the question of those of the markup."""
    stated = next(pair for pair in pairs if pair.source == "markup")
    return [pair if pair.source == "markup" else pair.asked_as(stated) for pair in pairs]


def _is_cut(stated: str, shown: str) -> bool:
    """Return whether the markup's text is only the beginning of the page's."""
    one, two = letters_of(stated), letters_of(shown)
    begins = two.startswith(one[: int(len(one) * _WHOLE)])
    return begins and len(one) < len(two) and (stated.rstrip().endswith(_CUT) or len(one) < _WHOLE * len(two))


def _head(text: str) -> str:
    return letters_of(text)[:_LOOK]
