"""What a candidate list of questions looks like, as numbers: the input of the model that judges it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.questions.cues import sentence_ends
from scrapy_semtext.questions.faq import HEADINGS
from scrapy_semtext.questions.faq_text import FAQ_WORDS, OPENS_AS_QUESTION, QUESTION_PREFIX, asks
from scrapy_semtext.questions.nodes import BLOCKS, CHARS, DATES, HIDDEN, LINKS, LONG, QUESTIONS, TINY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.questions.faq import FaqCandidate
    from scrapy_semtext.questions.nodes import PageNodes

    Floats = NDArray[np.float64]

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
    faq_title = bool(title and FAQ_WORDS.search(title))
    address = (url or "").lower()
    faq_url = any(word in address for word in ("faq", "question", "help", "support"))
    rows = np.array([_own(nodes, candidate, faq_title, faq_url) for candidate in candidates])
    return np.hstack([rows, _beside_others(nodes, candidates)]).astype(np.float32)


def _asking_pairs(candidate: FaqCandidate) -> int:
    """How many questions of a candidate end in a question mark."""
    return sum(asks(pair.question) for pair in candidate.pairs)


def _own(nodes: PageNodes, candidate: FaqCandidate, faq_title: bool, faq_url: bool) -> list[float]:
    pairs, heads = candidate.pairs, candidate.heads
    first, last = pairs[0].first, max(pair.last for pair in pairs)
    total = nodes.sums[-1]
    chars = float(sum(len(pair.question) + len(pair.answer) for pair in pairs))
    span = nodes.sums[last] - nodes.sums[first]
    before = " ".join(block.text for block in nodes.blocks[max(0, first - 4) : first])[-300:]
    return [
        *_of_texts(candidate),
        *_of_answers(nodes, candidate),
        *(float(candidate.layout == name) for name in _LAYOUTS),
        float(candidate.level),
        float(nodes.depth[heads[0].node]),
        *_of_places(nodes, candidate),
        *_of_elements(nodes, candidate),
        float(FAQ_WORDS.search(before) is not None),
        float(faq_title),
        float(faq_url),
        first / total[BLOCKS],
        last / total[BLOCKS],
        float(np.log1p(total[CHARS])),
        chars / max(total[CHARS], 1.0),
        chars / max(float(span[CHARS]), 1.0),
    ]


def _of_texts(candidate: FaqCandidate) -> list[float]:
    pairs, heads = candidate.pairs, candidate.heads
    asking = _asking_pairs(candidate) / len(pairs)
    return [
        float(len(pairs)),
        float(np.log1p(len(pairs))),
        asking,
        _share(OPENS_AS_QUESTION.match(pair.question) is not None for pair in pairs),
        _share(QUESTION_PREFIX.match(head.question) is not None for head in heads),
        len(pairs) / len(heads),
        len({head.question for head in heads}) / len(heads),
        _share(pair.question[:1].isupper() for pair in pairs),
    ]


def _of_answers(nodes: PageNodes, candidate: FaqCandidate) -> list[float]:
    pairs = candidate.pairs
    asked = np.log1p([len(pair.question) for pair in pairs])
    answered = np.log1p([len(pair.answer) for pair in pairs])
    # a question in its answer's own block is counted with it: blocks are the least that sums are known of
    starts = np.array([min(pair.start, pair.last - 1) for pair in pairs])
    lasts = np.array([pair.last for pair in pairs])
    firsts = np.array([pair.first for pair in pairs])
    inside = nodes.sums[lasts] - nodes.sums[starts]
    heads = nodes.sums[np.maximum(starts, firsts + 1)] - nodes.sums[firsts]
    blocks = np.maximum(inside[:, BLOCKS], 1)
    whole = np.maximum(inside[:, CHARS].sum(), 1)
    sentences = [sentence_ends(pair.answer[:2_000]) for pair in pairs[:_LOOK]]
    return [
        *(float(x) for x in (asked.mean(), asked.std(), asked.max())),
        *(float(x) for x in (answered.mean(), answered.std(), answered.min(), answered.max())),
        *(float(x) for x in (np.log1p(blocks).mean(), np.log1p(blocks).max())),
        float(np.log1p(sentences).mean()),
        float(heads[:, LINKS].sum() / max(heads[:, CHARS].sum(), 1)),
        float(inside[:, LINKS].sum() / whole),
        float(inside[:, LONG].sum() / blocks.sum()),
        float(inside[:, TINY].sum() / blocks.sum()),
        float(inside[:, QUESTIONS].mean()),
        float(np.log1p(inside[:, DATES]).mean()),
        float((inside[:, HIDDEN] / blocks).mean()),
        1 - len({pair.answer for pair in pairs}) / len(pairs),
        _share(pair.answer[:1].islower() for pair in pairs),
        _share(asks(pair.answer) for pair in pairs[:_LOOK]),
        _share(len(pair.answer) > len(pair.question) for pair in pairs),
    ]


def _of_places(nodes: PageNodes, candidate: FaqCandidate) -> list[float]:
    """How evenly the pairs stand, and under what heading."""
    pairs = candidate.pairs
    level = max(candidate.level, 0) + 2
    parents = Counter(nodes.path(head.node, level)[-1] for head in candidate.heads)
    gaps = np.array([max(after.first - before.last, 0) for before, after in pairwise(pairs)])
    blocks = [block for before, after in pairwise(pairs) for block in range(before.last, after.first)]
    headings = [block for block in blocks[:_MOST_BETWEEN] if _is_heading(nodes, block)]
    first = pairs[0].first
    above = next((b for b in range(first - 1, max(first - _FAR, 0) - 1, -1) if _is_heading(nodes, b)), None)
    return [
        max(parents.values()) / len(candidate.heads),
        float(np.log1p(gaps).mean()),
        float(np.log1p(gaps.max())),
        len(headings) / len(pairs),
        float(np.log1p(first - above)) if above is not None else _NO_HEADING,
        float(above is not None and FAQ_WORDS.search(nodes.blocks[above].text[:300]) is not None),
    ]


def _is_heading(nodes: PageNodes, block: int) -> bool:
    return nodes.block_headings[block] > 0


def _of_elements(nodes: PageNodes, candidate: FaqCandidate) -> list[float]:
    near = [head.node for head in candidate.heads[:_NEAR]]
    tags: set[str] = set()
    node = near[0]
    size = nodes.lasts[node] - nodes.firsts[node]
    while node >= 0 and nodes.lasts[node] - nodes.firsts[node] == size:
        tags.add(nodes.scopes[node].tag)  # all elements around the same text: a heading in a button is both
        node = nodes.parents[node]
    names = nodes.names_near(near, _LEVELS)
    return [
        *(float(not tags.isdisjoint(wanted)) for wanted in _TAGS.values()),
        *(float(not names.isdisjoint(words)) for words in _NAMES.values()),
    ]


def _beside_others(nodes: PageNodes, candidates: Sequence[FaqCandidate]) -> Floats:
    """How many of the page's questions each candidate has, and where it stands by their number."""
    pairs = np.array([float(len(candidate.pairs)) for candidate in candidates])
    asking = pairs * np.array([_asking_pairs(candidate) / len(candidate.pairs) for candidate in candidates])
    page = max(sum(asks(block.text[-_LOOK:]) for block in nodes.blocks), 1)
    count = np.full(len(candidates), np.log1p(len(candidates)))
    return np.column_stack(
        [np.full(len(candidates), np.log1p(page)), asking / page, _above(asking), _above(pairs), count]
    )


def _above(values: Floats) -> Floats:
    """How large each value is beside the largest."""
    result: Floats = values / max(float(values.max()), 1.0)
    return result


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return sum(values) / max(len(values), 1)
