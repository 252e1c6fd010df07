from __future__ import annotations

import numpy as np

from scrapy_semtext.labeling.session import GREEDY_PAGES, Doubts, teaching_order


def page(**doubts: float) -> Doubts:
    """Return a page with a doubt at each path, named p0, p1 and so on."""
    return Doubts(np.array([int(path[1:]) for path in doubts], np.int64), np.array([*doubts.values()]))


def test_a_doubtful_page_goes_before_a_certain_one() -> None:
    assert teaching_order([page(p0=0.1), page(p1=0.9), page(p2=0.5)]) == [1, 2, 0]


def test_each_page_once_also_beyond_those_chosen_one_by_one() -> None:
    rng = np.random.default_rng(0)
    pages = [Doubts(np.unique(rng.integers(0, 300, 40)), np.zeros(0)) for _ in range(GREEDY_PAGES + 100)]
    pages = [Doubts(each.paths, rng.random(len(each.paths))) for each in pages]
    order = teaching_order(pages, done=[5])
    assert sorted(order) == [*range(len(pages))]
    assert order[-1] == 5
