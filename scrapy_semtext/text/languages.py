"""Language tags, and the language of a text, detected by py3langid (140 languages; its model is part of it)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from scrapy_semtext.utils.extras import load_extra

#: The probability below which the language is unknown. On real question-answer pairs of less than 50 characters, half
#: are below it, and hardly any above is wrong; from 200 characters on nearly all are above.
SURE = 0.5

#: The case of the parts of a language tag, by their length: regions and scripts.
_CASES = {2: str.upper, 4: str.capitalize}


def language_tag(tag: str) -> str:
    """Return a language tag with hyphens and the case of BCP 47: "zh-Hant-TW" for "ZH_hant_tw"."""
    parts = tag.lower().replace("_", "-").split("-")
    end = next((place for place, part in enumerate(parts) if len(part) == 1), len(parts))  # of region and script
    return "-".join([parts[0], *(_CASES.get(len(part), str)(part) for part in parts[1:end]), *parts[max(end, 1) :]])


def primary_language(tag: str | None) -> str:
    """Return the first part of a language tag in lower case: "pt" for "pt-BR", "" for None."""
    return re.split("[-_]", (tag or "").strip().lower(), maxsplit=1)[0]


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
