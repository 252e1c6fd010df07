"""Detection of the language of a pair."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from scrapy_semtext.text.languages import identifier, language_of_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.page import QAPair

#: The number of characters of the answer, and of the question, that are read: more take time but change nothing.
_ENOUGH = 1000

#: The identifier's code for text that is in no language.
_NO_LANGUAGE = "zxx"


def language_of(pair: QAPair) -> str | None:
    """Return the ISO 639 code of a pair's language, or None if there is too little text to detect it.

    Raises MissingExtraError without py3langid.
    """
    return language_of_text(f"{pair.question[:_ENOUGH]}\n{pair.answer[:_ENOUGH]}")


def check_languages(codes: Sequence[str]) -> None:
    """Raise ValueError for a language code that cannot be detected, and MissingExtraError without py3langid."""
    known = {*identifier().labels} - {_NO_LANGUAGE} if codes else set()
    for code in codes:
        if code not in known:
            near = get_close_matches(code, sorted(known), 1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(f"the language {code!r} cannot be detected; {hint}these can: {', '.join(sorted(known))}")
