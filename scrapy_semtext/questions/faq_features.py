"""What a candidate list of questions looks like, as numbers: the input of the model that judges it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.questions.cues import sentence_ends
from scrapy_semtext.questions.faq import HEADINGS
from scrapy_semtext.questions.faq_text import FAQ_WORDS, OPENS_AS_QUESTION, QUESTION_PREFIX, asks
from scrapy_semtext.questions.node_features import matrix_of
from scrapy_semtext.questions.nodes import BLOCKS, CHARS, DATES, HIDDEN, LINKS, LONG, QUESTIONS, TINY
from scrapy_semtext.questions.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.questions.faq import FaqCandidate
    from scrapy_semtext.questions.nodes import Floats, PageNodes

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
    *(f"layout_{name}" for name in _LAYOUTS),
    *("level", "depth", "same_parent", "heading_before", "faq_heading", "faq_before"),
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
    columns: _Columns = {}
    lists = _Lists(nodes, candidates)
    lists.texts(columns)
    lists.answers(columns)
    lists.blocks(columns)
    lists.between(columns)
    lists.extent(columns)
    over = {first: _over(nodes, first) for first in {candidate.pairs[0].first for candidate in candidates}}
    rows = [_of_candidate(nodes, candidate, over[candidate.pairs[0].first]) for candidate in candidates]
    columns |= zip(_OF_CANDIDATE, np.array(rows, dtype=np.float64).T, strict=True)
    address = (url or "").lower()
    columns["faq_in_title"] = np.full(len(candidates), float(bool(title) and FAQ_WORDS.is_in(title or "")))
    columns["faq_in_url"] = np.full(len(candidates), float(any(word in address for word in _IN_ADDRESS)))
    _beside_others(nodes, columns)
    return matrix_of(columns[name] for name in FEATURES)


class _Lists:
    """Describes the candidates of a page, their pairs standing one after the other, a run a candidate."""

    def __init__(self, nodes: PageNodes, candidates: Sequence[FaqCandidate]) -> None:
        self.nodes = nodes
        self.candidates = candidates
        self.runs = Runs([len(candidate.pairs) for candidate in candidates])
        self.pairs = [pair for candidate in candidates for pair in candidate.pairs]
        self.first, self.start, self.last = np.array([pair[2:] for pair in self.pairs], dtype=np.int64).T
        self.chars = np.array([(len(pair.question), len(pair.answer)) for pair in self.pairs], dtype=np.float64).T

    def texts(self, columns: _Columns) -> None:
        """What the questions are like, and how many there are."""
        runs, count, logs = self.runs, self.runs.lengths.astype(np.float64), np.log1p(self.chars[0])
        columns["pairs"], columns["log_pairs"] = count, np.log1p(count)
        columns["questions_mean"], columns["questions_std"] = runs.mean(logs), runs.spread(logs)
        columns["questions_max"] = runs.most(logs)
        known = {text: _is_question(text) for text in {pair.question for pair in self.pairs}}
        told = np.array([known[pair.question] for pair in self.pairs], dtype=np.float64).T
        for name, flags in zip(("asking", "opening", "capitalised"), told, strict=True):
            columns[name] = runs.mean(flags)
        heads = [[head.question for head in candidate.heads] for candidate in self.candidates]
        of_heads = np.array([len(texts) for texts in heads], dtype=np.float64)
        prefixed = [sum(QUESTION_PREFIX.match(text) is not None for text in texts) for texts in heads]
        columns["prefixed"] = np.array(prefixed) / of_heads
        columns["answered"] = count / of_heads
        columns["distinct"] = np.array([len(set(texts)) for texts in heads]) / of_heads

    def answers(self, columns: _Columns) -> None:
        """What the texts of the answers are like."""
        runs, logs = self.runs, np.log1p(self.chars[1])
        columns["answers_mean"], columns["answers_std"] = runs.mean(logs), runs.spread(logs)
        columns["answers_min"], columns["answers_max"] = runs.least(logs), runs.most(logs)
        columns["answers_start_low"] = runs.mean(np.array([pair.answer[:1].islower() for pair in self.pairs]))
        columns["longer_answers"] = runs.mean(self.chars[1] > self.chars[0])
        different = [len({pair.answer for pair in candidate.pairs}) for candidate in self.candidates]
        columns["answers_alike"] = 1 - np.array(different) / runs.lengths
        looked_at = [pair.answer for candidate in self.candidates for pair in candidate.pairs[:_LOOK]]
        first = Runs(np.minimum(runs.lengths, _LOOK))
        known = {text: (sentence_ends(text[:2_000]), asks(text)) for text in set(looked_at)}
        sentences, asking = np.array([known[text] for text in looked_at], dtype=np.float64).T
        columns["answer_sentences_mean"] = first.mean(np.log1p(sentences))
        columns["asking_answers"] = first.mean(asking)

    def blocks(self, columns: _Columns) -> None:
        """What the blocks of questions and answers are like."""
        runs = self.runs
        # a question in its answer's own block is counted with it: blocks are the least that sums are known of
        starts = np.minimum(self.start, self.last - 1)
        ends = np.maximum(starts, self.first + 1)
        sums = self.nodes.sums
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


def _is_question(text: str) -> tuple[bool, bool, bool]:
    """Whether a question ends in a mark, begins as questions do, and begins with a capital letter."""
    return asks(text), OPENS_AS_QUESTION.begins(text), text[:1].isupper()


def _of_candidate(nodes: PageNodes, candidate: FaqCandidate, above: tuple[float, float, float]) -> list[float]:
    """How a candidate is laid out, and what the elements of its questions are."""
    level = max(candidate.level, 0) + 2
    parents = Counter(nodes.path(head.node, level)[-1] for head in candidate.heads)
    near = [head.node for head in candidate.heads[:_NEAR]]
    tags: set[str] = set()
    node = near[0]
    size = nodes.lasts[node] - nodes.firsts[node]
    while node >= 0 and nodes.lasts[node] - nodes.firsts[node] == size:
        tags.add(nodes.scopes[node].tag)  # all elements around the same text: a heading in a button is both
        node = nodes.parents[node]
    names = nodes.names_near(near, _LEVELS)
    return [
        *(candidate.layout == name for name in _LAYOUTS),
        candidate.level,
        nodes.depth[near[0]],
        max(parents.values()) / len(candidate.heads),
        *above,
        *(not tags.isdisjoint(wanted) for wanted in _TAGS.values()),
        *(not names.isdisjoint(words) for words in _NAMES.values()),
    ]


def _over(nodes: PageNodes, first: int) -> tuple[float, float, float]:
    """How far above a list that begins with this block its heading is; if it, and the text before, speak of FAQs."""
    headings, texts = nodes.block_headings, nodes.texts
    above = next((block for block in range(first - 1, max(first - _FAR, 0) - 1, -1) if headings[block]), None)
    before = FAQ_WORDS.is_in(" ".join(texts[max(0, first - 4) : first])[-300:])
    if above is None:
        return _NO_HEADING, 0.0, before
    return float(np.log1p(first - above)), FAQ_WORDS.is_in(texts[above][:300]), before


def _beside_others(nodes: PageNodes, columns: _Columns) -> None:
    """How many of the page's questions each candidate has, and where it stands by their number."""
    pairs = columns["pairs"]
    asking = pairs * columns["asking"]
    texts = zip(nodes.texts, nodes.asking, strict=True)
    page = max(sum(is_asking and asks(text[-_LOOK:]) for text, is_asking in texts), 1)
    columns["page_asking"] = np.full(len(pairs), np.log1p(page))
    columns["share_of_asking"] = asking / page
    columns["rank_by_asking"], columns["rank_by_pairs"] = _above(asking), _above(pairs)
    columns["candidates"] = np.full(len(pairs), np.log1p(len(pairs)))


def _above(values: Floats) -> Floats:
    """How large each value is beside the largest."""
    result: Floats = values / max(float(values.max()), 1.0)
    return result
