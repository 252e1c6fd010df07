"""Question-answer pairs in schema.org markup, merged with those of the visible page.

Supported are ``Question`` (in a QAPage, an FAQPage or on its own) with its answers, and ``DiscussionForumPosting`` with
its comments or followed by further postings of the same thread; in JSON-LD and in microdata.

Markup is the author's description of the page, but forums shorten its texts, omit posts, or include questions that the
page does not display. The page decides about texts; the markup about authors, dates, and acceptance.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any, NamedTuple

from lxml import etree

from scrapy_semtext.page import QAPair, renumbered
from scrapy_semtext.read.schema import Item, as_list, jsonld_items, microdata_items, types_of, walk
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import text_of_html
from scrapy_semtext.words.characters import letters_of
from scrapy_semtext.words.word_tables import WORDS

# The number of letters and digits by which two texts are compared, and by which they are looked up.
_COMPARED_LETTERS, _KEY_LETTERS = 60, 20
# A text in the markup with this ending ("...", "[…] Read more") was shortened, however much of the page's text it has.
_SHORTENED = re.compile(r"(?:…|\.\.\.)[\])]?(?: \w+){0,3}\W{0,9}$")
# If markup has a smaller share of an answer than this, it was shortened.
_MIN_WHOLE_SHARE = 0.9
# The number of equal candidates that a pair is compared with, so that time is linear in the pairs.
_MAX_CANDIDATES = 16
# What pairs are matched by, one after the other: a part of the answer, and whether by the question and by the author.
_PASSES = (*product(("answer", "end", "beginning"), (True, False), (True, False)), ("", True, False))
# Scripts with JSON-LD, and a cheap test of whether a page names a type with pairs at all, which most do not.
_SCRIPT = "//script[contains(translate(@type, 'LDJSON', 'ldjson'), 'ld+json')]"
# The types with pairs; QAPage and FAQPage contain questions.
_PAIR_TYPES = ("Question", "DiscussionForumPosting")
_NAMES_TYPE = "[" + " or ".join(f"contains(., '{name}')" for name in _PAIR_TYPES) + "]"
_IN_MICRODATA = etree.XPath(f"boolean(//@itemtype{_NAMES_TYPE})")
_IN_JSON_LD = etree.XPath(f"boolean({_SCRIPT}{_NAMES_TYPE})")
_STATES_TEXT = etree.XPath(
    f"boolean({_SCRIPT}[string-length(.) > $least and"
    " ($least = 0 or contains(., 'articleBody') or contains(., 'reviewBody') or contains(., '\"text\"'))])"
)
_DATES = ("dateCreated", "datePublished")
_TEXT_FIELDS = ("articleBody", "reviewBody", "text", "description")
# Types whose text says nothing about the page's content: its publisher and its position on the site.
_MINOR_TYPES = frozenset(WORDS["minor"])
# Longer numbers are no counts, and Python refuses to parse thousands of digits.
_NUMBER = re.compile(r"[+\-−]?\d{1,18}")


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
    page_letters = "".join(map(letters_of, page_text))
    stated = [replace(pair, shown=_head(pair.answer) in page_letters) for pair in stated]
    answers = {_head(answer): answer for answer in sorted((pair.answer for pair in stated), key=len, reverse=True)}
    shown = [_without_answer(pair, answers.get(_head(pair.question_body or ""))) for pair in shown]
    found = matches(stated, shown)
    pairs = _joined(stated, shown, _joint_order(found, _only_shown(stated, shown, found)))
    return _of_one_question(pairs) if len({pair.question for pair in shown}) == 1 else pairs


def matches(stated: Sequence[QAPair], shown: Sequence[QAPair]) -> list[int | None]:
    """Return for each stated pair the index of the same pair among those ``shown``, None if there is none.

    Each displayed pair is used once. Pairs are the same if their answers are, or if one answer ends (a quotation
    precedes it) or begins with the other; in lists, the question suffices. Among several, those with the same question
    and author are preferred, then the first: answers that quote an earlier one begin like it.
    """
    is_list = any(len({letters_of(_title(pair)) for pair in pairs}) > 1 for pairs in (stated, shown))
    in_markup, on_page = ([_compared(pair, is_list) for pair in pairs] for pairs in (stated, shown))
    share_names = bool({pair.author for pair in in_markup} & {pair.author for pair in on_page} - {""})
    found: dict[int, int] = {}
    for part, by_question, by_author in _PASSES:
        candidates: dict[tuple[str, ...] | None, deque[int]] = defaultdict(deque)
        for index in sorted({*range(len(on_page))}.difference(found.values())):
            candidates[on_page[index].key(part, by_question, by_author)].append(index)
        candidates.pop(None, None)  # those that lack a part
        for number in sorted({*range(len(in_markup))}.difference(found)):
            pair, is_sure = in_markup[number], by_question or by_author
            unused = candidates[pair.key(part, by_question, by_author)]
            for index in islice(unused, _MAX_CANDIDATES):
                if not part or _is_same(pair, on_page[index], is_sure=is_sure, share_names=share_names):
                    found[number] = index
                    unused.remove(index)
                    break
    return [found.get(number) for number in range(len(in_markup))]


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
        ends = {"answer": self.answer, "end": self.answer[-_KEY_LETTERS:], "beginning": self.beginning[:_KEY_LETTERS]}
        return ends.get(part, ""), self.question * by_question, self.author * by_author


def _compared(pair: QAPair, is_list: bool) -> _Compared:
    """Return what is compared of a pair; without the question unless its page ``is_list``."""
    beginning = _SHORTENED.sub("", pair.answer) if pair.source == "markup" else pair.answer
    question = letters_of(_title(pair)) if is_list else ""
    author, answer, begins = map(letters_of, (pair.author or "", pair.answer, beginning))
    return _Compared(question, author, answer, begins, len(beginning) < len(pair.answer))


def _is_same(stated: _Compared, shown: _Compared, *, is_sure: bool, share_names: bool) -> bool:
    """Return whether two answers with the same beginning or end are one.

    ``is_sure``: whether they have the same author or question; ``share_names``: whether the markup names authors as the
    page does, so that other names are other people.
    """
    is_whole, is_short = stated.answer == shown.answer, len(stated.answer) < _KEY_LETTERS
    if share_names and stated.author and shown.author and stated.author != shown.author and (is_short or not is_whole):
        return False
    if stated.question != shown.question and is_short:
        return False
    short, long = sorted((stated.beginning, shown.beginning), key=len)
    if is_whole or (
        len(short) >= _COMPARED_LETTERS
        and (long.startswith(short[:_COMPARED_LETTERS]) or long.endswith(short[-_COMPARED_LETTERS:]))
    ):
        return True
    return (is_sure or stated.is_cut) and (
        long.startswith(short[: int(len(short) * _MIN_WHOLE_SHARE)]) or long.endswith(short)
    )


def _only_shown(stated: Sequence[QAPair], shown: Sequence[QAPair], found: Sequence[int | None]) -> set[int]:
    """Return the indexes of displayed pairs that belong to those of the markup: ``found`` by `matches`.

    In a thread, these are the other posts if all of the markup are displayed; in a list, the other questions if those
    of the markup that are displayed, at least half, are part of it.
    """
    titles = {letters_of(_title(pair)) for pair in stated}
    unmatched = {*range(len(shown))}.difference(index for index in found if index is not None)
    if len(titles) == 1:
        body = stated[0].question_body
        return set() if None in found else {index for index in unmatched if not _is_text_of(body, shown[index].answer)}
    missing = [pair.shown for pair, index in zip(stated, found, strict=True) if index is None]
    if any(missing) or 2 * len(missing) > len(stated):
        return set()
    return {index for index in unmatched if letters_of(_title(shown[index])) not in titles}


def _joint_order(found: Sequence[int | None], others: set[int]) -> list[tuple[int | None, int | None]]:
    """Return the indexes of the pairs of the result, in the markup and on the page: those ``found``, and ``others``.

    The order is the markup's or, with ``others``, the page's, where pairs that it lacks stay behind the pair before.
    """
    if not others:
        return [*enumerate(found)]
    indexes: list[tuple[int, int, tuple[int | None, int | None]]] = [(index, -1, (None, index)) for index in others]
    last_index = -1
    for number, index in enumerate(found):
        last_index = last_index if index is None else index
        indexes.append((last_index, number, (number, index)))
    return [indexes_of_pair for _, _, indexes_of_pair in sorted(indexes)]


def _joined(
    stated: Sequence[QAPair], shown: Sequence[QAPair], order: Sequence[tuple[int | None, int | None]]
) -> list[QAPair]:
    """Return the pairs with these indexes, those of both merged."""
    is_nested = any(pair.answer_to is not None for pair in stated)
    of_markup, of_page = (
        _renumbered(pairs, indexes) for pairs, indexes in zip((stated, shown), zip(*order, strict=True), strict=True)
    )
    pairs = (
        _merged(pair, other, pair if is_nested else other) if pair and other else pair or other
        for pair, other in zip(of_markup, of_page, strict=True)
    )
    return [pair for pair in pairs if pair]


def _renumbered(pairs: Sequence[QAPair], indexes: Sequence[int | None]) -> Iterator[QAPair | None]:
    """Yield the pairs with these indexes at their new positions, None where there is no index."""
    positions = {index: position for position, index in enumerate(indexes, 1) if index is not None}
    moved = iter(renumbered(pairs, positions))
    return (None if index is None else next(moved) for index in indexes)


def _title(pair: QAPair) -> str:
    """Return the title of a pair's question, or the whole question if it has none."""
    return pair.question_title or pair.question


def _without_answer(pair: QAPair, answer: str | None) -> QAPair:
    """Return a pair of the page without its question's body, if the markup states it as an ``answer``."""
    if not pair.question_title or not _is_text_of(answer, pair.question_body):
        return pair
    return pair.asked_as(QAPair(pair.question_title, "", question_title=pair.question_title))


def _merged(stated: QAPair, shown: QAPair, tree: QAPair) -> QAPair:
    """Return a markup pair completed from the page's pair, with ``answer_to`` from one of the two (``tree``)."""
    body, probability = stated.question_body, stated.question_score
    if body is None:
        body, probability = shown.question_body, shown.question_score
    elif shown.question_body and is_cut(body, shown.question_body):
        body = shown.question_body
    title = stated.question_title or shown.question_title
    facts: dict[str, Any] = {
        name: getattr(stated, name) or getattr(shown, name)
        for name in ("author", "date", "question_author", "question_date")
    }
    return replace(
        stated,
        **facts,
        answer=shown.answer if is_cut(stated.answer, shown.answer) else stated.answer,
        question="\n".join(part for part in (title, body) if part),
        question_title=title,
        question_body=body,
        votes=shown.votes if stated.votes is None else stated.votes,
        accepted=shown.accepted if stated.accepted is None else stated.accepted,
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
    part, text = letters_of(_SHORTENED.sub("", stated)), letters_of(shown)
    if _SHORTENED.search(stated) and part in text and (part == text or not text.endswith(part)):
        return True  # some programs mark each text
    if len(part) >= len(text):
        return False
    if len(part) < _COMPARED_LETTERS and not stated[-1:].isalnum():
        return False  # a whole sentence: the page has an addition such as "Edited by"
    return len(part) < _MIN_WHOLE_SHARE * len(text) and text.startswith(part[: int(len(part) * _MIN_WHOLE_SHARE)])


def _is_text_of(stated: str | None, shown: str | None) -> bool:
    """Return whether a text of the markup is a text of the page, all of it unless it is marked as cut."""
    part, text = letters_of(_SHORTENED.sub("", stated or "")), letters_of(shown or "")
    is_all = len(part) >= _MIN_WHOLE_SHARE * len(text) or _SHORTENED.search(stated or "") is not None
    return bool(part) and is_all and text.startswith(part[: int(len(part) * _MIN_WHOLE_SHARE)])


def _head(text: str) -> str:
    """Return the beginning of a text by which texts are compared, in letters."""
    return letters_of(text)[:_COMPARED_LETTERS]


def qa_pairs_from_markup(page: etree._Element | str, url: str | None = None, html: str | None = None) -> list[QAPair]:
    """Return the pairs in the markup of a page (its tree, or its HTML), in page order; ``score`` is 1.0.

    ``html`` is the HTML of a tree, if available: a page whose HTML names none of the types is not searched. If both
    syntaxes contain pairs, those of the one with more are used (microdata if equal, because it is the page's own text),
    completed from the other. ``accepted`` is None if answers are comments of a thread. Broken markup is read in part.
    """
    html = page if isinstance(page, str) else html
    if html is not None and not any(name in html for name in _PAIR_TYPES):
        return []
    root = parsing.parse(page, url) if isinstance(page, str) else page
    in_microdata, in_jsonld = _IN_MICRODATA(root), _IN_JSON_LD(root)
    shown = _unique(_pairs(microdata_items(root))) if in_microdata else []
    hidden = _unique(_pairs(jsonld_items(root))) if in_jsonld else []
    return _completed(shown, hidden) if len(shown) >= len(hidden) else _completed(hidden, shown)


def main_text_from_markup(root: etree._Element, min_chars: int = 0) -> str | None:
    """Return the longest article body, review, text or description in the page's JSON-LD, or None.

    For pages that do not display all of their text. Only texts of more than ``min_chars`` characters are considered.
    """
    if not _STATES_TEXT(root, least=min_chars):
        return None
    longest = ""
    for item in walk(jsonld_items(root)):
        if types_of(item) and not types_of(item) & _MINOR_TYPES:
            longest = max((longest, *(_text(item, name) or "" for name in _TEXT_FIELDS)), key=len)
    return longest or None


def _pairs(items: list[Item]) -> list[QAPair]:
    """Return the pairs of schema.org items, with those of threads after those of questions."""
    all_items = list(walk(items))
    questions = [item for item in all_items if "Question" in types_of(item)]
    pairs = [pair for question in questions for pair in _question_pairs(question, _answers(question))]
    if len(questions) == 1 and not _answers(questions[0]):  # answers without a link to the question
        pairs += _question_pairs(questions[0], [(item, None) for item in all_items if "Answer" in types_of(item)])
    for thread in _threads([item for item in all_items if "DiscussionForumPosting" in types_of(item)]):
        begin = len(pairs)
        pairs += [replace(pair, answer_to=pair.answer_to and begin + pair.answer_to) for pair in _thread_pairs(thread)]
    return pairs


def _answers(question: Item) -> list[tuple[Any, bool | None]]:
    """Return the answers in page order, each with whether it was accepted."""
    answers: list[tuple[Any, bool | None]] = [(answer, True) for answer in _all(question, "acceptedAnswer")]
    answers += [(answer, False) for answer in _all(question, "suggestedAnswer")]
    return sorted(answers, key=lambda pair: _answer_order(pair[0]))


def _question_pairs(question: Item, answers: Iterable[tuple[Any, bool | None]]) -> Iterator[QAPair]:
    """Yield the pairs of a question with those of its ``answers`` that have text."""
    title, body = _text(question, "name", "headline"), _text(question, "text", "articleBody")
    for answer, accepted in answers:
        if pair := _pair(title, body, answer, accepted):
            yield pair


def _threads(postings: list[Item]) -> Iterator[list[Item]]:
    """Group postings without comments by headline, because some forums mark up each post separately.

    ``postings`` come before those inside them; a posting that is a comment on another does not start a thread.
    """
    without_comments: dict[str | None, list[Item]] = {}
    comment_ids: set[int] = set()
    for posting in postings:
        if id(posting) in comment_ids:
            continue
        if comments := list(_comments(posting)):
            comment_ids.update(id(comment) for comment, _ in comments)
            yield [posting]
        else:
            without_comments.setdefault(_text(posting, "headline", "name"), []).append(posting)
    yield from without_comments.values()


def _thread_pairs(thread: list[Item]) -> Iterator[QAPair]:
    """Yield the pairs of a thread: a posting with its comments, or several postings in order."""
    first, posts = thread[0], list(_comments(thread[0]))
    title, body = _text(first, "headline", "name"), _text(first, "text", "articleBody")
    if len(thread) > 1:
        on_first_page = (_number(first, "position") or 1) <= 1
        body = body if on_first_page else None
        posts = [(post, None) for post in (thread[1:] if on_first_page else thread)]
    elif posts and body in (None, title) and _same_post(first, posts[0][0]):
        body = _text(posts[0][0], "text", "articleBody")
        posts[0] = ({}, None)  # not an answer
    positions: dict[int, tuple[int, int]] = {}  # position and depth of each answer
    for index, (post, parent) in enumerate(posts):
        ancestor = parent
        while ancestor is not None and ancestor not in positions:  # it has no text
            _, ancestor = posts[ancestor]
        answer_to, depth = (None, 0) if ancestor is None else positions[ancestor]
        if pair := _pair(title, body, post, None):
            positions[index] = len(positions) + 1, depth + 1
            yield replace(pair, answer_to=answer_to, depth=depth + 1)


def _same_post(posting: Item, comment: Any) -> bool:
    """Return whether a comment is the opening post itself, which some forums (NodeBB) list among the comments."""
    date = _text(posting, *_DATES)
    return date is not None and date == _text(comment, *_DATES) and _author(posting) == _author(comment)


def _comments(posting: Item) -> Iterator[tuple[Any, int | None]]:
    """Yield a posting's comments and the comments on these, in order, each with the index of its parent comment."""
    stack: list[tuple[Any, int | None]] = [(comment, None) for comment in _all(posting, "comment")[::-1]]
    index = 0
    while stack:
        yield stack[-1]
        comment, _ = stack.pop()
        stack += [(reply, index) for reply in _all(comment, "comment")[::-1]]
        index += 1


def _pair(title: str | None, body: str | None, answer: Any, accepted: bool | None) -> QAPair | None:
    """Return the pair of a question and an answer, None if one of them has no text."""
    if body == title:
        body = None
    text = _text(answer, "text", "articleBody") if isinstance(answer, dict) else _clean(answer)
    if not text or not (title or body):
        return None
    return QAPair(
        question="\n".join(part for part in (title, body) if part),
        answer=text,
        question_title=title,
        question_body=body,
        author=_author(answer),
        date=_text(answer, *_DATES),
        votes=_votes(answer),
        accepted=accepted,
        source="markup",
    )


def _author(post: Any) -> str | None:
    """Return the name of the first author of a post that has one."""
    for author in _all(post, "author"):
        name = _text(author, "name") if isinstance(author, dict) else _clean(author)
        if name:
            return name
    return None


def _votes(post: Any) -> int | None:
    """Return upvotes minus downvotes or, if a post has neither, its likes."""
    up = _number(post, "upvoteCount")
    if up is not None:
        return up - (_number(post, "downvoteCount") or 0)
    for counter in _all(post, "interactionStatistic"):
        if isinstance(counter, dict) and "LikeAction" in str(counter.get("interactionType")):
            return _number(counter, "userInteractionCount")
    return None


def _completed(pairs: list[QAPair], others: list[QAPair]) -> list[QAPair]:
    """Add missing facts of an answer, and text that was cut, from the same answer in the other syntax."""
    completed = []
    for pair, index in zip(pairs, matches(pairs, others), strict=True):
        other = pair if index is None else others[index]
        missing = [name for name in ("author", "date", "votes", "accepted") if getattr(pair, name) is None]
        missing += ["answer"] * is_cut(pair.answer, other.answer)
        completed.append(replace(pair, **{name: getattr(other, name) for name in missing}))
    return completed


def _unique(pairs: Sequence[QAPair]) -> list[QAPair]:
    """Remove pairs with question, answer and author of an earlier one, and adjust ``answer_to`` of the others."""
    first: dict[tuple[str, str, str | None], int] = {}
    for index, pair in enumerate(pairs):
        first.setdefault((pair.question, pair.answer, pair.author), index)
    return renumbered(pairs, {index: position for position, index in enumerate(first.values(), 1)})


def _all(item: Any, name: str) -> list[Any]:
    """Return the values of a property of an item; none for a value that is no item."""
    return as_list(item.get(name)) if isinstance(item, dict) else []


def _text(item: Any, *names: str) -> str | None:
    """Return the text of the first of these properties that has one; multiple values become lines."""
    for name in names:
        text = "\n".join(dict.fromkeys(filter(None, map(_clean, _all(item, name)))))
        if text:
            return text
    return None


def _clean(value: Any) -> str | None:
    """Return the text of a value, which is HTML in JSON-LD; a value object contains plain text."""
    if isinstance(value, dict):
        value = value.get("@value")
        return value or None if isinstance(value, str) else None
    return text_of_html(value) or None if isinstance(value, str) else None


def _number(item: Any, name: str) -> int | None:
    """Return the first whole number among the values of a property."""
    for value in _all(item, name):
        number = value.get("@value") if isinstance(value, dict) else value
        if match := _NUMBER.fullmatch(str(number).strip().replace(",", "")):
            return int(match[0].replace("−", "-"))
    return None


def _answer_order(answer: Any) -> int:
    """Return the position on the page of a microdata answer; 0 for JSON-LD, even if it has the same key."""
    order = answer.get("@order") if isinstance(answer, dict) else None
    return order if isinstance(order, int) else 0


@reader("qa_pairs", uses=("shown_pairs",), asked=lambda _: True)
def qa_pairs_reader(reading: Reading, _: Models) -> list[QAPair]:
    """Merge the pairs of the visible page with those of its markup, unless a site's rule gives them."""
    shown, parsed = reading.shown_pairs, reading.parsed
    if any(pair.source == "rule" for pair in shown):
        return shown
    stated: list[QAPair] = []
    if reading.options.markup:
        stated = qa_pairs_from_markup(parsed.root, reading.page.url, reading.source.html)
    return reconciled(stated, shown, (block.text for block in parsed.raw_blocks))
