"""Features of lines for the section models: shape, style and position of each line and of its neighbors.

Length, punctuation, tags and the ratio to the next line follow STAPI (Zhang, Wilson & Mitra 2022, 3.1 and 3.2);
numbering, style and the frequency of a style follow the paper's description of the cues that readers use. Features of
texts are computed once for each distinct text of a batch of pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.features.runs import Runs, first_maximum
from scrapy_semtext.features.table import Columns, describe
from scrapy_semtext.read.lines import (
    CORE_NAME,
    EDGE_NAME,
    EDGE_TAG,
    LIST_TAG,
    SMALL_NAME,
    TAGS,
    TITLE_NAME,
    Lines,
    lines_of,
)
from scrapy_semtext.tree.nodes import matrix_of
from scrapy_semtext.tree.scopes import first_of_each
from scrapy_semtext.tree.tags import NORMAL
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles
from scrapy_semtext.words.characters import BLANK, CAPITAL, COMMA, DIGIT, LETTER, SPACE, WORD, Characters
from scrapy_semtext.words.word_tables import WORDS

# Words for parts of a document ("Chapter") that precede a number, in the most common languages of the web.
_PART_WORDS = WORDS["parts"]
# The numbers in front of lines by kind, the first that matches counts; the first group in each is the number itself.
_PATTERNS = {
    "decimal": r"\(?(\d{1,3}(?:\.\d{1,3}){0,5})(?:[.):]\)?\s*[-–—]?\s*|\s*[-–—]\s+|\s+)(?=\S|$)",
    "letter": r"\(?([A-Za-z])[.)]\s*",
    "roman": r"\(?([IVXLC]{1,7}|[ivxlc]{1,7})[.)]\s*",
    "labeled": (
        rf"(?i:(?:(?:{'|'.join(sorted(set(_PART_WORDS), key=len, reverse=True))})\s*\.?\s*|§+\s*)"
        r"(\d{1,3}(?:\.\d{1,3})*|[ivxlc]{1,7}|[a-z])\b[.):–—-]*\s*)"
    ),
    "chinese": (
        r"第\s*([一二三四五六七八九十百〇零\d]{1,5})\s*[章节節条條部编編篇]\s*|[一二三四五六七八九十]{1,3}[、.．]\s*"
    ),
}
#: Kinds of numbering, in the order of their columns.
KINDS = (*_PATTERNS,)
_MATCHED = ("labeled", "chinese", "decimal", "roman", "letter")
_NUMBERED = re.compile("|".join(f"(?P<{kind}>{_PATTERNS[kind]})" for kind in _MATCHED))
# The beginnings of lines that may have a number, as few lines do.
_PART_STARTS, _FIRST_LETTERS = {word[:3] for word in _PART_WORDS}, {word[0] for word in _PART_WORDS}
_MAY_BE_NUMBERED = re.compile(
    r"\n(?:[\d(§第一二三四五六七八九十]|[IVXLCivxlc]{1,7}[.)]|[A-Za-z][.)]"
    rf"|(?=[{''.join(letter + letter.upper() for letter in _FIRST_LETTERS)}])(?i:{'|'.join(_PART_STARTS)}))"
)
_BULLETS = np.array([*map(ord, "•·●○■□▪▫◆◇►▸➢➤✓✔✪★☆*–—-")], dtype=np.uint32)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Numbering(NamedTuple):
    """The number in front of a line.

    ``kind`` is one of KINDS or "none", ``depth`` its number of parts ("2.3.1" has 3), ``value`` its last part as an
    integer (0 if unknown), ``width`` its length in characters.
    """

    kind: str = "none"
    depth: int = 0
    value: int = 0
    width: int = 0


_NO_NUMBER = Numbering()
# The length of the beginning of a line that is searched for its number.
_MAX_NUMBER_CHARS = 60


def numbering(text: str) -> Numbering:
    """Return the numbering of a line; a year or a quantity at the beginning of a sentence counts as a number too."""
    match = _NUMBERED.match(text, 0, _MAX_NUMBER_CHARS)
    if match is None:
        return _NO_NUMBER
    kind, group = str(match.lastgroup), match.lastindex or 0
    if kind == "chinese":
        return Numbering(kind, 1, 0, match.end())
    parts = match[group + 1].split(".")
    return Numbering(kind, len(parts), _value(parts[-1]), match.end())


def bulleted(characters: Characters) -> Bools:
    """Return whether each line begins with a bullet and white space; (lines,)."""
    has_space = characters.kinds.take(characters.starts + 1, mode="clip") & SPACE != 0
    is_bullet: Bools = np.isin(characters.codes.take(characters.starts), _BULLETS)
    is_bullet &= has_space & (characters.lengths > 1)
    return is_bullet


def _value(part: str) -> int:
    """Return the value of a decimal or roman number, or of a letter (a is 1); 0 if it has none."""
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
_MAX_END_CHARS = 20
#: The number of characters of a line that are read, except for their count.
MAX_CHARS = 400
# The minimum number of words of running text that ends like a sentence.
_PROSE_WORDS = 10
_TAG_NUMBERS = {tag: number for number, tag in enumerate(TAGS, 1)}
# The range of scripts without spaces, where two characters are about one word.
_UNSPACED_FIRST, _UNSPACED_LAST = 0x3040, 0x9FFF
_LONGEST_WORD = 30.0
# The features of a line that are repeated as features of its neighbors.
_SHARED = (
    "log_words ends_sentence leads_on bold all_caps link size heading tag_p tag_li listed number_depth at in_core "
    "title_name log_alike share_parent"
).split()
_OFFSETS = (-2, -1, 1, 2)
_MAX_COUNT, _MAX_CHANGE, _MAX_LEVELS = 20, 9, 10
_LIST_LEVELS = 3
#: The minimum share of the page's running text that its core contains.
CORE = 0.7


def line_features(lines: Lines, titles: Sequence[str]) -> Singles:
    """Return the features of the lines of a batch of pages; float32, (lines, FEATURES), with contiguous columns.

    ``titles``: (pages,), the <title> texts of the pages. The features of a line depend only on its own page.
    """
    return matrix_of(_columns(lines, titles).values()) if lines else np.zeros((0, len(FEATURES)), dtype=np.float32)


def _columns(lines: Lines, titles: Sequence[str]) -> Columns:
    """Describe the lines of a batch of pages, at least one; (lines,) each."""
    texts = LineTexts(lines.texts, lines.page, titles, lines.all_caps)
    scopes, pages = LineScopes(lines, texts), Runs(np.diff(lines.page_starts))
    line_on_page, count = np.arange(len(lines)) - pages.begins[lines.page], pages.lengths[lines.page]
    columns = {
        **texts.columns(),
        **{name: getattr(lines, name) for name in ("bold", "italic", "underlined", "link")},
        "size": lines.size / NORMAL,
        **{name: getattr(lines, name) for name in ("centred", "hidden", "heading")},
        **scopes.columns(),
        "at": lines.line_index,
        "of": np.minimum(lines.line_count, _MAX_COUNT),
        "alone": (lines.line_count == 1) & scopes.is_leaf,
        "position": line_on_page / count,
        "log_lines": np.log1p(count),
        **_alike(lines.style, texts, pages),
        "log_repeats": np.log1p(texts.repeats()),
        **scopes.sizes(),
        **_around(lines, texts, scopes, pages),
    }
    shared = matrix_of(columns[name] for name in _SHARED).T
    for offset in _OFFSETS:
        columns |= zip([f"{name}{offset:+}" for name in _SHARED], pages.shifted(shared, offset, -1.0), strict=True)
    for offset, is_last in ((-1, line_on_page == 0), (1, line_on_page == count - 1)):
        relations = {
            "longer": pages.shifted(texts.log_chars, offset) - texts.log_chars,
            "same_scope": pages.shifted(scopes.scope, offset) == scopes.scope,
            "same_looks": pages.shifted(lines.style, offset) == lines.style,
            "same_parent": pages.shifted(scopes.parent, offset) == scopes.parent,
        }
        columns |= {f"{name}{offset:+}": np.where(is_last, -1.0, values) for name, values in relations.items()}
    return columns | {"words_to_title_like": _words_until_alike(lines.style, texts, pages)}


def _alike(style: Ints, texts: LineTexts, pages: Runs) -> Columns:
    """Describe the lines that share each line's style.

    Their number, their mean length, and the shares that end a sentence and precede longer lines.
    """
    words = texts.words
    leads = (pages.shifted(style, 1, -1) != style) & (pages.shifted(words, 1, -1) > 2 * words)
    count = np.bincount(style)
    of_words, prose, leading = (np.bincount(style, values) / count for values in (words, texts.ends, leads))
    of_styles = {
        "log_alike": np.log1p(count),
        "alike_words": np.log1p(of_words),
        "alike_prose": prose,
        "alike_leads": leading,
    }
    return {name: values.take(style) for name, values in of_styles.items()}


def _around(lines: Lines, texts: LineTexts, scopes: LineScopes, pages: Runs) -> Columns:
    """Return where lines are in relation to the page's core, their font size, and changes of depth in the tree.

    The font size is relative to running text; "up" is by how much a line is deeper than the previous one, "down" by how
    much the next line is deeper.
    """
    first, last, depth = scopes.core_first, scopes.core_last, scopes.depth
    line = np.arange(len(lines))
    return {
        "before_core": line < first,
        "core_position": np.clip((line - first) / (last - first + 1), -1.0, 2.0),
        "relative_size": lines.size / _usual_sizes(lines, texts).take(lines.page),
        "up": np.clip(depth - pages.shifted(depth, -1), -_MAX_CHANGE, _MAX_CHANGE),
        "down": np.clip(pages.shifted(depth, 1) - depth, -_MAX_CHANGE, _MAX_CHANGE),
    }


def _usual_sizes(lines: Lines, texts: LineTexts) -> Floats:
    """Return the median size of the running text of each page, (pages,), or the size of text without a style."""
    prose = np.flatnonzero(texts.prose)
    page, size = lines.page[prose], lines.size[prose]
    ordered = size[np.lexsort((size, page))]
    counts = np.bincount(page, minlength=len(lines.page_starts) - 1)
    has_prose = counts > 0
    median = np.full(len(counts), NORMAL)
    median[has_prose] = ordered[(counts.cumsum() - counts + counts // 2)[has_prose]]
    return np.where(median == 0, NORMAL, median)


def _words_until_alike(style: Ints, texts: LineTexts, pages: Runs) -> Floats:
    """Return the log of the number of words between a line and the next of its style or the page's end; (lines,)."""
    order = np.argsort(style, kind="stable")
    are_alike = style[order[1:]] == style[order[:-1]]
    following = pages.ends[pages.of_item]
    following[order[:-1][are_alike]] = order[1:][are_alike]
    words_before = np.append(0, texts.words.cumsum())  # the words before each line, then the total
    words: Floats = np.log1p((words_before[following] - words_before[1:]).astype(np.float64))
    return words


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
        self._characters = Characters([text[:MAX_CHARS] for text in self._texts])
        starts = [match.start() for match in _MAY_BE_NUMBERED.finditer("\n" + self._characters.text)]
        numbered = self._characters.line_numbers(np.array(starts, dtype=np.int64)).tolist()
        self._numbers = {text: number for text in numbered if (number := numbering(self._texts[text])).width}
        chars = np.array([*map(len, self._texts)], dtype=np.float64)
        self._blanks = self._counts(self._characters.kinds & BLANK != 0)
        self.chars, self.log_chars = chars.take(self.text), np.log1p(chars).take(self.text)
        self.words: Ints = self._count_words(chars).take(self.text)
        self._last = np.array([ord(text[-1]) for text in self._texts], dtype=np.uint32)
        self.ends: Bools = self._end_sentences().take(self.text)
        self.prose: Bools = self.ends & (self.words >= _PROSE_WORDS)

    def _counts(self, flags: Bools) -> Ints:
        """Count the flagged characters, (characters,), at the beginning of each distinct text; (texts,)."""
        indexes = np.flatnonzero(flags)
        return np.diff(indexes.searchsorted(self._characters.starts), append=len(indexes))

    def columns(self) -> Columns:
        """Describe the texts of the lines; (lines,) each."""
        characters, kinds, lengths = self._characters, self._characters.kinds, self._characters.lengths
        upper_start, capitalised = self._capitals()
        has_year = np.zeros(len(self._texts))
        has_year[characters.line_numbers(_years(characters))] = 1
        numbers = np.zeros((len(KINDS) + 1, len(self._texts)))
        for text, number in self._numbers.items():
            numbers[[KINDS.index(number.kind), -1], text] = 1, number.depth
        before: Columns = {
            "leads_on": np.isin(self._last, _COLONS),
            "log_punctuation": np.log1p(self._counts(kinds & (WORD | SPACE) == 0)),
            "log_commas": np.log1p(self._counts(kinds & COMMA != 0)),
            "upper_start": upper_start,
            "capitalised": capitalised,
        }
        behind = {
            "digits": self._counts(kinds & DIGIT != 0) / lengths,
            "year": has_year,
            "mean_word": np.minimum(lengths / (self._blanks + 1), _LONGEST_WORD),
        }
        return {
            "log_chars": self.log_chars,
            "log_words": np.log1p(self.words),
            "ends_sentence": self.ends,
            **{name: values.take(self.text) for name, values in before.items()},
            "all_caps": self._all_caps,
            **{name: values.take(self.text) for name, values in behind.items()},
            "in_title": self._in_title(),
            "bullet": bulleted(characters).take(self.text),
            **dict(zip((*(f"number_{kind}" for kind in KINDS), "number_depth"), numbers[:, self.text], strict=True)),
            "number_follows": self._follows(),
        }

    def _count_words(self, chars: Floats) -> Ints:
        """Count the words of each distinct text, given its number of characters; (texts,)."""
        words: Ints = self._blanks + 1
        for text in np.flatnonzero(chars > MAX_CHARS).tolist():
            words[text] = self._texts[text].count(" ") + 1
        codes = self._characters.codes
        if codes.max() < _UNSPACED_FIRST:
            return words
        unspaced = self._counts((codes >= _UNSPACED_FIRST) & (codes <= _UNSPACED_LAST))
        return np.where(words < _PROSE_WORDS, np.maximum(words, unspaced // 2), words)

    def _end_sentences(self) -> Bools:
        """Return whether each distinct text ends like a sentence; (texts,)."""
        ends: Bools = np.isin(self._last, _FULL_STOPS)
        for text in np.flatnonzero(np.isin(self._last, _CLOSING_SIGNS)).tolist():
            ends[text] = SENTENCE_END.search(self._texts[text][-_MAX_END_CHARS:]) is not None
        return ends

    def _capitals(self) -> Floats:
        """Return whether each text begins with a capital, and the share of capitals among word initials: (2, texts).

        If words follow a number, only the part after the number is considered.
        """
        capitals, _ = _capitals(self._characters)
        if self._numbers:
            numbered_texts = np.array([*self._numbers])
            after_number, has_words = _capitals(
                Characters([self._texts[text][number.width : MAX_CHARS] for text, number in self._numbers.items()])
            )
            capitals[:, numbered_texts[has_words]] = after_number[:, has_words]
        return capitals

    def repeats(self) -> Ints:
        """Return how many lines of the same page have each line's text, (lines,)."""
        keys = self._page * len(self._texts) + self.text
        _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
        repeats: Ints = counts.take(inverse.reshape(-1))
        return repeats

    def _in_title(self) -> Floats:
        """Return the share of each line's words that also occur in the title of its page; (lines,)."""
        shares = np.zeros(len(self.text))
        titles = Characters([title.replace("\n", " ") for title in self._titles])
        title_begins, title_ends = titles.words
        begins, ends = self._characters.words
        if not len(title_begins):
            return shares
        counts = np.diff(np.append(begins.searchsorted(self._characters.starts), len(begins)))
        is_title_key = np.zeros(1 << 16, dtype=np.bool_)
        is_title_key[titles.word_keys(title_begins, title_ends)] = True
        candidates = np.flatnonzero(is_title_key.take(self._characters.word_keys(begins, ends)))
        begins, ends = begins[candidates], ends[candidates]
        text, hashes = self._characters.line_numbers(begins), self._characters.word_hashes(begins, ends)
        title_hashes = titles.word_hashes(title_begins, title_ends)
        distinct_hashes = np.unique(title_hashes)
        in_page = np.zeros((len(self._titles), len(distinct_hashes)), dtype=np.bool_)
        in_page[titles.line_numbers(title_begins), distinct_hashes.searchsorted(title_hashes)] = True
        word = np.minimum(distinct_hashes.searchsorted(hashes), len(distinct_hashes) - 1)
        is_title_word = distinct_hashes[word] == hashes
        text, word = text[is_title_word], word[is_title_word]
        # the words of the text of each line, one line after the other
        first = text.searchsorted(np.arange(len(self._texts) + 1))
        per_line = np.diff(first).take(self.text)
        line = np.arange(len(per_line)).repeat(per_line)
        index = np.arange(len(line)) + (first.take(self.text) - per_line.cumsum() + per_line).repeat(per_line)
        hits = line[in_page[self._page[line], word[index]]]
        return np.bincount(hits, minlength=len(shares)) / np.maximum(counts, 1).take(self.text)

    def _follows(self) -> Bools:
        """Return whether each line's number is that of the previous line of its kind and depth plus one; (lines,)."""
        follows = np.zeros(len(self.text), dtype=np.bool_)
        if not self._numbers:
            return follows
        table = np.zeros((3, len(self._texts)), dtype=np.int64)
        table[:, [*self._numbers]] = [
            [KINDS.index(number.kind) + 1 for number in self._numbers.values()],
            [number.depth for number in self._numbers.values()],
            [number.value for number in self._numbers.values()],
        ]
        lines = np.flatnonzero(table[0].take(self.text))
        kind, depth, value = table.take(self.text[lines], axis=1)
        page = self._page[lines]
        order = np.lexsort((depth, kind, page))
        key, value = np.stack((page, kind, depth))[:, order], value[order]
        previous_value = np.zeros_like(value)
        previous_value[1:] = np.where((key[:, 1:] == key[:, :-1]).all(axis=0), value[:-1], 0)
        follows[lines[order]] = (value > 0) & (previous_value + 1 == value)
        return follows


def is_prose(text: str) -> bool:
    """Return whether a line is running text, judging only by its shape: a sentence of some length."""
    if SENTENCE_END.search(text[-_MAX_END_CHARS:]) is None:
        return False
    unspaced = 0 if text.isascii() else sum(_UNSPACED_FIRST <= ord(char) <= _UNSPACED_LAST for char in text[:MAX_CHARS])
    return max(text.count(" ") + 1, unspaced // 2) >= _PROSE_WORDS


def _years(characters: Characters) -> Ints:
    """Return where four-digit words begin that are a year of the 20th or 21st century; (years,)."""
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

    def columns(self) -> Columns:
        """Describe the tags, names and depths of the elements; (lines,) each."""
        above, scope, tags = self._above, self.scope, self._tree.element_types.by_tag(_TAG_NUMBERS)
        kinds = np.append(self._kinds, 0)
        is_only_child = np.append(self._tree.children == 1, False)[above]
        of_title = (kinds | np.where(is_only_child, kinds[above], 0))[scope]
        around = _summed_outwards(np.stack([kinds & kind != 0 for kind in (EDGE_NAME, CORE_NAME, EDGE_TAG)]), above)
        lists, outer = np.zeros(len(scope), dtype=np.int64), scope
        for _ in range(_LIST_LEVELS + 1):
            lists += kinds[outer] & LIST_TAG != 0
            outer = above[outer]
        return {
            **{f"tag_{tag}": tags[scope] == number for tag, number in _TAG_NUMBERS.items()},
            "title_name": of_title & TITLE_NAME != 0,
            "small_name": of_title & SMALL_NAME != 0,
            **dict(zip(("edge_names", "core_names", "edge_tags"), around[:, scope], strict=True)),
            "listed": lists,
            "depth": self.depth / 10,
        }

    def sizes(self) -> Columns:
        """Describe how much text is in the elements, and their position to the core; (lines,) each."""
        parent_of = self._tree.parent
        parent = parent_of[self.scope]
        outer = parent_of[parent]
        prose, chars, links, lines = self._sizes.take(np.stack((parent, outer, parent_of[outer])), axis=1)
        names = ("share_parent", "share_grandparent", "share_outer")
        return {
            **dict(zip(names, prose / self._prose[self._page], strict=True)),
            "link_parent": links[0] / chars[0],
            "link_grandparent": links[1] / chars[1],
            "log_lines_parent": np.log1p(lines[0]),
            "in_core": self._in_core[self.scope],
            "levels_to_core": np.minimum(self._levels[self.scope], _MAX_LEVELS),
        }


def _totals(lines: Lines, texts: LineTexts) -> Floats:
    """Return the words of running text, characters, link characters and lines of each element; (4, scopes)."""
    columns = np.empty((4, len(lines)))
    columns[0] = np.where(texts.prose & (lines.link < 0.5), texts.words, 0)
    columns[1], columns[2], columns[3] = texts.chars, texts.chars * lines.link, 1
    tree = lines.scope_tree
    totals = tree.sums_inside(columns)
    # shares in links are not integers: they are summed per page, so that rounding does not depend on the batch
    starts = tree.block_starts.tolist()
    links = np.zeros(len(lines) + len(starts))
    for page, (begin, end) in enumerate(pairwise(starts)):
        columns[2, begin:end].cumsum(out=links[begin + page + 1 : end + page + 1])
    totals[2] = links.take(tree.last + tree.page_of_scope) - links.take(tree.first + tree.page_of_scope)
    return totals


def _summed_outwards(values: NDArray[Any], above: Ints) -> Ints:
    """Return the sums of rows, (rows, scopes), over each element and its ancestors; ``above`` ends at an empty one."""
    values, last = values.astype(np.int64), len(above) - 1
    while (above != last).any():  # each iteration doubles the number of levels summed
        values = values + values[:, above]
        above = above[above]
    return values


#: The columns of `line_features`, in order.
FEATURES = (*_columns(lines_of([describe("<p>One line.</p>", None)]), [""]),)
