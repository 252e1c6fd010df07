"""Folds of pages by forum engine."""

from __future__ import annotations

from research.engine_folds import assign_folds, folds_of
from scrapy_semtext.training.pair_pages import PairPage, Role


def test_pages_are_dealt_by_engine_into_folds_of_like_size() -> None:
    engines = ["a"] * 6 + ["b"] * 3 + ["c"] * 3 + ["d"]
    folds = assign_folds(engines, 2)
    assert len({(engine, fold) for engine, fold in zip(engines, folds, strict=True)}) == 4
    assert sorted((folds.count(0), folds.count(1))) == [6, 7]


def test_pages_without_known_pairs_do_not_change_the_folds_of_others() -> None:
    def page(role: Role, engine: str) -> PairPage:
        return PairPage("1", role, "k", engine, "e.example", None, "s", "", [], None, "", shippable=True)

    threads = [page("posts", engine) for engine in "aaabbc"]
    added = [page("comments", "a"), page("comments", "style 1"), page("forum", "b"), page("forum", "f.example")]
    folds = folds_of([*threads, *added], 3)
    assert folds[:6] == folds_of(threads, 3)
    assert (folds[6], folds[8]) == (folds[0], folds[3])
