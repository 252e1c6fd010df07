"""Selectors of rules: CSS as in parsel, with ::text and ::attr(), or XPath."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

#: What an XPath expression begins with; everything else is CSS.
_XPATH = ("/", "./", "(", "xpath:")


def select(selector: str, root: Any) -> list[Any]:
    """Return what a selector finds in a tree, elements and texts; nothing if the tree cannot be searched by it."""
    try:
        found = _compiled(selector)(root)
    except etree.XPathError:  # a function that there is not, or that cannot take what it gets
        return []
    return found if isinstance(found, list) else [found] if isinstance(found, str) and found else []


def check_selector(selector: str) -> None:
    """Raise ValueError, with what is wrong, for a selector that is neither CSS nor XPath."""
    try:
        _compiled(selector)
    except (SelectorError, etree.XPathSyntaxError) as error:
        kind = "XPath" if selector.startswith(_XPATH) else "CSS"
        raise ValueError(f"{selector!r} is no {kind} selector: {error}") from error


@lru_cache(maxsize=4096)
def _compiled(selector: str) -> etree.XPath:
    if selector.startswith(_XPATH):
        return etree.XPath(selector.removeprefix("xpath:"))
    return etree.XPath(HTMLTranslator().css_to_xpath(selector.removeprefix("css:")))
