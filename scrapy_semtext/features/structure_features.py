"""Features of blocks for tree models: of the block itself and of the elements and blocks around it.

The text blocks of a batch of pages as arrays, with sums by element and maxima by page.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.dom.scope_tree import ScopeTree, group_ids
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.utils.arrays import Bools, Floats, Ints, Singles

if TYPE_CHECKING:
    from scrapy_semtext.dom.segmentation import TextBlock


def first_maximum(values: NDArray[Any], page: Ints, pages: int) -> tuple[Ints, Floats]:
    """Return the index of the first greatest value of each page, and that value; (pages,) each.

    ``page``: (values,), the page of each value. Pages without values get -1 and minus infinity.
    """
    most = np.full(pages, -np.inf)
    np.maximum.at(most, page, values)
    places = np.flatnonzero(values == most[page])[::-1]
    first = np.full(pages, -1)
    first[page[places]] = places  # if an index occurs several times, numpy keeps the last value
    return first, most


#: Rows of `BlockTable.totals`.
CHARS, LINKS, BLOCKS, PROSE_CHARS, HEADINGS, SENTENCES, PROSE = range(7)

# Prose is a block of at least this many words, with at most this share of link characters.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_WORD_COLUMN, _SENTENCE_COLUMN = FEATURES.index("log_words"), FEATURES.index("log_sentence_ends")


class BlockTable:
    """The blocks of pages with text, and the scopes of their tree.

    ``chars``, ``links`` (characters in links), ``words``: float64, (blocks,); ``headings``: int64, (blocks,), the level
    of the heading that a block is, or 0; ``prose``: bool, (blocks,); ``totals``: float64, (7, scopes), the sums over
    the blocks inside; ``path``: int64, the scopes from the root of each page to where its prose is, in order of depth;
    ``path_end``: int64, (pages,), the last of these. ``features``: those of `block_features`, (blocks, FEATURES).
    """

    def __init__(
        self,
        texts: Sequence[str],
        blocks: Sequence[TextBlock],
        tree: ScopeTree,
        features: Singles,
        widths: Floats | None = None,
    ) -> None:
        """``widths``: (blocks,), the weight of a character of each block; None means one."""
        self.tree = tree
        self.features = features
        columns = np.empty((7, len(blocks)))
        self.chars, self.links = columns[CHARS], columns[LINKS]
        self.words = np.expm1(features[:, _WORD_COLUMN].astype(np.float64))
        self.headings = tree.element_types.by_tag(HEADING_LEVELS)[tree.of_block]
        columns[CHARS] = list(map(len, texts))
        columns[LINKS] = [block.link_chars for block in blocks]
        columns[BLOCKS] = 1
        columns[PROSE] = self.prose = (self.words > _PROSE_WORDS - 0.5) & (self.links < _PROSE_LINKS * self.chars)
        columns[PROSE_CHARS] = self.chars * self.prose
        columns[HEADINGS] = self.headings > 0
        columns[SENTENCES] = np.expm1(features[:, _SENTENCE_COLUMN].astype(np.float64))
        if widths is not None:
            columns[[CHARS, LINKS, PROSE_CHARS]] *= widths
        self.totals = totals_of(tree, columns)
        self.path = tree.heaviest_path(self.totals[PROSE_CHARS])
        self.path_end = np.empty(len(tree.roots), dtype=np.int64)
        self.path_end[tree.page_of_scope[self.path]] = self.path  # the last value for a page is the deepest scope

    def of_pages(self) -> Floats:
        """The totals of each page; (7, pages)."""
        return self.totals[:, self.tree.roots]


def totals_of(tree: ScopeTree, columns: Floats) -> Floats:
    """Sum block columns, (columns, blocks), over the blocks inside each scope; (columns, scopes)."""
    return np.ascontiguousarray(tree.totals(columns.T).T)


# The numbers of levels above a block at which its ancestors are described, and their features.
_LEVELS = (0, 1, 2, 3, 4, 6)
_SCOPE = (
    "log_chars link_share log_blocks prose_share page_share page_prose_share prose_blocks log_children sentences "
    "headings"
).split()
_SIBLINGS = "log_alike alike_log_chars alike_prose_share alike_with_prose".split()
_SIBLING_LEVELS = (0, 1, 2, 3)
_PLACE = (
    "levels_off_path on_path joint_prose_share joint_page_share depth since_heading heading_level since_title "
    "like_share own_heading_level next_prose last_prose prose_before words_before"
).split()
_NEIGHBOURS = (-2, -1, 1, 2)
_OF_NEIGHBOURS = (0, 2, 3, 5, 8, 11)  # columns of FEATURES
_COUNTED = "article main form table h1 h2 h3 pre button p li blockquote".split()
_PAGE = (
    "url_slashes url_length url_digits url_query url_dashes url_root log_blocks log_chars link_share prose_share prose "
    "sentences headings path_share path_prose_share path_link_share"
).split()

_PARTS = {
    "features": FEATURES,
    "scopes": [f"{name}^{level}" for level in _LEVELS for name in _SCOPE],
    "siblings": [f"{name}^{level}" for level in _SIBLING_LEVELS for name in _SIBLINGS],
    "branch": [f"{name}_of_branch" for name in _SCOPE],
    "place": _PLACE,
    "neighbours": [f"{FEATURES[column]}{step:+d}" for step in _NEIGHBOURS for column in _OF_NEIGHBOURS],
    "page": [f"page_{name}" for name in _PAGE] + [f"page_{name}_elements" for name in _COUNTED],
}
# The first column of each part.
_BEGINS = dict(zip(_PARTS, accumulate(map(len, _PARTS.values()), initial=0), strict=False))

#: The names of the columns, in order.
COLUMNS = tuple(chain.from_iterable(_PARTS.values()))

_FAR = 999.0

# The form of an unknown URL: the medians over the training pages. Zeros would be the form of a front page, which is
# mostly an overview.
_TYPICAL_FORM = (3.0, 46.0, 2.0, 0.0, 4.0, 0.0)


def structure_features(table: BlockTable, urls: Sequence[str | None], out: Singles) -> None:
    """Write the columns of the blocks of pages into the first rows of ``out``, (>= len(COLUMNS), blocks).

    The first columns are those of `scrapy_semtext.features.block_features`. ``urls`` are the URLs of the pages, whose
    form gives evidence of the kind of page.
    """
    tree = table.tree
    joint, branch, levels_off = tree.branches(table.path)
    of_scopes = _scope_features(table)
    own = of_scopes[: len(_SCOPE)]
    out[: len(FEATURES)] = table.features.T
    write_above(tree, own, _LEVELS, out[_BEGINS["scopes"] : _BEGINS["siblings"]])
    write_above(tree, of_scopes[len(_SCOPE) :], _SIBLING_LEVELS, out[_BEGINS["siblings"] : _BEGINS["branch"]])
    out[_BEGINS["branch"] : _BEGINS["place"]] = own[:, branch[tree.of_block]]
    _write_places(table, joint, levels_off, out[_BEGINS["place"] : _BEGINS["neighbours"]])
    _write_neighbours(out[_OF_NEIGHBOURS, :], tree.page_of_block, out[_BEGINS["neighbours"] : _BEGINS["page"]])
    pages = np.array([*zip(*[form_of(address_of(url)) for url in urls], strict=True), *_page_features(table)])
    out[_BEGINS["page"] : len(COLUMNS)] = pages.astype(np.float32)[:, tree.page_of_block]


def form_of(address: Address) -> tuple[float, ...]:
    """Return the slashes, length and digits of a URL's path, the query's length, the dashes, and whether it is a root.

    For an unknown URL, typical values are returned.
    """
    if not address.is_known:
        return _TYPICAL_FORM
    path = address.path
    digits = sum(map(str.isdigit, path))
    return path.count("/"), len(path), digits, len(address.query), path.count("-"), path in ("", "/")


def write_above(tree: ScopeTree, columns: Singles, levels: tuple[int, ...], out: Singles) -> None:
    """Write columns of scopes, (columns, scopes), for the ancestors of each block: (levels * columns, blocks).

    The ancestors are the scopes ``levels`` above the block, in ascending order, or the root.
    """
    for place, scopes in enumerate(tree.above(levels).values()):
        out[place * len(columns) : (place + 1) * len(columns)] = columns[:, scopes]


def _scope_features(table: BlockTable) -> Singles:
    """Return the features of each element, (len(_SCOPE) + len(_SIBLINGS), scopes)."""
    found = np.empty((len(_SCOPE) + len(_SIBLINGS), len(table.tree)))
    _write_totals(table, found[: len(_SCOPE)])
    _write_siblings(table, found[len(_SCOPE) :])
    for logarithms in (found[:3:2], found[7], found[len(_SCOPE) : len(_SCOPE) + 2]):
        np.log1p(logarithms, out=logarithms)
    return found.astype(np.float32)


def _write_totals(table: BlockTable, out: Floats) -> None:
    """Write the features of each element before logarithms are applied, (len(_SCOPE), scopes)."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals
    of_page = table.of_pages()[:, table.tree.page_of_scope]
    out[0] = chars
    out[1] = links / chars
    out[2] = blocks
    out[3] = prose / chars
    out[4] = chars / of_page[CHARS]
    out[5] = prose / np.maximum(of_page[PROSE_CHARS], 1)
    out[6] = prose_blocks / blocks
    out[7] = table.tree.children
    out[8] = 100 * sentences / chars
    out[9] = headings / blocks


def _write_siblings(table: BlockTable, out: Floats) -> None:
    """Write the size and contents of each scope's group of siblings of one element type, including the scope itself.

    (len(_SIBLINGS), scopes), before logarithms are applied.
    """
    group, held = table.tree.sibling_groups, table.totals[PROSE_CHARS]
    count = np.bincount(group)
    chars = np.bincount(group, table.totals[CHARS]) / count
    prose = np.bincount(group, held) / count
    out[0] = count[group]
    out[1] = chars[group]
    out[2] = (prose / chars)[group]
    out[3] = (np.bincount(group, held > 0) / count)[group]


def _write_places(table: BlockTable, joint: Ints, levels_off: Ints, out: Singles) -> None:
    """Write the position of each block relative to the main path of prose, headings, prose and blocks of its type."""
    tree, of_block, totals = table.tree, table.tree.of_block, table.totals
    page, block = tree.page_of_block, np.arange(len(tree.of_block))
    start, end = tree.block_starts[page], tree.block_starts[page + 1]
    of_page = table.of_pages()[:, page]
    heading = _last(table.headings > 0, start)
    title = _last(table.headings == 1, start)
    prose = np.flatnonzero(table.prose)
    after = np.searchsorted(prose, block)  # how many prose blocks precede
    # a block of prose counts as its own next prose, not as its last
    following, before = np.append(prose, len(block))[after], np.append(-1, prose)[after]
    element_type = _type_ids(tree)
    words = np.append(0, table.words.cumsum())
    joint = joint[of_block]
    out[0] = levels_off[of_block]
    out[1] = joint == table.path_end[page]
    out[2] = totals[PROSE_CHARS, joint] / np.maximum(of_page[PROSE_CHARS], 1)
    out[3] = totals[CHARS, joint] / of_page[CHARS]
    out[4] = tree.depth[of_block]
    out[5] = np.where(heading >= 0, block - heading, -1)
    out[6] = np.where(heading >= 0, table.headings[heading], 0)
    out[7] = np.where(title >= 0, block - title, -1)
    out[8] = np.bincount(element_type)[element_type] / of_page[BLOCKS]
    out[9] = table.headings
    out[10] = np.where(following < end, following - block, _FAR)
    out[11] = np.where(before >= start, block - before, _FAR)
    out[12] = (after - np.searchsorted(prose, start)) / np.maximum(of_page[PROSE], 1)
    out[13] = (words[1:] - words[start]) / np.maximum(words[end] - words[start], 1)


def _type_ids(tree: ScopeTree) -> Ints:
    """Return an index for each block, equal on a page for blocks with the same element type and parent tag."""
    types, of_block = tree.element_types, tree.of_block
    above = types.tag_of_scope[tree.parent[of_block]]
    above[tree.depth[of_block] == 0] = len(types.pairs)  # in a root, which has no parent
    codes = types.of_scope[of_block] * (len(types.pairs) + 1) + above
    return group_ids(codes * len(tree.roots) + tree.page_of_block)


def _page_features(table: BlockTable) -> list[Floats]:
    """Return the features of whole pages, (pages,) each; those of the URLs come before these."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.of_pages()
    end = table.totals[:, table.path_end]
    return [
        np.log1p(blocks),
        np.log1p(chars),
        links / chars,
        prose / chars,
        prose_blocks,
        100 * sentences / chars,
        headings,
        end[CHARS] / chars,
        end[PROSE_CHARS] / np.maximum(prose, 1),
        end[LINKS] / end[CHARS],
        *table.tree.tag_counts(_COUNTED),
    ]


def _last(marked: Bools, start: Ints) -> Ints:
    """Return the last marked block up to each block of its page, which begins at ``start``; -1 before the first."""
    found: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))
    return np.where(found >= start, found, -1)


def _write_neighbours(columns: Singles, page: Ints, out: Singles) -> None:
    """Write the columns, (columns, blocks), of each block's previous and next blocks, 0 beyond the ends of its page."""
    out[:] = 0
    for place, step in enumerate(_NEIGHBOURS):
        own = out[place * len(columns) : (place + 1) * len(columns)]
        after, before = slice(abs(step), None), slice(None, -abs(step))
        source, target = (after, before) if step > 0 else (before, after)
        own[:, target] = columns[:, source] * (page[source] == page[target])
