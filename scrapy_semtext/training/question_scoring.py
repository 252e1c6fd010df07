"""How often the question of a thread is right, and what its answers answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.training.post_labels import MATCH, word_f1, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.pair_pages import PairPage


def is_question_right(pairs: Sequence[QAPair], page: PairPage, title: str | None) -> bool:
    """Whether all pairs of a thread, at least one, have its question: the title, the opening post or both.

    They are like enough from a word F1 of MATCH on. ``title`` is used where the page set does not know the title.
    """
    title = page.title or title or ""
    forms = [words_of(form) for form in (f"{title}\n{page.opening or ''}", title, page.opening or "")]
    asked = [words_of(question) for question in {pair.question for pair in pairs}]
    return bool(pairs) and all(any(word_f1(question, form) >= MATCH for form in forms if form) for question in asked)


def tree_f1(pairs: Sequence[QAPair], page: PairPage) -> float:
    """F1 of the answers of a thread, each with what it answers. Raises ValueError if the page's tree is not known."""
    if page.parents is None:
        raise ValueError(f"it is not known what the answers on {page.id} answer")
    truth = page.posts[1:] if page.opening else page.posts
    true_place = _matches(pairs, truth)
    position = {n: true_place[n - 1] if n else -1 for n in range(len(pairs) + 1) if n == 0 or n - 1 in true_place}
    right = sum(
        position.get(pair.answer_to or 0) == page.parents[true_place[number]]
        for number, pair in enumerate(pairs)
        if number in true_place
    )
    return 2 * right / (len(pairs) + len(truth)) if pairs or truth else 1.0


def _matches(pairs: Sequence[QAPair], truth: Sequence[str]) -> Mapping[int, int]:
    """The place of the true answer of each pair that has one; the likest are matched first, each once."""
    mine, theirs = [words_of(pair.answer) for pair in pairs], [words_of(text) for text in truth]
    near = (
        (close, -one, -other)
        for one, answer in enumerate(mine)
        for other, true in enumerate(theirs)
        if (close := word_f1(answer, true)) >= MATCH
    )
    found: dict[int, int] = {}
    for _, one, other in sorted(near, reverse=True):
        if -one not in found and -other not in found.values():
            found[-one] = -other
    return found
