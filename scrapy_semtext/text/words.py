"""Class names and text as words, and stop words, which say nothing about a block (Zhang & Wang 2022, III-B and III-D).

English and Greek stop words are in ``tables/words.txt``. The English lists of the packages (``stop-words`` 2025.11.4:
1,333 words, ``stopwordsiso``: 1,298) hold home, help, page, site, click, next, related and information: the very words
that tell a menu from a text. The other languages are the lists of ``stop-words`` 2025.11.4, in ``wordlists/``: the
weights were trained on texts without those words, earlier versions of the package have other ones, and this one wants
Python 3.11.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from functools import cache
from importlib.resources import files
from itertools import chain, filterfalse
from sys import intern
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from scrapy_semtext.text.tokens import LATIN, in_latin
from scrapy_semtext.text.word_tables import ABBREVIATIONS, UTILITIES, WORDS, characters, tag_words
from scrapy_semtext.utils.extensions import texts as compiled
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


__all__ = ["attribute_words", "name_words", "stop_words", "tag_words", "text_words", "words_of_texts"]

Words = tuple[str, ...]

# Words are cut to this many characters: base64 and the like are no words.
_LONGEST_WORD = 64
_LONGEST_NAME = 256
_LONGEST_ATTRIBUTE = 1024
# How many are remembered.
_REMEMBERED_NAMES, _REMEMBERED_ATTRIBUTES = 1 << 16, 1 << 14

#: How many of an element's names tell what it is: pages in the style of Tailwind have hundreds.
FIRST_NAMES = 30

# --- names -----------------------------------------------------------------------------------------------------------

# Runs of letters and digits in a name; everything else delimits.
_PIECE = re.compile(r"[^\W_]+")
# By code, for names of ASCII, as most are: spaces for what delimits.
_IN_PIECES = bytes(code if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256))

# Where a piece in camel case is cut: articleBody, XMLFeed.
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W\d_A-Z])")

# A utility class behind its variants: "mb-4", "md:-mt-[3px]", "w-full", "px16".
_UTILITY = re.compile(
    r"(?:^|:)[!-]*([mp][tblrsexy]?|[whz])(?:\d{1,3}$|-\d{1,3}(?!\d)|-\[|-(?:auto|full|screen|px|min|max|fit)\b)"
)

_HEADING = re.compile(r"[hH][1-6]")


def name_words(name: str) -> Words:
    """Return the words of a class or id name, in lower case: ``"navBar-main_2"`` -> ``("navigation", "bar", "main")``.

    The name is cut at delimiters and in camel case, abbreviations are expanded, numbers dropped. A piece made by a
    machine (``css-1x2y3z``) is dropped beside others; a name that has nothing else is kept as it is, as the paper
    advises. A name of digits and delimiters alone has no words.
    """
    return _NAMES[name]


def _name_words(name: str) -> Words:
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    name = name[:_LONGEST_NAME]
    # without a variant it begins the name
    utility = _UTILITY.search(name) if ":" in name else _UTILITY.match(name)
    if utility and not _HEADING.fullmatch(name):
        return _pieces_words(name[: utility.start()]) + UTILITIES[utility[1]]
    words = _pieces_words(name)
    if words or not any(map(str.isalpha, name)):
        return words
    return (name.lower()[:_LONGEST_WORD],)


T = TypeVar("T")


class _Remembered(dict[str, T]):
    """What ``read`` makes of each text that was seen: ``most`` of them, then all are forgotten; none is very long."""

    def __init__(self, read: Callable[[str], T], most: int, longest: int) -> None:
        super().__init__()
        self._read, self._most, self._longest = read, most, longest

    def __missing__(self, text: str) -> T:
        found = self._read(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = found
        return found


_NAMES = _Remembered(_name_words, _REMEMBERED_NAMES, _LONGEST_NAME)


class AttributeWords(NamedTuple):
    """The words of an element's id and class names, in their order.

    ``every``: all of them; ``telling``: those that are no stop words; ``first``: those of the first FIRST_NAMES names.
    """

    every: Words
    telling: Words
    first: Words


def _attribute_words(names: str) -> AttributeWords:
    if _reader_of_names is not None and (found := _reader_of_names.words(names)) is not None:
        return AttributeWords._make(found)
    parts = names.split()
    every = tuple(chain.from_iterable(map(_NAMES.__getitem__, parts)))
    telling = every if ENGLISH.isdisjoint(every) else tuple(filterfalse(ENGLISH.__contains__, every))
    if len(parts) <= FIRST_NAMES:
        first = every
    else:
        first = tuple(chain.from_iterable(map(_NAMES.__getitem__, parts[:FIRST_NAMES])))
    return AttributeWords(every, telling, first)


_reader_of_names = compiled and compiled.NameReader(_NAMES, _REMEMBERED_NAMES, ABBREVIATIONS, ENGLISH, FIRST_NAMES)

# Elements of a page, and pages of a site, repeat their names.
_ATTRIBUTES = _Remembered(_attribute_words, _REMEMBERED_ATTRIBUTES, _LONGEST_ATTRIBUTE)

#: The words of an element's id and class names, which stand apart by white space.
attribute_words: Callable[[str], AttributeWords] = _ATTRIBUTES.__getitem__


def _pieces_words(text: str) -> Words:
    pieces = text.encode().translate(_IN_PIECES).decode().split() if text.isascii() else _PIECE.findall(text)
    return _piece_words(pieces[0]) if len(pieces) == 1 else tuple(chain.from_iterable(map(_piece_words, pieces)))


# Many names are made of few pieces.
@remembered(1 << 14)
def _piece_words(piece: str) -> tuple[str, ...]:
    """Return the words of a run of letters and digits, none if it is a number or made by a machine."""
    low = piece.lower()
    if low in ABBREVIATIONS:
        return ABBREVIATIONS[low]
    if len(piece) == 2 and _HEADING.fullmatch(piece):
        return tag_words(low)
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
    word = part.lower()
    return ABBREVIATIONS.get(word) or (intern(word[:_LONGEST_WORD]),)  # many names, few words


def _is_machine_made(piece: str, parts: list[str]) -> bool:
    """Whether capitals stand as only the hashes of CSS modules have them (``wTxSR``, ``EqdkK``)."""
    if len(parts) < 2:
        return False
    return len(piece) < 2.5 * len(parts) or (len(piece) <= 6 and len(parts[-1]) == 1)


# --- text ------------------------------------------------------------------------------------------------------------

#: Scripts written without spaces: their characters stand as words.
UNSPACED = characters("unspaced")
# Marks that belong to the character before: `\w` does not match them.
_MARKS = characters("marks")
_LETTERS = f"[^\\W_{UNSPACED}]+"
_TOKEN = re.compile(
    f"[{UNSPACED}][{_MARKS}]*|{_LETTERS}(?:[{_MARKS}]+(?:{_LETTERS})?|['\u2019\u02bc]{_LETTERS})*",
)
# Text of ASCII, as most is, and of the Latin page of Windows is cut at what is in no token sooner than tokens are found
# in it; what is left between the cuts may have apostrophes around its tokens. A soft hyphen is left to the pattern.
_CHARACTERS = bytes(range(256)).decode(LATIN, "replace").replace("\u2019", "'")
_IN_TOKENS = "".join(each.lower() if each == "'" or each.isalnum() else " " for each in _CHARACTERS).encode(LATIN)
_SOFT_HYPHEN = "\u00ad".encode(LATIN)
# The same by code point, as what is compiled reads it.
_LOW = {
    ord(character): ord(_IN_TOKENS[code : code + 1].decode(LATIN))
    for code, character in enumerate(bytes(range(256)).decode(LATIN, "replace"))
    if character not in "\u00ad\ufffd"
}
_LOW_TABLE = array("H", [_LOW.get(code, 0) for code in range(max(_LOW) + 1)]).tobytes()
_INVISIBLE = re.compile("[\u00ad\u200d\ufe00-\ufe0f]")
_DIGIT_RUN = re.compile(r"\d+")

# Characters that are read at first for each word that is wanted: English has about six a word, and every second word is
# a stop word.
_CHARS_A_WORD = 14
# How many tokens are remembered for all lists of stop words together; the table of a reader counts as so many of them.
_REMEMBERED, _A_READER = 60_000, 2_000


_TOKENS = compiled and compiled.Tokens


class _Reader(dict[str, tuple[str, ...]]):
    """What becomes of each token that was seen: its words, without stop words.

    Tokens may have apostrophes around them, and be several with such between them.
    """

    def __init__(self, stop: frozenset[str]) -> None:
        super().__init__()
        self.stop = stop
        self.tokens = _TOKENS and _TOKENS()

    def __missing__(self, token: str) -> tuple[str, ...]:
        parts = _TOKEN.findall(token) if "'" in token else [token]
        words = tuple(chain.from_iterable(self._words(part[:_LONGEST_WORD]) for part in parts))
        if words == (token,):
            words = (token,)  # one string in place of two that are equal
        if len(token) <= _LONGEST_WORD:
            self[token] = words
        return words

    def _words(self, token: str) -> Iterator[str]:
        word = token.lower()
        if not word.isascii():
            word = _INVISIBLE.sub("", unicodedata.normalize("NFC", word)).replace("\u2019", "'").replace("\u02bc", "'")
            word = word.replace("i\u0307", "i")  # what Turkish İ is in lower case
        if not word or word in self.stop:
            return
        if not word.isalpha():
            word = _DIGIT_RUN.sub(lambda digits: "0" * min(len(digits[0]), 4), word)
            if "'" in word and word[0] < "\u0250":
                yield from self._apart(word)
                return
        yield word

    def _apart(self, word: str) -> Iterator[str]:
        """Cut a Latin word at its apostrophes: "company's" -> company, "l'homme" -> homme; "п'ять" never comes here."""
        for part in word.split("'"):
            if len(part) > 1 and part not in self.stop:
                yield part


_readers: dict[frozenset[str], _Reader] = {}


def _reader(stop: frozenset[str]) -> _Reader:
    """What reads tokens for a list of stop words: one for each list, until all of them remember too much together.

    That is a bound between texts: those of one page are read with what is there.
    """
    if sum(len(reader) + _A_READER for reader in list(_readers.values())) > _REMEMBERED:
        _readers.clear()
    reader = _readers.get(stop)
    if reader is None:
        reader = _readers[stop] = _Reader(stop)
    return reader


def text_words(text: str, stop: frozenset[str], limit: int | None = None) -> list[str]:
    """Return the first ``limit`` words of a text that are not in ``stop``, in lower case; all if ``limit`` is None.

    Each digit reads as 0, at most four in a row: years, dates and counters share a word (``"0000"``). Scripts without
    spaces between words are cut to single characters. Only as much of the text is read as is needed.
    """
    reader = _reader(stop)
    if limit is None:
        return _read(text, reader, len(text))
    length = limit * _CHARS_A_WORD
    if len(text) <= length:
        return _read(text, reader, limit)
    words: list[str] = []
    start = 0
    while start < len(text) and len(words) < limit:
        end = _cut(text, start, start + length)
        words += _read(text[start:end], reader, limit - len(words))
        start, length = end, length * 2
    return words


def words_of_texts(texts: list[str], stop: frozenset[str], limit: int) -> list[Words]:
    """What `text_words` finds in each of many texts, as tuples; those of equal texts are mostly the same."""
    found: list[Words | None] = [None] * len(texts)
    if compiled is not None:
        look = limit * _CHARS_A_WORD
        reader = _reader(stop)
        found = compiled.words_of_texts(texts, _LOW_TABLE, reader, reader.tokens, stop, limit, look)
    return [
        tuple(text_words(text, stop, limit)) if words is None else words
        for text, words in zip(texts, found, strict=True)
    ]


def _read(text: str, reader: _Reader, limit: int) -> list[str]:
    """The first ``limit`` words of a text."""
    if compiled is not None:
        (words,) = compiled.words_of_texts([text], _LOW_TABLE, reader, reader.tokens, reader.stop, limit, len(text))
        if words is not None:
            return list(words)
    return list(chain.from_iterable(map(reader.__getitem__, _tokens(text))))[:limit]


def _tokens(text: str) -> list[str]:
    """The tokens of a text, as a `_Reader` takes them."""
    latin = in_latin(text)
    if latin is None or _SOFT_HYPHEN in latin:
        return _TOKEN.findall(text)
    return latin.translate(_IN_TOKENS).decode("ascii" if text.isascii() else LATIN).split()


def _cut(text: str, start: int, end: int) -> int:
    """Return ``end`` moved back to where no word is cut; a word longer than the whole stretch is."""
    if end >= len(text):
        return len(text)
    space = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
    return space if space > 0 else end
