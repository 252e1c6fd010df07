"""Merge the pairs from a page's markup with the pairs from its visible content.

Markup is the author's description of the page, but forums shorten its texts, omit posts, or include questions that the
page does not display. The page decides about texts; the markup about authors, dates, and acceptance.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.positions import renumbered
from scrapy_semtext.text.folding import letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# The number of letters and digits by which two texts are compared, and by which they are looked up.
_LOOK, _KEY = 60, 20
# A text in the markup with this ending ("...", "[…] Read more") was shortened, however much of the page's text it has.
_CUT = re.compile(r"(?:…|\.\.\.)[\])]?(?: \w+){0,3}\W{0,9}$")
# If markup has a smaller share of an answer than this, it was shortened.
_WHOLE = 0.9
# The number of equal candidates that a pair is compared with, so that time is linear in the pairs.
_TRIED = 16


def reconciled(stated: Sequence[QAPair], shown: Sequence[QAPair], page_text: Iterable[str]) -> list[QAPair]:
    """Return the pairs of a page without duplicates.

    ``stated`` are those of the markup, ``shown`` those found in the page's structure, ``page_text`` the texts of the
    page. If the page displays the pairs of the markup and more (other questions of a list, other posts of a thread),
    the result is in page order with both; otherwise it is the markup's. A pair of both has the markup's facts and the
    longer text, and ``source`` "markup". The structure of replies is that of the markup if it has one, else that of the
    page. A pair of the markup that does not occur on the page has ``shown`` false.
    """
    if not stated:
        return list(shown)
    whole = "".join(map(letters_of, page_text))
    stated = [replace(pair, shown=_head(pair.answer) in whole) for pair in stated]
    answers = {_head(answer): answer for answer in sorted((pair.answer for pair in stated), key=len, reverse=True)}
    shown = [_without_answer(pair, answers.get(_head(pair.question_body or ""))) for pair in shown]
    found = matches(stated, shown)
    pairs = _joined(stated, shown, _order(found, _only_shown(stated, shown, found)))
    return _of_one_question(pairs) if len({pair.question for pair in shown}) == 1 else pairs


def matches(stated: Sequence[QAPair], shown: Sequence[QAPair]) -> list[int | None]:
    """Return for each stated pair the index of the same pair among those ``shown``, None if there is none.

    Each displayed pair is used once. Pairs are the same if their answers are, or if one answer ends (a quotation
    precedes it) or begins with the other; in lists, the question suffices. Among several, those with the same question
    and author are preferred, then the first: answers that quote an earlier one begin like it.
    """
    is_list = any(len({letters_of(_title(pair)) for pair in pairs}) > 1 for pairs in (stated, shown))
    ones, twos = ([_compared(pair, is_list) for pair in pairs] for pairs in (stated, shown))
    share_names = bool({one.author for one in ones} & {two.author for two in twos} - {""})
    found: dict[int, int] = {}
    for part, by_question, by_author in _PASSES:
        candidates: dict[tuple[str, ...] | None, deque[int]] = defaultdict(deque)
        for place in sorted({*range(len(twos))}.difference(found.values())):
            candidates[twos[place].key(part, by_question, by_author)].append(place)
        candidates.pop(None, None)  # those that lack a part
        for number in sorted({*range(len(ones))}.difference(found)):
            one, is_sure = ones[number], by_question or by_author
            free = candidates[one.key(part, by_question, by_author)]
            for place in islice(free, _TRIED):
                if not part or _is_same(one, twos[place], is_sure=is_sure, share_names=share_names):
                    found[number] = place
                    free.remove(place)
                    break
    return [found.get(number) for number in range(len(ones))]


# What pairs are matched by, one after the other: a part of the answer, and whether by the question and by the author.
_PASSES = (*product(("answer", "end", "beginning"), (True, False), (True, False)), ("", True, False))


class _Compared(NamedTuple):
    """What is compared of a pair, in letters. ``question``: "" in threads, where all pairs have the same."""

    question: str
    author: str
    answer: str
    beginning: str
    is_cut: bool

    def key(self, part: str, by_question: bool, by_author: bool) -> tuple[str, ...] | None:
        """Return what same pairs have in common; None if this pair does not have it."""
        if (by_question and not self.question) or (by_author and not self.author):
            return None
        ends = {"answer": self.answer, "end": self.answer[-_KEY:], "beginning": self.beginning[:_KEY]}
        return ends.get(part, ""), self.question * by_question, self.author * by_author


def _compared(pair: QAPair, is_list: bool) -> _Compared:
    beginning = _CUT.sub("", pair.answer) if pair.source == "markup" else pair.answer
    question = letters_of(_title(pair)) if is_list else ""
    author, answer, begins = map(letters_of, (pair.author or "", pair.answer, beginning))
    return _Compared(question, author, answer, begins, len(beginning) < len(pair.answer))


def _is_same(one: _Compared, two: _Compared, *, is_sure: bool, share_names: bool) -> bool:
    """Return whether two answers with the same beginning or end are one.

    ``is_sure``: whether they have the same author or question; ``share_names``: whether the markup names authors as the
    page does, so that other names are other people.
    """
    is_whole, is_short = one.answer == two.answer, len(one.answer) < _KEY
    if share_names and one.author and two.author and one.author != two.author and (is_short or not is_whole):
        return False
    if one.question != two.question and is_short:
        return False
    short, long = sorted((one.beginning, two.beginning), key=len)
    if is_whole or (len(short) >= _LOOK and (long.startswith(short[:_LOOK]) or long.endswith(short[-_LOOK:]))):
        return True
    return (is_sure or one.is_cut) and (long.startswith(short[: int(len(short) * _WHOLE)]) or long.endswith(short))


def _only_shown(stated: Sequence[QAPair], shown: Sequence[QAPair], found: Sequence[int | None]) -> set[int]:
    """Return the indexes of displayed pairs that belong to those of the markup: ``found`` by `matches`.

    In a thread, these are the other posts if all of the markup are displayed; in a list, the other questions if those
    of the markup that are displayed, at least half, are part of it.
    """
    titles = {letters_of(_title(pair)) for pair in stated}
    others = {*range(len(shown))}.difference(place for place in found if place is not None)
    if len(titles) == 1:
        body = stated[0].question_body
        return set() if None in found else {place for place in others if not _is_text_of(body, shown[place].answer)}
    missing = [pair.shown for pair, place in zip(stated, found, strict=True) if place is None]
    if any(missing) or 2 * len(missing) > len(stated):
        return set()
    return {place for place in others if letters_of(_title(shown[place])) not in titles}


def _order(found: Sequence[int | None], others: set[int]) -> list[tuple[int | None, int | None]]:
    """Return the indexes of the pairs of the result, in the markup and on the page: those ``found``, and ``others``.

    The order is that of the markup or, with ``others``, of the page; what the page does not show stays behind the pair
    before it in the markup.
    """
    if not others:
        return [*enumerate(found)]
    places: list[tuple[int, int, tuple[int | None, int | None]]] = [(place, -1, (None, place)) for place in others]
    last = -1
    for number, place in enumerate(found):
        last = last if place is None else place
        places.append((last, number, (number, place)))
    return [both for _, _, both in sorted(places)]


def _joined(
    stated: Sequence[QAPair], shown: Sequence[QAPair], order: Sequence[tuple[int | None, int | None]]
) -> list[QAPair]:
    """Return the pairs with these indexes, those of both merged."""
    is_nested = any(pair.answer_to is not None for pair in stated)
    of_markup, of_page = (
        _renumbered(pairs, places) for pairs, places in zip((stated, shown), zip(*order, strict=True), strict=True)
    )
    both = zip(of_markup, of_page, strict=True)
    pairs = (_merged(one, two, one if is_nested else two) if one and two else one or two for one, two in both)
    return [pair for pair in pairs if pair]


def _renumbered(pairs: Sequence[QAPair], places: Sequence[int | None]) -> Iterator[QAPair | None]:
    """Yield the pairs with these indexes at their new positions, None where there is no index."""
    positions = {place: position for position, place in enumerate(places, 1) if place is not None}
    moved = iter(renumbered(pairs, positions))
    return (None if place is None else next(moved) for place in places)


def _title(pair: QAPair) -> str:
    return pair.question_title or pair.question


def _without_answer(pair: QAPair, answer: str | None) -> QAPair:
    """Return a pair of the page without its question's body, if the markup states it as an ``answer``."""
    if not pair.question_title or not _is_text_of(answer, pair.question_body):
        return pair
    return pair.asked_as(QAPair(pair.question_title, "", question_title=pair.question_title))


def _merged(stated: QAPair, shown: QAPair, tree: QAPair) -> QAPair:
    """Return a markup pair completed from the page's pair, with ``answer_to`` from one of the two (``tree``)."""
    answer = shown.answer if is_cut(stated.answer, shown.answer) else stated.answer
    body, probability = stated.question_body, stated.question_score
    is_part = body is not None or shown.question != shown.question_title  # the page's body may be uncertain
    if body is None:
        body, probability = shown.question_body, shown.question_score
    elif shown.question_body and shown.question != shown.question_title and is_cut(body, shown.question_body):
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


def is_cut(stated: str, shown: str) -> bool:
    """Return whether a text of the markup is only a part of another: its beginning or, if marked as cut, any."""
    one, two = letters_of(_CUT.sub("", stated)), letters_of(shown)
    if _CUT.search(stated) and one in two and (one == two or not two.endswith(one)):
        return True  # some programs mark each text
    if len(one) >= len(two):
        return False
    if len(one) < _LOOK and not stated[-1:].isalnum():
        return False  # a whole sentence: the page has an addition such as "Edited by"
    return len(one) < _WHOLE * len(two) and two.startswith(one[: int(len(one) * _WHOLE)])


def _is_text_of(stated: str | None, shown: str | None) -> bool:
    """Return whether a text of the markup is a text of the page, all of it unless it is marked as cut."""
    one, two = letters_of(_CUT.sub("", stated or "")), letters_of(shown or "")
    is_all = len(one) >= _WHOLE * len(two) or _CUT.search(stated or "") is not None
    return bool(one) and is_all and two.startswith(one[: int(len(one) * _WHOLE)])


def _head(text: str) -> str:
    return letters_of(text)[:_LOOK]
