"""Tables of how good the pairs of annotated pages are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.dom import tree
from scrapy_semtext.output.title import title_of
from scrapy_semtext.training.pair_scoring import pair_prf
from scrapy_semtext.training.question_scoring import is_question_right, tree_f1
from scrapy_semtext.training.scoring import mean_prf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_semtext.page import QAPair
    from scrapy_semtext.training.pair_pages import PairPage
    from scrapy_semtext.training.scoring import PRF


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
            title = page.title or title_of(tree.parse(page.html, page.url))
            group = f"variants: {page.kind}" if page.role == "variant" else page.dataset
            self._questions[group].append(is_question_right(pairs, page, title))
        if page.parents is not None and any(parent >= 0 for parent in page.parents):
            self._trees[page.kind].append(tree_f1(pairs, page))

    def tables(self) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
        """Yield what each table is of, and its rows by group."""
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
            yield title, {group: {column: _mean(rows), "pages": len(rows)} for group, rows in sorted(scores.items())}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
