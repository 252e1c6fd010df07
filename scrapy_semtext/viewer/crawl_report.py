"""The report of a crawl: what it extracted, what it skipped and why, and its pages, the least certain first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from scrapy_semtext.viewer.index import IndexRow, index_page, rank_of

_LONG = 12  # minimum length of a word that may be broken, such as a URL


@dataclass(frozen=True, slots=True)
class CountTable:
    """A table of the report: ``about`` describes its counts; numbers are right-aligned."""

    title: str
    about: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int]]


def report_page(
    title: str,
    facts: str,
    figures: Mapping[str, str],
    tables: Sequence[CountTable],
    rows: Sequence[IndexRow],
    *,
    left_out: int = 0,
) -> str:
    """Return a report as an HTML document; tables without rows are omitted.

    ``figures`` are the main counts by name; ``left_out`` is the number of pages that are not shown. Raises ValueError
    for a row whose ``href`` is not the URL of a page.
    """
    pages = sorted(rows, key=lambda row: (row.outcome not in ("item", ""), rank_of(row)))
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in figures.items())
    sections = (_section(number, table) for number, table in enumerate(tables) if table.rows)
    before = "\n".join([f'<dl class="tiles">{tiles}</dl>', *sections])
    about_pages = _about_pages(len(pages), left_out)
    return index_page(pages, title=title, facts=facts, in_order=True, before=before, about_pages=about_pages)


def _about_pages(shown: int, left_out: int) -> str:
    order = "Pages with items come first, the least sure ones before others."
    if not left_out:
        return f"{shown} page{'s' * (shown != 1)}, each with its text blocks colored. {order}"
    return f"The {shown} of {shown + left_out} pages that the model was least sure of, with colored blocks. {order}"


def _section(number: int, table: CountTable) -> str:
    heads = "".join(
        f'<th scope="col"{_class(cell)}>{escape(name)}</th>'
        for name, cell in zip(table.columns, table.rows[0], strict=True)
    )
    rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return (
        f'<section aria-labelledby="table-{number}">\n<h2 id="table-{number}">{escape(table.title)}</h2>\n'
        f'<p class="facts">{escape(table.about)}</p>\n'
        f'<table class="counts"><thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>\n</section>'
    )


def _cell(value: str | int) -> str:
    shown = f"{value:,}" if isinstance(value, int) else value
    return f"<td{_class(value)}>{escape(shown)}</td>"


def _class(value: str | int) -> str:
    if isinstance(value, int):
        return ' class="number"'
    return ' class="long"' if any(len(word) > _LONG for word in value.split()) else ""
