"""Reads the records of a page that lists others, and the address of its next page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.page import Record
from scrapy_semtext.records.extents import elements_of_records
from scrapy_semtext.records.lists import PageLists
from scrapy_semtext.records.pager import next_page_of
from scrapy_semtext.records.values import author_of, date_of, image_of, numbers_of, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.records.columns import Column, Member
    from scrapy_semtext.records.models import RecordModels

_LEAST_SHARE = 1 / 3


class FoundRecords(NamedTuple):
    """The records of a page in page order, and the address of the following page of the list, None if there is none."""

    records: list[Record]
    next_page: str | None


def read_records(page: ParsedPage, models: RecordModels) -> FoundRecords:
    """Read the records of a page that lists others. Time is linear in the page."""
    base = base_url(page.root, page.url) or ""
    columns = models.main_columns(PageLists.of(page))
    if not columns:
        return FoundRecords([], None)
    titles = _titles(columns)
    elements = elements_of_records([member.element for member, _ in titles], [column for _, column in titles])
    lines = [text_of(parts, member.text) for (member, _), parts in zip(titles, elements, strict=True)]
    records = [
        Record(
            title=member.text,
            url=member.url or "",
            text="\n".join(text),
            date=date_of(parts, text),
            author=author_of(parts, text),
            image=image_of(parts, base),
            numbers=numbers,
        )
        for (member, _), text, parts, numbers in zip(titles, lines, elements, numbers_of(lines, page.lang), strict=True)
    ]
    return FoundRecords(records, next_page_of(page.root, page.url, base))


def are_most(records: Sequence[Record], page: ParsedPage) -> bool:
    """Whether records are what a page is about, a third of its text, as on the index of a forum and not on a thread."""
    shown = sum(len(record.title) + len(record.text) for record in records)
    return shown > _LEAST_SHARE * sum(len(block.text) for block in page.raw_blocks)


def _titles(columns: Sequence[Column]) -> list[tuple[Member, int]]:
    """The titles of all columns in page order, each with the number of its column; one for each address."""
    found: dict[str, tuple[Member, int]] = {}
    for number, column in enumerate(columns):
        for member in column.members:
            if member.url:
                found.setdefault(member.url, (member, number))
    return sorted(found.values(), key=lambda title: title[0].order)
