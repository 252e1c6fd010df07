"""The text of pages that show next to none before their scripts have run: that of JSON-LD or of the scripts' data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_semtext.output.markup import main_text_from_markup
from scrapy_semtext.output.script_state import main_text_from_state
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from lxml import etree

#: A page of fewer words is one that waits for its scripts: "Please enable JavaScript", the name of the site.
LITTLE = 50
# What stands in the place of words that a page does show has to be so many times as long.
_TIMES = 5


def fallback_text(root: etree._Element, main_text: str, shown: float, *, markup: bool) -> str | None:
    """Return the text that a page holds and does not show, if it is to replace ``main_text``; None if not.

    It does where the page has no main text, and where it shows, in all, few words (``shown``) beside what it holds. A
    page that shows more is not read from the data of its scripts: what these hold then is other pages, too. ``markup``:
    whether its JSON-LD may be read.
    """
    little = shown < LITTLE
    if main_text and not little:
        return None
    stated = main_text_from_markup(root) if markup else None
    held = main_text_from_state(root) if little else None
    text = max(stated or "", held or "", key=len)
    enough = not main_text or word_counts([text])[0] >= _TIMES * shown
    return text if text and enough else None
