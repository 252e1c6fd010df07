"""Features of candidate lists of questions, the input of the model that judges them."""

from __future__ import annotations

from itertools import chain, compress, islice
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.features.runs import Runs
from scrapy_semtext.read.faq import is_bold
from scrapy_semtext.tree.nodes import (
    BLOCKS,
    CHARS,
    DATES,
    HIDDEN,
    LINKS,
    LONG,
    LONGEST_DATED,
    QUESTIONS,
    TINY,
    matrix_of,
    running_sums,
)
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.words.cues import FAQ_WORDS, OPENS_AS_QUESTION, asks, prefix_of, sentence_ends, with_dates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.table import Columns
    from scrapy_semtext.read.faq import FaqCandidate, FaqQuestion
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Floats


_LAYOUTS = ("inside", "after", "bold", "line", "sentence")
_TAGS = {
    "summary": ("summary",),
    "dt": ("dt",),
    "button": ("button",),
    "p": ("p",),
    "div": ("div",),
    "li": ("li",),
    "cell": ("td", "th"),
    "heading": tuple(HEADING_LEVELS),
}
_NAMES = {
    "faq": {"faq", "faqs"},
    "question": {"question", "questions"},
    "answer": {"answer", "answers"},
    "fold": {*"accordion toggle collapse collapsible expand expandable disclosure details panel".split()},
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
    *("pairs", "log_pairs", "asking", "opening", "sentences", "prefixed", "answered", "distinct", "capitalised"),
    *(f"{name}_{statistic}" for name, statistics in _STATISTICS.items() for statistic in statistics),
    *("question_links", "answer_links", "answer_long", "answer_tiny", "answer_questions", "answer_dates", "hidden"),
    *("answers_alike", "answers_cut", "asking_answers", "longer_answers"),
    *(f"layout_{name}" for name in _LAYOUTS),
    *("alike", "leads_away", "bold", "level", "depth", "gap_mean", "gap_max"),
    *("headings_between", "heading_before", "faq_heading"),
    *(f"tag_{name}" for name in _TAGS),
    *(f"names_{name}" for name in _NAMES),
    *("faq_before", "faq_in_title", "faq_in_url", "begins", "ends", "log_page", "page_share", "span_share"),
    *("page_asking", "share_of_asking", "rank_by_asking", "rank_by_pairs", "candidates"),
)

_URL_WORDS = ("faq", "question", "help", "support")
# How many blocks above the first question to search for a heading; value if there is none.
_MAX_HEADING_DISTANCE, _NO_HEADING = 30, 5.0
_SHORTENED_ENDS = ("…", "...", "…]", "...]")  # ends of texts that continue elsewhere
_MAX_BETWEEN = 2_000  # maximum number of blocks between pairs that are examined
# Members whose texts, and whose names, are examined; levels above each element.
_MAX_EXAMINED, _MAX_DESCRIBED_ELEMENTS, _MAX_NAME_LEVELS = 40, 5, 6


class FaqPage(NamedTuple):
    """A page whose lists of questions are read; ``title`` and ``url`` if known, ``candidates`` once they are found.

    No pair has ``furniture``, numbers of blocks.
    """

    nodes: PageNodes
    title: str | None
    url: str | None
    candidates: Sequence[FaqCandidate] = ()
    furniture: frozenset[int] = frozenset()


def features_of_pages(pages: Sequence[FaqPage]) -> NDArray[np.float32]:
    """Describe the candidates of many pages, one page after the other; (candidates, features).

    The last columns compare a candidate with the others of its page.
    """
    pages = [page for page in pages if page.candidates]
    if not pages:
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    columns = _PairTable(pages).columns()
    _questions(pages, columns)
    _surroundings(pages, columns)
    _on_page(pages, columns)
    return matrix_of(columns[name] for name in FEATURES)


class _PairTable:
    """The pairs of all candidates, one candidate after the other.

    ``runs``: the pairs of each candidate; ``first``, ``start``, ``last``: int64, (pairs,), the first block of the
    question, the first of the answer, and the end (exclusive), counted over all pages; ``chars``: (2, pairs), the
    number of characters of question and answer.
    """

    def __init__(self, pages: Sequence[FaqPage]) -> None:
        self.pages = pages
        self.lists = [candidate.pairs for page in pages for candidate in page.candidates]
        self.runs = Runs([len(pairs) for pairs in self.lists])
        self.pairs = [pair for pairs in self.lists for pair in pairs]
        starts = np.cumsum([0, *(len(page.nodes.blocks) for page in pages)])
        counts = [len(page.candidates) for page in pages]
        #: The first block of the page of each candidate, and the number of its blocks; (candidates,).
        self.page_start, self.page_blocks = np.repeat([starts[:-1], np.diff(starts)], counts, axis=1)
        blocks = np.array([(pair.first, pair.start, pair.last) for pair in self.pairs], dtype=np.int64).T
        self.first, self.start, self.last = blocks + self.page_start[self.runs.of_item]
        # a question in the same block as its answer is counted with it, because sums are only known for whole blocks
        self.start = np.minimum(self.start, self.last - 1)
        texts = [(pair.question, pair.answer) for pair in self.pairs]
        self.chars = np.array([[*map(len, pair)] for pair in texts], dtype=np.float64).T
        sizes = [[len(text.encode(errors="replace")) for text in pair] for pair in texts]
        #: The logarithms of the UTF-8 sizes of question and answer: a Chinese character carries more than an English
        #: letter; (2, pairs).
        self.sizes = np.log1p(np.array(sizes, dtype=np.float64)).T
        self.sums = self._running_sums()

    def _running_sums(self) -> Floats:
        """Return `PageNodes.sums` over the blocks of all pages, with dates in answers only; (blocks + 1, 11)."""
        blocks = [*chain.from_iterable(page.nodes.blocks for page in self.pages)]
        texts = [*chain.from_iterable(page.nodes.texts for page in self.pages)]
        opened, closed = (np.bincount(indexes, minlength=len(blocks) + 1) for indexes in (self.start, self.last))
        in_answer = (opened - closed).cumsum()[:-1] > 0
        dated = np.zeros(len(blocks), dtype=np.bool_)
        dated[in_answer] = with_dates([*compress(texts, in_answer.tolist())], LONGEST_DATED)
        return running_sums(blocks, texts, dated)

    def columns(self) -> Columns:
        """Return the columns of `FEATURES` that describe pairs; (candidates,) each."""
        columns: Columns = {}
        for write in (self.questions, self.answers, self.blocks, self.between, self.extent):
            write(columns)
        return columns

    def questions(self, columns: Columns) -> None:
        """Describe the questions, and count them."""
        runs, count, logs = self.runs, self.runs.lengths.astype(np.float64), self.sizes[0]
        columns["pairs"], columns["log_pairs"] = count, np.log1p(count)
        columns["questions_mean"], columns["questions_std"] = runs.mean(logs), runs.spread(logs)
        columns["questions_max"] = runs.most(logs)
        questions = [pair.question for pair in self.pairs]
        facts = {
            text: (asks(text), OPENS_AS_QUESTION.begins(text), text[:1].isupper(), sentence_ends(text))
            for text in {*questions}
        }
        asking, opening, capitalised, sentences = np.array([facts[text] for text in questions], dtype=np.float64).T
        columns["asking"], columns["opening"], columns["sentences"] = map(runs.mean, (asking, opening, sentences))
        columns["capitalised"] = runs.mean(capitalised)

    def answers(self, columns: Columns) -> None:
        """Describe the texts of the answers."""
        runs, logs = self.runs, self.sizes[1]
        columns["answers_mean"], columns["answers_std"] = runs.mean(logs), runs.spread(logs)
        columns["answers_min"], columns["answers_max"] = runs.least(logs), runs.most(logs)
        columns["answers_cut"] = runs.mean(np.array([pair.answer.endswith(_SHORTENED_ENDS) for pair in self.pairs]))
        columns["longer_answers"] = runs.mean(self.chars[1] > self.chars[0])
        different = [len({pair.answer for pair in pairs}) for pairs in self.lists]
        columns["answers_alike"] = 1 - np.array(different) / runs.lengths
        examined = [pair.answer for pairs in self.lists for pair in pairs[:_MAX_EXAMINED]]
        facts = {text: (sentence_ends(text[:2_000]), asks(text)) for text in {*examined}}
        sentences, asking = np.array([facts[text] for text in examined], dtype=np.float64).T
        of_examined = Runs(np.minimum(runs.lengths, _MAX_EXAMINED))
        columns["answer_sentences_mean"] = of_examined.mean(np.log1p(sentences))
        columns["asking_answers"] = of_examined.mean(asking)

    def blocks(self, columns: Columns) -> None:
        """Describe the blocks of questions and answers."""
        runs, sums = self.runs, self.sums
        ends = np.maximum(self.start, self.first + 1)
        inside, asking = sums[self.last] - sums[self.start], sums[ends] - sums[self.first]
        blocks, chars = np.maximum(inside[:, BLOCKS], 1), np.maximum(runs.sum(inside[:, CHARS]), 1)
        asking_chars = np.maximum(runs.sum(asking[:, CHARS]), 1)
        logs = np.log1p(blocks)
        columns["answer_blocks_mean"], columns["answer_blocks_max"] = runs.mean(logs), runs.most(logs)
        columns["question_links"] = runs.sum(asking[:, LINKS]) / asking_chars
        columns["answer_links"] = runs.sum(inside[:, LINKS]) / chars
        columns["answer_long"] = runs.sum(inside[:, LONG]) / runs.sum(blocks)
        columns["answer_tiny"] = runs.sum(inside[:, TINY]) / runs.sum(blocks)
        columns["answer_questions"] = runs.mean(inside[:, QUESTIONS])
        columns["answer_dates"] = runs.mean(np.log1p(inside[:, DATES]))
        columns["hidden"] = runs.mean(inside[:, HIDDEN] / blocks)

    def between(self, columns: Columns) -> None:
        """Measure how evenly the pairs are spaced, and count the headings between them."""
        has_next = np.ones(len(self.pairs), dtype=np.bool_)
        has_next[self.runs.begins + self.runs.lengths - 1] = False  # the last pair of each candidate
        before = np.flatnonzero(has_next)
        gaps = Runs(self.runs.lengths - 1)
        lengths = np.maximum(self.first[before + 1] - self.last[before], 0)  # of the gaps, in blocks
        logs = np.log1p(lengths)
        columns["gap_mean"], columns["gap_max"] = gaps.mean(logs), gaps.most(logs)
        # headings are counted in the first _MAX_BETWEEN blocks of all gaps of a candidate
        passed = lengths.cumsum() - lengths
        remaining = np.maximum(_MAX_BETWEEN - (passed - passed[gaps.begins][gaps.of_item]), 0)
        begins = self.last[before]
        is_heading = np.concatenate([page.nodes.node_headings[page.nodes.of_block] > 0 for page in self.pages])
        headings = np.append(0, is_heading.cumsum())
        found = headings[begins + np.minimum(lengths, remaining)] - headings[begins]
        columns["headings_between"] = gaps.sum(found) / self.runs.lengths

    def extent(self, columns: Columns) -> None:
        """Measure where on the page the lists are, and what share of it they cover."""
        runs, start, chars = self.runs, self.page_start, self.sums[:, CHARS]
        first, last = self.first[runs.begins], np.maximum.reduceat(self.last, runs.begins)
        shown, of_page = runs.sum(self.chars.sum(axis=0)), chars[start + self.page_blocks] - chars[start]
        columns["begins"] = (first - start) / self.page_blocks
        columns["ends"] = (last - start) / self.page_blocks
        columns["log_page"] = np.log1p(of_page)
        columns["page_share"] = shown / np.maximum(of_page, 1.0)
        columns["span_share"] = shown / np.maximum(chars[last] - chars[first], 1.0)


def _questions(pages: Sequence[FaqPage], columns: Columns) -> None:
    """Describe the texts of all questions of each candidate, answered or not, and the candidate's layout."""
    candidates = [candidate for page in pages for candidate in page.candidates]
    runs = Runs([len(candidate.questions) for candidate in candidates])
    texts = [[question.text for question in candidate.questions] for candidate in candidates]
    prefixed = {text: prefix_of(text) is not None for text in {*chain.from_iterable(texts)}}
    columns["prefixed"] = runs.mean(np.array([prefixed[text] for text in chain.from_iterable(texts)]))
    columns["answered"] = np.array([len(candidate.pairs) for candidate in candidates]) / runs.lengths
    columns["distinct"] = np.array([len({*own_texts}) for own_texts in texts]) / runs.lengths
    columns["alike"] = np.array([candidate.alike for candidate in candidates])
    columns["level"] = np.array([candidate.level for candidate in candidates], dtype=np.float64)
    layouts = np.array([candidate.layout for candidate in candidates])
    columns |= {f"layout_{name}": (layouts == name).astype(np.float64) for name in _LAYOUTS}


def _surroundings(pages: Sequence[FaqPage], columns: Columns) -> None:
    """Describe what is above each candidate, and the elements of its questions."""
    rows: list[dict[str, float]] = []
    for page in pages:
        position_of: dict[int, dict[str, float]] = {}
        elements_of: dict[tuple[FaqQuestion, ...], dict[str, float]] = {}
        for candidate in page.candidates:
            first, first_questions = candidate.pairs[0].first, candidate.questions[:_MAX_DESCRIBED_ELEMENTS]
            if first not in position_of:
                position_of[first] = _position(page.nodes, first)
            if first_questions not in elements_of:
                elements_of[first_questions] = _elements(page.nodes, first_questions)
            rows.append(position_of[first] | elements_of[first_questions])
    columns |= {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _position(nodes: PageNodes, first: int) -> dict[str, float]:
    """Return the distance to the heading above a list with this first block; whether it, or text before, names FAQs."""
    headings, texts = nodes.block_headings, nodes.texts
    heading = next(
        (block for block in range(first - 1, max(first - _MAX_HEADING_DISTANCE, 0) - 1, -1) if headings[block]), None
    )
    is_faq_before = FAQ_WORDS.is_in(" ".join(texts[max(0, first - 4) : first])[-300:])
    return {
        "heading_before": _NO_HEADING if heading is None else log1p(first - heading),
        "faq_heading": heading is not None and FAQ_WORDS.is_in(texts[heading][:300]),
        "faq_before": is_faq_before,
    }


def _leads_away(nodes: PageNodes, question: FaqQuestion) -> bool:
    """Return whether most of a question is a link to another page."""
    element = nodes.scopes[question.node].element
    links = chain(element.iter("a"), islice(element.iterancestors("a"), 1))
    return any(
        "#" not in link.get("href", "#") and len("".join(link.itertext())) * 2 > len(question.text) for link in links
    )


def _elements(nodes: PageNodes, questions: Sequence[FaqQuestion]) -> dict[str, float]:
    """Describe the elements of the first few questions."""
    tags: set[str] = set()
    node = questions[0].node
    size = nodes.lasts[node] - nodes.firsts[node]
    while node >= 0 and nodes.lasts[node] - nodes.firsts[node] == size:
        tags.add(nodes.scopes[node].tag)  # all elements around the same text, because a heading in a button is both
        node = nodes.parents[node]
    names = nodes.names_near([question.node for question in questions], _MAX_NAME_LEVELS)
    return {
        "leads_away": sum(_leads_away(nodes, question) for question in questions) / len(questions),
        "bold": sum(is_bold(nodes.blocks[question.first]) for question in questions) / len(questions),
        "depth": float(nodes.depth[questions[0].node]),
        **{f"tag_{name}": not tags.isdisjoint(accepted) for name, accepted in _TAGS.items()},
        **{f"names_{name}": not names.isdisjoint(words) for name, words in _NAMES.items()},
    }


def _on_page(pages: Sequence[FaqPage], columns: Columns) -> None:
    """Describe the page's title, and each candidate's number of questions and its rank by that number."""
    runs = Runs([len(page.candidates) for page in pages])

    def spread(values: Iterable[float]) -> Floats:
        """Return values of pages for their candidates; (candidates,)."""
        return np.array([*values], dtype=np.float64)[runs.of_item]

    columns["faq_in_title"] = spread(bool(page.title) and FAQ_WORDS.is_in(page.title or "") for page in pages)
    addresses = [(page.url or "").lower() for page in pages]
    columns["faq_in_url"] = spread(any(word in address for word in _URL_WORDS) for address in addresses)
    pairs = columns["pairs"]
    asking = pairs * columns["asking"]
    asking_texts = (compress(page.nodes.texts, page.nodes.asking) for page in pages)
    on_page = spread(max(sum(asks(text[-_MAX_EXAMINED:]) for text in texts), 1) for texts in asking_texts)
    columns["page_asking"] = np.log1p(on_page)
    columns["share_of_asking"] = asking / on_page
    for name, values in (("rank_by_asking", asking), ("rank_by_pairs", pairs)):
        columns[name] = values / np.maximum(runs.most(values), 1.0)[runs.of_item]
    columns["candidates"] = np.log1p(runs.lengths)[runs.of_item]
