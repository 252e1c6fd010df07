"""An overview of many viewed pages, the most doubtful first."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from scrapy_semtext.viewer.blocks import percent
from scrapy_semtext.viewer.document import document, safe_href

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A page in the overview.

    ``href`` leads to its view, None if it has none. ``words`` and ``blocks`` are those that were kept, ``pairs`` and
    ``records`` how many were found. ``confidence`` is that of `confidence`; it is None for a page that could not be
    read, of which ``note`` says why. ``outcome`` is what the page was for a crawl, "" where nothing is known of that.
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


_NUMBERS = ("words", "blocks", "pairs", "records")


def index_page(rows: Sequence[IndexRow], *, facts: str = "", in_order: bool = False) -> str:
    """Return an overview of pages as an HTML document: those without confidence first, then the least confident.

    With ``in_order`` they stay in the order of ``rows``. ``facts`` says something of all of them. The overview can be
    sorted by column and filtered by text and kind. Raises ValueError for an ``href`` that is not the address of a page.
    """
    shown = rows if in_order else sorted(rows, key=lambda row: -1.0 if row.confidence is None else row.confidence)
    return document(
        "index",
        f"{len(rows)} pages",
        "index.html",
        {
            "facts": escape(facts),
            "filters": page_filters(rows),
            "pages": page_table(shown, is_sorted=not in_order),
        },
        styles=STYLES,
        scripts=["index.js"],
    )


#: The style sheets of a document with a `page_table`; its script is index.js.
STYLES = ("common.css", "index.css", "dark.css")


def page_filters(rows: Sequence[IndexRow]) -> str:
    """Return the fields that filter a `page_table` as HTML."""
    text = '<label>Filter <input type="search" id="filter" placeholder="title or address"></label>'
    kinds, outcomes = {row.kind for row in rows}, {row.outcome for row in rows}
    return text + _choice("kind", "Kind", kinds) + (_choice("was", "Was", outcomes) if any(outcomes) else "")


def page_table(rows: Sequence[IndexRow], *, is_sorted: bool) -> str:
    """Return pages in their order as a table of HTML; ``is_sorted``: by confidence, the lowest first."""
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
    kind_of_note = "error" if row.confidence is None else "note"
    note = f'<div class="{kind_of_note}">{escape(row.note)}</div>' if row.note else ""
    sure = "" if row.confidence is None else f'<meter value="{row.confidence:.4f}"></meter> {percent(row.confidence)}'
    was = f"<td>{escape(row.outcome)}</td>" if with_outcome else ""
    numbers = "".join(f'<td class="number {name}">{escape(str(getattr(row, name)))}</td>' for name in _NUMBERS)
    return (
        f'<tr data-kind="{escape(row.kind or "")}" data-was="{escape(row.outcome)}">'
        f'<td class="sure" data-value="{-1 if row.confidence is None else row.confidence}">{sure}</td>'
        f'<td class="page">{heading}<div class="url">{escape(row.url or "")}</div>{note}</td>'
        f"{was}<td>{escape(row.kind or '')}</td>{numbers}</tr>"
    )
