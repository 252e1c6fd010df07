"""Overviews of many viewed pages, with the model's confidence in each, the least certain first.

The report of a crawl also says what it extracted, and what it skipped and why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.viewer.document import document, percent, safe_href
from scrapy_semtext.words.characters import word_counts

if TYPE_CHECKING:
    from scrapy_semtext.page import Page

_NUMBERS = ("words", "blocks", "pairs", "records")
_MIN_BREAKABLE = 12  # characters of a word that may be broken, such as a URL


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A page in the overview.

    ``href`` is the URL of its view, None if it has none. ``words`` and ``blocks`` count what was kept, ``pairs`` and
    ``records`` what was found. ``confidence`` is the value of `confidence`, or None for a page that could not be read,
    for which ``note`` gives the reason. ``outcome`` is the page's role in a crawl, "" if unknown.
    """

    href: str | None
    url: str | None
    title: str | None
    kind: str | None = None
    words: int = 0
    blocks: int = 0
    pairs: int = 0
    records: int = 0
    confidence: float | None = None
    note: str = ""
    outcome: str = ""


def index_page(
    rows: Sequence[IndexRow],
    *,
    title: str | None = None,
    facts: str = "",
    in_order: bool = False,
    before: str = "",
    about_pages: str = "",
) -> str:
    """Return an overview of pages as an HTML document: those without confidence first, then the least confident.

    With ``in_order`` they stay in the order of ``rows``. ``facts`` and ``about_pages`` say something of all of them;
    ``before`` is HTML that stands before the table. The overview can be sorted by column and filtered by text and kind.
    Raises ValueError for an ``href`` that is not the URL of a page.
    """
    shown = rows if in_order else sorted(rows, key=lambda row: -1.0 if row.confidence is None else row.confidence)
    return document(
        "index",
        title or f"{len(rows)} pages",
        "index.html",
        {
            "facts": escape(facts),
            "before": before,
            "about_pages": escape(about_pages),
            "filters": _filters(rows),
            "pages": _page_table(shown, is_sorted=not in_order),
        },
        styles=["common.css", "index.css", "dark.css"],
        scripts=["index.js"],
    )


def _filters(rows: Sequence[IndexRow]) -> str:
    text = '<label>Filter <input type="search" id="filter" placeholder="title or URL"></label>'
    kinds, outcomes = {row.kind for row in rows}, {row.outcome for row in rows}
    return text + _choice("kind", "Kind", kinds) + (_choice("was", "Was", outcomes) if any(outcomes) else "")


def _page_table(rows: Sequence[IndexRow], *, is_sorted: bool) -> str:
    outcomes = any(row.outcome for row in rows)
    names = ["confidence", "page", *["was"] * outcomes, "kind", *_NUMBERS]
    heads = "".join(
        f'<th{_head_attributes(name, is_sorted=is_sorted)}><button type="button">{name}</button></th>' for name in names
    )
    body = "\n".join(_row(row, with_outcome=outcomes) for row in rows)
    return f'<table id="pages">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def _head_attributes(name: str, *, is_sorted: bool) -> str:
    if name in _NUMBERS:
        return f' class="number {name}"'
    return ' aria-sort="ascending"' if name == "confidence" and is_sorted else ""


def _choice(name: str, label: str, values: set[str | None] | set[str]) -> str:
    options = "".join(f"<option>{escape(value)}</option>" for value in sorted(filter(None, values)))
    return f'<label>{label} <select id="{name}"><option value="">all</option>{options}</select></label>'


def _row(row: IndexRow, *, with_outcome: bool) -> str:
    title = escape(row.title or row.url or "Page without a title")
    heading = title if row.href is None else f'<a href="{escape(safe_href(row.href))}">{title}</a>'
    name, value, sure = "error", -1.0, ""
    if row.confidence is not None:
        name, value = "note", row.confidence
        sure = f'<meter value="{value:.4f}"></meter> {percent(value)}'
    note = f'<div class="{name}">{escape(row.note)}</div>' * bool(row.note)
    was = f"<td>{escape(row.outcome)}</td>" if with_outcome else ""
    numbers = "".join(f'<td class="number {name}">{escape(str(getattr(row, name)))}</td>' for name in _NUMBERS)
    return (
        f'<tr data-kind="{escape(row.kind or "")}" data-was="{escape(row.outcome)}">'
        f'<td class="sure" data-value="{value}">{sure}</td>'
        f'<td class="page">{heading}<div class="url">{escape(row.url or "")}</div>{note}</td>'
        f"{was}<td>{escape(row.kind or '')}</td>{numbers}</tr>"
    )


def confidence(page: Page) -> float:
    """Return the expected share of the page's words with a correct label (0 to 1), by the model's own probabilities.

    A word counts with the probability of its block's label: p for main content, 1 - p for boilerplate. The result is 0
    for a page without words, because such a page should be reviewed.
    """
    blocks = page.blocks
    words = word_counts([block.text for block in blocks])
    total = float(words.sum()) if blocks else 0.0
    if not total:
        return 0.0
    probabilities = np.array([block.probability for block in blocks])
    right = np.where([block.is_main for block in blocks], probabilities, 1 - probabilities)
    return float(np.clip(right @ words / total, 0.0, 1.0))


def rank_of(row: IndexRow) -> float:
    """Return the key by which pages are sorted for review: those that could not be read first, then by confidence.

    Lists and pages without text come last.
    """
    if row.confidence is None:
        return -1.0
    return row.confidence + (row.words == 0 or row.records > 0)


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
    return f"The first {shown} of {shown + left_out} pages, each with its text blocks colored. {order}"


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
    return ' class="long"' if any(len(word) > _MIN_BREAKABLE for word in value.split()) else ""
