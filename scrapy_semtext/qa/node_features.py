"""Features of nodes for the model of post bodies: of the node, its surroundings, and its group.

Nodes with the same signature (see `node_table`) form a group. The records that a page repeats appear as groups whose
members have similar text, and the same things before, after and around them. Names are not features: forum engines name
their elements differently, but the structure of a thread is the same.

All nodes of a batch of pages are described at once; a feature never depends on other pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.node_table import (
    BLOCK_COLUMNS,
    BLOCKS,
    CHARS,
    CONTROLS,
    DATES,
    ELEMENT_COLUMNS,
    HIDDEN,
    IMAGES,
    LINKS,
    NUMBERS,
    PROSE,
    SENTENCES,
    TIMES,
    TINY,
    combine,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scrapy_semtext.qa.node_table import NodeTable
    from scrapy_semtext.utils.arrays import Floats, Ints

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


def node_features(nodes: NodeTable) -> NDArray[np.float32]:
    """Describe all nodes of a batch of pages: float32, (nodes, FEATURES)."""
    columns: _Columns = {}
    _own(nodes, columns)
    _around(nodes, columns)
    _beside(nodes, columns)
    _group(nodes, columns)
    _gaps(nodes, columns)
    columns_of_types = np.array([_TAG_COLUMN.get(tag, -1) for tag in nodes.element_types.tags])
    tags = columns_of_types[nodes.element_types.of_scope] == np.arange(len(_TAGS))[:, None]
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


def _own(nodes: NodeTable, columns: _Columns) -> None:
    sums, page, blocks = nodes.totals, nodes.page_totals, nodes.block_counts[nodes.page]
    logs, elements = np.log1p(sums), np.log1p(nodes.elements)
    chars = np.maximum(sums[:, CHARS], 1)
    columns |= {f"log_{name}": logs[:, BLOCK_COLUMNS.index(name)].copy() for name in _LOGS}
    columns["link_share"] = sums[:, LINKS] / chars
    columns["hidden_share"] = sums[:, HIDDEN] / sums[:, BLOCKS]
    columns["share"] = sums[:, CHARS] / page[nodes.page, CHARS]
    columns["prose_share"] = sums[:, PROSE] / np.maximum(page[nodes.page, PROSE], 1)
    columns["prose_of_chars"] = sums[:, PROSE] / chars
    columns["mean_block"] = np.log1p(chars / sums[:, BLOCKS])
    columns["tiny_share"] = sums[:, TINY] / sums[:, BLOCKS]
    columns["sentence_rate"] = sums[:, SENTENCES] / chars * 100
    columns["depth"] = nodes.depth.astype(np.float64)
    start = nodes.block_starts[nodes.page]
    columns["begin"] = (nodes.first - start) / blocks
    columns["end"] = (nodes.last - start) / blocks
    for name in ("blocks", "chars", "dates", "prose"):
        columns[f"page_{name}"] = np.log1p(page[:, BLOCK_COLUMNS.index(name)])[nodes.page]
    columns |= {name: elements[:, column].copy() for column, name in enumerate(ELEMENT_COLUMNS)}
    columns["children"] = np.log1p(np.bincount(nodes.parent, minlength=len(nodes)))


def _around(nodes: NodeTable, columns: _Columns) -> None:
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


def _beside(nodes: NodeTable, columns: _Columns) -> None:
    """Describe what is directly before and after a node."""
    first, last, sums = nodes.first, nodes.last, nodes.sums
    page_first, page_last = nodes.block_starts[:-1][nodes.page], nodes.block_starts[1:][nodes.page]
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


def _group(nodes: NodeTable, columns: _Columns) -> None:
    """Describe what the nodes of a group have in common, and how they differ."""
    groups, sums = nodes.signatures, nodes.totals
    counts = np.bincount(groups)

    def mean(values: Floats) -> Floats:
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


def _group_ranges(nodes: NodeTable) -> tuple[Ints, Ints, Ints]:
    """Return the first block and the last (exclusive) of each group, and its page; (groups,) each."""
    groups = nodes.signatures
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    one = order[starts]
    return nodes.first[one], np.maximum.reduceat(nodes.last[order], starts), nodes.page[one]


def _unique_share(nodes: NodeTable) -> Floats:
    """Return the share of distinct nodes in each group, compared by first text and length; (groups,)."""
    groups = nodes.signatures
    keys = combine(groups, nodes.text_numbers[nodes.first], nodes.last - nodes.first)
    different = groups[np.unique(keys, return_index=True)[1]]
    result: Floats = np.bincount(different) / np.bincount(groups)
    return result


def _gaps(nodes: NodeTable, columns: _Columns) -> None:
    """Describe what lies between a node and the next of its group; means over the group, -1 for a group of one."""
    groups, first, last = nodes.signatures, nodes.first, nodes.last
    order = np.argsort(groups, kind="stable")
    same = groups[order][1:] == groups[order][:-1]
    one, two = order[:-1][same], order[1:][same]
    between = nodes.sums[np.maximum(first[two], last[one])] - nodes.sums[last[one]]
    size = int(groups.max()) + 1
    counts = np.bincount(groups[one], minlength=size)
    for name, column in (("blocks", BLOCKS), ("chars", CHARS), ("dates", DATES)):
        total = np.bincount(groups[one], np.log1p(between[:, column]), minlength=size)
        columns[f"gap_{name}"] = np.where(counts > 0, total / np.maximum(counts, 1), -1.0)[groups]
    nested = np.bincount(groups[one], (first[two] < last[one]).astype(np.float64), minlength=size)
    columns["group_nested"] = (nested / np.bincount(groups, minlength=size))[groups]
