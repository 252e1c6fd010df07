"""Stop words: function words that say nothing about a text block (Zhang & Wang 2022, III-D).

English and Greek are in ``tables/words.txt``. The English lists of the packages (``stop-words`` 2025.11.4: 1,333 words,
``stopwordsiso``: 1,298) hold home, help, page, site, click, next, related and information: the very words that tell a
menu from a text. The other languages are the lists of ``stop-words`` 2025.11.4, in ``wordlists/``: the weights were
trained on texts without those words, earlier versions of the package have other ones, and this one wants Python 3.11.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.resources import files

from scrapy_semtext.text.word_tables import WORDS

#: The function words of English.
ENGLISH: frozenset[str] = frozenset(WORDS["english"])

# Stands around words in some lists: an elided "l'" is the word "l" once the text is cut.
_AROUND = "\ufeff \"'.,;:"

# First subtags whose list is under another code: old codes, and languages close enough to share the list.
_ALIASES = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh"}

# Lists that were saved in ISO 8859-9 or -2 and read as Latin-1.
_MISREAD = {"tr": str.maketrans("þýð", "şığ"), "hu": str.maketrans("õû", "őű")}


def stop_words(lang: str | None) -> frozenset[str]:
    """Return the stop words of English and of ``lang``, lower case.

    ``lang`` is what pages declare: a BCP 47 tag (``"de-AT"``), also written ``"de_AT"``. None, rubbish and languages
    without a list give those of English.
    """
    code = (lang or "").strip()[:35].replace("_", "-").partition("-")[0].lower()
    code = _ALIASES.get(code, code)
    return _both(code) if code not in ("", "en") and code in _lists() else ENGLISH


@cache
def _lists() -> dict[str, str]:
    """Return the words of each language with a list of its own, between spaces, under its code."""
    file = files("scrapy_semtext.text") / "wordlists" / "stop_words.json"
    return {"el": " ".join(WORDS["greek"]), **json.loads(file.read_text(encoding="utf-8"))["words"]}


@cache
def _both(code: str) -> frozenset[str]:
    words = _lists()[code].translate(_MISREAD.get(code, {})).split()
    plain = (unicodedata.normalize("NFC", word.lower()).strip(_AROUND) for word in words)
    return ENGLISH.union(word for word in plain if word)
