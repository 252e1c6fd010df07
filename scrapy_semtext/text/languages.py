"""The language of a text, detected by py3langid (140 languages; its model is part of the package)."""

from __future__ import annotations

from functools import cache
from typing import Any

from scrapy_semtext.utils.extras import load_extra

#: The probability below which the language is unknown. On real question-answer pairs of less than 50 characters, half
#: are below it, and hardly any above is wrong; from 200 characters on nearly all are above.
SURE = 0.5


@cache
def identifier() -> Any:
    """Return the identifier, cached because loading it is slow. Raises MissingExtraError without py3langid."""
    langid = load_extra("py3langid.langid", "language")
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)


def language_of_text(text: str) -> str | None:
    """Return the ISO 639 code of a text's language, or None if there is too little text to detect it.

    Raises MissingExtraError without py3langid.
    """
    language, probability = identifier().classify(text)
    return str(language) if probability >= SURE else None
