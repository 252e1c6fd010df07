"""Which sets of nodes are readers' comments: known on pages made for it, and on some other pages by their main text.

Page sets say what the main text is, not what the comments are. Texts outside the main text, in elements named for
comments, with an author or a date each, are taken for comments; texts in the main text, or without any of these, are
not; of the rest nobody knows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scrapy_semtext.qa.facts import facts_of
from scrapy_semtext.training.post_labels import set_f1
from scrapy_semtext.training.scoring import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_semtext.qa.runs import Candidate
    from scrapy_semtext.training.post_fit import Example

_FOUND = 0.6  # F1 from which a set counts as that of known comments; it is lower without the first comment
_INSIDE, _OUTSIDE = 0.5, 0.2  # shares of the texts' runs of three words that are in the main text
_WITH_FACTS = 0.5  # of the texts have an author, or a date


def comment_label(example: Example, bodies: Candidate, texts: Sequence[str], *, named: bool) -> bool | None:
    """Whether ``bodies``, with these texts, are the comments of a page; None if that is not known.

    ``named``: whether elements around them are named for comments.
    """
    page = example.page
    if page.role == "comments":
        return set_f1(texts, page.posts) >= _FOUND
    if not example.may_have_comments:
        return False
    inside = _share_inside(texts, page.main_text)
    if inside >= _INSIDE:
        return False
    facts = facts_of(example.nodes, bodies)
    known = max(sum(fact.author is not None for fact in facts), sum(fact.date is not None for fact in facts))
    if named and inside < _OUTSIDE and known >= _WITH_FACTS * len(facts):
        return True
    return None if named or known else False


def _share_inside(texts: Iterable[str], main_text: str) -> float:
    """The share of the runs of three words in the texts that the main text has."""
    runs: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        runs.update(_runs(text))
    return (runs & _runs(main_text)).total() / max(1, runs.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    found = words(text)
    return Counter(zip(found, found[1:], found[2:], strict=False))
