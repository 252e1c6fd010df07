"""The nodes of a page and of a batch of pages as arrays, with sums over their blocks and features of the nodes.

A node is a group-3 element that contains text. The blocks inside it are the range ``first`` to ``last`` (exclusive), so
that any sum over blocks is the difference of two entries of a running sum. The blocks are those of the search phase of
SCS (`scrapy_semtext.tree.segmentation.search`), before they are combined, so that each belongs to one element. Nodes
are in document order, parents before their children; pages follow one another.

Signatures are integers that are equal for nodes with the same tags and names on the path up the tree. Nodes of
different pages never share a signature, and the signatures of a page are consecutive, so that they serve as group
numbers for the batch and for each of its pages. Nodes with the same signature form a group: the records that a page
repeats appear as groups whose members have similar text, and the same things before, after and around them. Names are
not features: forum engines name their elements differently, but the structure of a thread is the same. All nodes of a
batch are described at once; a feature never depends on other pages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.tree.scopes import ScopeTree, numbered
from scrapy_semtext.tree.segmentation import Scope, TextBlock, is_closed
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.arrays import Bools, Floats, Ints
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.cues import OPENS_AS_QUESTION, POST_NUMBER, asks, with_dates
from scrapy_semtext.words.words import AttributeWords, attribute_words, width_of

#: Columns of `PageNodes.sums`: characters, link characters, blocks, short blocks with a date, post numbers, blocks of
#: at most 25 characters, ends of sentences, blocks with a question mark, blocks of more than 120 characters, hidden
#: blocks, characters of long blocks outside links. All are whole numbers, so that their sums are exact.
BLOCK_COLUMNS = "chars links blocks dates numbers tiny sentences questions long hidden prose".split()
CHARS, LINKS, BLOCKS, DATES, NUMBERS, TINY, SENTENCES, QUESTIONS, LONG, HIDDEN, PROSE = range(len(BLOCK_COLUMNS))
#: Columns of `PageNodes.elements`: how many of these elements are inside a node.
ELEMENT_COLUMNS = "images times anchors controls paragraphs headings quotes items".split()
IMAGES, TIMES, ANCHORS, CONTROLS, PARAGRAPHS, HEADINGS, QUOTES, ITEMS = range(len(ELEMENT_COLUMNS))
_KINDS = len(ELEMENT_COLUMNS)

_ELEMENTS = {
    "img": IMAGES,
    "svg": IMAGES,
    "time": TIMES,
    "a": ANCHORS,
    **dict.fromkeys(("button", "input", "select", "textarea"), CONTROLS),
    "p": PARAGRAPHS,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5"), HEADINGS),
    **dict.fromkeys(("blockquote", "pre"), QUOTES),
    "li": ITEMS,
}
#: Dates in blocks of more characters than this are not counted.
LONGEST_DATED = 80
_TINY, _LONG, _PROSE, _READ = 25, 120, 60, 400  # characters
# Flags by code point: sentence-ending signs and question marks; the last code point has neither flag.
_END, _QUESTION = 1, 2
_SIGNS = np.zeros(0x10000, dtype=np.uint8)
for _bit, _signs in ((_END, ".!?…。！？"), (_QUESTION, "?？؟")):
    _SIGNS[[*map(ord, _signs)]] |= _bit

_DIGITS, _ASCII_DIGITS = re.compile(r"\d+"), b"0123456789"
_MAX_CODE = 1 << 62


#: Elements whose text is always the question of a pair, and those that may be one even without a question mark.
SUMMARY, _TITLES = "summary", {**HEADING_LEVELS, "summary": 7, "dt": 8, "button": 8}
_LONGEST_TITLE = 160


def _shared(compute: Callable[[PageNodes], Ints]) -> cached_property[Ints]:
    """Return a column of numbers, (nodes,), that a page of a batch takes from it, renumbered from 0."""

    def column(nodes: PageNodes) -> Ints:
        if nodes._batch is None:
            return compute(nodes)
        batch, start = nodes._batch
        part: Ints = getattr(batch, compute.__name__)[start : start + len(nodes)]
        own: Ints = part - part.min(initial=len(batch))
        return own

    column.__doc__ = compute.__doc__
    return cached_property(column)


def _list_of(column: Callable[[PageNodes], Ints]) -> cached_property[list[int]]:
    """Return a column as a list, in which lookups of single values are faster."""

    def listed(nodes: PageNodes) -> list[int]:
        values: list[int] = column(nodes).tolist()
        return values

    return cached_property(listed)


class PageNodes(ScopeTree):
    """The nodes of a page, or of several pages (see `share_table`): their scopes, with columns computed on first use.

    ``firsts``, ``lasts``: ``first`` and ``last`` as lists; ``parents``: a list of the parent of each node, -1 for a
    root; ``block_paths``, ``block_headings``: lists of each block's number in `tag_paths`, and its heading level (0 if
    none).
    """

    # the batch that this page is in, and where its nodes begin there
    _batch: tuple[PageNodes, int] | None = None

    @property
    def root(self) -> Any:
        """The root element of the first page."""
        return self.scopes[0].element

    @property
    def block_counts(self) -> Ints:
        """How many blocks each page has; (pages,)."""
        return np.diff(self.block_starts)

    def page_end(self, nodes: Ints) -> Ints:
        """Return the number of blocks up to the end of the page of each of these nodes; (nodes given,)."""
        return self.block_starts[self.page_of_scope[nodes] + 1]

    @cached_property
    def sums(self) -> Floats:
        """Running sums of the block columns over all pages; (blocks + 1, 11)."""
        widths = np.array([width_of(text[:_READ]) for text in self.texts])
        return running_sums(self.blocks, self.texts, with_dates(self.texts, LONGEST_DATED), widths)

    @cached_property
    def totals(self) -> Floats:
        """The sums over the blocks of each node, (nodes, 11)."""
        totals: Floats = self.sums.take(self.last, axis=0)
        totals -= self.sums.take(self.first, axis=0)
        return totals

    @cached_property
    def page_totals(self) -> Floats:
        """The sums over the blocks of each page, (pages, 11)."""
        return np.diff(self.sums[self.block_starts], axis=0)

    @cached_property
    def subtree_end(self) -> Ints:
        """The index after the last node inside each node; (nodes,)."""
        # the nodes inside a node follow it, and their first blocks come before its last
        end: Ints = np.searchsorted(self.first, self.last)
        return end

    def is_inside(self, flags: Bools) -> Bools:
        """Return whether each node is inside a flagged one; (nodes,)."""
        nodes = np.flatnonzero(flags)
        size = len(self) + 1
        opened, closed = np.bincount(nodes + 1, minlength=size), np.bincount(self.subtree_end[nodes], minlength=size)
        inside: Bools = (opened - closed).cumsum()[:-1] > 0
        return inside

    @property
    def closed(self) -> Bools:
        """Which nodes are closed dialogs or ``noscript``, unless they contain most of the text; (nodes,)."""
        closed = np.fromiter(map(is_closed, self.scopes), np.bool_, len(self))
        few: Bools = 2 * self.totals[:, CHARS] < self.page_totals[self.page_of_scope, CHARS]
        return closed & few

    @cached_property
    def elements(self) -> Floats:
        """How many elements of each type in ELEMENT_COLUMNS are inside each node; (nodes, 8)."""
        pages = pairwise(self.scope_starts.tolist())
        codes = chain.from_iterable(_located_elements(self.scopes, first, last) for first, last in pages)
        counts = np.bincount(np.fromiter(codes, dtype=np.int64), minlength=(len(self) + 1) * _KINDS)
        sums = counts.reshape(-1, _KINDS)[:-1].cumsum(0)
        sums = np.concatenate([np.zeros((1, _KINDS), dtype=np.int64), sums])
        inside: Floats = (sums.take(self.subtree_end, axis=0) - sums[:-1]).astype(np.float64)
        return inside

    @cached_property
    def chars(self) -> Floats:
        """The running sum of the characters of the blocks; (blocks + 1,)."""
        return np.append(0.0, np.cumsum([len(text) for text in self.texts], dtype=np.float64))

    @_shared
    def tag_paths(self) -> Ints:
        """Numbers of the sequences of tags from the root; (nodes,)."""
        return number_tag_paths(self.tag_numbers, self.parent, self.page_of_scope)

    @property
    def tag_numbers(self) -> Ints:
        """Numbers of the tags, shared by all pages of a batch; (nodes,)."""
        return self.element_types.tag_of_scope

    @_shared
    def signatures(self) -> Ints:
        """Numbers of the tags and names of a node, its parent and its grandparent; (nodes,)."""
        return self._signatures[0]

    @_shared
    def near_signatures(self) -> Ints:
        """Like `signatures`, for a node and its parent only; `signatures` if neither has names."""
        return self._signatures[1]

    @_shared
    def own_signatures(self) -> Ints:
        """Like `signatures`, for a node only; `signatures` if it has no names."""
        return self._signatures[2]

    @_shared
    def ordinal_signatures(self) -> Ints:
        """Like `signatures`, with the rank among its siblings for a node, or parent, that has no names."""
        return self._signatures[3]

    @cached_property
    def _signatures(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The four kinds of signatures, in the order of the properties above; (nodes,) each."""
        numbers = number_element_types(self.element_types.pairs).take(self.element_types.of_scope, axis=1)
        return signatures_of(numbers, self.parent, self.page_of_scope)

    def text(self, node: int) -> str:
        """Return the text of a node, one line per block."""
        return "\n".join(self.texts[self.firsts[node] : self.lasts[node]])

    def path(self, node: int, levels: int) -> list[int]:
        """Return the node and its ancestors from the inside out, at most ``levels`` elements."""
        path: list[int] = []
        parents = self.parents
        while node >= 0 and levels > 0:
            path.append(node)
            node, levels = parents[node], levels - 1
        return path

    def names_near(self, nodes: Sequence[int], levels: int) -> set[str]:
        """Return the words of the class and id names on the paths of these nodes, up to ``levels`` elements."""
        paths = {inner for node in nodes for inner in self.path(int(node), levels)}
        names = {self.scopes[inner].names for inner in paths} - {""}
        return set().union(*[attribute_words(each).every for each in names])

    @cached_property
    def asking(self) -> list[bool]:
        """Whether each block asks: a line ends in a question mark, or it is a summary or a title phrased as one."""
        asking = [*map(asks, self.texts)]
        titles = self._within(_TITLES)[self.of_block]
        for block in np.flatnonzero(titles).tolist():
            if not asking[block] and 1 < len(text := self.texts[block]) <= _LONGEST_TITLE:
                asking[block] = bool(titles[block] == _TITLES[SUMMARY] or OPENS_AS_QUESTION.begins(text))
        return asking

    @cached_property
    def node_headings(self) -> Ints:
        """The level of the heading that each node is, or is inside by one or two levels; 0 if none; (nodes,)."""
        return self._within(HEADING_LEVELS)

    def _within(self, numbers: Mapping[str, int]) -> Ints:
        """Return the number of the tag of each node or its parent or grandparent; 0 if none has one; (nodes,)."""
        own = self.element_types.by_tag(numbers)
        around = own[self.parent]
        levels: Ints = np.where(own, own, np.where(around, around, around[self.parent]))
        return levels

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all class and id names."""
        return words_in_names(self.element_types.words)

    firsts, lasts = _list_of(lambda nodes: nodes.first), _list_of(lambda nodes: nodes.last)
    parents = _list_of(lambda nodes: nodes.outer)
    block_paths = _list_of(lambda nodes: nodes.tag_paths[nodes.of_block])
    block_headings = _list_of(lambda nodes: nodes.node_headings[nodes.of_block])


def share_table(pages: Sequence[PageNodes]) -> PageNodes:
    """Return the nodes of one or more pages as one batch, from which the pages take their signatures."""
    if len(pages) == 1:
        return pages[0]
    batch = PageNodes.concatenated(pages)
    for page, start in zip(pages, batch.scope_starts.tolist(), strict=False):
        page._batch = batch, start
    return batch


def with_same_text(nodes: PageNodes, node: int) -> list[int]:
    """Return the elements around and inside a node that have exactly its text, from the outside in."""
    first, last = nodes.firsts[node], nodes.lasts[node]
    begin = end = node
    while (above := nodes.parents[begin]) >= 0 and (nodes.firsts[above], nodes.lasts[above]) == (first, last):
        begin = above
    while end + 1 < len(nodes) and (nodes.firsts[end + 1], nodes.lasts[end + 1]) == (first, last):
        end += 1
    return list(range(begin, end + 1))


def children_of(nodes: PageNodes, node: int) -> list[int]:
    """Return the outermost nodes in a node that do not have all of its text."""
    inner = with_same_text(nodes, node)[-1]
    return [child for child in range(inner + 1, int(nodes.subtree_end[inner])) if nodes.parents[child] == inner]


def running_sums(
    blocks: Sequence[TextBlock], texts: Sequence[str], dated: Sequence[bool] | Bools, widths: Floats | float = 1.0
) -> Floats:
    """Return running sums of the columns of `PageNodes.sums`, (blocks + 1, 11).

    ``dated``: which blocks have a date; ``widths``: how many characters one counts as, for scripts without spaces.
    """
    sums = np.zeros((len(texts) + 1, len(BLOCK_COLUMNS)))
    counts = sums[1:]
    heads = [text[:_READ] for text in texts]
    lengths, linked = np.array([*map(len, texts)]), np.array([block.link_chars for block in blocks])
    chars, links = (lengths * widths).astype(np.int64), (linked * widths).astype(np.int64)
    counts[:, CHARS], counts[:, LINKS], counts[:, BLOCKS], counts[:, DATES] = chars, links, 1, dated
    counts[:, HIDDEN] = [block.hidden for block in blocks]
    tiny_blocks = np.flatnonzero(chars <= _TINY // 2)
    counts[tiny_blocks, NUMBERS] = [POST_NUMBER.fullmatch(texts[block]) is not None for block in tiny_blocks.tolist()]
    counts[:, TINY], counts[:, LONG] = chars <= _TINY, chars > _LONG
    counts[:, SENTENCES], counts[:, QUESTIONS] = _punctuation(heads, np.minimum(lengths, _READ))
    counts[:, PROSE] = np.where((chars >= _PROSE) & (links < 0.3 * chars), chars - links, 0)
    np.cumsum(sums, axis=0, out=sums)
    return sums


def _punctuation(texts: list[str], lengths: Ints) -> tuple[Ints, Bools]:
    """Count the sentence-ending signs of each text, and tell whether it has a question mark; (texts,) each."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    signs = _SIGNS.take(codes, mode="clip")
    places = np.flatnonzero(signs != 0)
    of_text, signs = np.searchsorted(lengths.cumsum(), places, side="right"), signs[places]
    sentences, questions = (np.bincount(of_text[signs & bit > 0], minlength=len(texts)) for bit in (_END, _QUESTION))
    return sentences, questions > 0


def _located_elements(scopes: Sequence[Scope], first: int, last: int) -> Iterator[int]:
    """Yield ``node * 8 + column`` for each counted element of a page, where the node is the innermost around it.

    ``first``, ``last``: the range of the page's nodes in ``scopes``; the first is the root. Elements outside are
    skipped.
    """
    holder_of: dict[Any, int] = {scopes[node].element: node for node in range(first, last)}
    column_of = _ELEMENTS
    find = holder_of.get
    for element in scopes[first].element.iter(*column_of):
        node = find(element)
        if node is None:
            path, above = [element], element.getparent()
            while above is not None and (node := find(above)) is None:
                path.append(above)
                above = above.getparent()
            node = -1 if node is None else node
            for inner in path:  # so that no ancestor is visited twice
                holder_of[inner] = node
        if node >= 0:
            yield node * _KINDS + column_of[element.tag]


def number_element_types(pairs: Sequence[tuple[str, str]]) -> Ints:
    """Number tags with names, given as pairs of a tag and an attribute string; int64, (2, pairs).

    The rows: numbers of distinct tags and names, ignoring digits; 1 if it has such names, else 0.
    """
    bare = [(tag, _without_digits(names) if names else "") for tag, names in pairs]
    return np.array([numbered(bare), [names != "" for _, names in bare]], dtype=np.int64)


def number_tag_paths(tags: Ints, parent: Ints, page: Ints) -> Ints:
    """Number the distinct sequences of tags from the root of a page down to a node; (nodes,).

    ``parent``: the parent of each node, a root being its own; ``page``: the page of each node. Works by doubling: the
    number of the lowest 2^k tags and that of the 2^k tags above them are combined into one for 2^(k+1) tags.
    """
    end = len(parent)  # a virtual node above all roots
    jump = np.append(np.where(parent == np.arange(end), end, parent), end)
    numbers = np.append(tags, -1)
    while True:
        numbers[:-1] = number_rows(numbers[:-1], numbers[jump[:-1]])
        if (jump == end).all():
            return number_rows(page, numbers[:-1])
        jump = jump[jump]


def signatures_of(numbers: Ints, parent: Ints, page: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the four kinds of signatures of `PageNodes`, (nodes,) each.

    ``numbers``: (2, nodes), `number_element_types` by node; ``parent``, ``page``: as in `number_tag_paths`.
    """
    is_root = parent == np.arange(len(parent))

    def above(values: Ints) -> Ints:
        """Return the values of the parents, -1 for a root; (nodes,)."""
        outer: Ints = np.where(is_root, -1, values[parent])
        return outer

    own, named = numbers[0], numbers[1] > 0
    full = number_rows(page, own, above(own), above(above(own)))
    near = np.where(named | (above(numbers[1]) > 0), combine(own, above(own)), ~full)
    ordinal = np.where(named, -1, _sibling_ranks(np.where(is_root, ~page, parent)))
    return (
        full,
        number_rows(page, near),
        number_rows(page, np.where(named, own, ~full)),
        number_rows(full, ordinal, above(ordinal)),
    )


def number_rows(*columns: Ints) -> Ints:
    """Number equal rows from 0 on, in lexicographic order of the columns; (rows,)."""
    return np.unique(combine(*columns), return_inverse=True)[1]


def combine(*columns: Ints) -> Ints:
    """Return an integer for each row, equal for equal rows, in lexicographic order of the columns; (rows,)."""
    codes, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        values = column - column.min(initial=0)
        count = int(values.max(initial=0)) + 1
        if size * count > _MAX_CODE:
            codes = np.unique(codes, return_inverse=True)[1]
            size = len(codes)
        codes, size = codes * count + values, size * count
    return codes


def _sibling_ranks(parent: Ints) -> Ints:
    """Return the rank of each node among the children of its parent, from 0 on; (nodes,)."""
    order = np.argsort(parent, kind="stable")
    ranks = np.empty(len(parent), dtype=np.int64)
    ranks[order] = np.arange(len(parent))
    return ranks - np.searchsorted(parent[order], parent)


@remembered(1 << 14)
def _without_digits(names: str) -> str:
    """Return the distinct names in an attribute, sorted, without digits."""
    names = " ".join(names.split())
    if names.isascii():
        names = names.encode("ascii").translate(None, _ASCII_DIGITS).decode("ascii")
    else:
        names = _DIGITS.sub("", names)
    return " ".join(sorted({*names.split(" ")}))


_TAGS = (
    "div td p li article section span dd tr blockquote ul table main h1 h2 h3 body form header footer aside nav dl pre"
).split()
_TAG_COLUMN = {tag: column for column, tag in enumerate(_TAGS)}
_TAG_NAMES = [f"tag_{tag}" for tag in _TAGS]
_NEAR = 6  # number of blocks before and after a node
# The features that are averaged over a group.
_AVERAGED = (
    "log_dates log_tiny images times controls log_blocks sentence_rate parent_more_dates outer_more_dates"
    " third_more_dates outer_more_images third_more_images parent_more_images outer_more_controls log_questions"
    " before_dates before_log_chars before_numbers after_dates after_tiny before_tiny"
).split()

_OUTER = ("parent", "outer", "third", "fourth")
_BEYOND = "share more_blocks more_dates more_chars more_prose more_images more_times more_controls group_size".split()
_BESIDE = "dates log_chars tiny numbers links".split()
_OF_GROUP = "share mean_chars spread links prose_share prose_of_span cover begin end unique".split()
#: The columns of `node_features`.
FEATURES: tuple[str, ...] = (
    *("log_chars", "log_blocks", "log_dates", "log_numbers", "log_tiny", "log_sentences", "log_questions", "log_long"),
    *("log_prose", "link_share", "hidden_share", "share", "prose_share", "prose_of_chars", "mean_block", "tiny_share"),
    *("sentence_rate", "depth", "begin", "end", "page_blocks", "page_chars", "page_dates", "page_prose"),
    *(*ELEMENT_COLUMNS, "children", "group_size"),
    *(f"{name}_{what}" for name in _OUTER for what in _BEYOND),
    *("chars_before", "chars_after", *(f"{name}_{what}" for name in ("before", "after") for what in _BESIDE)),
    *(f"group_{name}" for name in (*_OF_GROUP, *_AVERAGED)),
    *("gap_blocks", "gap_chars", "gap_dates", "group_nested"),
    *_TAG_NAMES,
)

_LOGS = "chars blocks dates numbers tiny sentences questions long prose".split()

_Columns = dict[str, "Floats"]


def node_features(nodes: PageNodes) -> NDArray[np.float32]:
    """Describe all nodes of a batch of pages: float32, (nodes, FEATURES)."""
    columns: _Columns = {}
    _add_own(nodes, columns)
    _around(nodes, columns)
    _beside(nodes, columns)
    _group(nodes, columns)
    _gaps(nodes, columns)
    tags = nodes.element_types.by_tag(_TAG_COLUMN, -1) == np.arange(len(_TAGS))[:, None]
    columns |= zip(_TAG_NAMES, tags, strict=True)
    return matrix_of(columns[name] for name in FEATURES)


def matrix_of(columns: Iterable[Floats]) -> NDArray[np.float32]:
    """Stack columns, (rows,) each, into a float32 array, (rows, columns), in which each column is contiguous."""
    listed = list(columns)
    rows = np.empty((len(listed), len(listed[0])), dtype=np.float32)
    for row, column in zip(rows, listed, strict=True):
        row[:] = column
    matrix: NDArray[np.float32] = rows.T
    return matrix


def group_mean(groups: Ints, values: Floats) -> Floats:
    """Return the mean of ``values`` over each group, (groups,)."""
    result: Floats = np.bincount(groups, values) / np.maximum(np.bincount(groups), 1)
    return result


def _add_own(nodes: PageNodes, columns: _Columns) -> None:
    """Describe the contents of each node, its position and its page."""
    sums, page, blocks = nodes.totals, nodes.page_totals, nodes.block_counts[nodes.page_of_scope]
    logs, elements = np.log1p(sums), np.log1p(nodes.elements)
    chars = np.maximum(sums[:, CHARS], 1)
    columns |= {f"log_{name}": logs[:, BLOCK_COLUMNS.index(name)].copy() for name in _LOGS}
    columns["link_share"] = sums[:, LINKS] / chars
    columns["hidden_share"] = sums[:, HIDDEN] / sums[:, BLOCKS]
    columns["share"] = sums[:, CHARS] / page[nodes.page_of_scope, CHARS]
    columns["prose_share"] = sums[:, PROSE] / np.maximum(page[nodes.page_of_scope, PROSE], 1)
    columns["prose_of_chars"] = sums[:, PROSE] / chars
    columns["mean_block"] = np.log1p(chars / sums[:, BLOCKS])
    columns["tiny_share"] = sums[:, TINY] / sums[:, BLOCKS]
    columns["sentence_rate"] = sums[:, SENTENCES] / chars * 100
    columns["depth"] = nodes.depth.astype(np.float64)
    start = nodes.block_starts[nodes.page_of_scope]
    columns["begin"] = (nodes.first - start) / blocks
    columns["end"] = (nodes.last - start) / blocks
    for name in ("blocks", "chars", "dates", "prose"):
        columns[f"page_{name}"] = np.log1p(page[:, BLOCK_COLUMNS.index(name)])[nodes.page_of_scope]
    columns |= {name: elements[:, column].copy() for column, name in enumerate(ELEMENT_COLUMNS)}
    columns["children"] = np.log1p(np.bincount(nodes.parent, minlength=len(nodes)))


def _around(nodes: PageNodes, columns: _Columns) -> None:
    """Compare the ancestors of each node, up to four levels, with the node: how much more they contain."""
    block_columns, element_columns = [BLOCKS, DATES, CHARS, PROSE], [IMAGES, TIMES, CONTROLS]
    inside = np.vstack([nodes.totals[:, block_columns].T, nodes.elements[:, element_columns].T])
    chars = nodes.totals[:, CHARS]
    sizes = np.log1p(np.bincount(nodes.signatures))[nodes.signatures]
    columns["group_size"] = sizes
    names = [f"more_{what}" for what in ("blocks", "dates", "chars", "prose", "images", "times", "controls")]
    above = np.arange(len(nodes))
    for level in _OUTER:
        above = nodes.parent[above]
        columns[f"{level}_share"] = chars / np.maximum(chars[above], 1)
        more = np.log1p(inside.take(above, axis=1) - inside)
        for name, column in zip(names, more, strict=True):
            columns[f"{level}_{name}"] = column
        columns[f"{level}_group_size"] = sizes[above]


def _beside(nodes: PageNodes, columns: _Columns) -> None:
    """Describe what is directly before and after a node."""
    first, last, sums = nodes.first, nodes.last, nodes.sums
    page_first, page_last = nodes.block_starts[:-1][nodes.page_of_scope], nodes.block_starts[1:][nodes.page_of_scope]
    chars = np.ascontiguousarray(sums[:, CHARS])
    columns["chars_before"] = np.log1p(chars[first] - chars[page_first])
    columns["chars_after"] = np.log1p(chars[page_last] - chars[last])
    wanted = [DATES, CHARS, TINY, NUMBERS, LINKS]
    running = np.ascontiguousarray(sums[:, wanted].T)
    for name, begin, end in (
        ("before", np.maximum(first - _NEAR, page_first), first),
        ("after", last, np.minimum(last + _NEAR, page_last)),
    ):
        dates, near_chars, tiny, numbers, links = running.take(end, axis=1) - running.take(begin, axis=1)
        columns[f"{name}_dates"] = dates
        columns[f"{name}_log_chars"] = np.log1p(near_chars)
        columns[f"{name}_tiny"] = tiny
        columns[f"{name}_numbers"] = numbers
        columns[f"{name}_links"] = links / np.maximum(near_chars, 1)


def _group(nodes: PageNodes, columns: _Columns) -> None:
    """Describe what the nodes of a group have in common, and how they differ."""
    groups, sums = nodes.signatures, nodes.totals
    counts = np.bincount(groups)

    def mean(values: Floats) -> Floats:
        """Return the mean of each group; (groups,)."""
        return np.bincount(groups, values) / counts

    chars, prose, logs = sums[:, CHARS], sums[:, PROSE], columns["log_chars"]
    all_chars, all_prose = np.bincount(groups, chars), np.bincount(groups, prose)
    begin, end, pages = _group_ranges(nodes)
    page, start, blocks = nodes.page_totals[pages], nodes.block_starts[pages], nodes.block_counts[pages]
    of_groups = {
        "share": all_chars / page[:, CHARS],
        "mean_chars": mean(logs),
        "spread": np.sqrt(np.maximum(mean(logs**2) - mean(logs) ** 2, 0)),
        "links": np.bincount(groups, sums[:, LINKS]) / np.maximum(all_chars, 1),
        "prose_share": all_prose / np.maximum(page[:, PROSE], 1),
        "prose_of_span": all_prose / np.maximum(nodes.sums[end, PROSE] - nodes.sums[begin, PROSE], 1),
        "cover": np.bincount(groups, sums[:, BLOCKS]) / np.maximum(end - begin, 1),
        "begin": (begin - start) / blocks,
        "end": (end - start) / blocks,
        "unique": _unique_share(nodes),
        **{name: mean(columns[name]) for name in _AVERAGED},
    }
    columns |= {f"group_{name}": values[groups] for name, values in of_groups.items()}


def _group_ranges(nodes: PageNodes) -> tuple[Ints, Ints, Ints]:
    """Return the first block and the last (exclusive) of each group, and its page; (groups,) each."""
    groups = nodes.signatures
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    chosen = order[starts]  # the first member of each group
    return nodes.first[chosen], np.maximum.reduceat(nodes.last[order], starts), nodes.page_of_scope[chosen]


def _unique_share(nodes: PageNodes) -> Floats:
    """Return the share of distinct nodes in each group, compared by first text and length; (groups,)."""
    groups = nodes.signatures
    keys = combine(groups, nodes.text_ids[nodes.first], nodes.last - nodes.first)
    different = groups[np.unique(keys, return_index=True)[1]]
    result: Floats = np.bincount(different) / np.bincount(groups)
    return result


def _gaps(nodes: PageNodes, columns: _Columns) -> None:
    """Describe what lies between a node and the next of its group; means over the group, -1 for a group of one."""
    groups, first, last = nodes.signatures, nodes.first, nodes.last
    order = np.argsort(groups, kind="stable")
    same = groups[order][1:] == groups[order][:-1]
    member, following = order[:-1][same], order[1:][same]
    between = nodes.sums[np.maximum(first[following], last[member])] - nodes.sums[last[member]]
    size = int(groups.max()) + 1
    counts = np.bincount(groups[member], minlength=size)
    for name, column in (("blocks", BLOCKS), ("chars", CHARS), ("dates", DATES)):
        total = np.bincount(groups[member], np.log1p(between[:, column]), minlength=size)
        columns[f"gap_{name}"] = np.where(counts > 0, total / np.maximum(counts, 1), -1.0)[groups]
    nested = np.bincount(groups[member], (first[following] < last[member]).astype(np.float64), minlength=size)
    columns["group_nested"] = (nested / np.bincount(groups, minlength=size))[groups]


def disjoint(members: list[int], first: Ints, last: Ints, max_count: int = sys.maxsize) -> tuple[int, ...]:
    """Return at most ``max_count`` members (numbers in page order) that are not inside an earlier one.

    ``first`` and ``last`` are the ranges of blocks of the numbers.
    """
    found: list[int] = []
    covered = 0
    begins, ends = first[members].tolist() if members else [], last[members].tolist() if members else []
    for member, begin, end in zip(members, begins, ends, strict=True):
        if begin >= covered and len(found) < max_count:
            found.append(member)
            covered = end
    return tuple(found)


def words_in_names(names: Iterable[AttributeWords]) -> frozenset[str]:
    """Return the words of the class and id names of several elements together."""
    return frozenset().union(*[words.every for words in names])
