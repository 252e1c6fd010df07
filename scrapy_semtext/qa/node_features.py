"""Numbers that tell whether a node is the body of a post: of the node, of what is around it, and of its likes.

Nodes with the same signature (see `nodes`) are a group; the records that a page repeats show as groups whose members
have text of like kind, with the same things before, after and around them. No names are looked at: what engines call
their elements differs, how a thread is built does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.qa.nodes import (
    ANCHORS,
    BLOCKS,
    CHARS,
    CONTROLS,
    DATES,
    HEADINGS,
    HIDDEN,
    IMAGES,
    ITEMS,
    LINKS,
    LONG,
    NUMBERS,
    PARAGRAPHS,
    PROSE,
    QUESTIONS,
    QUOTES,
    SENTENCES,
    TIMES,
    TINY,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from scrapy_semtext.qa.nodes import Floats, Ints, PageNodes

_TAGS = (
    "div td p li article section span dd tr blockquote ul table main h1 h2 h3 body form header footer aside nav dl pre"
).split()
_TAG_COLUMN = {tag: column for column, tag in enumerate(_TAGS)}
_TAG_NAMES = [f"tag_{tag}" for tag in _TAGS]
_NEAR = 6  # blocks looked at before and behind a node
# What of a node is averaged over its group.
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
    *("images", "times", "anchors", "controls", "paragraphs", "headings", "quotes", "items", "children", "group_size"),
    *(f"{name}_{what}" for name in _OUTER for what in _BEYOND),
    *("chars_before", "chars_after", *(f"{name}_{what}" for name in ("before", "after") for what in _BESIDE)),
    *(f"group_{name}" for name in (*_OF_GROUP, *_AVERAGED)),
    *("gap_blocks", "gap_chars", "gap_dates", "group_nested"),
    *_TAG_NAMES,
)

_Columns = dict[str, "Floats"]


def node_features(nodes: PageNodes) -> NDArray[np.float32]:
    """Describe all nodes of a page: float32, (nodes, FEATURES)."""
    columns: _Columns = {}
    _own(nodes, columns)
    _around(nodes, columns)
    _beside(nodes, columns)
    _group(nodes, columns)
    _gaps(nodes, columns)
    tags = np.array([_TAG_COLUMN.get(scope.tag, -1) for scope in nodes.scopes])
    columns |= zip(_TAG_NAMES, (tags == np.arange(len(_TAGS))[:, None]).astype(np.float64), strict=True)
    return matrix_of(columns[name] for name in FEATURES)


def matrix_of(columns: Iterable[Floats]) -> NDArray[np.float32]:
    """Columns, (rows,) each, beside each other: float32, (rows, columns)."""
    listed = list(columns)
    matrix: NDArray[np.float32] = np.concatenate(listed).reshape(len(listed), -1).T.astype(np.float32)
    return matrix


def group_mean(groups: Ints, values: Floats) -> Floats:
    """The mean of ``values`` over each group, (groups,)."""
    counts = np.bincount(groups)
    result: Floats = np.bincount(groups, values) / np.maximum(counts, 1)
    return result


def _own(nodes: PageNodes, columns: _Columns) -> None:
    sums, page = nodes.total(), nodes.sums[-1]
    logs, elements = np.log1p(sums), np.log1p(nodes.elements)
    chars = np.maximum(sums[:, CHARS], 1)
    for name, column in (
        ("chars", CHARS),
        ("blocks", BLOCKS),
        ("dates", DATES),
        ("numbers", NUMBERS),
        ("tiny", TINY),
        ("sentences", SENTENCES),
        ("questions", QUESTIONS),
        ("long", LONG),
        ("prose", PROSE),
    ):
        columns[f"log_{name}"] = logs[:, column]
    columns["link_share"] = sums[:, LINKS] / chars
    columns["hidden_share"] = sums[:, HIDDEN] / sums[:, BLOCKS]
    columns["share"] = sums[:, CHARS] / page[CHARS]
    columns["prose_share"] = sums[:, PROSE] / max(page[PROSE], 1)
    columns["prose_of_chars"] = sums[:, PROSE] / chars
    columns["mean_block"] = np.log1p(chars / sums[:, BLOCKS])
    columns["tiny_share"] = sums[:, TINY] / sums[:, BLOCKS]
    columns["sentence_rate"] = sums[:, SENTENCES] / chars * 100
    columns["depth"] = nodes.depth.astype(np.float64)
    columns["begin"] = nodes.first / len(nodes.blocks)
    columns["end"] = nodes.last / len(nodes.blocks)
    for name, column in (("blocks", BLOCKS), ("chars", CHARS), ("dates", DATES), ("prose", PROSE)):
        columns[f"page_{name}"] = np.full(len(nodes), np.log1p(page[column]))
    for name, column in (
        ("images", IMAGES),
        ("times", TIMES),
        ("anchors", ANCHORS),
        ("controls", CONTROLS),
        ("paragraphs", PARAGRAPHS),
        ("headings", HEADINGS),
        ("quotes", QUOTES),
        ("items", ITEMS),
    ):
        columns[name] = elements[:, column]
    inside = np.bincount(np.maximum(nodes.parent, 0), minlength=len(nodes))
    columns["children"] = np.log1p(inside)


def _around(nodes: PageNodes, columns: _Columns) -> None:
    """What the elements around a node have more than it, four levels up."""
    sums = nodes.total()
    counts = np.bincount(nodes.signatures)
    columns["group_size"] = np.log1p(counts[nodes.signatures])
    above = np.arange(len(nodes))
    for name in ("parent", "outer", "third", "fourth"):
        above = np.maximum(nodes.parent, 0)[above]
        more, elements = np.log1p(sums[above] - sums), np.log1p(nodes.elements[above] - nodes.elements)
        columns[f"{name}_share"] = sums[:, CHARS] / np.maximum(sums[above, CHARS], 1)
        for what, column in (("blocks", BLOCKS), ("dates", DATES), ("chars", CHARS), ("prose", PROSE)):
            columns[f"{name}_more_{what}"] = more[:, column]
        for what, column in (("images", IMAGES), ("times", TIMES), ("controls", CONTROLS)):
            columns[f"{name}_more_{what}"] = elements[:, column]
        columns[f"{name}_group_size"] = np.log1p(counts[nodes.signatures[above]])


def _beside(nodes: PageNodes, columns: _Columns) -> None:
    """What stands right before and right behind a node."""
    first, last, sums = nodes.first, nodes.last, nodes.sums
    columns["chars_before"] = np.log1p(sums[first, CHARS])
    columns["chars_after"] = np.log1p(sums[-1, CHARS] - sums[last, CHARS])
    before = sums[first] - sums[np.maximum(first - _NEAR, 0)]
    after = sums[np.minimum(last + _NEAR, len(nodes.blocks))] - sums[last]
    for name, beside in (("before", before), ("after", after)):
        columns[f"{name}_dates"] = beside[:, DATES]
        columns[f"{name}_log_chars"] = np.log1p(beside[:, CHARS])
        columns[f"{name}_tiny"] = beside[:, TINY]
        columns[f"{name}_numbers"] = beside[:, NUMBERS]
        columns[f"{name}_links"] = beside[:, LINKS] / np.maximum(beside[:, CHARS], 1)


def _group(nodes: PageNodes, columns: _Columns) -> None:
    """What the nodes of a group have in common, and how they differ."""
    groups, sums, page = nodes.signatures, nodes.total(), nodes.sums[-1]
    counts = np.bincount(groups)

    def mean(values: Floats) -> Floats:
        return np.bincount(groups, values) / counts

    chars, prose, logs = sums[:, CHARS], sums[:, PROSE], columns["log_chars"]
    all_chars, all_prose = np.bincount(groups, chars), np.bincount(groups, prose)
    begin, end = group_range(nodes, groups)
    span = nodes.sums[end] - nodes.sums[begin]
    columns["group_share"] = (all_chars / page[CHARS])[groups]
    columns["group_mean_chars"] = mean(logs)[groups]
    columns["group_spread"] = np.sqrt(np.maximum(mean(logs**2) - mean(logs) ** 2, 0))[groups]
    columns["group_links"] = (np.bincount(groups, sums[:, LINKS]) / np.maximum(all_chars, 1))[groups]
    columns["group_prose_share"] = (all_prose / max(page[PROSE], 1))[groups]
    columns["group_prose_of_span"] = (all_prose / np.maximum(span[:, PROSE], 1))[groups]
    columns["group_cover"] = (np.bincount(groups, sums[:, BLOCKS]) / np.maximum(end - begin, 1))[groups]
    columns["group_begin"] = (begin / len(nodes.blocks))[groups]
    columns["group_end"] = (end / len(nodes.blocks))[groups]
    columns["group_unique"] = _unique_share(nodes)[groups]
    for name in _AVERAGED:
        columns[f"group_{name}"] = mean(columns[name])[groups]


def group_range(nodes: PageNodes, groups: Ints) -> tuple[Ints, Ints]:
    """The first block and the last (exclusive) of each group, (groups,)."""
    count = int(groups.max()) + 1
    begin = np.full(count, len(nodes.blocks), dtype=np.int64)
    np.minimum.at(begin, groups, nodes.first)
    end = np.zeros(count, dtype=np.int64)
    np.maximum.at(end, groups, nodes.last)
    return begin, end


def _unique_share(nodes: PageNodes) -> Floats:
    """The share of different nodes in each group, told by their first text and their length; (groups,)."""
    groups = nodes.signatures
    most = len(nodes.blocks) + 1
    keys = (groups * most + nodes.text_ids[nodes.first]) * most + nodes.last - nodes.first
    result: Floats = np.bincount(np.unique(keys) // most**2) / np.bincount(groups)
    return result


def _gaps(nodes: PageNodes, columns: _Columns) -> None:
    """What stands between a node and the next of its group; means over the group, -1 for a group of one."""
    groups, first, last = nodes.signatures, nodes.first, nodes.last
    order = np.lexsort((first, groups))
    same = groups[order][1:] == groups[order][:-1]
    one, two = order[:-1][same], order[1:][same]
    between = nodes.sums[np.maximum(first[two], last[one])] - nodes.sums[last[one]]
    size = int(groups.max()) + 1
    counts = np.bincount(groups[one], minlength=size)
    for name, column in (("blocks", BLOCKS), ("chars", CHARS), ("dates", DATES)):
        total = np.bincount(groups[one], np.log1p(between[:, column]), minlength=size)
        columns[f"gap_{name}"] = np.where(counts > 0, total / np.maximum(counts, 1), -1.0)[groups]
    nested = np.bincount(groups[one], (first[two] < last[one]).astype(np.float64), minlength=size)
    columns["group_nested"] = (nested / np.maximum(np.bincount(groups, minlength=size), 1))[groups]
