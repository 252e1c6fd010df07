"""The nodes of a page on its own, and as a part of a batch."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_semtext.tree.nodes import PageNodes, node_features, share_table
from scrapy_semtext.tree.parsing import parse

PAGES = (
    "<body><p class=b>One.</p><div class=a><p>Two?</p><p>Three.</p></div>",
    "<body><div class=a><h2>Four.</h2><p>Five.<img></p></div><div class=a><p>Six.</p></div>",
)
NUMBERS = ("signatures", "near_signatures", "own_signatures", "ordinal_signatures", "tag_paths")


def alike(numbers: np.ndarray) -> list[list[bool]]:
    same: list[list[bool]] = (numbers[:, None] == numbers).tolist()
    return same


@pytest.mark.smoke
def test_a_page_of_a_batch_takes_its_numbers_from_the_batch_as_if_it_were_alone() -> None:
    alone, pages = ([PageNodes.of_page(parse(html)) for html in PAGES] for _ in range(2))
    batch = share_table(pages)
    assert len(batch) == sum(map(len, pages))
    assert batch.blocks == [block for page in pages for block in page.blocks]
    for own, page in zip(alone, pages, strict=True):
        for name in NUMBERS:
            assert alike(getattr(page, name)) == alike(getattr(own, name))
            assert getattr(page, name).min() == 0
    assert {*NUMBERS} < vars(batch).keys()  # computed once, for all pages
    assert np.array_equal(node_features(batch), np.concatenate([*map(node_features, alone)]))


def test_a_page_is_a_batch_of_one() -> None:
    page = PageNodes.of_page(parse(PAGES[1]))
    assert share_table([page]) is page
    assert page.root.tag == "html"
    assert page.parents[0] == -1
    assert page.parent[0] == 0
    assert page.elements[0, 0] == 1
