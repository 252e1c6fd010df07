"""An outline written as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from scrapy_semtext.output.outline import BLOCKS, BREAK, End, Start

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.output.outline import Token

# A line each; their white space means nothing.
_LINES = frozenset(BLOCKS.values())
_HOLDERS = frozenset("ul ol dl table thead tbody tfoot tr blockquote figure details".split())


def to_html(tokens: Iterable[Token]) -> str:
    """Write an outline as an HTML fragment, a block element a line; all text is escaped."""
    return "".join(_written(token) for token in tokens).strip("\n")


def _written(token: Token) -> str:
    if isinstance(token, Start):
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in token.attributes)
        return f"<{token.tag}{attributes}>" + "\n" * (token.tag in _HOLDERS or token == BREAK)
    if isinstance(token, End):
        return f"</{token.tag}>" + "\n" * (token.tag in _LINES)
    return escape(token, quote=False)
