"""Entries of help centres and FAQs: pages that answer a single question, which is their title.

Articles are built alike, and their titles may ask, too. An entry shows several signs of the help centre around it:
words for it in the URL, in the name of the site, before the question and in the names of elements; a label such as
"Answer:"; a box that asks whether this was helpful; links to other questions. Dates in the URL, the words of blogs
there, and those of forums there and in names count against it. The words are those of the field in many languages.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.page import QAPair
from scrapy_semtext.read.cleaning import asks_back, without_tail
from scrapy_semtext.read.faq import MAX_QUESTION_CHARS, MIN_QUESTION_CHARS
from scrapy_semtext.read.kinds import overview_probability
from scrapy_semtext.read.threads import SURE, probabilities_of_raw
from scrapy_semtext.read.title import parts_of_names
from scrapy_semtext.reading import reader
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import address_of
from scrapy_semtext.words.characters import letters_of, one_line
from scrapy_semtext.words.cues import (
    FAQ_WORDS,
    OPENS_AS_QUESTION,
    asks,
    clean_answer,
    clean_question,
    has_date,
    has_question_mark,
)
from scrapy_semtext.words.word_tables import WORDS, alternatives, labels
from scrapy_semtext.words.words import attribute_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.reading import Models, Reading
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats

_HELP, _HELP_ADDRESS, _ANSWER, _BEHIND = (
    re.compile(alternatives(name), re.IGNORECASE | re.MULTILINE)
    for name in ("help centre", "address of help centre", "answer label", "behind answer")
)
_HELP_NAMES, _FORUM_NAMES, _QUESTION_NAMES = (
    frozenset(WORDS[name]) for name in ("help_names", "forum_names", "question_names")
)
_ARTICLE_ADDRESS, _FORUM_ADDRESS = frozenset(WORDS["article_address"]), _FORUM_NAMES.union(WORDS["forum_address"])
_CHANGED = labels("changed")
_DATED_ADDRESS = re.compile(r"/(?:19|20)\d\d/")
_LETTERS = re.compile(r"[^\W\d_]+")
_FORM = frozenset(("form", "fieldset", "label"))
_FORM_LEVELS, _NAME_LEVELS = 3, 12  # elements around a block
_BEFORE, _INSIDE = 8, 3  # blocks before the main text, and of it, that may be the question
_NEAR, _ADJACENT, _LABELED = 3, 2, 8  # blocks before the question; from it to the answer; and to the answer's label
_MAX_LABEL_CHARS = 100
_MIN_LINKED = 2  # other questions

#: The number of signs that an entry needs; each halves the probability that it is none.
MIN_SIGNS = 2.0
#: The probability of an overview from which a page is none.
_OVERVIEW = 0.8


class _Question(NamedTuple):
    """The question of a page; ``block``: the raw block with it, or -1; ``is_named``: whether the page is named so."""

    text: str
    block: int
    is_named: bool


@reader("entry", ("kinds", "posts", "title", "blocks"), asked=lambda options: options.pairs or options.reads_kinds)
def entry_reader(reading: Reading, _: Models) -> QAPair | None:
    """Read the question of an entry with its answer; None for other pages, also if they are surely lists or threads."""
    kinds, posts = reading.kinds, reading.posts
    if kinds is None or overview_probability(kinds) >= _OVERVIEW or (posts is not None and posts.probability >= SURE):
        return None
    is_main = np.array([float(block.is_main) for block in reading.page.blocks])
    return entry_of(reading.parsed, is_main, reading.page.title)


def entry_of(parsed: ParsedPage, is_main: Floats, title: str | None) -> QAPair | None:
    """Return the question of an entry with its answer; None for any other page. Time is linear in the page.

    ``is_main``: 1 for the text blocks that are main content, else 0, (blocks,); ``title``: that of the page.
    """
    nodes, main = parsed.raw_tree, np.flatnonzero(probabilities_of_raw(parsed, is_main)).tolist()
    parts = parts_of_names(parsed.elements.naming)
    question = _question(nodes, main, title, parts) if main else None
    if question is None:
        return None
    answer, is_labeled = _answer_blocks(nodes, question, main)
    marks = is_labeled + any(map(asks_back, filter(has_question_mark, nodes.texts[answer[0] :])))
    signs = marks + _signs_of_question(nodes, question, answer, is_labeled=is_labeled) + _signs_of_address(parsed.url)
    if signs > -np.inf:
        signs += _signs_around(parsed, question, [*parts, title or ""], answer)
    if signs < MIN_SIGNS or not _is_text(nodes, answer):
        return None
    lines = [line for block in answer for line in nodes.texts[block].split("\n")]
    while lines and _is_note(lines[-1]):
        lines.pop()
    text = clean_answer(without_tail(lines), question.text)
    return QAPair(question.text, text, question_title=question.text, score=round(1 - 0.5**signs, 4)) if text else None


def _question(nodes: PageNodes, main: Sequence[int], title: str | None, parts: Sequence[str]) -> _Question | None:
    """Return the question of a page with these main blocks: a line of the page, or else its title or a part of it.

    The line is shortly before the main text, ignoring the name of the site, or among the first of it.
    """
    texts = nodes.texts
    asking = [part for part in (*parts, *filter(None, [title])) if asks(part)]
    names = [*asking, *([title] if title and not _name_help([title]) else [])]
    names_by_letters = {letters_of(name): name for name in names if letters_of(name)}
    is_unnamed = all(_name_help([name]) for name in (*parts, title or "") if name)
    start = next((block for block in main if not (nodes.block_headings[block] and _name_help([texts[block]]))), main[0])
    candidates: list[tuple[float, int, str, bool]] = []
    for block in range(max(0, start - _BEFORE), min(len(texts), start + _INSIDE)):
        if _may_ask(nodes, block):
            letters, is_asking = letters_of(texts[block]), asks(texts[block])
            # a heading may begin with the names of boards
            name = next((own for key, own in names_by_letters.items() if letters.endswith(key)), None)
            is_title = (name is not None or is_asking or is_unnamed) and _is_title(nodes, block)
            if name is not None or ((is_asking or is_title) and not _name_help([texts[block]])):
                value = 3 * (name is not None) + 3 * is_asking + is_title + OPENS_AS_QUESTION.begins(texts[block])
                is_named = name is not None or is_unnamed
                candidates.append((value - 0.1 * abs(start - block), block, name or texts[block], is_named))
    _, block, text, is_named = max(candidates, default=(0.0, -1, "", False))
    if block >= 0 and (not asking or asks(text)):
        return _Question(clean_question(text), block, is_named)
    return _Question(clean_question(names[0]), -1, is_named=True) if names else None


def _may_ask(nodes: PageNodes, block: int) -> bool:
    """Return whether a block is a line outside links that is neither a label nor a question about the page."""
    text = nodes.texts[block]
    is_line = len(text.encode(errors="replace")) >= MIN_QUESTION_CHARS and len(text) <= MAX_QUESTION_CHARS
    is_linked = 2 * nodes.blocks[block].link_chars > len(text)
    return is_line and "\n" not in text and not is_linked and not asks_back(text) and _BEHIND.fullmatch(text) is None


def _is_title(nodes: PageNodes, block: int) -> bool:
    """Return whether a block is in a heading, or in an element named as a question or title."""
    names = attribute_words(nodes.blocks[block].scope.names).every
    return nodes.block_headings[block] > 0 or not _QUESTION_NAMES.isdisjoint(names)


def _answer_blocks(nodes: PageNodes, question: _Question, main: Sequence[int]) -> tuple[list[int], bool]:
    """Return the blocks of the answer, at least one, and whether a label says that they are it.

    Related questions, comments and headings without text are not part of it.
    """
    texts = nodes.texts
    begin = question.block + 1 if question.block >= 0 else main[0]
    after_question = range(begin, min(begin + _LABELED, len(texts) - 1))
    label = next((block for block in after_question if _ANSWER.fullmatch(texts[block])), -1)
    begin = min(max(begin, label + 1), len(texts) - 1)
    labels = (block for block in range(begin + 1, main[-1] + 1) if len(texts[block]) <= _MAX_LABEL_CHARS)
    end = next((block for block in labels if _BEHIND.fullmatch(texts[block]) or asks_back(texts[block])), len(texts))
    body = [block for block in main if begin <= block < end]
    while body and nodes.block_headings[body[-1]]:
        body.pop()
    return body or [begin], label >= 0


def _is_text(nodes: PageNodes, answer: Sequence[int]) -> bool:
    """Return whether an answer is neither a list of links nor a form."""
    scopes = (islice(nodes.blocks[block].scope.ancestry(), _FORM_LEVELS) for block in answer)
    in_forms = sum(any(scope.tag in _FORM for scope in ancestors) for ancestors in scopes)
    linked = sum(nodes.blocks[block].link_chars for block in answer)
    return 2 * in_forms <= len(answer) and 2 * linked <= sum(len(nodes.texts[block]) for block in answer)


def _is_note(line: str) -> bool:
    """Return whether a line says when the answer was changed."""
    return len(line) <= _MAX_LABEL_CHARS and _CHANGED.search(line) is not None and has_date(line) and line[-1:] != "."


def _signs_of_question(nodes: PageNodes, question: _Question, answer: Sequence[int], *, is_labeled: bool) -> float:
    """Return what counts against a question, 0 for one that asks and names the page.

    One that does not even begin as a question needs a label of the answer: the articles of a manual, too, have a box
    that asks about them. Further questions in the answer count, too, as those of a list.
    """
    if asks(question.text):
        signs = 0.0
    elif OPENS_AS_QUESTION.begins(question.text):
        signs = -0.5
    else:
        signs = -1.0 if is_labeled else -np.inf
    if not question.is_named:
        signs -= 1.0 if answer[0] - question.block <= _ADJACENT else 2.0
    return signs - 0.5 * max(0, sum(nodes.asking[block] for block in answer) - 1)


def _signs_of_address(url: str | None) -> float:
    """Return 1 if a folder, the host or the query of a URL names a help centre, less 1 for articles, 2 for threads."""
    address = address_of((url or "").lower())
    *folders, last = address.path.split("/")
    names = [*address.hostname.split(".")[:-1], *folders, *re.split("[&=]", address.query)]
    if address.query or "." in last:
        names.append(last.partition(".")[0])
    words = _LETTERS.findall(f"{address.hostname} {address.path} {address.query}")
    is_article = not _ARTICLE_ADDRESS.isdisjoint(names) or _DATED_ADDRESS.search(address.path) is not None
    return any(map(_HELP_ADDRESS.fullmatch, names)) - 1.0 * is_article - 2.0 * (not _FORUM_ADDRESS.isdisjoint(words))


def _signs_around(parsed: ParsedPage, question: _Question, names: Sequence[str], answer: Sequence[int]) -> float:
    """Return how many signs of a help centre a page shows around a question, less 1 for names of a forum's elements."""
    nodes, letters = parsed.raw_tree, letters_of(question.text)
    block = question.block if question.block >= 0 else answer[0]
    headings = [one_line(element.text) for element, tag, *_ in parsed.elements.naming if tag in HEADING_LEVELS][:2]
    site = [name for name in (*names, *headings) if letters_of(name) != letters]
    texts_above = [text for text in nodes.texts[max(0, block - _NEAR) : block] if len(text) <= _MAX_LABEL_CHARS]
    linked = {
        line
        for text, block, is_asking in zip(nodes.texts, nodes.blocks, nodes.asking, strict=True)
        if is_asking and 2 * block.link_chars > len(text)
        for line in text.split("\n")
        if asks(line) and letters_of(line) != letters
    }
    around = nodes.names_near([int(nodes.of_block[index]) for index in (block, answer[0])], _NAME_LEVELS)
    signs = (_name_help(site), _name_help(texts_above), len(linked) >= _MIN_LINKED, not around.isdisjoint(_HELP_NAMES))
    return float(sum(signs) - (not nodes.words.isdisjoint(_FORUM_NAMES)))


def _name_help(texts: Sequence[str]) -> bool:
    """Return whether texts name a help centre or a FAQ."""
    joined = "\n".join(texts)
    return FAQ_WORDS.is_in(joined) or _HELP.search(joined) is not None
