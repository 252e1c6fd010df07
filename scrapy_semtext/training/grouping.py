"""What divides the pages of a table of scores: their type, or the language of their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from scrapy_semtext.training.datasets import AnnotatedPage

#: What `group_of` can go by.
By = Literal["type", "lang"]
GROUPINGS: tuple[By, ...] = ("type", "lang")
#: What pages are divided by, as headings say it.
WORDING: dict[By, str] = {"type": "type of page", "lang": "language"}

# Characters of the true text that tell its language.
_ENOUGH = 2000


def group_of(page: AnnotatedPage, by: By = "type") -> str:
    """Return the group that a page is counted in.

    By "lang" it is the ISO 639 code of two letters that the page set states, or that py3langid reads off the true text
    where the set states none; "unknown" where the text is too short to tell. Raises MissingExtraError if a language has
    to be read off and py3langid is not installed.
    """
    if by == "type":
        return page.page_type or "untyped"
    if page.lang:
        return page.lang.replace("_", "-").partition("-")[0].lower()
    from scrapy_semtext.text.languages import language_of_text

    return language_of_text(page.text[:_ENOUGH]) or "unknown"
