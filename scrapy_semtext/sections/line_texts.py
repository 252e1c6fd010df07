"""Features of the texts of lines, computed once for each distinct text of a batch of pages; numbering of titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.dom.scope_tree import first_of_each
from scrapy_semtext.text.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters
from scrapy_semtext.text.word_tables import WORDS
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

# Words for parts of a document ("Chapter") that precede a number, in the most common languages of the web.
_PART_WORDS = WORDS["parts"]

_LABELED = re.compile(
    rf"(?:(?:{'|'.join(sorted(set(_PART_WORDS), key=len, reverse=True))})\s*\.?\s*|§+\s*)"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*|[ivxlc]{1,7}|[a-z])\b[.):–—-]*\s*",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"第\s*(?P<number>[一二三四五六七八九十百〇零\d]{1,5})\s*[章节節条條部编編篇]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*"
)
_DECIMAL = re.compile(r"\(?(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?:[.):]\)?\s*[-–—]?\s*|\s*[-–—]\s+|\s+)(?=\S|$)")
_ROMAN = re.compile(r"\(?(?P<number>[IVXLC]{1,7}|[ivxlc]{1,7})[.)]\s*")
_LETTER = re.compile(r"\(?(?P<number>[A-Za-z])[.)]\s*")
_BULLETS = np.array([*map(ord, "•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-")], dtype=np.uint32)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

#: Kinds of numbering, in the order of their codes.
KINDS = ("none", "decimal", "letter", "roman", "labeled", "chinese")


class Numbering(NamedTuple):
    """The number in front of a line.

    ``kind`` is one of KINDS, ``depth`` its number of parts ("2.3.1" has 3), ``value`` its last part as an integer (0 if
    unknown), ``width`` its length in characters.
    """

    kind: str = "none"
    depth: int = 0
    value: int = 0
    width: int = 0


_NONE = Numbering()
# The patterns by kind, in the order of matching: all; those that can match text that begins with a digit or bracket;
# and those for any other ASCII character.
_ALL: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("labeled", _LABELED),
    ("chinese", _CHINESE),
    ("decimal", _DECIMAL),
    ("roman", _ROMAN),
    ("letter", _LETTER),
)
_BEHIND_DIGIT, _BEHIND_ASCII = _ALL[2:], (_ALL[0], *_ALL[3:])
# The length of the beginning of a line that is searched for its number.
_HEAD = 60

# The first characters are enough to see that most lines have no number: as many as in the shortest part word, or in the
# longest Roman numeral with the sign after it; for a line that begins with a non-ASCII character, only the first one.
_WORD_START, _NUMERAL = min(map(len, _PART_WORDS)), 8
_ASCII = 128
_PACKED_WORD_STARTS = np.unique(
    [int.from_bytes(word[:_WORD_START].encode(), "big") for word in _PART_WORDS if word[:_WORD_START].isascii()]
)
_FIRST_LETTERS = "".join(sorted({word[0] for word in _PART_WORDS}))
_OTHER_START = re.compile(rf"[{_FIRST_LETTERS}§第一二三四五六七八九十\d]", re.IGNORECASE)


def numbering(text: str) -> Numbering:
    """Return the numbering of a line; a year or a quantity at the beginning of a sentence counts as a number too."""
    head, first = text[:_HEAD], text[:1]
    if first.isascii() and (first.isdigit() or first == "("):
        patterns = _BEHIND_DIGIT
    else:
        patterns = _BEHIND_ASCII if first.isascii() else _ALL
    for kind, pattern in patterns:
        if match := pattern.match(head):
            if kind == "chinese":
                return Numbering(kind, 1, 0, match.end())
            parts = match["number"].split(".")
            return Numbering(kind, len(parts), _value(parts[-1]), match.end())
    return _NONE


def numberings(texts: Sequence[str], characters: Characters) -> dict[int, Numbering]:
    """Return the numbers of all lines that have one, by the index of the line.

    ``characters`` are those of ``texts`` or of their beginnings.
    """
    places = np.flatnonzero(_may_be_numbered(texts, characters)).tolist()
    return {place: number for place in places if (number := numbering(texts[place])).width}


def _may_be_numbered(texts: Sequence[str], characters: Characters) -> Bools:
    """Return whether each line can have a number, judging by its first characters; (lines,)."""
    window = characters.starts[:, None] + np.arange(_NUMERAL)  # may extend past a newline into the next line
    codes = characters.codes.take(window, mode="clip")
    lower = codes | 32  # lower case, for letters
    is_letter = (lower >= ord("a")) & (lower <= ord("z"))
    first = codes[:, 0]
    begins_word = is_letter[:, 0]
    letters = is_letter.argmin(axis=1)  # 0 if all are letters
    behind = codes[np.arange(len(codes)), letters]
    is_numeral = begins_word & ((behind == ord(".")) | (behind == ord(")")))
    packed = lower[:, :_WORD_START].astype(np.int64) @ (256 ** np.arange(_WORD_START)[::-1])
    nearest = _PACKED_WORD_STARTS.take(_PACKED_WORD_STARTS.searchsorted(packed), mode="clip")
    may_be_word = begins_word & ((codes[:, :_WORD_START] >= _ASCII).any(axis=1) | (nearest == packed))
    is_digit = (first >= ord("0")) & (first <= ord("9"))
    found: Bools = is_numeral | may_be_word | is_digit | (first == ord("("))
    for place in np.flatnonzero(first >= _ASCII).tolist():
        found[place] = _OTHER_START.match(texts[place]) is not None
    return found


def bulleted(characters: Characters) -> Bools:
    """Return whether each line begins with a bullet and white space; (lines,)."""
    has_space = characters.kinds.take(characters.starts + 1, mode="clip") & SPACE != 0
    found: Bools = np.isin(characters.codes.take(characters.starts), _BULLETS)
    found &= has_space & (characters.lengths > 1)
    return found


def _value(part: str) -> int:
    if part.isdigit():
        return int(part)
    values = [_ROMAN_VALUES.get(letter, 0) for letter in part.lower()]
    if (all(values) and len(part) > 1) or part.lower() in "ivx":
        return sum(-value if behind > value else value for value, behind in zip(values, [*values[1:], 0], strict=True))
    return ord(part.lower()) - ord("a") + 1 if len(part) == 1 and part.isascii() else 0


#: The end of a sentence, optionally followed by a bracket, a quotation mark or a footnote.
SENTENCE_END = re.compile(r"[.!?。！？…]['\"“”‘’«»)\]】」]*(?:\[\d+\])?$")
# The same by the last character: it ends a sentence, or may follow the sign that does.
_FULL_STOPS, _CLOSING_SIGNS, _COLONS = (
    np.array([*map(ord, signs)], dtype=np.uint32) for signs in (".!?。！？…", "'\"“”‘’«»)]】」", ":：")
)
_END_LOOK = 20
#: The number of characters of a line that are read, except for their count.
LOOK = 400

# The minimum number of words of running text that ends like a sentence.
_PROSE_WORDS = 10
# The range of scripts without spaces, where two characters are about one word.
_UNSPACED_FIRST, _UNSPACED_LAST = 0x3040, 0x9FFF
_LONGEST_WORD = 30.0

# Counts of characters are packed into one integer, with this many bits per class, enough for LOOK.
_FIELD = 10
_COUNTED = ("punctuation", "commas", "digits", "blanks")
_SHIFTS = _FIELD * np.arange(len(_COUNTED))[:, None]


def _fields(**kinds: Bools) -> Ints:
    """Return the number that a character of each class adds to the packed counts, (256,)."""
    return sum((are.astype(np.int64) << _FIELD * _COUNTED.index(name) for name, are in kinds.items()), np.int64(0))


_ALL_KINDS = np.arange(256)
_COUNTS = _fields(
    punctuation=_ALL_KINDS & (WORD | SPACE) == 0,
    commas=_ALL_KINDS & COMMA != 0,
    digits=_ALL_KINDS & DIGIT != 0,
    blanks=_ALL_KINDS & BLANK != 0,
)

#: Features of the text of a line, in the order of `LineTexts.write`.
TEXT_COLUMNS = (
    *"log_chars log_words ends_sentence leads_on log_punctuation log_commas upper_start capitalised all_caps".split(),
    *"digits year mean_word in_title bullet".split(),
    *(f"number_{kind}" for kind in KINDS[1:]),
    "number_depth",
    "number_follows",
)
_COLUMN = {name: number for number, name in enumerate(TEXT_COLUMNS)}


class LineTexts:
    """The texts of the lines of a batch of pages.

    ``text``: int64, the number of the distinct text of each line; ``chars`` and ``log_chars``: float64; ``words``:
    int64; ``ends``: bool, whether it ends like a sentence; ``prose``: bool, whether it is running text; (lines,) each.
    """

    def __init__(self, texts: Sequence[str], page: Ints, titles: Sequence[str], all_caps: Bools) -> None:
        """``page`` and ``all_caps``: (lines,); ``titles``: (pages,), the <title> texts of the pages."""
        distinct, self.text = first_of_each(texts)
        self._texts = [*distinct]
        self._page, self._all_caps, self._titles = page, all_caps, titles
        self._characters = Characters([text[:LOOK] for text in self._texts])
        self._numbers = numberings(self._texts, self._characters)
        self._distinct = self._describe()
        self.chars, self.log_chars = self._chars.take(self.text), np.log1p(self._chars).take(self.text)
        self.words: Ints = self._words.take(self.text)
        self.ends: Bools = (self._distinct[_COLUMN["ends_sentence"]] > 0).take(self.text)
        self.prose: Bools = self.ends & (self.words >= _PROSE_WORDS)

    def _describe(self) -> Floats:
        """Return the TEXT_COLUMNS of the distinct texts, (columns, texts), except those that depend on the page."""
        texts, characters = self._texts, self._characters
        packed = characters.sums(_COUNTS.take(characters.kinds))
        punctuation, commas, digits, blanks = packed >> _SHIFTS & (1 << _FIELD) - 1
        self._chars = np.array([*map(len, texts)], dtype=np.float64)
        self._words = self._count_words(blanks)
        columns = np.zeros((len(TEXT_COLUMNS), len(texts)))
        last_codes = np.array([ord(text[-1]) for text in texts], dtype=np.uint32)
        columns[:2] = np.log1p(self._chars), np.log1p(self._words)
        columns[2] = _end_sentences(texts, last_codes)
        columns[3] = np.isin(last_codes, _COLONS)
        columns[4:6] = np.log1p(punctuation), np.log1p(commas)
        columns[6:8] = self._capitals()
        lengths = characters.lengths
        columns[9] = digits / lengths
        columns[10, characters.lines_of(_years(characters))] = 1
        columns[11] = np.minimum(lengths / (blanks + 1), _LONGEST_WORD)
        columns[13] = bulleted(characters)
        for place, number in self._numbers.items():
            columns[_COLUMN[f"number_{number.kind}"], place] = 1
            columns[_COLUMN["number_depth"], place] = number.depth
        return columns

    def _count_words(self, blanks: Ints) -> Ints:
        """Count the words of each distinct text, (texts,); ``blanks``: the white space in its first characters."""
        words: Ints = blanks + 1
        for place in np.flatnonzero(self._chars > LOOK).tolist():
            words[place] = self._texts[place].count(" ") + 1
        codes = self._characters.codes
        if codes.max() < _UNSPACED_FIRST:
            return words
        unspaced = self._characters.sums((codes >= _UNSPACED_FIRST) & (codes <= _UNSPACED_LAST))
        return np.where(words < _PROSE_WORDS, np.maximum(words, unspaced // 2), words)

    def _capitals(self) -> Floats:
        """Return whether each text begins with a capital, and the share of capitals among word initials: (2, texts).

        If words follow a number, only the part after the number is considered.
        """
        capitals, _ = _capitals(self._characters)
        if self._numbers:
            places = np.array([*self._numbers])
            behind, has_words = _capitals(
                Characters([self._texts[place][number.width : LOOK] for place, number in self._numbers.items()])
            )
            capitals[:, places[has_words]] = behind[:, has_words]
        return capitals

    def repeats(self) -> Ints:
        """Return how many lines of the same page have each line's text, (lines,)."""
        keys = self._page * len(self._texts) + self.text
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        repeats: Ints = counts.take(inverse.reshape(-1))
        return repeats

    def write(self, columns: Singles) -> None:
        """Set ``columns``, (TEXT_COLUMNS, lines), to the features of the lines' texts."""
        columns[:] = self._distinct.astype(np.float32).take(self.text, axis=1)
        columns[_COLUMN["all_caps"]] = self._all_caps
        columns[_COLUMN["in_title"]] = self._in_title()
        columns[_COLUMN["number_follows"]] = self._follows()

    def _in_title(self) -> Floats:
        """Return the share of each line's words that also occur in the title of its page; (lines,)."""
        shares = np.zeros(len(self.text))
        titles = Characters([title.replace("\n", " ") for title in self._titles])
        title_begins, title_ends = titles.words
        begins, ends = self._characters.words
        if not len(title_begins):
            return shares
        counts = np.diff(np.append(begins.searchsorted(self._characters.starts), len(begins)))
        may_be_known = np.zeros(1 << 16, dtype=np.bool_)
        may_be_known[titles.word_keys(title_begins, title_ends)] = True
        found = np.flatnonzero(may_be_known.take(self._characters.word_keys(begins, ends)))
        begins, ends = begins[found], ends[found]
        text, hashes = self._characters.lines_of(begins), self._characters.word_hashes(begins, ends)
        title_hashes = titles.word_hashes(title_begins, title_ends)
        known = np.unique(title_hashes)
        in_page = np.zeros((len(self._titles), len(known)), dtype=np.bool_)
        in_page[titles.lines_of(title_begins), known.searchsorted(title_hashes)] = True
        word = np.minimum(known.searchsorted(hashes), len(known) - 1)
        is_known = known[word] == hashes
        text, word = text[is_known], word[is_known]
        # the words of the text of each line, one line after the other
        first = text.searchsorted(np.arange(len(self._texts) + 1))
        per_line = np.diff(first).take(self.text)
        line = np.arange(len(per_line)).repeat(per_line)
        at = np.arange(len(line)) + (first.take(self.text) - per_line.cumsum() + per_line).repeat(per_line)
        hits = line[in_page[self._page[line], word[at]]]
        return np.bincount(hits, minlength=len(shares)) / np.maximum(counts, 1).take(self.text)

    def _follows(self) -> Bools:
        """Return whether each line's number follows that of the previous line of the same kind and depth."""
        follows = np.zeros(len(self.text), dtype=np.bool_)
        if not self._numbers:
            return follows
        table = np.zeros((3, len(self._texts)), dtype=np.int64)
        table[:, [*self._numbers]] = [
            [KINDS.index(number.kind) for number in self._numbers.values()],
            [number.depth for number in self._numbers.values()],
            [number.value for number in self._numbers.values()],
        ]
        lines = np.flatnonzero(table[0].take(self.text))
        kind, depth, value = table.take(self.text[lines], axis=1)
        page = self._page[lines]
        order = np.lexsort((depth, kind, page))
        key, value = np.stack((page, kind, depth))[:, order], value[order]
        before = np.zeros_like(value)
        before[1:] = np.where((key[:, 1:] == key[:, :-1]).all(axis=0), value[:-1], 0)
        follows[lines[order]] = (value > 0) & (before + 1 == value)
        return follows


def is_prose(text: str) -> bool:
    """Return whether a line is running text, judging only by its shape: a sentence of some length."""
    if SENTENCE_END.search(text[-_END_LOOK:]) is None:
        return False
    unspaced = sum(_UNSPACED_FIRST <= ord(char) <= _UNSPACED_LAST for char in text[:LOOK]) if not text.isascii() else 0
    return max(text.count(" ") + 1, unspaced // 2) >= _PROSE_WORDS


def _end_sentences(texts: Sequence[str], last_codes: NDArray[np.uint32]) -> Bools:
    """Return whether each text ends like a sentence; (texts,)."""
    ends: Bools = np.isin(last_codes, _FULL_STOPS)
    for place in np.flatnonzero(np.isin(last_codes, _CLOSING_SIGNS)).tolist():
        ends[place] = SENTENCE_END.search(texts[place][-_END_LOOK:]) is not None
    return ends


def _years(characters: Characters) -> Ints:
    """Return where four-digit words begin that are a year of the 20th or 21st century."""
    codes, kinds = characters.codes, characters.kinds
    begins: Ints = np.flatnonzero((codes[:-4] == ord("1")) | (codes[:-4] == ord("2")))
    begins = begins[codes[begins + 1] == np.where(codes[begins] == ord("1"), ord("9"), ord("0"))]
    begins = begins[(kinds[begins + 2] & kinds[begins + 3] & DIGIT != 0) & (kinds[begins + 4] & WORD == 0)]
    is_behind_word = kinds[begins - 1] & WORD != 0  # index -1 is the newline at the end
    years: Ints = begins[~is_behind_word]
    return years


def _capitals(characters: Characters) -> tuple[Floats, Bools]:
    """Return whether each line begins with a capital, the share of capitals among word initials: (2, lines).

    Also return whether the line has a word at all, (lines,).
    """
    begins = np.flatnonzero(characters.word_starts())
    kinds = characters.kinds.take(begins)
    first = begins.searchsorted(characters.starts)
    behind = np.append(first[1:], len(begins))
    is_letter = kinds & LETTER != 0
    letters, capitals = (np.append(0, each.cumsum()) for each in (is_letter, is_letter & (kinds & CAPITAL != 0)))
    has_words: Bools = first < behind
    columns = np.zeros((2, len(first)))
    columns[0, has_words] = kinds[first[has_words]] & CAPITAL != 0
    columns[1] = (capitals[behind] - capitals[first]) / np.maximum(letters[behind] - letters[first], 1)
    return columns, has_words
