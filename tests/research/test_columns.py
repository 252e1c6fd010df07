"""The documented columns are those that the models read."""

from __future__ import annotations

from research.columns import PAGE, all_columns, page_of
from scrapy_semtext.extractor import Extractor


def test_the_page_of_columns_is_that_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_of(all_columns()), "run `python -m research.columns`"


def test_the_shipped_models_read_the_listed_columns() -> None:
    names = {columns.builder.__name__: [*columns.names] for columns in all_columns()}
    extractor = Extractor.load()
    pairs = extractor.pair_models
    counts = {name: len(each) for name, each in names.items()}
    assert pairs.posts.threads.node.columns == counts["node_features"]
    assert pairs.posts.threads.candidate.columns == counts["candidate_columns"]
    assert pairs.faq.columns == counts["features_of_pages"]
    assert extractor.section_models.title.columns == counts["line_features"]
    assert {*pairs.posts.kinds.columns} <= {*names["page_columns"]}
    assert len({*names["page_columns"]}) == counts["page_columns"]
