"""Structure trees: the table of scopes, names around blocks, rows, and the shipped ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from gate.quality import read_sample
from structure_pages import HTML

from scrapy_semtext.extractor import Extractor
from scrapy_semtext.features.table import PostBlocks
from scrapy_semtext.labelers.structure_trees import (
    LENGTH_DISCOUNT,
    TREES_SHARE,
    averaged,
    load_structure,
    require_structure,
)
from scrapy_semtext.models.storage import BundleError
from scrapy_semtext.train.corpus import word_prf
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.scopes import ScopeTree, segment

if TYPE_CHECKING:
    from pathlib import Path


def layout_of(html: str) -> ScopeTree:
    return ScopeTree(segment(parsing.parse(html)))


def test_scopes_stand_in_page_order_with_the_blocks_inside_them() -> None:
    layout = layout_of(HTML)
    tags = [scope.tag for scope in layout.scopes]
    # the combine phase has joined the two items of the list
    assert tags == ["html", "body", "nav", "ul", "li", "div", "article", "h1", "p", "h2", "p", "div", "footer", "p"]
    ranges = dict(zip(tags, zip(layout.first.tolist(), layout.last.tolist(), strict=True), strict=True))
    assert ranges["html"] == (0, 7)
    assert ranges["article"] == (1, 6)
    assert ranges["footer"] == (6, 7)
    assert [tags[at] for at in layout.of_block] == ["li", "h1", "p", "h2", "p", "div", "p"]
    assert all(layout.parent[1:] < np.arange(1, len(layout)))


def test_a_bundle_may_have_no_trees(tmp_path: Path) -> None:
    assert load_structure(tmp_path) is None
    with pytest.raises(BundleError, match=r"no structure trees.*train structure"):
        require_structure(tmp_path)


@pytest.mark.slow
def test_the_shipped_trees_read_real_articles() -> None:
    articles = [page for page in read_sample() if page.page_type == "article"][:8]
    extractor = Extractor.load(labeler="trees")
    scores = [word_prf(extractor.read(page.html, page.url).main_text, page.text).f1 for page in articles]
    assert np.mean(scores) > 0.9


def test_log_odds_are_averaged_and_long_blocks_lose_some_but_not_on_threads() -> None:
    words = np.array([1.0, 10.0, 100.0, 300.0, 3000.0])
    even, trees = np.full(len(words), 0.5), np.full(len(words), 2.0)
    discounts = LENGTH_DISCOUNT * np.log([1, 1, 10, 30, 30])
    assert averaged(even, trees, words, None) == pytest.approx(2 * TREES_SHARE - discounts)
    for thread in (0.0, 0.5, 1.0):
        sure_of = PostBlocks(thread, 1, np.ones(len(words)), np.zeros(len(words), dtype=np.int64))
        long, short = (averaged(np.ones(len(words)), trees, each, sure_of, share=0.0) for each in (words, even))
        assert short - long == pytest.approx((1 - thread) * discounts, abs=1e-4)
