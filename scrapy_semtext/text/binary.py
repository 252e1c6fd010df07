"""Whether a page is no text at all: pictures, PDFs and archives that are sent or saved as HTML."""

from __future__ import annotations

#: The share of control characters, in the beginning of a text, from which on it is no text but a picture or an archive.
#: Random bytes have a tenth of them, and real pages next to none.
_SHARE = 0.05
_LOOK = 4096
# NUL is not among them: it is what is left of UTF-16 that nobody declared, and HTML parsers drop it.
_CONTROLS = frozenset(map(chr, (*range(1, 9), *range(14, 27), *range(28, 32))))


def is_binary(text: str) -> bool:
    """Return whether what was decoded as a page's text is that of a PDF, a picture or an archive."""
    start = text[:_LOOK]
    return start.startswith("%PDF-") or sum(map(_CONTROLS.__contains__, start)) > _SHARE * len(start)
