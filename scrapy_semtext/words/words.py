"""Words of class names and texts, stop words (Zhang & Wang 2022, III-B and III-D), and languages of texts.

English and Greek stop words are in ``tables/words.txt``. The English lists of the packages (``stop-words`` 2025.11.4:
1,333 words, ``stopwordsiso``: 1,298) include home, help, page, site, click, next, related and information: exactly the
words that distinguish a menu from a text. The other languages are the lists of ``stop-words`` 2025.11.4, copied to
``wordlists/``: the weights were trained on texts without those words, earlier versions of the package have other lists,
and this version requires Python 3.11.

The language of a text is detected by py3langid (140 languages; its model is part of it).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain, filterfalse
from sys import intern
from typing import Any, NamedTuple

from scrapy_semtext.utils.extras import load_extra
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.characters import LATIN, in_latin
from scrapy_semtext.words.word_tables import ABBREVIATIONS, UTILITIES, WORDS, characters, tag_words

#: The function words of English.
ENGLISH: frozenset[str] = frozenset(WORDS["english"])
# Characters around words in some lists: an elided "l'" is the word "l" once the text is split.
_EDGE_SIGNS = "\ufeff \"'.,;:"
# Language codes whose list is under another code: old codes, and languages similar enough to share the list.
_ALIASES = {"no": "nb", "nn": "nb", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh"}
# Lists that were saved in ISO 8859-9 or -2 and read as Latin-1.
_MISREAD = {"tr": str.maketrans("þýð", "şığ"), "hu": str.maketrans("õû", "őű")}

Words = tuple[str, ...]
# The maximum length of words; base64 and similar data are not words.
_MAX_WORD_CHARS = 64
_MAX_NAME_CHARS = 256
_MAX_ATTRIBUTE_CHARS = 1024
# The sizes of the caches.
_MAX_CACHED_NAMES, _MAX_CACHED_PIECES, _MAX_CACHED_ATTRIBUTES = 1 << 16, 1 << 14, 1 << 14
#: The number of an element's names that are used: pages in the style of Tailwind have hundreds.
FIRST_NAMES = 30
# Runs of letters and digits in a name; everything else is a delimiter.
_PIECE = re.compile(r"[^\W_]+")
# A translation table for ASCII names, which most are: delimiters become spaces.
_IN_PIECES = bytes(code if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256))
# Where camel case is split: articleBody, XMLFeed.
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")
# A utility class after its variants: "mb-4", "md:-mt-[3px]", "w-full", "px16".
_UTILITY = re.compile(
    r"(?:^|:)[!-]*([mp][tblrsexy]?|[whz])(?:\d{1,3}$|-\d{1,3}(?!\d)|-\[|-(?:auto|full|screen|px|min|max|fit)\b)"
)

_HEADING = re.compile(r"[hH][1-6]")
#: Scripts written without spaces: each of their characters is a word.
UNSPACED = characters("unspaced")
#: The number of their characters that count as a word.
UNSPACED_WORD = 2
_LATIN_WORD = 6.0  # characters of a word, with the space behind it
_UNSPACED_SIGN = re.compile(f"[{UNSPACED}]")
# Marks that belong to the previous character: `\w` does not match them.
_MARKS = characters("marks")
_LETTERS = f"[^\\W_{UNSPACED}]+"
_TOKEN = re.compile(
    f"[{UNSPACED}][{_MARKS}]*|{_LETTERS}(?:[{_MARKS}]+(?:{_LETTERS})?|['\u2019\u02bc]{_LETTERS})*",
)
# Most text is ASCII or Windows-1252. Such text is faster to split at characters outside tokens than to search for
# tokens; the parts may have apostrophes around their tokens. Text with soft hyphens is left to the pattern.
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace").replace("\u2019", "'")
_IN_TOKENS = "".join(each.lower() if each == "'" or each.isalnum() else " " for each in _CHARACTERS).encode(LATIN)
_SOFT_HYPHEN = "\u00ad".encode(LATIN)
_INVISIBLE = re.compile("[\u00ad\u200d\ufe00-\ufe0f]")
_DIGIT_RUN = re.compile(r"\d+")
# The number of characters that are read at first for each requested word: English has about six per word, and every
# second word is a stop word.
_CHARS_PER_WORD = 14
# The maximum number of cached tokens for all lists of stop words together; each list itself counts as the second
# number.
_MAX_CACHED_TOKENS, _READER_COST = 60_000, 2_000

_readers: dict[frozenset[str], _Reader] = {}
#: The probability below which the language is unknown. On real question-answer pairs of less than 50 characters, half
#: are below it, and hardly any above is wrong; from 200 characters on nearly all are above.
MIN_LANGUAGE_PROBABILITY = 0.5
#: The case of the parts of a language tag, by their length: regions and scripts.
_CASES = {2: str.upper, 4: str.capitalize}


def stop_words(lang: str | None) -> frozenset[str]:
    """Return the stop words of English and of ``lang``, in lower case.

    ``lang`` is the value that pages declare: a BCP 47 tag (``"de-AT"``), or a variant such as ``"de_AT"``. None,
    invalid values and languages without a list give only the English stop words.
    """
    code = primary_language(lang)
    code = _ALIASES.get(code, code)
    return _with_english(code) if code not in ("", "en") and code in _lists() else ENGLISH


@cache
def _lists() -> dict[str, str]:
    """Return the words of each language with its own list, separated by spaces, by language code."""
    file = files("scrapy_semtext.words") / "wordlists" / "stop_words.json"
    return {"el": " ".join(WORDS["greek"]), **json.loads(file.read_text(encoding="utf-8"))["words"]}


@cache
def _with_english(code: str) -> frozenset[str]:
    """Return the stop words of English and of another language with a list."""
    words = _lists()[code].translate(_MISREAD.get(code, {})).split()
    cleaned = (unicodedata.normalize("NFC", word.lower()).strip(_EDGE_SIGNS) for word in words)
    return ENGLISH.union(word for word in cleaned if word)


@remembered(_MAX_CACHED_NAMES, _MAX_NAME_CHARS)
def name_words(name: str) -> Words:
    """Return the words of a class or id name, in lower case: ``"navBar-main_2"`` -> ``("navigation", "bar", "main")``.

    The name is split at delimiters and in camel case, abbreviations are expanded, numbers dropped. A generated piece
    (``css-1x2y3z``) is dropped if there are others; a name of only such pieces is kept as it is, as in the paper. A
    name of only digits and delimiters has no words.
    """
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    name = name[:_MAX_NAME_CHARS]
    # without a variant, the utility begins the name
    utility = _UTILITY.search(name) if ":" in name else _UTILITY.match(name)
    if utility and not _HEADING.fullmatch(name):
        return _pieces_words(name[: utility.start()]) + UTILITIES[utility[1]]
    words = _pieces_words(name)
    if words or not any(map(str.isalpha, name)):
        return words
    return (name.lower()[:_MAX_WORD_CHARS],)


class AttributeWords(NamedTuple):
    """The words of an element's id and class names, in order.

    ``every``: all of them; ``telling``: those that are not stop words; ``first``: those of the first FIRST_NAMES names.
    """

    every: Words
    telling: Words
    first: Words


@remembered(_MAX_CACHED_ATTRIBUTES, _MAX_ATTRIBUTE_CHARS)
def attribute_words(names: str) -> AttributeWords:
    """Return the words of an element's id and class names, which are separated by white space."""
    words = [*map(name_words, names.split())]
    every = words[0] if len(words) == 1 else tuple(chain.from_iterable(words))
    telling = every if ENGLISH.isdisjoint(every) else tuple(filterfalse(ENGLISH.__contains__, every))
    first = every if len(words) <= FIRST_NAMES else tuple(chain.from_iterable(words[:FIRST_NAMES]))
    return AttributeWords(every, telling, first)


def _pieces_words(text: str) -> Words:
    """Return the words of all runs of letters and digits in a name."""
    pieces = text.encode().translate(_IN_PIECES).decode().split() if text.isascii() else _PIECE.findall(text)
    return _piece_words(pieces[0]) if len(pieces) == 1 else tuple(chain.from_iterable(map(_piece_words, pieces)))


@remembered(_MAX_CACHED_PIECES, _MAX_NAME_CHARS)  # many names consist of few distinct pieces
def _piece_words(piece: str) -> Words:
    """Return the words of a run of letters and digits, none if it is a number or generated."""
    lower = piece.lower()
    if lower in ABBREVIATIONS:
        return ABBREVIATIONS[lower]
    if _HEADING.fullmatch(piece):
        return tag_words(lower)
    if not piece.isalpha():
        piece = piece.strip("0123456789")
        if len(piece) < 2 or not piece.isalpha():
            return ()  # a number, a size (300x250), a version (v2), a hash (lb2mlm09)
    if piece.islower():
        return _expanded(piece)
    parts = _CAMEL.split(piece)
    if _is_machine_made(piece, parts):
        return ()
    return tuple(word for part in parts for word in _expanded(part))


def _expanded(part: str) -> tuple[str, ...]:
    """Return the words of a part of a name: those of an abbreviation, or itself in lower case."""
    word = part.lower()
    return ABBREVIATIONS.get(word) or (intern(word[:_MAX_WORD_CHARS]),)  # many names share few words


def _is_machine_made(piece: str, parts: list[str]) -> bool:
    """Return whether capitals are placed as only in the hashes of CSS modules (``wTxSR``, ``EqdkK``)."""
    if len(parts) < 2:
        return False
    return len(piece) < 2.5 * len(parts) or (len(piece) <= 6 and len(parts[-1]) == 1)


class _Reader(dict[str, tuple[str, ...]]):
    """A cache of the words of each token, without stop words.

    Tokens may have apostrophes around them, and may consist of several tokens with apostrophes in between.
    """

    def __init__(self, stop: frozenset[str]) -> None:
        super().__init__()
        self.stop = stop

    def __missing__(self, token: str) -> tuple[str, ...]:
        """Read a token, and keep its words unless it is very long."""
        if token.isascii() and token.isalpha():  # one word, as most tokens are
            word = token.lower()[:_MAX_WORD_CHARS]
            words: Words = () if word in self.stop else (word,)
        else:
            parts = _TOKEN.findall(token) if "'" in token else [token]
            words = tuple(chain.from_iterable(self._words(part[:_MAX_WORD_CHARS]) for part in parts))
        if words == (token,):
            words = (token,)  # share one string instead of two equal ones
        if len(token) <= _MAX_WORD_CHARS:
            self[token] = words
        return words

    def _words(self, token: str) -> Iterator[str]:
        """Yield the words of a token, normalized, without stop words."""
        word = token.lower()
        if not word.isascii():
            word = _INVISIBLE.sub("", unicodedata.normalize("NFC", word)).replace("\u2019", "'").replace("\u02bc", "'")
            word = word.replace("i\u0307", "i")  # the lower case of Turkish İ
        if not word or word in self.stop:
            return
        if not word.isalpha():
            word = _DIGIT_RUN.sub(lambda digits: "0" * min(len(digits[0]), 4), word)
            if "'" in word and word[0] < "\u0250":
                yield from self._split_at_apostrophes(word)
                return
        yield word

    def _split_at_apostrophes(self, word: str) -> Iterator[str]:
        """Split a Latin word at apostrophes: "company's" -> company, "l'homme" -> homme; "п'ять" is not passed here."""
        for part in word.split("'"):
            if len(part) > 1 and part not in self.stop:
                yield part


def _reader(stop: frozenset[str]) -> _Reader:
    """Return the reader for a list of stop words; all readers are dropped when they cache too many tokens together.

    The limit applies between pages: the texts of one are read with the existing reader.
    """
    if sum(len(reader) + _READER_COST for reader in list(_readers.values())) > _MAX_CACHED_TOKENS:
        _readers.clear()
    reader = _readers.get(stop)
    if reader is None:
        reader = _readers[stop] = _Reader(stop)
    return reader


def words_of_texts(texts: Sequence[str], stop: frozenset[str], limit: int) -> list[Words]:
    """Return for each text its first ``limit`` words that are not in ``stop``, in lower case.

    Each digit becomes 0, at most four in a row, so that years, dates and counters share a word (``"0000"``). Scripts
    without spaces are split into single characters. No more of a text is read than necessary; equal texts share a
    tuple.
    """
    reader = _reader(stop)
    found = {text: _first_words(text, reader, limit) for text in dict.fromkeys(texts)}
    return [found[text] for text in texts]


def _first_words(text: str, reader: _Reader, limit: int) -> Words:
    """Return the first ``limit`` words of a text, reading no more of it than necessary."""
    words: list[str] = []
    start, length = 0, limit * _CHARS_PER_WORD
    while start < len(text) and len(words) < limit:
        end = _cut(text, start, start + length)
        words += chain.from_iterable(map(reader.__getitem__, _tokens(text[start:end])))
        start, length = end, length * 2
    return tuple(words[:limit])


def _tokens(text: str) -> list[str]:
    """Return the tokens of a text as input for a `_Reader`."""
    latin = in_latin(text)
    if latin is None or _SOFT_HYPHEN in latin:
        return _TOKEN.findall(text)
    return latin.translate(_IN_TOKENS).decode("ascii" if text.isascii() else LATIN).split()


def _cut(text: str, start: int, end: int) -> int:
    """Return ``end`` moved back so that no word is split, unless the word is longer than the whole span."""
    if end >= len(text):
        return len(text)
    space = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
    return space if space > 0 else end


def width_of(text: str) -> float:
    """Return the length of a text if each word were as long as in scripts with spaces, as a multiple of its length."""
    unspaced = 0 if text.isascii() else len(_UNSPACED_SIGN.findall(text))
    return 1 + unspaced / len(text) * (_LATIN_WORD / UNSPACED_WORD - 1) if unspaced else 1.0


def language_tag(tag: str) -> str:
    """Return a language tag with hyphens and the case of BCP 47: "zh-Hant-TW" for "ZH_hant_tw"."""
    parts = tag.lower().replace("_", "-").split("-")
    end = next((index for index, part in enumerate(parts) if len(part) == 1), len(parts))  # of region and script
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
    return str(language) if probability >= MIN_LANGUAGE_PROBABILITY else None
