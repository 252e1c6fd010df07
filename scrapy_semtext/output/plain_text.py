"""Plain text from an element, or from a piece of HTML such as the answers in JSON-LD."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from scrapy_semtext.dom import tree
from scrapy_semtext.dom.combining import segment
from scrapy_semtext.dom.joining import main_text

if TYPE_CHECKING:
    from lxml import etree

# An end tag, or an element that needs none. A start tag alone may be a word of the text: "use a <div> there".
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|p|li|img|hr)\b[^<>]*>", re.IGNORECASE)


def text_of(element: etree._Element) -> str:
    """Return an element's text as the page shows it: its blocks on lines of their own."""
    blocks = segment(element)
    return main_text(blocks, [True] * len(blocks))


def text_of_html(html: str) -> str:
    """Return the text of a string that may be HTML, or HTML all of whose tags were escaped once more, or plain text."""
    if _MARKUP.search(html):
        return text_of(tree.parse(html))
    plain = unescape(html).replace("\xa0", " ")
    if plain.lstrip().startswith("<") and _MARKUP.search(plain):
        return text_of(tree.parse(plain))
    # Indentation in plain text is what was left when somebody took the tags out of it.
    lines = (line.strip() for line in plain.splitlines())
    return "\n".join(line for line in lines if line)
