"""What trees judge blocks by: columns of their own numbers and of those of what is around them."""

from __future__ import annotations

import math
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.address import address_of, form_of
from scrapy_semtext.dom.scope_tree import numbered
from scrapy_semtext.features.block_features import FEATURES
from scrapy_semtext.features.block_table import CHARS, LINKS, PROSE_CHARS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.features.block_table import BlockTable

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Singles = NDArray[np.float32]

# Levels above a block whose elements it is told of, and the numbers of an element.
_LEVELS = (0, 1, 2, 3, 4, 6)
_SCOPE = (
    "log_chars link_share log_blocks prose_share page_share page_prose_share prose_blocks log_children sentences "
    "headings"
).split()
_ALIKE = "log_alike alike_log_chars alike_prose_share alike_with_prose".split()
_ALIKE_LEVELS = (0, 1, 2, 3)
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
    "alike": [f"{name}^{level}" for level in _ALIKE_LEVELS for name in _ALIKE],
    "branch": [f"{name}_of_branch" for name in _SCOPE],
    "place": _PLACE,
    "neighbours": [f"{FEATURES[column]}{step:+d}" for step in _NEIGHBOURS for column in _OF_NEIGHBOURS],
    "page": [f"page_{name}" for name in _PAGE] + [f"page_{name}_elements" for name in _COUNTED],
}
# The column that each part begins at.
_BEGINS = dict(zip(_PARTS, accumulate(map(len, _PARTS.values()), initial=0), strict=False))

#: What the columns hold, in order.
COLUMNS = tuple(chain.from_iterable(_PARTS.values()))

_FAR = 999.0


def structure_features(table: BlockTable, url: str | None, out: Singles | None = None) -> Singles:
    """The columns of a page's blocks, (len(COLUMNS), blocks), float32, written into the first of ``out`` if given.

    They begin with the numbers of `scrapy_semtext.features.block_features.numbers`; ``url`` is the page's address, whose form tells
    something about its kind.
    """
    layout, numbers = table.layout, table.numbers.T
    if out is None:
        out = np.empty((len(COLUMNS), numbers.shape[1]), dtype=np.float32)
    joint, branch, levels_off = layout.branches(table.path)
    of_scopes = _scope_numbers(table)
    own = of_scopes[: len(_SCOPE)]
    out[: len(FEATURES)] = numbers
    write_above(layout, own, _LEVELS, out[_BEGINS["scopes"] : _BEGINS["alike"]])
    write_above(layout, of_scopes[len(_SCOPE) :], _ALIKE_LEVELS, out[_BEGINS["alike"] : _BEGINS["branch"]])
    own.take(branch[layout.of_block], axis=1, out=out[_BEGINS["branch"] : _BEGINS["place"]], mode="clip")
    _write_places(table, joint, levels_off, out[_BEGINS["place"] : _BEGINS["neighbours"]])
    _write_neighbours(out[_OF_NEIGHBOURS, :], out[_BEGINS["neighbours"] : _BEGINS["page"]])
    page = np.array([*form_of(address_of(url)), *_page_numbers(table)], dtype=np.float32)
    out[_BEGINS["page"] : len(COLUMNS)] = page[:, None]
    return out


def write_above(layout: ScopeTree, table: Singles, levels: tuple[int, ...], out: Singles) -> None:
    """Write what a table, (columns, scopes), has for the scopes above each block: (levels * columns, blocks).

    They are those so many ``levels``, in rising order, above the block, or the root.
    """
    for place, scopes in enumerate(layout.above(levels).values()):
        out[place * len(table) : (place + 1) * len(table)] = table[:, scopes]


def _scope_numbers(table: BlockTable) -> Singles:
    """The numbers of each element, (len(_SCOPE) + len(_ALIKE), scopes)."""
    layout = table.layout
    found = np.empty((len(_SCOPE) + len(_ALIKE), len(layout)))
    _write_numbers(table, found[: len(_SCOPE)])
    _write_alike(table, found[len(_SCOPE) :])
    for logarithms in (found[:3:2], found[7], found[len(_SCOPE) : len(_SCOPE) + 2]):
        np.log1p(logarithms, out=logarithms)
    return found.astype(np.float32)


def _write_numbers(table: BlockTable, out: Floats) -> None:
    """Write the numbers of each element before logarithms are taken, (len(_SCOPE), scopes)."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals
    out[0] = chars
    out[1] = links / chars
    out[2] = blocks
    out[3] = prose / chars
    out[4] = chars / chars[0]
    out[5] = prose / max(prose[0], 1)
    out[6] = prose_blocks / blocks
    out[7] = [scope.children for scope in table.layout.scopes]
    out[8] = 100 * sentences / chars
    out[9] = headings / blocks


def _write_alike(table: BlockTable, out: Floats) -> None:
    """Write how many siblings of the same tag and names each scope has, itself counted, and what they hold.

    (len(_ALIKE), scopes), before logarithms are taken.
    """
    alike, held = table.layout.alike, table.totals[PROSE_CHARS]
    count = np.bincount(alike)
    chars = np.bincount(alike, table.totals[CHARS]) / count
    prose = np.bincount(alike, held) / count
    out[0] = count[alike]
    out[1] = chars[alike]
    out[2] = (prose / chars)[alike]
    out[3] = (np.bincount(alike, held > 0) / count)[alike]


def _write_places(table: BlockTable, joint: Ints, levels_off: Ints, out: Singles) -> None:
    """Write where each block stands: to the path that holds the prose, to headings, to prose, to others of its kind."""
    layout, of_block, totals = table.layout, table.layout.of_block, table.totals
    place = np.arange(len(of_block))
    heading = _last(table.headings > 0)
    title = _last(table.headings == 1)
    prose = np.flatnonzero(table.prose)
    after = np.searchsorted(prose, place)  # how many blocks of prose stand before
    following = np.append(prose, -1)[after]
    # the block itself counts as the next prose, not as the last
    before = np.append(-1, prose)[after]
    kind = _kinds(layout)
    joint = joint[of_block]
    out[0] = levels_off[of_block]
    out[1] = joint == table.path[-1]
    out[2] = totals[PROSE_CHARS, joint] / max(totals[PROSE_CHARS, 0], 1)
    out[3] = totals[CHARS, joint] / totals[CHARS, 0]
    out[4] = layout.depth[of_block]
    out[5] = np.where(heading >= 0, place - heading, -1)
    out[6] = np.where(heading >= 0, table.headings[heading], 0)
    out[7] = np.where(title >= 0, place - title, -1)
    out[8] = np.bincount(kind)[kind] / len(place)
    out[9] = table.headings
    out[10] = np.where(following >= 0, following - place, _FAR)
    out[11] = np.where(before >= 0, place - before, _FAR)
    out[12] = after / max(len(prose), 1)
    out[13] = table.words.cumsum() / max(table.words.sum(), 1)


def _kinds(layout: ScopeTree) -> Ints:
    """A number for each block, the same for those whose elements have one look and stand in elements of one tag."""
    of_scope, of_block = layout.looks.of_scope, layout.of_block
    tag = numbered(layout.tags)
    above = tag[of_scope[layout.parent[of_block]]]
    above[of_block == 0] = len(tag)  # in the root, which stands in none
    return numbered((of_scope[of_block] * (len(tag) + 1) + above).tolist())


def _page_numbers(table: BlockTable) -> list[float]:
    """Numbers of the whole page; those of its address come before."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals[:, 0].tolist()
    end = table.totals[:, table.path[-1]].tolist()
    counts = table.layout.tag_counts
    return [
        math.log1p(blocks),
        math.log1p(chars),
        links / chars,
        prose / chars,
        prose_blocks,
        100 * sentences / chars,
        headings,
        end[CHARS] / chars,
        end[PROSE_CHARS] / max(prose, 1),
        end[LINKS] / end[CHARS],
        *(float(counts.get(tag, 0)) for tag in _COUNTED),
    ]


def _last(marked: NDArray[np.bool_]) -> Ints:
    """The place of the last marked block up to each, -1 before the first."""
    found: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))
    return found


def _write_neighbours(numbers: Singles, out: Singles) -> None:
    """Write the numbers, (columns, blocks), of the blocks before and behind each, 0 beyond the ends."""
    out[:] = 0
    for place, step in enumerate(_NEIGHBOURS):
        own = out[place * len(numbers) : (place + 1) * len(numbers)]
        if step > 0:
            own[:, :-step] = numbers[:, step:]
        else:
            own[:, -step:] = numbers[:, :step]
