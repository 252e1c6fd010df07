"""Structure trees: fitting, files, and labeling with them."""

from __future__ import annotations

import pytest
from structure_pages import site_page

from scrapy_semtext.features.table import describe

pytest.importorskip("lightgbm")

from typing import TYPE_CHECKING

from scrapy_semtext.train.fit import Trees, read_examples
from scrapy_semtext.train.structure import fit_structure, structure_examples

if TYPE_CHECKING:
    from scrapy_semtext.labelers.structure_trees import StructureTrees


@pytest.fixture(scope="module")
def fitted() -> StructureTrees:
    pages = [site_page(number) for number in range(60)]
    settings = Trees(30, leaves=31, rate=0.1, least=60)
    return fit_structure(read_examples(pages, structure_examples), settings=settings, columns=20)


def test_fitted_trees_tell_main_content(fitted: StructureTrees) -> None:
    page = site_page(99)
    described = describe(page.html, page.url)
    keep = fitted.log_odds([described])[0] > 0
    assert [block.text in page.text for block in described.text_blocks] == keep.tolist()
    assert len(fitted.columns) + len(fitted.words) <= 20
