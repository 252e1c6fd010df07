"""The groups of pages in tables of scores: by type, or by language of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scrapy_semtext.training.datasets import AnnotatedPage

#: The criteria of `group_of`.
By = Literal["type", "lang"]
#: The criteria in headings.
WORDING: dict[By, str] = {"type": "type of page", "lang": "language"}

# Characters of the true text that are used to detect its language.
_ENOUGH = 2000


def group_of(page: AnnotatedPage, by: By = "type") -> str:
    """Return the group that a page is counted in.

    By "lang" it is the two-letter ISO 639 code stated by the page set, or else detected by py3langid from the true
    text; "unknown" if the text is too short. Raises MissingExtraError if py3langid is needed and not installed.
    """
    if by == "type":
        return page.page_type or "untyped"
    if page.lang:
        return page.lang.replace("_", "-").partition("-")[0].lower()
    from scrapy_semtext.text.languages import language_of_text

    return language_of_text(page.text[:_ENOUGH]) or "unknown"
