"""Pairs as flat rows: what an item for one pair holds, and what exporters read out of items of either kind."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy_semtext.page import Page, QAPair

#: The columns of a row, in the order in which files have them, with the types of their values as pyarrow calls them.
COLUMN_TYPES = {
    "question": "string",
    "answer": "string",
    "question_title": "string",
    "question_body": "string",
    "author": "string",
    "date": "string",
    "votes": "int64",
    "accepted": "bool_",
    "source": "string",
    "score": "float64",
    "shown": "bool_",
    "question_author": "string",
    "question_date": "string",
    "question_score": "float64",
    "answer_to": "int32",
    "depth": "int32",
    "position": "int32",
    "url": "string",
    "title": "string",
}

COLUMNS = tuple(COLUMN_TYPES)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PairOfPage:
    """A pair with the page it is from; ``position`` counts the page's pairs from 1, those left out included."""

    page: Page
    pair: QAPair
    position: int

    def row(self) -> Row:
        """Return the pair as plain values, one for each of COLUMNS."""
        return {**asdict(self.pair), "position": self.position, "url": self.page.url, "title": self.page.title}


def can_hold_pair(item: Any, fields: Mapping[str, str]) -> bool:
    """Return whether an item can be one pair: a dict, or one that declares the fields of question and answer."""
    if not ItemAdapter.is_item(item):
        return False
    declared = ItemAdapter.get_field_names_from_class(type(item))
    return declared is None or all(fields.get(name) in declared for name in ("question", "answer"))


def rows_of(item: Any, page_fields: Mapping[str, str], pair_fields: Mapping[str, str]) -> Iterator[Row]:
    """Yield a row for each pair that an item holds, which has all of COLUMNS, None where the item is silent.

    An item may hold a list of pairs in the field that ``page_fields`` gives "qa_pairs", or be one pair itself, with the
    fields of ``pair_fields``. Anything else gives no row.
    """
    if not ItemAdapter.is_item(item):
        return
    adapter = ItemAdapter(item)
    pairs = _value(adapter, page_fields, "qa_pairs")
    if isinstance(pairs, list | tuple):
        url, title = (_value(adapter, page_fields, name) for name in ("url", "title"))
        for position, pair in enumerate(filter(ItemAdapter.is_item, pairs), 1):
            yield _row({"url": url, "title": title, "position": position, **ItemAdapter(pair).asdict()})
    elif _value(adapter, pair_fields, "question") and _value(adapter, pair_fields, "answer"):
        yield _row({name: _value(adapter, pair_fields, name) for name in COLUMNS})


def _value(adapter: ItemAdapter, fields: Mapping[str, str], name: str) -> Any:
    """Return a result's value in an item, by the field it is mapped to or its own name; None where there is none."""
    try:
        return adapter.get(fields.get(name, name))
    except AttributeError:  # a field of a dataclass or an attrs class without a default, never set
        return None


def _row(values: Mapping[str, Any]) -> Row:
    return {name: values.get(name) for name in COLUMNS}
