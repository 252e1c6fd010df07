"""How a Page is written and read by web-poet: for scrapy-poet's cache and the fixtures of `scrapy savefixture`."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

# web-poet resolves the annotations of the functions below.
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_semtext.details import Crumb, Details, Person, Product
from scrapy_semtext.page import Block, Chunk, Comment, Page, QAPair, Record, Section, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def register() -> None:
    """Make it known to web-poet."""
    register_serialization(_serialize, _deserialize)


def _serialize(page: Page) -> SerializedLeafData:
    return {
        "json": json.dumps(
            page.to_dict(blocks=True, segments=True, comments=True, records=True, chunks=True),
            ensure_ascii=False,
            indent=1,
        ).encode()
    }


def _deserialize(cls: type[Page], data: SerializedLeafData) -> Page:
    values = json.loads(data["json"])
    for name, part in (
        ("blocks", Block),
        ("qa_pairs", QAPair),
        ("comments", Comment),
        ("records", Record),
        ("sections", _section),
        ("segments", Segment),
        ("chunks", Chunk),
    ):
        values[name] = [part(**value) for value in values[name]]
    if values.get("details") is not None:
        values["details"] = _details(**values["details"])
    return cls(**values)


def _details(
    authors: Sequence[dict[str, Any]],
    breadcrumbs: Sequence[dict[str, Any]],
    product: dict[str, Any] | None,
    **values: Any,
) -> Details:
    return Details(
        authors=[Person(**person) for person in authors],
        breadcrumbs=[Crumb(**crumb) for crumb in breadcrumbs],
        product=None if product is None else Product(**product),
        **values,
    )


def _section(sections: Sequence[dict[str, Any]], **values: Any) -> Section:
    return Section(**values, sections=[_section(**section) for section in sections])
