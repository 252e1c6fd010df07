"""The rule of one site, as plain data, and its selectors: CSS as in parsel, with ::text and ::attr(), or XPath."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect import SelectorError
from lxml import etree
from parsel.csstranslator import HTMLTranslator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.site.tuned import TunedModel

#: What an XPath expression begins with; everything else is CSS.
_XPATH = ("/", "./", "(", "xpath:")


@dataclass(frozen=True, slots=True)
class QARule:
    """Where the posts of a thread are: ``post`` selects all of them, ``question`` the opening post."""

    post: str
    question: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRule:
    """The rule of one site; selectors are CSS or XPath.

    ``keep`` and ``drop`` select elements whose text is or is not main content; of elements inside each other the
    innermost decides, and ``drop`` where both select the same. ``title`` and ``next_page`` select an element or a text;
    of links the address is taken. ``model`` is a folder that ``semtext tune`` has written.
    """

    name: str
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    title: str | None = None
    next_page: str | None = None
    qa: QARule | None = None
    model: str | None = None
    tuned: TunedModel | None = field(default=None, repr=False)

    def selectors(self) -> Iterator[tuple[str, str]]:
        """Yield each selector with its key, as in ``drop: aside``."""
        for key in ("keep", "drop"):
            yield from ((f"{key}: {selector}", selector) for selector in getattr(self, key))
        qa = {"qa.post": self.qa.post, "qa.question": self.qa.question} if self.qa is not None else {}
        for key, selector in {"title": self.title, "next_page": self.next_page, **qa}.items():
            if selector is not None:
                yield f"{key}: {selector}", selector


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
