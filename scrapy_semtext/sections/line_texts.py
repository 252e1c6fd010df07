"""What the texts of lines say by themselves; each text is looked at once, however often it stands on the page."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import first_of_each
from scrapy_semtext.sections.numbering import KINDS, Numbering, has_bullet, numbering
from scrapy_semtext.text.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: The end of a sentence, behind it perhaps a bracket, a quotation mark or a footnote.
SENTENCE_END = re.compile(r"[.!?。！？…]['\"“”‘’«»)\]】」]*(?:\[\d+\])?$")
_LEADS_ON = re.compile(r"[:：]\s*$")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_WORD = re.compile(r"\w+")
_LOOK = 400

#: Words from which on a line that ends like a sentence counts as running text.
_PROSE_WORDS = 10
# Scripts without spaces begin here.
_UNSPACED = "\u3040"
_YEAR_DIGITS = 4
_LONGEST_WORD = 30.0

# Characters are counted in one number: so many bits for each kind, enough for all of _LOOK.
_FIELD = 10
_COUNTED = ("punctuation", "commas", "digits", "blanks", "heads", "capital_heads")


def _fields(**kinds: NDArray[np.bool_]) -> Ints:
    """The number that a character of each kind adds to the counts, (256,)."""
    return sum((are.astype(np.int64) << _FIELD * _COUNTED.index(name) for name, are in kinds.items()), np.int64(0))


_ALL_KINDS = np.arange(256)
_COUNTS = _fields(
    punctuation=_ALL_KINDS & (WORD | SPACE) == 0,
    commas=_ALL_KINDS & COMMA != 0,
    digits=_ALL_KINDS & DIGIT != 0,
    blanks=_ALL_KINDS & BLANK != 0,
)
_HEADS = _fields(
    heads=_ALL_KINDS & LETTER != 0,
    capital_heads=_ALL_KINDS & (LETTER | CAPITAL) == LETTER | CAPITAL,
)


class Texts:
    """The texts of a page's lines, at least one, in order; ``title`` is that of its <title>.

    ``which`` numbers the distinct text of each line, of which ``facts``, (texts, 20), tells the first of FEATURES up to
    "number_depth", without the logarithms.
    """

    def __init__(self, texts: list[str], title: str) -> None:
        known, self.which = first_of_each(texts)
        distinct = list(known)
        self._numbers = _numbers(distinct)
        self.facts = _facts(distinct, self._numbers, frozenset(_WORD.findall(title.lower())))

    @cached_property
    def chars(self) -> Floats:
        """Characters of each line, (lines,)."""
        return self.facts[:, 0].take(self.which)

    @cached_property
    def words(self) -> Ints:
        """Words of each line, (lines,)."""
        return self.facts[:, _WORDS].astype(np.int64).take(self.which)

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """Whether each line ends like a sentence, (lines,)."""
        return (self.facts[:, _ENDS] > 0).take(self.which)

    @cached_property
    def caps(self) -> NDArray[np.bool_]:
        """Whether each line has capitals and no small letters, (lines,)."""
        return (self.facts[:, _CAPS] > 0).take(self.which)

    @cached_property
    def prose(self) -> NDArray[np.bool_]:
        """Whether each line is running text, (lines,)."""
        return self.ends & (self.words >= _PROSE_WORDS)

    @cached_property
    def log_chars(self) -> Floats:
        """log(1 + characters) of each line, (lines,)."""
        return np.log1p(self.chars)

    def repeats(self) -> Ints:
        """How often the text of each line stands on the page, (lines,)."""
        return np.bincount(self.which)[self.which]

    def write(self, result: NDArray[np.float32]) -> None:
        """Set ``result``, (lines, 21), to what FEATURES has from "log_chars" to "number_follows"."""
        table = self.facts.astype(np.float32)
        table[:, _LOGS] = np.log1p(self.facts[:, _LOGS])
        result[:, :-1] = table.take(self.which, axis=0)
        result[:, -1] = self.follows()

    def follows(self) -> NDArray[np.bool_]:
        """Whether the number of each line is the next one after that of an earlier line of its kind and depth."""
        found = np.zeros(len(self.which), dtype=np.bool_)
        last: dict[tuple[str, int], int] = {}
        numbered = np.flatnonzero(self.facts[:, _DEPTH].take(self.which)) if self._numbers else self.which[:0]
        for line, place in zip(numbered.tolist(), self.which[numbered].tolist(), strict=True):
            number = self._numbers[place]
            key = number.kind, number.depth
            found[line] = number.value > 0 and last.get(key, 0) + 1 == number.value
            last[key] = number.value
        return found


_KIND_CODES = {kind: (*(kind == known for known in KINDS[1:]),) for kind in KINDS}
# Columns of what `_facts` gives: those that are wanted as logarithms, and some by name.
_LOGS, _WORDS, _ENDS, _CAPS, _YEARS, _DEPTH = [0, 1, 4, 5], 1, 2, 8, 10, 19


def is_prose(text: str) -> bool:
    """Whether a line is running text by its shape alone: a sentence of some length."""
    return _ends(text) and _words(text) >= _PROSE_WORDS


def is_caps(text: str) -> bool:
    """Whether a text has capitals and no small letters."""
    return text[:_LOOK].isupper()


def _ends(text: str) -> bool:
    return not text[-1:].isalnum() and SENTENCE_END.search(text[-20:]) is not None


def _words(text: str) -> int:
    words = text.count(" ") + 1
    if words < _PROSE_WORDS and not text.isascii() and max(text) >= _UNSPACED:
        # two characters are about a word
        words = max(words, sum("\u3040" <= char <= "\u9fff" for char in text[:_LOOK]) // 2)
    return words


def _numbers(texts: list[str]) -> dict[int, Numbering]:
    """The numbers in front of those texts that have one, by the places of these."""
    return {place: number for place, text in enumerate(texts) if (number := numbering(text)).width}


def _facts(texts: list[str], numbers: dict[int, Numbering], title: frozenset[str]) -> Floats:
    """What `Texts.facts` holds; ``numbers`` are those in front, ``title`` the words of the page's title."""
    table = np.zeros((len(texts), 20))
    _count(texts, title, table)
    if numbers:
        places, widths = [*numbers], [number.width for number in numbers.values()]
        _capitals_behind(texts, places, widths, table)
        table[places, 14:] = [(*_KIND_CODES[number.kind], number.depth) for number in numbers.values()]
    return table


def _capitals_behind(texts: list[str], places: list[int], widths: list[int], table: Floats) -> None:
    """Set the columns of capitals of texts with numbers in front to what those behind say, if there are words."""
    for place, width in zip(places, widths, strict=True):
        table[place, 6:8] = _capitals(texts[place][:_LOOK][width:]) or table[place, 6:8]


def _count(texts: Sequence[str], title: frozenset[str], table: Floats) -> None:
    """Set all columns that do not hang on numbers."""
    looked = [text[:_LOOK] for text in texts]
    characters = Characters(looked)
    counts = _COUNTS.take(characters.kinds) + _HEADS.take(characters.kinds) * characters.begins()
    packed = characters.sums(counts)
    counted = {name: packed >> _FIELD * place & (1 << _FIELD) - 1 for place, name in enumerate(_COUNTED)}
    first, lengths = characters.kinds[characters.starts], np.fromiter(map(len, looked), np.float64, len(looked))
    table[:, 0] = list(map(len, texts))
    table[:, _WORDS] = counted["blanks"] + 1
    unspaced = np.maximum.reduceat(characters.codes, characters.starts) >= ord(_UNSPACED)
    for place in np.flatnonzero(unspaced | (table[:, 0] > _LOOK)).tolist():
        table[place, _WORDS] = _words(texts[place])
    for place in [place for place, text in enumerate(texts) if not text[-1].isalnum()]:
        table[place, _ENDS] = _ends(texts[place])
        table[place, 3] = _LEADS_ON.search(texts[place][-5:]) is not None
    table[:, 4] = counted["punctuation"]
    table[:, 5] = counted["commas"]
    table[:, 6] = first & CAPITAL != 0
    table[:, 7] = counted["capital_heads"] / np.maximum(counted["heads"], 1)
    table[:, _CAPS] = list(map(str.isupper, looked))
    table[:, 9] = counted["digits"] / lengths
    for place in np.flatnonzero(counted["digits"] >= _YEAR_DIGITS).tolist():
        table[place, _YEARS] = _YEAR.search(looked[place]) is not None
    table[:, 11] = np.minimum(lengths / (counted["blanks"] + 1), _LONGEST_WORD)
    table[:, 12] = Characters([text.lower() for text in looked]).share_of(title)
    for place in np.flatnonzero(first & WORD == 0).tolist():
        table[place, 13] = has_bullet(looked[place])
        table[place, 6:8] = _capitals(looked[place])


def _capitals(text: str) -> tuple[bool, float] | None:
    """Whether a text begins with a capital, and their share of the letters that words begin with; None for no word."""
    heads = [word[0] for word in text.split()]
    letters = list(filter(str.isalpha, heads))
    return (heads[0].isupper(), sum(map(str.isupper, letters)) / (len(letters) or 1)) if heads else None
