"""What a candidate list of questions looks like, as numbers: the input of the model that judges it."""

from __future__ import annotations

from itertools import chain, compress, starmap
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.cues import sentence_ends
from scrapy_semtext.qa.faq_answers import climbed
from scrapy_semtext.qa.faq_candidates import HEADINGS
from scrapy_semtext.qa.faq_text import FAQ_WORDS, NO_PREFIX, OPENS_AS_QUESTION, QUESTION_PREFIX, asks
from scrapy_semtext.qa.node_features import matrix_of
from scrapy_semtext.qa.node_table import BLOCKS, CHARS, DATES, HIDDEN, LINKS, LONG, QUESTIONS, TINY
from scrapy_semtext.qa.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.qa.faq_candidates import FaqCandidate, Pair
    from scrapy_semtext.qa.nodes import Floats, PageNodes

    _Columns = dict[str, Floats]

_LAYOUTS = ("inside", "after", "bold", "line", "sentence")
_TAGS = {
    "summary": ("summary",),
    "dt": ("dt",),
    "button": ("button",),
    "p": ("p",),
    "div": ("div",),
    "li": ("li",),
    "cell": ("td", "th"),
    "heading": HEADINGS,
}
_NAMES = {
    "faq": {"faq", "faqs"},
    "question": {"question", "questions"},
    "answer": {"answer", "answers"},
    "fold": {
        "accordion",
        "toggle",
        "collapse",
        "collapsible",
        "expand",
        "expandable",
        "disclosure",
        "details",
        "panel",
    },
    "title": {"title", "header", "heading"},
    "navigation": {"menu", "navigation", "nav", "footer", "breadcrumb", "sidebar"},
    "comment": {"comment", "comments", "review", "reviews", "post", "reply", "message"},
    "card": {"card", "product", "related", "list"},
}
_STATISTICS = {
    "questions": ("mean", "std", "max"),
    "answers": ("mean", "std", "min", "max"),
    "answer_blocks": ("mean", "max"),
    "answer_sentences": ("mean",),
}
#: The columns of `faq_features`.
FEATURES: tuple[str, ...] = (
    *("pairs", "log_pairs", "asking", "opening", "prefixed", "answered", "distinct", "capitalised"),
    *(f"{name}_{statistic}" for name, statistics in _STATISTICS.items() for statistic in statistics),
    *("question_links", "answer_links", "answer_long", "answer_tiny", "answer_questions", "answer_dates", "hidden"),
    *("answers_alike", "answers_start_low", "asking_answers", "longer_answers"),
    *(f"layout_{name}" for name in _LAYOUTS),
    *("level", "depth", "same_parent", "gap_mean", "gap_max", "headings_between", "heading_before", "faq_heading"),
    *(f"tag_{name}" for name in _TAGS),
    *(f"names_{name}" for name in _NAMES),
    *("faq_before", "faq_in_title", "faq_in_url", "begins", "ends", "log_page", "page_share", "span_share"),
    *("page_asking", "share_of_asking", "rank_by_asking", "rank_by_pairs", "candidates"),
)

# What `_of_candidate` gives, in its order.
_OF_CANDIDATE = (
    *("prefixed", "answered", "distinct", "same_parent", "level"),
    *(f"layout_{name}" for name in _LAYOUTS),
    *("heading_before", "faq_heading", "faq_before", "depth"),
    *(f"tag_{name}" for name in _TAGS),
    *(f"names_{name}" for name in _NAMES),
)
_IN_ADDRESS = ("faq", "question", "help", "support")
_FAR, _NO_HEADING = 30, 5.0  # blocks above the first question where its heading is looked for; if there is none
_MOST_BETWEEN = 2_000  # blocks between pairs that are looked at
_LOOK, _NEAR, _LEVELS = 40, 5, 6  # members whose texts, and whose names, are looked at; elements up from each


def faq_features(
    nodes: PageNodes, candidates: Sequence[FaqCandidate], title: str | None, url: str | None
) -> NDArray[np.float32]:
    """Describe the candidates of a page; (candidates, features).

    The last columns set a candidate beside the others of the page, so all have to be given at once.
    """
    if not candidates:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    columns = _of_pairs(nodes, candidates)
    columns |= zip(_OF_CANDIDATE, np.array(_rows(nodes, candidates), dtype=np.float64).T, strict=True)
    address = (url or "").lower()
    columns["faq_in_title"] = np.full(len(candidates), float(bool(title) and FAQ_WORDS.is_in(title or "")))
    columns["faq_in_url"] = np.full(len(candidates), float(any(word in address for word in _IN_ADDRESS)))
    _beside_others(nodes, columns)
    return matrix_of(columns[name] for name in FEATURES)


# --- what the pairs are like ------------------------------------------------------------------------------------------


def _of_pairs(nodes: PageNodes, candidates: Sequence[FaqCandidate]) -> _Columns:
    """What is told from the pairs of each candidate; (candidates,) each."""
    return _Lists(nodes, candidates).columns()


def _sums_in(nodes: PageNodes, lists: Sequence[Sequence[Pair]]) -> Floats:
    """The sums over the blocks of a page, with dates for those in the answers of these lists."""
    ranges = {(min(pair.start, pair.last - 1), pair.last) for pairs in lists for pair in pairs}
    return nodes.sums_within(set(chain.from_iterable(starmap(range, ranges))))


def _said(lists: Sequence[Sequence[Pair]]) -> tuple[dict[str, tuple[bool, bool]], dict[str, tuple[int, bool]]]:
    """By question: whether it ends in a mark, and begins as questions do.

    By answer, of the first in each list: how many sentences it has, and whether a line of it ends in a question mark.
    """
    questions = {pair.question for pairs in lists for pair in pairs}
    answers = {pair.answer for pairs in lists for pair in pairs[:_LOOK]}
    asked = {text: (asks(text), OPENS_AS_QUESTION.begins(text)) for text in questions}
    return asked, {text: (sentence_ends(text[:2_000]), asks(text)) for text in answers}


class _Lists:
    """Describes the candidates of a page, their pairs standing one after the other, a run a candidate."""

    def __init__(self, nodes: PageNodes, candidates: Sequence[FaqCandidate]) -> None:
        self.nodes = nodes
        self.lists = [candidate.pairs for candidate in candidates]
        self.asked, self.said = _said(self.lists)
        self.runs = Runs([len(pairs) for pairs in self.lists])
        self.pairs = [pair for pairs in self.lists for pair in pairs]
        self.first, self.start, self.last = np.array([pair[2:] for pair in self.pairs], dtype=np.int64).T
        self.chars = np.array([(len(pair.question), len(pair.answer)) for pair in self.pairs], dtype=np.float64).T

    def columns(self) -> _Columns:
        """All that is told of them."""
        columns: _Columns = {}
        for tell in (self.questions, self.answers, self.blocks, self.between, self.extent):
            tell(columns)
        return columns

    def questions(self, columns: _Columns) -> None:
        """What the questions are like, and how many there are."""
        runs, count, logs = self.runs, self.runs.lengths.astype(np.float64), np.log1p(self.chars[0])
        columns["pairs"], columns["log_pairs"] = count, np.log1p(count)
        columns["questions_mean"], columns["questions_std"] = runs.mean(logs), runs.spread(logs)
        columns["questions_max"] = runs.most(logs)
        asking, opening = np.array([self.asked[pair.question] for pair in self.pairs], dtype=np.float64).T
        columns["asking"], columns["opening"] = runs.mean(asking), runs.mean(opening)
        columns["capitalised"] = runs.mean(np.array([pair.question[:1].isupper() for pair in self.pairs]))

    def answers(self, columns: _Columns) -> None:
        """What the texts of the answers are like."""
        runs, logs = self.runs, np.log1p(self.chars[1])
        columns["answers_mean"], columns["answers_std"] = runs.mean(logs), runs.spread(logs)
        columns["answers_min"], columns["answers_max"] = runs.least(logs), runs.most(logs)
        columns["answers_start_low"] = runs.mean(np.array([pair.answer[:1].islower() for pair in self.pairs]))
        columns["longer_answers"] = runs.mean(self.chars[1] > self.chars[0])
        different = [len({pair.answer for pair in pairs}) for pairs in self.lists]
        columns["answers_alike"] = 1 - np.array(different) / runs.lengths
        first = Runs(np.minimum(runs.lengths, _LOOK))
        said = [self.said[pair.answer] for pairs in self.lists for pair in pairs[:_LOOK]]
        sentences, asking = np.array(said, dtype=np.float64).T
        columns["answer_sentences_mean"] = first.mean(np.log1p(sentences))
        columns["asking_answers"] = first.mean(asking)

    def blocks(self, columns: _Columns) -> None:
        """What the blocks of questions and answers are like."""
        runs = self.runs
        # a question in its answer's own block is counted with it: blocks are the least that sums are known of
        starts = np.minimum(self.start, self.last - 1)
        ends = np.maximum(starts, self.first + 1)
        sums = _sums_in(self.nodes, self.lists)
        inside, heads = sums[self.last] - sums[starts], sums[ends] - sums[self.first]
        blocks, chars = np.maximum(inside[:, BLOCKS], 1), np.maximum(runs.sum(inside[:, CHARS]), 1)
        of_heads = np.maximum(runs.sum(heads[:, CHARS]), 1)
        logs = np.log1p(blocks)
        columns["answer_blocks_mean"], columns["answer_blocks_max"] = runs.mean(logs), runs.most(logs)
        columns["question_links"] = runs.sum(heads[:, LINKS]) / of_heads
        columns["answer_links"] = runs.sum(inside[:, LINKS]) / chars
        columns["answer_long"] = runs.sum(inside[:, LONG]) / runs.sum(blocks)
        columns["answer_tiny"] = runs.sum(inside[:, TINY]) / runs.sum(blocks)
        columns["answer_questions"] = runs.mean(inside[:, QUESTIONS])
        columns["answer_dates"] = runs.mean(np.log1p(inside[:, DATES]))
        columns["hidden"] = runs.mean(inside[:, HIDDEN] / blocks)

    def between(self, columns: _Columns) -> None:
        """How evenly the pairs stand, and how many headings stand between them."""
        nodes, followed = self.nodes, np.ones(len(self.pairs), dtype=np.bool_)
        followed[self.runs.begins + self.runs.lengths - 1] = False
        before = np.flatnonzero(followed)
        gaps = Runs(self.runs.lengths - 1)
        lengths = np.maximum(self.first[before + 1] - self.last[before], 0)
        logs = np.log1p(lengths)
        columns["gap_mean"], columns["gap_max"] = gaps.mean(logs), gaps.most(logs)
        # of so many blocks at most, from the first pair on, whether they are headings
        passed = lengths.cumsum() - lengths
        left = np.maximum(_MOST_BETWEEN - (passed - passed[gaps.begins][gaps.of_item]), 0)
        begins = self.last[before]
        headings = np.append(0, np.cumsum(np.array(nodes.block_headings) > 0))
        found = headings[begins + np.minimum(lengths, left)] - headings[begins]
        columns["headings_between"] = gaps.sum(found) / self.runs.lengths

    def extent(self, columns: _Columns) -> None:
        """Where on the page the lists stand, and how much of it they are."""
        runs, chars = self.runs, self.nodes.chars
        first, last = self.first[runs.begins], runs.most(self.last)
        shown = runs.sum(self.chars.sum(axis=0))
        columns["begins"] = first / len(self.nodes.blocks)
        columns["ends"] = last / len(self.nodes.blocks)
        columns["log_page"] = np.full(len(first), np.log1p(chars[-1]))
        columns["page_share"] = shown / max(chars[-1], 1.0)
        columns["span_share"] = shown / np.maximum(chars[last] - chars[first], 1.0)


# --- where they stand -------------------------------------------------------------------------------------------------


def _rows(nodes: PageNodes, candidates: Sequence[FaqCandidate]) -> list[list[float]]:
    """How each candidate is laid out, what is above it, and what the elements of its questions are."""
    above: dict[int, list[float]] = {}
    elements: dict[tuple[int, ...], list[float]] = {}
    rows = []
    for candidate in candidates:
        first, near = candidate.pairs[0].first, tuple([head.node for head in candidate.heads[:_NEAR]])
        if first not in above:
            above[first] = _over(nodes, first)
        if near not in elements:
            elements[near] = _of_elements(nodes, near)
        rows.append([*_of_candidate(nodes, candidate), *above[first], *elements[near]])
    return rows


def _of_candidate(nodes: PageNodes, candidate: FaqCandidate) -> list[float]:
    """What the texts of all its questions are like, answered or not, and how a candidate is laid out."""
    questions, count = [head.question for head in candidate.heads], len(candidate.heads)
    prefixed = [text[:1] not in NO_PREFIX and QUESTION_PREFIX.match(text) is not None for text in questions]
    levels = max(candidate.level, 0) + 1
    places = np.array([head.node for head in candidate.heads], dtype=np.int64)
    parents = np.bincount(climbed(nodes, places, np.full_like(places, levels)))
    return [
        sum(prefixed) / count,
        len(candidate.pairs) / count,
        len(set(questions)) / count,
        int(parents.max()) / count,
        candidate.level,
        *(candidate.layout == name for name in _LAYOUTS),
    ]


def _of_elements(nodes: PageNodes, near: tuple[int, ...]) -> list[float]:
    """What the elements of the first few questions are."""
    tags: set[str] = set()
    node = near[0]
    size = nodes.lasts[node] - nodes.firsts[node]
    while node >= 0 and nodes.lasts[node] - nodes.firsts[node] == size:
        tags.add(nodes.scopes[node].tag)  # all elements around the same text: a heading in a button is both
        node = nodes.parents[node]
    names = nodes.names_near(near, _LEVELS)
    return [
        float(nodes.depth[near[0]]),
        *(not tags.isdisjoint(wanted) for wanted in _TAGS.values()),
        *(not names.isdisjoint(words) for words in _NAMES.values()),
    ]


def _over(nodes: PageNodes, first: int) -> list[float]:
    """How far above a list that begins with this block its heading is; if it, and the text before, speak of FAQs."""
    headings, texts = nodes.block_headings, nodes.texts
    above = next((block for block in range(first - 1, max(first - _FAR, 0) - 1, -1) if headings[block]), None)
    before = FAQ_WORDS.is_in(" ".join(texts[max(0, first - 4) : first])[-300:])
    if above is None:
        return [_NO_HEADING, 0.0, before]
    return [log1p(first - above), FAQ_WORDS.is_in(texts[above][:300]), before]


def _beside_others(nodes: PageNodes, columns: _Columns) -> None:
    """How many of the page's questions each candidate has, and where it stands by their number."""
    pairs = columns["pairs"]
    asking = pairs * columns["asking"]
    page = max(sum(asks(text[-_LOOK:]) for text in compress(nodes.texts, nodes.asking)), 1)
    columns["page_asking"] = np.full(len(pairs), np.log1p(page))
    columns["share_of_asking"] = asking / page
    columns["rank_by_asking"], columns["rank_by_pairs"] = _above(asking), _above(pairs)
    columns["candidates"] = np.full(len(pairs), np.log1p(len(pairs)))


def _above(values: Floats) -> Floats:
    """How large each value is beside the largest."""
    result: Floats = values / max(float(values.max()), 1.0)
    return result
