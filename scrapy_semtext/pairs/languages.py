"""The language of a pair, by py3langid (140 languages, its model ships with it)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from scrapy_semtext.pairs.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_semtext.page import QAPair

#: Probability below which the language counts as not known. On real pairs of less than 50 characters, half stay below
#: it, and of those above hardly one is wrong; from 200 characters on nearly all are above.
SURE = 0.5

#: Characters of the answer, and of the question, that are looked at: more make no difference but take time.
_ENOUGH = 1000


@cache
def _identifier() -> Any:
    """The identifier, once a process: loading takes most of a second."""
    langid = load_extra("py3langid.langid", "language")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def language_of(pair: QAPair) -> str | None:
    """Return the ISO 639 code of a pair's language, or None where there is too little text to tell.

    Raises MissingExtraError without py3langid.
    """
    language, probability = _identifier().classify(f"{pair.question[:_ENOUGH]}\n{pair.answer[:_ENOUGH]}")
    return str(language) if probability >= SURE else None


def check_languages(codes: Iterable[str]) -> None:
    """Raise ValueError for a code of a language that cannot be told, MissingExtraError without py3langid."""
    known = set(_identifier().labels)
    for code in codes:
        if code not in known:
            raise ValueError(f"the language {code!r} cannot be told; these can: {', '.join(sorted(known))}")
