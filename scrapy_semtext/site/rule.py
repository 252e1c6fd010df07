"""The rule of one site, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_semtext.site.tuned import TunedModel


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
