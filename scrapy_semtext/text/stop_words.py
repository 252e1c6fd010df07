"""Stop words: function words that say nothing about a text block (Zhang & Wang 2022, III-D).

English is listed here. The English lists of the packages (``stop-words`` 2025.11.4: 1,333 words, ``stopwordsiso``:
1,298) hold home, help, page, site, click, next, related and information: the very words that tell a menu from a text.
The list below is the closed word classes alone, without those that are labels on pages by themselves: about, all, by,
here, more, next, off, up, us. The other languages are the lists of ``stop-words`` 2025.11.4, in ``wordlists/``: the
weights were trained on texts without those words, earlier versions of the package have other ones, and this one wants
Python 3.11.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.resources import files

_ENGLISH = """
    a an the this that these those
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its
    itself we our
    ours ourselves they them their theirs themselves one oneself
    who whom whose which what when where why how whoever whatever whichever whenever wherever
    am is are was were be been being do does did doing done have has had having will would shall should can
    could may
    might must ought cannot
    and or but nor so yet if then else than because as until while whereas although though unless since
    whether
    of at for with against between among into through during before after above below to from in on onto upon
    under over
    within without toward towards across along around behind beside besides beyond despite except near per via
    again further once also just only very too even still ever never quite rather almost already always often
    sometimes there hence thus therefore however
    any both each either neither few many most much other others another some several such same own every
    no not none
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't shouldn't
    can't couldn't
    mightn't mustn't ain't i'm i've i'll i'd you're you've you'll you'd he's he'd he'll she's she'd she'll
    it's it'd it'll
    we're we've we'd we'll they're they've they'd they'll that's that'll there's here's what's where's when's
    why's how's
    who's who'd who'll let's
"""

# The list that `stop-words` has for Greek is of ancient Greek.
_GREEK = """
    ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους και κι ή είτε ούτε αλλά όμως
    ενώ αν όταν
    όπως ότι πως που να θα ας δεν μη μην με σε για από προς κατά μετά παρά χωρίς ως έως μέχρι είναι ήταν είμαι
    έχει έχουν
    είχε εγώ εσύ αυτός αυτή αυτό αυτοί αυτές αυτά εμείς εσείς μου σου μας σας ένας μία μια ένα κάθε κάποιος τι
    ποιος ποια
    ποιο πολύ πιο
"""

#: The function words of English.
ENGLISH: frozenset[str] = frozenset(_ENGLISH.split())

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
    return {"el": _GREEK, **json.loads(file.read_text(encoding="utf-8"))["words"]}


@cache
def _both(code: str) -> frozenset[str]:
    words = _lists()[code].translate(_MISREAD.get(code, {})).split()
    plain = (unicodedata.normalize("NFC", word.lower()).strip(_AROUND) for word in words)
    return ENGLISH.union(word for word in plain if word)
