"""The rows that trees judge blocks by: one a block, of its own numbers and those of what is around it."""

from __future__ import annotations

import math
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.address import address_of
from scrapy_semtext.features import FEATURES
from scrapy_semtext.structure.block_table import CHARS, LINKS, PROSE_CHARS
from scrapy_semtext.structure.layout import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.structure.block_table import BlockTable
    from scrapy_semtext.structure.layout import Layout

    Ints = NDArray[np.int64]

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

# What an address that is not known is taken for: the medians over the training pages. Without any form it would be that
# of a front page.
_TYPICAL_ADDRESS = [3.0, 46.0, 2.0, 0.0, 4.0, 0.0]


def rows(table: BlockTable, url: str | None, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """The rows of a page's blocks, (blocks, len(COLUMNS)), float32, written into the first columns of ``out`` if given.

    They begin with the numbers of `scrapy_semtext.features.numbers`; ``url`` is the page's address, whose form tells
    something about its kind.
    """
    layout, numbers = table.layout, table.numbers
    if out is None:
        out = np.empty((len(numbers), len(COLUMNS)), dtype=np.float32)
    joint, branch, levels_off = layout.branches(table.path)
    of_scopes = _scope_numbers(table)
    out[:, : len(FEATURES)] = numbers
    layout.write_above(of_scopes, _LEVELS, out[:, _BEGINS["scopes"] :])
    layout.write_above(_alike(table), _ALIKE_LEVELS, out[:, _BEGINS["alike"] :])
    out[:, _BEGINS["branch"] : _BEGINS["place"]] = of_scopes.take(branch[layout.of_block], axis=0)
    _write_places(table, joint, levels_off, out[:, _BEGINS["place"] : _BEGINS["neighbours"]])
    _write_neighbours(numbers[:, _OF_NEIGHBOURS], out[:, _BEGINS["neighbours"] : _BEGINS["page"]])
    out[:, _BEGINS["page"] : len(COLUMNS)] = [*_address(url), *_page_numbers(table)]
    return out


def _scope_numbers(table: BlockTable) -> NDArray[np.float32]:
    """The numbers of each element, (scopes, len(_SCOPE))."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = np.ascontiguousarray(table.totals.T)
    found = np.empty((len(_SCOPE), len(chars)))
    np.log1p(chars, out=found[0])
    np.divide(links, chars, out=found[1])
    np.log1p(blocks, out=found[2])
    np.divide(prose, chars, out=found[3])
    np.divide(chars, chars[0], out=found[4])
    np.divide(prose, max(prose[0], 1), out=found[5])
    np.divide(prose_blocks, blocks, out=found[6])
    np.log1p([scope.children for scope in table.layout.scopes], out=found[7])
    np.divide(100 * sentences, chars, out=found[8])
    np.divide(headings, blocks, out=found[9])
    return np.ascontiguousarray(found.T, dtype=np.float32)


def _alike(table: BlockTable) -> NDArray[np.float32]:
    """How many siblings of the same tag and names each scope has, itself counted, and what they hold."""
    of_scope = table.layout.alike
    held = table.totals[:, PROSE_CHARS]
    count = np.bincount(of_scope)
    chars = np.bincount(of_scope, table.totals[:, CHARS]) / count
    prose = np.bincount(of_scope, held) / count
    found = np.empty((len(count), len(_ALIKE)), dtype=np.float32)
    found[:, 0] = np.log1p(count)
    found[:, 1] = np.log1p(chars)
    found[:, 2] = prose / chars
    found[:, 3] = np.bincount(of_scope, held > 0) / count
    return found.take(of_scope, axis=0)


def _write_places(table: BlockTable, joint: Ints, levels_off: Ints, out: NDArray[np.float32]) -> None:
    """Where each block stands: to the path that holds the prose, to headings, to prose, to others of its kind."""
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
    out[:, 0] = levels_off[of_block]
    out[:, 1] = joint == table.path[-1]
    out[:, 2] = totals[joint, PROSE_CHARS] / max(totals[0, PROSE_CHARS], 1)
    out[:, 3] = totals[joint, CHARS] / totals[0, CHARS]
    out[:, 4] = layout.depth[of_block]
    out[:, 5] = np.where(heading >= 0, place - heading, -1)
    out[:, 6] = np.where(heading >= 0, table.headings[heading], 0)
    out[:, 7] = np.where(title >= 0, place - title, -1)
    out[:, 8] = np.bincount(kind)[kind] / len(place)
    out[:, 9] = table.headings
    out[:, 10] = np.where(following >= 0, following - place, _FAR)
    out[:, 11] = np.where(before >= 0, place - before, _FAR)
    out[:, 12] = after / max(len(prose), 1)
    out[:, 13] = table.words.cumsum() / max(table.words.sum(), 1)


def _kinds(layout: Layout) -> Ints:
    """A number for each block, the same for those whose elements have one look and stand in elements of one tag."""
    of_scope, of_block = layout.looks.of_scope, layout.of_block
    tag = numbered(layout.tags)
    above = tag[of_scope[layout.parent[of_block]]]
    above[of_block == 0] = len(tag)  # in the root, which stands in none
    return numbered((of_scope[of_block] * (len(tag) + 1) + above).tolist())


def _page_numbers(table: BlockTable) -> list[float]:
    """Numbers of the whole page; those of its address come before."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals[0].tolist()
    end = table.totals[table.path[-1]].tolist()
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


def _write_neighbours(numbers: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write the numbers of the blocks before and behind each, 0 beyond the ends."""
    width = numbers.shape[1]
    out[:] = 0
    for place, step in enumerate(_NEIGHBOURS):
        own = out[:, place * width : (place + 1) * width]
        if step > 0:
            own[:-step] = numbers[step:]
        else:
            own[-step:] = numbers[:step]


def _address(url: str | None) -> list[float]:
    """What the form of an address tells: a front page, a dated article, a search."""
    address = address_of(url)
    if not address.is_known:
        return _TYPICAL_ADDRESS
    path = address.path
    return [
        float(path.count("/")),
        float(len(path)),
        float(sum(map(str.isdigit, path))),
        float(len(address.query)),
        float(path.count("-")),
        float(path in ("", "/")),
    ]
