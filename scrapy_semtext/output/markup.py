"""Question-answer pairs, and text that the page does not display, from schema.org markup.

Supported are ``Question`` (in a QAPage, an FAQPage or on its own) with its answers, and ``DiscussionForumPosting`` with
its comments or followed by further postings of the same thread; in JSON-LD and in microdata.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.element_text import text_of_html
from scrapy_semtext.output.items import listed, types_of, walk
from scrapy_semtext.output.reconcile import is_cut, matches
from scrapy_semtext.output.schema import jsonld_items, microdata_items
from scrapy_semtext.page import QAPair
from scrapy_semtext.qa.positions import renumbered
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_semtext.output.items import Item

# Scripts with JSON-LD, and a cheap test of whether a page names a type with pairs at all, which most do not.
_SCRIPT = "//script[contains(translate(@type, 'LDJSON', 'ldjson'), 'ld+json')]"
# The types with pairs; QAPage and FAQPage contain questions.
_STATING = ("Question", "DiscussionForumPosting")
_NAMED = "[" + " or ".join(f"contains(., '{name}')" for name in _STATING) + "]"
_IN_MICRODATA = etree.XPath(f"boolean(//@itemtype{_NAMED})")
_IN_JSON_LD = etree.XPath(f"boolean({_SCRIPT}{_NAMED})")
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


def qa_pairs_from_markup(page: etree._Element | str, url: str | None = None, html: str | None = None) -> list[QAPair]:
    """Return the pairs in the markup of a page (its tree, or its HTML), in page order; ``score`` is 1.0.

    ``html`` is the HTML of a tree, if available: a page whose HTML names none of the types is not searched. If both
    syntaxes contain pairs, those of the one with more are used (microdata if equal, because it is the page's own text),
    completed from the other. ``accepted`` is None if answers are comments of a thread. Broken markup is read as far as
    possible.
    """
    html = page if isinstance(page, str) else html
    if html is not None and not any(name in html for name in _STATING):
        return []
    root = tree.parse(page, url) if isinstance(page, str) else page
    in_microdata, in_jsonld = _IN_MICRODATA(root), _IN_JSON_LD(root)
    if not in_microdata and not in_jsonld:
        return []
    shown = _unique(_pairs(microdata_items(root))) if in_microdata else []
    hidden = _unique(_pairs(jsonld_items(root))) if in_jsonld else []
    return _completed(shown, hidden) if len(shown) >= len(hidden) else _completed(hidden, shown)


def main_text_from_markup(root: etree._Element, least: int = 0) -> str | None:
    """Return the longest article body, review, text or description in the page's JSON-LD, or None.

    For pages that do not display all of their text. Only texts of more than ``least`` characters are considered.
    """
    if not _STATES_TEXT(root, least=least):
        return None
    longest = ""
    for item in walk(jsonld_items(root)):
        if types_of(item) and not types_of(item) & _MINOR_TYPES:
            longest = max((longest, *(_text(item, name) or "" for name in _TEXT_FIELDS)), key=len)
    return longest or None


def _pairs(items: list[Item]) -> list[QAPair]:
    found = list(walk(items))
    questions = [item for item in found if "Question" in types_of(item)]
    pairs = [pair for question in questions for pair in _question_pairs(question, _answers(question))]
    if len(questions) == 1 and not _answers(questions[0]):  # answers without a link to the question
        pairs += _question_pairs(questions[0], [(item, None) for item in found if "Answer" in types_of(item)])
    for thread in _threads([item for item in found if "DiscussionForumPosting" in types_of(item)]):
        begin = len(pairs)
        pairs += [replace(pair, answer_to=pair.answer_to and begin + pair.answer_to) for pair in _thread_pairs(thread)]
    return pairs


def _answers(question: Item) -> list[tuple[Any, bool | None]]:
    """Return the answers in page order, each with whether it was accepted."""
    answers: list[tuple[Any, bool | None]] = [(answer, True) for answer in _all(question, "acceptedAnswer")]
    answers += [(answer, False) for answer in _all(question, "suggestedAnswer")]
    return sorted(answers, key=lambda pair: _order(pair[0]))


def _question_pairs(question: Item, answers: Iterable[tuple[Any, bool | None]]) -> Iterator[QAPair]:
    title, body = _text(question, "name", "headline"), _text(question, "text", "articleBody")
    for answer, accepted in answers:
        if pair := _pair(title, body, answer, accepted):
            yield pair


def _threads(postings: list[Item]) -> Iterator[list[Item]]:
    """Group postings without comments by headline, because some forums mark up each post separately.

    ``postings`` come before those inside them; a posting that is a comment on another does not start a thread.
    """
    alone: dict[str | None, list[Item]] = {}
    inside: set[int] = set()
    for posting in postings:
        if id(posting) in inside:
            continue
        if comments := list(_comments(posting)):
            inside.update(id(comment) for comment, _ in comments)
            yield [posting]
        else:
            alone.setdefault(_text(posting, "headline", "name"), []).append(posting)
    yield from alone.values()


def _thread_pairs(thread: list[Item]) -> Iterator[QAPair]:
    first, posts = thread[0], list(_comments(thread[0]))
    title, body = _text(first, "headline", "name"), _text(first, "text", "articleBody")
    if len(thread) > 1:
        on_first_page = (_number(first, "position") or 1) <= 1
        body = body if on_first_page else None
        posts = [(post, None) for post in thread[on_first_page:]]
    elif posts and body in (None, title) and _same_post(first, posts[0][0]):
        body = _text(posts[0][0], "text", "articleBody")
        posts[0] = ({}, None)  # not an answer
    positions: dict[int, tuple[int, int]] = {}  # position and depth of each answer
    for place, (post, parent) in enumerate(posts):
        above = parent
        while above is not None and above not in positions:  # it has no text
            above = posts[above][1]
        answer_to, depth = (None, 0) if above is None else positions[above]
        if pair := _pair(title, body, post, None):
            positions[place] = len(positions) + 1, depth + 1
            yield replace(pair, answer_to=answer_to, depth=depth + 1)


def _same_post(posting: Item, comment: Any) -> bool:
    """Return whether a comment is the opening post itself, which some forums (NodeBB) list among the comments."""
    date = _text(posting, *_DATES)
    return date is not None and date == _text(comment, *_DATES) and _author(posting) == _author(comment)


def _comments(posting: Item) -> Iterator[tuple[Any, int | None]]:
    """Yield a posting's comments and the comments on these, in order, each with the index of its parent comment."""
    stack: list[tuple[Any, int | None]] = [(comment, None) for comment in _all(posting, "comment")[::-1]]
    place = 0
    while stack:
        yield stack[-1]
        comment, _ = stack.pop()
        stack += [(below, place) for below in _all(comment, "comment")[::-1]]
        place += 1


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
    found = []
    for pair, place in zip(pairs, matches(pairs, others), strict=True):
        other = pair if place is None else others[place]
        missing = [name for name in ("author", "date", "votes", "accepted") if getattr(pair, name) is None]
        missing += ["answer"] * is_cut(pair.answer, other.answer)
        found.append(replace(pair, **{name: getattr(other, name) for name in missing}))
    return found


def _unique(pairs: Sequence[QAPair]) -> list[QAPair]:
    """Remove repeated pairs."""
    first: dict[tuple[str, str, str | None], int] = {}
    for place, pair in enumerate(pairs):
        first.setdefault((pair.question, pair.answer, pair.author), place)
    return renumbered(pairs, {place: position for position, place in enumerate(first.values(), 1)})


def _all(item: Any, name: str) -> list[Any]:
    return listed(item.get(name)) if isinstance(item, dict) else []


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
    for value in _all(item, name):
        plain = value.get("@value") if isinstance(value, dict) else value
        if match := _NUMBER.fullmatch(str(plain).strip().replace(",", "")):
            return int(match[0].replace("−", "-"))
    return None


def _order(answer: Any) -> int:
    """Return the position on the page of a microdata answer; 0 for JSON-LD, even if it has the same key."""
    order = answer.get("@order") if isinstance(answer, dict) else None
    return order if isinstance(order, int) else 0
