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
    read, of which ``note`` says why.
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


_NUMBERS = ("words", "blocks", "pairs", "records")


def index_page(rows: Sequence[IndexRow], *, facts: str = "", in_order: bool = False) -> str:
    """Return an overview of pages as an HTML document: those without confidence first, then the least confident.

    With ``in_order`` they stay in the order of ``rows``. ``facts`` says something of all of them. The overview can be
    sorted by column and filtered by text and kind. Raises ValueError for an ``href`` that is not the address of a page.
    """
    shown = rows if in_order else sorted(rows, key=lambda row: -1.0 if row.confidence is None else row.confidence)
    kinds = sorted({row.kind for row in rows if row.kind})
    return document(
        "index.html",
        {
            "count": str(len(rows)),
            "facts": escape(facts),
            "sorted": "" if in_order else ' aria-sort="ascending"',
            "kinds": "".join(f"<option>{escape(kind)}</option>" for kind in kinds),
            "rows": "\n".join(map(_row, shown)),
        },
        styles=["common.css", "index.css"],
        scripts=["index.js"],
    )


def _row(row: IndexRow) -> str:
    title = escape(row.title or row.url or "Page without a title")
    heading = title if row.href is None else f'<a href="{escape(safe_href(row.href))}">{title}</a>'
    kind_of_note = "error" if row.confidence is None else "note"
    note = f'<div class="{kind_of_note}">{escape(row.note)}</div>' if row.note else ""
    sure = "" if row.confidence is None else f'<meter value="{row.confidence:.4f}"></meter> {percent(row.confidence)}'
    numbers = "".join(f'<td class="number">{getattr(row, name)}</td>' for name in _NUMBERS)
    return (
        f'<tr data-kind="{escape(row.kind or "")}">'
        f'<td class="sure" data-value="{-1 if row.confidence is None else row.confidence}">{sure}</td>'
        f'<td class="page">{heading}<div class="url">{escape(row.url or "")}</div>{note}</td>'
        f"<td>{escape(row.kind or '')}</td>{numbers}</tr>"
    )
