"""The lines of a batch of pages: the text as readers see it, line by line, with the style and position of each.

A line is the text between two boundaries of the search phase of segmentation, or between two <br>. Text blocks (of the
combine phase) consist of one or more lines.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, repeat
from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.tree.scopes import ElementTypes, ScopeTree, numbered, ranges
from scrapy_semtext.tree.segmentation import StyledRun, TextBlock, shown
from scrapy_semtext.tree.tags import HEADING_LEVELS, PLAIN, Style
from scrapy_semtext.words.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


# A character that cannot occur in a parsed page.
_SEPARATOR = "\0"
# A translation table: ASCII letters to lower case, the separator to itself, all other characters to spaces.
_LETTERS = bytes(ord(chr(code).lower()) if code == 0 or chr(code) in ascii_letters else ord(" ") for code in range(256))

_EDGE_TAGS = frozenset("nav footer header aside form button dialog noscript template".split())
_LIST_TAGS = frozenset(("ul", "ol", "dl", "table", "li"))
#: The tags that are features.
TAGS = "p div li dd dt td th pre blockquote summary legend caption figcaption address section article body".split()
#: Bit flags: names of titles, of small print (a byline, a date), of a page's edge and of its core, tags of the edge and
#: of lists.
TITLE_NAME, SMALL_NAME, EDGE_NAME, CORE_NAME, EDGE_TAG, LIST_TAG = (1 << bit for bit in range(6))
_NAMES = {
    kind: WORDS[f"{name}_names"]
    for name, kind in (("title", TITLE_NAME), ("small", SMALL_NAME), ("edge", EDGE_NAME), ("core", CORE_NAME))
}
_FLAGS_BY_WORD = {
    name: sum(kind for kind, names in _NAMES.items() if name in names) for name in set().union(*_NAMES.values())
}
_FLAGS_BY_TAG = dict.fromkeys(_EDGE_TAGS, EDGE_TAG) | dict.fromkeys(_LIST_TAGS, LIST_TAG)
# Separators count as words, so that the names can be numbered.
_FLAGS_BY_WORD[_SEPARATOR] = -1


def _name_kinds(all_names: Sequence[str]) -> Ints:
    """Return the bit flags of class and id names, (names,)."""
    codes = np.frombuffer(_SEPARATOR.join(all_names).encode("ascii", "replace"), dtype=np.uint8)
    humps = np.flatnonzero((codes[1:] <= ord("Z")) & (codes[1:] >= ord("A")) & (codes[:-1] >= ord("a"))) + 1
    text = np.insert(codes, humps, ord(" ")).tobytes().translate(_LETTERS).replace(b"\0", b" \0 ")
    words = text.decode("ascii").split()
    flags = np.fromiter(map(_FLAGS_BY_WORD.get, words, repeat(0)), dtype=np.int64, count=len(words))
    kinds = np.zeros(len(all_names), dtype=np.int64)
    named = np.flatnonzero(flags > 0)
    np.bitwise_or.at(kinds, (flags < 0).cumsum()[named], flags[named])
    return kinds


def element_kinds(types: ElementTypes) -> Ints:
    """Return the bit flags of elements by their types; int64, (elements,)."""
    names, of_element = types.names
    return types.by_tag(_FLAGS_BY_TAG) | _name_kinds(names)[of_element]


# The number of scopes around a line that are searched for a heading tag: <h2><div>Title</div></h2>.
_HEADING_SCOPES = 3
# A line is bold (or italic, underlined) if more than this share of its characters is.
_MIN_STYLED_SHARE = 0.8
# The number of characters of a line that decide whether it is in capitals.
_MAX_CAPS_CHARS = 400
#: The values that `line_styles` returns for each line, in order.
STYLE_COLUMNS = ("bold", "italic", "underlined", "link", "size")


class Lines:
    """The lines of a batch of pages in order, as columns.

    ``texts``: a list of str; ``text_blocks``: those of all pages. For each line int64, (lines,): ``page``;
    ``raw_block`` and ``block``, the indexes of its blocks of the search and the combine phase, numbered through the
    batch; ``line_index`` and ``line_count``, its index among the lines of its raw block, and their number; ``heading``
    and ``heading_scope``, the level of the heading element around it (0 for none) and that element (-1 for none).
    float64, (lines,): ``bold``, ``italic``, ``underlined`` and ``link``, shares of its characters (0 to 1); ``size``,
    the mean size of its text in pixels. bool, (lines,): ``centred``, ``hidden``. ``page_starts``: int64, (pages + 1,),
    where the lines of each page begin; ``scope_tree``: the elements around the lines, one tree per page;
    ``element_kinds``: int64, (scopes,), bit flags of their tags and names.
    """

    def __init__(self, pages: Sequence[ParsedPage], raw_tree: ScopeTree) -> None:
        """``raw_tree``: the elements around the raw blocks of all pages."""
        self.text_blocks = [*chain.from_iterable(page.text_blocks for page in pages)]
        self._raw_texts = raw_tree.texts
        self.texts, counts = _texts(self._raw_texts)
        raw_starts = np.cumsum([0, *(len(page.raw_tree.blocks) for page in pages)])
        # the first raw block of each text block
        self._block_starts = np.concatenate(
            [page.starts + start for page, start in zip(pages, raw_starts.tolist(), strict=False)]
        )
        self.raw_block: Ints = np.arange(len(counts)).repeat(counts)
        self.block: Ints = self._block_starts.searchsorted(self.raw_block, side="right") - 1
        self.line_count: Ints = counts.take(self.raw_block)
        ends = counts.cumsum()
        self.line_index: Ints = np.arange(len(self.texts)) - (ends - counts).take(self.raw_block)
        self.page_starts: Ints = np.append(0, ends)[raw_starts]
        self.page: Ints = np.arange(len(pages)).repeat(np.diff(self.page_starts))
        styles = line_styles(raw_tree.blocks, self.texts, counts)
        self.bold, self.italic, self.underlined, self.link, self.size = styles
        self.scope_tree = raw_tree.of_parts(counts) if len(self.texts) > len(counts) else raw_tree
        self._set_scope_columns()

    def _set_scope_columns(self) -> None:
        """Set the columns that come from the elements around the lines."""
        tree, scope = self.scope_tree, self.scope_tree.of_block
        self.element_kinds = element_kinds(tree.element_types)
        used = _distinct_indexes(scope, len(tree))
        elements = [tree.scopes[index] for index in used.tolist()]
        flags = np.zeros((2, len(tree)), dtype=np.bool_)
        flags[0, used] = [element.centred for element in elements]
        flags[1, used] = [element.hidden for element in elements]
        self.centred, self.hidden = flags.take(scope, axis=1)
        levels = tree.element_types.by_tag(HEADING_LEVELS)
        self.heading: Ints = np.zeros(len(self.texts), dtype=np.int64)
        self.heading_scope: Ints = np.full(len(self.texts), -1)
        for _ in range(_HEADING_SCOPES):
            in_heading = np.flatnonzero((self.heading == 0) & (levels.take(scope) > 0))
            self.heading[in_heading] = levels.take(scope[in_heading])
            self.heading_scope[in_heading] = scope[in_heading]
            scope = tree.parent.take(scope)

    @cached_property
    def all_caps(self) -> Bools:
        """Whether each line has upper-case letters but no lower-case ones, (lines,)."""
        return np.array([text[:_MAX_CAPS_CHARS].isupper() for text in self.texts], dtype=np.bool_)

    @cached_property
    def style(self) -> Ints:
        """A number for each line, equal for lines of a page that look the same; consecutive from 0, (lines,).

        Lines look the same if they agree in tag (all headings count as one) and class names, heading level, bold,
        italic, underlined, centred, capitals, and the size rounded to pixels.
        """
        tree, scope = self.scope_tree, self.scope_tree.of_block
        used = _distinct_indexes(scope, len(tree))
        names = np.zeros(len(tree), dtype=np.int64)
        names[used] = numbered([tree.scopes[index].classes for index in used.tolist()])
        tags = tree.element_types.tag_of_scope.take(scope)
        tags = np.where(self.heading > 0, tags.max(initial=0) + 1, tags)
        sizes = np.unique(self.size.round(), return_inverse=True)[1].reshape(-1)
        key = self.page
        for values in (tags, names.take(scope), sizes, self.heading):
            key = key * (values.max(initial=0) + 1) + values
        styled = np.stack((self.bold, self.italic, self.underlined)) > _MIN_STYLED_SHARE
        for flags in (*styled, self.centred, self.all_caps):
            key = 2 * key + flags
        style: Ints = np.unique(key, return_inverse=True)[1].reshape(-1)
        return style

    def __len__(self) -> int:
        return len(self.texts)

    def separators(self, lines: Sequence[int] | Ints) -> list[str]:
        """Return the separators before the lines with these numbers in their blocks; "" for the first of a block."""
        separators = ["\n"] * len(lines)
        first_lines = np.flatnonzero(self.line_index.take(lines) == 0)
        raw_blocks = self.raw_block.take(np.take(lines, first_lines))
        blocks = self._block_starts.searchsorted(raw_blocks, side="right") - 1
        chars_before = self._chars_before.take(raw_blocks) - self._chars_before.take(self._block_starts.take(blocks))
        for line, block, position in zip(first_lines.tolist(), blocks.tolist(), chars_before.tolist(), strict=True):
            separators[line] = self.text_blocks[block].text[position - 1] if position else ""
        return separators

    @cached_property
    def _chars_before(self) -> Ints:
        """The number of characters before each raw block, with one between any two blocks: (raw blocks,)."""
        lengths = np.fromiter(map(len, self._raw_texts), dtype=np.int64, count=len(self._raw_texts)) + 1
        begins: Ints = lengths.cumsum() - lengths
        return begins


def lines_of(pages: Sequence[ParsedPage]) -> Lines:
    """Return the lines of a batch of pages in order."""
    trees = [page.raw_tree for page in pages if page.raw_tree.blocks]
    return Lines(pages, ScopeTree.concatenated(trees) if trees else ScopeTree([]))


def _texts(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the non-empty lines of raw blocks, and how many of them each block has, (raw blocks,)."""
    lines = [[line for line in text.split("\n") if line.strip()] if "\n" in text else [text] for text in texts]
    return [*chain.from_iterable(lines)], np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))


def _distinct_indexes(places: Ints, count: int) -> Ints:
    """Return the distinct ones of indexes below ``count``, in order; (found,)."""
    return np.flatnonzero(np.bincount(places, minlength=count))


def line_styles(raw_blocks: Sequence[TextBlock], texts: Sequence[str], line_counts: Ints) -> Floats:
    """Return the STYLE_COLUMNS of lines, float64, (columns, lines): shares of their characters (0 to 1), and pixels.

    ``texts`` are the lines; each raw block has ``line_counts``, (raw blocks,), of them. White space is not counted.
    """
    of_blocks = [block.style for block in raw_blocks]
    runs = [style for style in of_blocks if isinstance(style, list)]
    mixed = [index for index, style in enumerate(of_blocks) if isinstance(style, list)]
    styles = [PLAIN if isinstance(style, list) else style for style in of_blocks]  # placeholder, replaced below
    columns: Floats = _columns_of(styles).repeat(line_counts, axis=1)
    if not mixed:
        return columns
    ends = line_counts.cumsum()
    counts = line_counts[mixed]
    lines = ranges((ends - line_counts)[mixed], counts)
    columns[:, lines] = _mixed_styles(runs, [texts[index] for index in lines.tolist()], counts)
    return columns


def _columns_of(styles: Sequence[Style]) -> Floats:
    """Return the STYLE_COLUMNS of styles: (columns, styles)."""
    # there are few distinct objects because segmentation shares them
    identities = np.fromiter(map(id, styles), dtype=np.uint64, count=len(styles))
    _, first, distinct = np.unique(identities, return_index=True, return_inverse=True)
    distinct_styles = [styles[index] for index in first.tolist()]
    rows = [(bold, italic, underlined, link, size) for bold, italic, underlined, _, size, link in distinct_styles]
    columns: Floats = np.array(rows, dtype=np.float64).reshape(-1, len(STYLE_COLUMNS)).T
    return columns.take(distinct.reshape(-1), axis=1)


def _mixed_styles(runs: Sequence[Sequence[StyledRun]], texts: Sequence[str], line_counts: Ints) -> Floats:
    """Return the STYLE_COLUMNS, (columns, lines), of the lines of blocks whose runs differ in style."""
    counts, styles = zip(*chain.from_iterable(runs), strict=True)
    run_block = np.arange(len(runs)).repeat([*map(len, runs)])
    line_block = np.arange(len(runs)).repeat(line_counts)
    run_chars = np.array(counts, dtype=np.int64)
    block_chars = np.bincount(run_block, weights=run_chars).astype(np.int64)
    line_chars = block_chars.take(line_block)
    for line in np.flatnonzero(line_counts.take(line_block) > 1).tolist():
        line_chars[line] = shown(texts[line])
    run_begins, line_begins = (
        _along_axis(chars, block, block_chars) for chars, block in ((run_chars, run_block), (line_chars, line_block))
    )
    edges = np.unique(np.concatenate((run_begins, line_begins, block_chars.sum(keepdims=True))))
    run = run_begins.searchsorted(edges[:-1], side="right") - 1
    line = line_begins.searchsorted(edges[:-1], side="right") - 1
    values = _columns_of(styles).take(run, axis=1) * np.diff(edges)
    sums: Floats = np.stack([np.bincount(line, weights=row, minlength=len(texts)) for row in values])
    return sums / np.maximum(line_chars, 1)


def _along_axis(chars: Ints, block: Ints, block_chars: Ints) -> Ints:
    """Return where runs or lines, each of ``chars`` characters, begin on one axis for all characters of the blocks.

    Each begins after the previous one of its block, and none begins after the end of its block.
    """
    block_ends = block_chars.cumsum()
    begins = chars.cumsum() - chars
    is_first = np.append(True, block[1:] != block[:-1])
    begins_in_block: Ints = begins - begins[is_first].take(block)
    begins_in_block += (block_ends - block_chars).take(block)
    limited: Ints = np.minimum(begins_in_block, block_ends.take(block))
    return limited
