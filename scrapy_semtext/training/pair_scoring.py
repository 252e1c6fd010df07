"""How good pairs are: a pair is right if its question and its answer have the words of a true one's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.training.post_labels import MATCH, word_f1, words_of
from scrapy_semtext.training.scoring import PRF, prf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.post_labels import Words


class TruePair(NamedTuple):
    """A true pair; any of ``questions`` (title and body, title, body) will do."""

    questions: tuple[str, ...]
    answer: str


def pair_prf(found: Sequence[QAPair], truth: Sequence[TruePair]) -> PRF:
    """Precision, recall and F1 of the pairs of one page; without pairs on either side all are 1.

    A pair is right if the word F1 of its answer with a true one's, and that of its question with one of the forms of
    the true question, are both at least MATCH. Each true pair is found once, by the answer that is most like it.
    """
    mine = [(words_of(pair.question), words_of(pair.answer)) for pair in found]
    theirs = [([words_of(form) for form in pair.questions], words_of(pair.answer)) for pair in truth]
    near = (
        (close, i, j)
        for i, (question, answer) in enumerate(mine)
        for j, (forms, true_answer) in enumerate(theirs)
        if (close := word_f1(answer, true_answer)) >= MATCH and _asks_the_same(question, forms)
    )
    taken: set[int] = set()
    used: set[int] = set()
    for _, i, j in sorted(near, reverse=True):
        if i not in taken and j not in used:
            taken.add(i)
            used.add(j)
    return prf(len(taken), len(found), len(truth))


def _asks_the_same(question: Words, forms: Sequence[Words]) -> bool:
    return any(word_f1(question, form) >= MATCH for form in forms)
