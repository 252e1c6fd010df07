"""Scores of the pairs found on annotated pages: pairs, questions of threads, and which post each answer answers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.read.title import title_of
from scrapy_semtext.train.corpus import PRF, mean_prf, prf
from scrapy_semtext.train.posts import MATCH, likest_pairs, word_f1, words_of
from scrapy_semtext.tree import parsing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.train.posts import PairPage, TruePair, Words


@dataclass
class PairReport:
    """The scores of pages, by group."""

    _pairs: dict[str, list[PRF]] = field(default_factory=lambda: defaultdict(list))
    _found: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    _questions: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    _trees: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, page: PairPage, pairs: Sequence[QAPair]) -> None:
        """Score the pairs that were found on a page."""
        if page.role != "variant" and page.pairs is None:
            self._found[f"{page.dataset} {page.kind}"].append(bool(pairs))
        elif page.role != "variant" and page.pairs is not None:
            for group in ("all", page.kind):
                self._pairs[group].append(pair_prf(pairs, page.pairs))
        if page.role in ("posts", "variant"):
            title = page.title or title_of(parsing.parse(page.html, page.url))
            group = f"variants: {page.kind}" if page.role == "variant" else page.dataset
            self._questions[group].append(is_question_right(pairs, page, title))
        if page.parents is not None and any(parent >= 0 for parent in page.parents):
            self._trees[page.kind].append(tree_f1(pairs, page))

    def tables(self) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
        """Yield the caption of each table, and its rows by group."""
        yield (
            "pairs, where they are known:",
            {group: {**mean_prf(rows)._asdict(), "pages": len(rows)} for group, rows in self._pairs.items()},
        )
        shares: Sequence[tuple[str, str, Mapping[str, Sequence[float]]]] = (
            ("share of the other pages with pairs:", "share", self._found),
            ("share of threads whose question is right:", "share", self._questions),
            ("answers with what they answer, in trees of replies:", "f1", self._trees),
        )
        for title, column, scores in shares:
            table = {group: {column: sum(rows) / len(rows), "pages": len(rows)} for group, rows in scores.items()}
            yield title, dict(sorted(table.items()))


def pair_prf(found: Sequence[QAPair], truth: Sequence[TruePair]) -> PRF:
    """Precision, recall and F1 of the pairs of one page; all are 1 if neither side has pairs.

    A pair is right if the word F1 of its answer with a true answer, and that of its question with a form of the true
    question, are both at least MATCH. Each true pair is matched once, by the pair with the most similar answer.
    """
    mine = [(words_of(pair.question), words_of(pair.answer)) for pair in found]
    theirs = [([words_of(form) for form in pair.questions], words_of(pair.answer)) for pair in truth]
    right = likest_pairs(
        (close, i, j)
        for i, (question, answer) in enumerate(mine)
        for j, (forms, true_answer) in enumerate(theirs)
        if (close := word_f1(answer, true_answer)) >= MATCH and _asks_the_same(question, forms)
    )
    return prf(len(right), len(found), len(truth))


def is_question_right(pairs: Sequence[QAPair], page: PairPage, title: str | None) -> bool:
    """Whether all pairs of a thread, at least one, have its question: the title, the opening post or both.

    They are similar enough if their word F1 is at least MATCH. ``title`` is used if the page set has no title.
    """
    title = page.title or title or ""
    forms = [words_of(form) for form in (f"{title}\n{page.opening or ''}", title, page.opening or "")]
    return bool(pairs) and all(_asks_the_same(words_of(asked), forms) for asked in {pair.question for pair in pairs})


def tree_f1(pairs: Sequence[QAPair], page: PairPage) -> float:
    """F1 of the answers of a thread, each with the post it answers. Raises ValueError if the tree is unknown."""
    if page.parents is None:
        raise ValueError(f"it is not known what the answers on {page.id} answer")
    truth = page.posts[1:] if page.opening else page.posts
    mine, theirs = [words_of(pair.answer) for pair in pairs], [words_of(text) for text in truth]
    near = likest_pairs(
        (close, -one, -other)
        for one, answer in enumerate(mine)
        for other, true in enumerate(theirs)
        if (close := word_f1(answer, true)) >= MATCH
    )
    true_place = {-one: -other for one, other in near.items()}
    position = {0: -1, **{one + 1: other for one, other in true_place.items()}}
    right = sum(position.get(pairs[one].answer_to or 0) == page.parents[other] for one, other in true_place.items())
    return 2 * right / (len(pairs) + len(truth)) if pairs or truth else 1.0


def _asks_the_same(question: Words, forms: Sequence[Words]) -> bool:
    return any(word_f1(question, form) >= MATCH for form in forms)
