"""Values that are made at once are those that their class makes one by one."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any

import pytest

from scrapy_semtext.output.rows import rows_of
from scrapy_semtext.page import Block, Segment

COLUMNS: dict[str, list[Any]] = {
    "text": ["one", "two"],
    "label": ["main", "boilerplate"],
    "probability": [0.75, 0.25],
    "tag": ["p", "li"],
    "classes": ["", "a b"],
}


def test_rows_are_those_of_the_class() -> None:
    found = rows_of(Block, COLUMNS)
    assert found == [Block("one", "main", 0.75, "p", ""), Block("two", "boilerplate", 0.25, "li", "a b")]
    assert pickle.loads(pickle.dumps(found)) == found
    assert replace(found[0], text="x") == Block("x", "main", 0.75, "p", "")
    assert rows_of(Segment, {"text": [], "label": []}) == []
    with pytest.raises(ValueError, match=r"length|shorter"):
        rows_of(Segment, {"text": ["x"], "label": []})


def test_all_fields_are_columns() -> None:
    """A field that no column is given for would be missing."""
    assert [field.name for field in fields(Block)] == list(COLUMNS)
    assert [field.name for field in fields(Segment)] == ["text", "label"]
