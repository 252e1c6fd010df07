"""The language of a text, by py3langid (140 languages, its model ships with it)."""

from __future__ import annotations

from functools import cache
from typing import Any

from scrapy_semtext.utils.extras import load_extra

#: Probability below which the language counts as not known. On real question-answer pairs of less than 50 characters,
#: half stay below it, and of those above hardly one is wrong; from 200 characters on nearly all are above.
SURE = 0.5


@cache
def identifier() -> Any:
    """The identifier, once a process: loading takes most of a second. Raises MissingExtraError without py3langid."""
    langid = load_extra("py3langid.langid", "language")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def language_of_text(text: str) -> str | None:
    """Return the ISO 639 code of a text's language, or None where there is too little text to tell.

    Raises MissingExtraError without py3langid.
    """
    language, probability = identifier().classify(text)
    return str(language) if probability >= SURE else None
