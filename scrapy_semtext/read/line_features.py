"""Features of lines for the section models: shape, style and position of each line and of its neighbors.

Length, punctuation, tags and the ratio to the next line follow STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, style and the frequency of a style follow the paper's description of the cues that readers use. Features of
texts are computed once for each distinct text of a batch of pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.features.table import first_maximum
from scrapy_semtext.read.lines import (
    CORE_NAME,
    EDGE_NAME,
    EDGE_TAG,
    LIST_TAG,
    SMALL_NAME,
    TAGS,
    TITLE_NAME,
    Lines,
    tag_places,
)
from scrapy_semtext.tree.scopes import first_of_each
from scrapy_semtext.tree.tags import NORMAL
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles
from scrapy_semtext.words.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters
from scrapy_semtext.words.word_tables import WORDS

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
_COUNT_BITS = 10
_COUNTED = ("punctuation", "commas", "digits", "blanks")
_COUNT_SHIFTS = _COUNT_BITS * np.arange(len(_COUNTED))[:, None]


def _fields(**kinds: Bools) -> Ints:
    """Return the number that a character of each class adds to the packed counts, (256,)."""
    return sum((are.astype(np.int64) << _COUNT_BITS * _COUNTED.index(name) for name, are in kinds.items()), np.int64(0))


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
        punctuation, commas, digits, blanks = packed >> _COUNT_SHIFTS & (1 << _COUNT_BITS) - 1
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
        columns[10, characters.line_numbers(_years(characters))] = 1
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
        text, hashes = self._characters.line_numbers(begins), self._characters.word_hashes(begins, ends)
        title_hashes = titles.word_hashes(title_begins, title_ends)
        known = np.unique(title_hashes)
        in_page = np.zeros((len(self._titles), len(known)), dtype=np.bool_)
        in_page[titles.line_numbers(title_begins), known.searchsorted(title_hashes)] = True
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


_LIST_LEVELS = 3
# One-hot rows for the indexes of tags, which start at 1.
_TAG_ROWS = np.eye(len(TAGS) + 1, dtype=np.float32)[1:]
_OF_TITLES, _AROUND_IT = np.array([[TITLE_NAME], [SMALL_NAME]]), np.array([[EDGE_NAME], [CORE_NAME], [EDGE_TAG]])
# Several counts of surrounding elements are packed into one integer, with this many bits for each.
_FIELD = 20
_SHIFTS = _FIELD * np.arange(3)[:, None]

#: The minimum share of the page's running text that its core contains.
CORE = 0.7

#: Features of a line's element and of its ancestors, in the order of `LineScopes.write`.
SCOPE_COLUMNS = (
    *(f"tag_{tag}" for tag in TAGS),
    *"title_name small_name edge_names core_names edge_tags listed depth".split(),
)
#: Features of how much text these contain, in the order of `LineScopes.write_sizes`.
SIZE_COLUMNS = (
    "share_parent share_grandparent share_outer link_parent link_grandparent log_lines_parent in_core levels_to_core"
).split()
_DEEPEST = 10

_STYLE = ("bold", "italic", "underlined", "link", "size", "centred", "hidden", "heading")
_IN_BLOCK = ("at", "of", "alone")
_PAGE = ("position", "log_lines")
_ALIKE = ("log_alike", "alike_words", "alike_prose", "alike_leads")
_AROUND = ("before_core", "core_position", "relative_size", "up", "down")
_REPEATS = ("log_repeats",)
_GROUPS = (TEXT_COLUMNS, _STYLE, SCOPE_COLUMNS, _IN_BLOCK, _PAGE, _ALIKE, _REPEATS, SIZE_COLUMNS, _AROUND)
_OWN = (*chain.from_iterable(_GROUPS),)
_ENDS = [*accumulate(map(len, _GROUPS))]
# The features of a line that are repeated as features of its neighbors.
_SHARED = (
    "log_words ends_sentence leads_on bold all_caps link size heading tag_p tag_li listed number_depth at in_core "
    "title_name log_alike share_parent"
).split()
_OFFSETS = (-2, -1, 1, 2)
_COMPARED = ("longer", "same_scope", "same_looks", "same_parent")

#: The columns of `line_features`, in order.
FEATURES: tuple[str, ...] = (
    *_OWN,
    *(f"{name}{offset:+}" for offset in _OFFSETS for name in _SHARED),
    *(f"{name}{offset:+}" for offset in (-1, 1) for name in _COMPARED),
    "words_to_title_like",
)

_SHARED_COLUMNS = [_OWN.index(name) for name in _SHARED]
_STYLE_SIZE = _STYLE.index("size")
_MOST_COUNTED, _MOST_CHANGE = 20, 9


class _LinePlaces:
    """The positions of the lines of a batch in their pages: int64, (lines,) each.

    ``number``: the index of the line in its page; ``count``: lines in the page; ``end``: the first line after the page.
    """

    def __init__(self, lines: Lines) -> None:
        starts, ends = lines.page_starts[:-1].take(lines.page), lines.page_starts[1:].take(lines.page)
        self.number: Ints = np.arange(len(lines)) - starts
        self.count: Ints = ends - starts
        self.end: Ints = ends

    def have(self, offset: int) -> Bools:
        """Return whether the page of each line also has a line ``offset`` lines further on; (lines,)."""
        number = self.number + offset
        return (number >= 0) & (number < self.count)


def line_features(lines: Lines, titles: Sequence[str]) -> Singles:
    """Return the features of the lines of a batch of pages; float32, (lines, FEATURES), with contiguous columns.

    ``titles``: (pages,), the <title> texts of the pages. The features of a line depend only on its own page.
    """
    table: Singles = np.full((len(FEATURES), len(lines)), -1.0, dtype=np.float32)
    if not lines:
        return _rows(table)
    places = _LinePlaces(lines)
    texts = LineTexts(lines.texts, lines.page, titles, lines.all_caps)
    scopes = LineScopes(lines, texts)
    text, style, scope, in_block, page, alike, repeats, sizes, around, _ = np.split(table, _ENDS)
    texts.write(text)
    style[:] = [getattr(lines, name) for name in _STYLE]
    style[_STYLE_SIZE] = lines.size / NORMAL
    scopes.write(scope)
    in_block[:] = (
        lines.line_index,
        np.minimum(lines.line_count, _MOST_COUNTED),
        (lines.line_count == 1) & scopes.is_leaf,
    )
    page[:] = places.number / places.count, np.log1p(places.count)
    alike[:] = _alike(lines.style, texts, places)
    repeats[:] = np.log1p(texts.repeats())
    scopes.write_sizes(sizes)
    around[:] = _around(lines, texts, scopes, places)
    _write_neighbours(table[len(_OWN) :], table[_SHARED_COLUMNS], lines, places)
    _write_compared(table[-1 - 2 * len(_COMPARED) : -1], lines, texts, scopes, places)
    table[-1] = _words_until_alike(lines.style, texts, places)
    return _rows(table)


def _rows(columns: Singles) -> Singles:
    rows: Singles = columns.T
    return rows


def _alike(style: Ints, texts: LineTexts, places: _LinePlaces) -> Floats:
    """Return the features _ALIKE of the lines that share each line's style; (columns, lines).

    They are the number of lines, their mean length, and the shares that end a sentence and precede longer lines.
    """
    words = texts.words
    leads = np.zeros(len(style), dtype=np.bool_)
    leads[:-1] = (style[1:] != style[:-1]) & (words[1:] > 2 * words[:-1])
    leads &= places.have(1)
    count = np.bincount(style)
    means = [np.bincount(style, weights=values) / count for values in (words, texts.ends, leads)]
    table: Floats = np.stack([np.log1p(count), np.log1p(means[0]), *means[1:]])
    return table.take(style, axis=1)


def _around(lines: Lines, texts: LineTexts, scopes: LineScopes, places: _LinePlaces) -> list[NDArray[np.generic]]:
    """Return the features _AROUND: the position of lines to the page's core, their size and changes in depth."""
    first, last = scopes.core_first, scopes.core_last
    line, depth = np.arange(len(lines)), scopes.depth
    position = (line - first) / (last - first + 1)
    up, down = depth.copy(), -depth
    up[1:] = np.where(places.have(-1)[1:], depth[1:] - depth[:-1], depth[1:])
    down[:-1] = np.where(places.have(1)[:-1], depth[1:] - depth[:-1], -depth[:-1])
    return [
        line < first,
        np.maximum(np.minimum(position, 2.0), -1.0),
        lines.size / _usual_sizes(lines, texts).take(lines.page),
        *(np.maximum(np.minimum(change, _MOST_CHANGE), -_MOST_CHANGE) for change in (up, down)),
    ]


def _usual_sizes(lines: Lines, texts: LineTexts) -> Floats:
    """Return the median size of the running text of each page, (pages,), or the size of text without a style."""
    prose = np.flatnonzero(texts.prose)
    page, size = lines.page[prose], lines.size[prose]
    ordered = size[np.lexsort((size, page))]
    counts = np.bincount(page, minlength=len(lines.page_starts) - 1)
    has_prose = counts > 0
    usual = np.full(len(counts), NORMAL)
    usual[has_prose] = ordered[(counts.cumsum() - counts + counts // 2)[has_prose]]
    return np.where(usual == 0, NORMAL, usual)


def _write_neighbours(columns: Singles, shared: Singles, lines: Lines, places: _LinePlaces) -> None:
    """Set ``columns``, (columns, lines), to the ``shared`` features of the previous and next lines in the page."""
    count = len(lines)
    for number, offset in enumerate(_OFFSETS):
        if abs(offset) >= count:
            continue
        part = columns[number * len(shared) : (number + 1) * len(shared)]
        if offset > 0:
            part[:, :-offset] = shared[:, offset:]
        else:
            part[:, -offset:] = shared[:, :offset]
        part[:, ~places.have(offset)] = -1.0


def _write_compared(columns: Singles, lines: Lines, texts: LineTexts, scopes: LineScopes, places: _LinePlaces) -> None:
    """Set ``columns``, (2 * _COMPARED, lines), to comparisons of each line with the previous and the next one."""
    before, behind = columns[: len(_COMPARED)], columns[len(_COMPARED) :]
    longer = np.diff(texts.log_chars)
    before[0, 1:], behind[0, :-1] = -longer, longer
    for column, values in enumerate((scopes.scope, lines.style, scopes.parent), 1):
        before[column, 1:] = behind[column, :-1] = values[1:] == values[:-1]
    before[:, ~places.have(-1)] = -1.0
    behind[:, ~places.have(1)] = -1.0


def _words_until_alike(style: Ints, texts: LineTexts, places: _LinePlaces) -> Floats:
    """Return the log of the number of words between a line and the next of its style or the page's end; (lines,)."""
    order = np.argsort(style, kind="stable")
    are_alike = style[order[1:]] == style[order[:-1]]
    following = places.end.copy()
    following[order[:-1][are_alike]] = order[1:][are_alike]
    behind = np.append(0, texts.words.cumsum())  # the words before each line, then the total
    words: Floats = np.log1p((behind[following] - behind[1:]).astype(np.float64))
    return words


class LineScopes:
    """The elements around the lines of a batch of pages (at least one line), as a forest with one tree per page.

    The core of a page is the innermost element that contains CORE of its running text. int64, (lines,): ``scope``, the
    element of each line, ``parent``, its parent (the number of elements if it has none), ``depth``; bool, (lines,):
    ``is_leaf``, whether no other element inside that of the line contains text; int64, (lines,): ``core_first`` and
    ``core_last``, the first and last line of the page's core.
    """

    def __init__(self, lines: Lines, texts: LineTexts) -> None:
        self._tree = tree = lines.scope_tree
        self._kinds = lines.element_kinds
        count = len(tree)
        self.scope = scope = tree.of_block
        # the parents of the roots come after the last element
        self._above = np.append(tree.parent, count)
        self._above[tree.roots] = count
        self._sizes = _totals(lines, texts)
        self._prose = np.maximum(self._sizes[0, tree.roots], 1)  # avoids 0 for a page without running text
        page = tree.page_of_scope
        holds_most = self._sizes[0] >= CORE * self._prose[page]
        core, _ = first_maximum(np.where(holds_most, tree.depth, -1), page, len(self._prose))
        self._set_core_columns(core[page])
        self._page = page[scope]
        self.core_first, self.core_last = tree.first[core][self._page], tree.last[core][self._page] - 1
        self.parent, self.depth = self._above[scope], tree.depth[scope]
        self.is_leaf = tree.children[scope] == 0

    def _set_core_columns(self, core: Ints) -> None:
        """Set whether each element is in the core of its page, ``core``: (scopes,), and how far outside, (scopes,)."""
        tree = self._tree
        first, last, depth = tree.first, tree.last, tree.depth
        is_outside = (first < first[core]) | (last > last[core]) | (depth < depth[core])
        is_around = (first <= first[core]) & (last >= last[core]) & (depth <= depth[core])
        levels = tree.branches(np.flatnonzero(is_around))[2]
        self._in_core = ~is_outside
        self._levels = np.where(is_outside, np.maximum(levels, 1), 0)

    def write(self, columns: Singles) -> None:
        """Set ``columns``, (SCOPE_COLUMNS, lines), from the tags, names and depths of the elements."""
        above, tags = self._above, len(TAGS)
        kinds = np.append(self._kinds, 0)
        is_only_child = np.append(self._tree.children == 1, False)[above]
        of_title = kinds | np.where(is_only_child, kinds[above], 0)
        around = ((kinds & _AROUND_IT != 0) << _SHIFTS).sum(0)
        around = _summed_outwards(around, above)[self.scope]
        columns[:tags] = _TAG_ROWS.take(tag_places(kinds[self.scope]), axis=1)
        columns[tags : tags + 2] = of_title[self.scope] & _OF_TITLES != 0
        columns[tags + 2 : tags + 5] = around >> _SHIFTS & (1 << _FIELD) - 1
        is_list, lists, scope = kinds & LIST_TAG != 0, np.zeros(len(self.scope), dtype=np.int64), self.scope
        for _ in range(_LIST_LEVELS + 1):
            lists += is_list[scope]
            scope = above[scope]
        columns[tags + 5] = lists
        columns[tags + 6] = self.depth / 10

    def write_sizes(self, columns: Singles) -> None:
        """Set ``columns``, (SIZE_COLUMNS, lines), from the text in the elements and their position to the core."""
        parent = self._tree.parent
        one = parent[self.scope]
        two = parent[one]
        prose, chars, links, lines = self._sizes.take(np.stack((one, two, parent[two])), axis=1)
        columns[:3] = prose / self._prose[self._page]
        columns[3:5] = (links / chars)[:2]
        columns[5] = np.log1p(lines[0])
        columns[6] = self._in_core[self.scope]
        columns[7] = np.minimum(self._levels[self.scope], _DEEPEST)


def _totals(lines: Lines, texts: LineTexts) -> Floats:
    """Return the words of running text, characters, link characters and lines of each element; (4, scopes)."""
    own = np.empty((4, len(lines)))
    own[0] = np.where(texts.prose & (lines.link < 0.5), texts.words, 0)
    own[1], own[2], own[3] = texts.chars, texts.chars * lines.link, 1
    tree = lines.scope_tree
    totals = tree.sums_inside(own)
    # shares in links are not integers: they are summed per page, so that rounding does not depend on the batch
    starts = tree.block_starts.tolist()
    links = np.zeros(len(lines) + len(starts))
    for page, (begin, end) in enumerate(pairwise(starts)):
        own[2, begin:end].cumsum(out=links[begin + page + 1 : end + page + 1])
    totals[2] = links.take(tree.last + tree.page_of_scope) - links.take(tree.first + tree.page_of_scope)
    return totals


def _summed_outwards(values: Ints, above: Ints) -> Ints:
    """Return the sums of values over each element and its ancestors; ``above`` ends at the last value, which is 0."""
    last = len(values) - 1
    while (above != last).any():  # each iteration doubles the number of levels summed
        values = values + values[above]
        above = above[above]
    return values
