"""Candidates for the posts of a page: sets of similar nodes, and the features by which the candidate model ranks them.

Single nodes are scored first. On pages of a forum engine that the model never saw, scores are often in the right order
but too low. Therefore sets are proposed at many thresholds, and also from groups of similar nodes regardless of score.

All pages of a batch are searched at once. Pages follow one another and elements are nested, so a node is inside one of
several earlier nodes exactly if its first block comes before the greatest last block of those.
All candidates are described at once, too: their nodes are concatenated, and each candidate is a run.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_semtext.features.runs import Runs
from scrapy_semtext.tree.elements import text_line
from scrapy_semtext.tree.nodes import (
    BLOCKS,
    CHARS,
    CONTROLS,
    DATES,
    HEADINGS,
    IMAGES,
    ITEMS,
    LINKS,
    LONG,
    NUMBERS,
    PARAGRAPHS,
    PROSE,
    QUESTIONS,
    SENTENCES,
    TIMES,
    TINY,
    group_mean,
    matrix_of,
)
from scrapy_semtext.tree.scopes import ranges
from scrapy_semtext.utils.address import address_of, resolved, without_fragment
from scrapy_semtext.utils.remembering import remembered
from scrapy_semtext.words.words import attribute_words, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.table import Columns
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


#: Nodes in page order, none inside another.
Candidate = tuple[int, ...]


@dataclass(frozen=True)
class CandidateSets:
    """Sets of nodes, grouped by page.

    ``page``: the page of each set, ``lengths``: how many nodes it has; int64, (sets,). ``members``: the nodes of all
    sets, one set after the other, each in page order and without nested nodes; int64, (sum of the lengths,).
    """

    page: Ints
    lengths: Ints
    members: Ints

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def runs(self) -> Runs:
        """The sets as runs of their members."""
        return Runs(self.lengths)

    def take(self, which: Ints | NDArray[np.bool_]) -> CandidateSets:
        """Return the sets with these numbers, or the flagged ones, (sets,), in their order."""
        lengths = self.lengths[which]
        return CandidateSets(self.page[which], lengths, self.members[ranges(self.runs.begins[which], lengths)])

    def nodes_of(self, number: int, start: int = 0) -> Candidate:
        """Return the nodes of one set, numbered from ``start``."""
        begin = int(self.runs.begins[number])
        return tuple((self.members[begin : begin + int(self.lengths[number])] - start).tolist())

    def unique(self) -> CandidateSets:
        """Return the distinct sets, each at its first position."""
        data, width = self.members.tobytes(), self.members.itemsize
        begins = (self.runs.begins * width).tolist()
        ends = ((self.runs.begins + self.lengths) * width).tolist()
        keys = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]
        first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        return self.take(np.array(sorted(first.values()), dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[CandidateSets]) -> CandidateSets:
        """Concatenate the sets of several objects page by page, those of a page in the order of the parts."""
        page, lengths, members = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("page", "lengths", "members")
        )
        return cls(page, lengths, members).take(np.argsort(page, kind="stable"))


_THRESHOLDS = (2.0, 1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0)
_BELOW_BEST = (0.5, 1.0, 1.5, 2.0, 3.0)
_GROUPS, _LOWEST_MEAN = 25, -8.0
_LOWEST_OPENER = -5.0
_MOST_POSTS = 10_000  # on one page; larger groups are lists of something else
_PAIRED = 12  # the number of best nodes that are proposed in pairs, for pages with a single answer

_COMMENT = frozenset(("comment", "comments"))
_ANSWERED = frozenset(("answer", "question"))
#: The score of excluded nodes.
NEVER = -50.0
_LONGEST_FORM = 500  # characters; boards put whole threads into a form to moderate them
_BESIDE = {"aside": 1, "footer": 1}
# Names that end so (what has a sidebar or a footer is named after it, too), and names of data about members.
_SIDE = re.compile(
    r"(?<!with)(?<!has)(?<!no)(?:^|[\s_-]|(?<=[a-z])(?=[A-Z]))(?:[Ss]idebar|[Ff]ooter)[\s_\d-]*(?:$|\s)"
    r"|(?i:user|author|poster|member)[_-]?(?i:info|data|details?|profile|panel|card|stats?)(?![a-z])"
)


def smoothed(nodes: PageNodes, scores: Floats) -> Floats:
    """Return each node's score averaged with the mean of its group."""
    mean = group_mean(nodes.signatures, scores)[nodes.signatures]
    result: Floats = (scores + mean) / 2
    return result


def exclude_others(nodes: PageNodes, scores: Floats, beside: Bools | None = None) -> Floats:
    """Exclude nodes that cannot be posts: hidden ones, forms, and (by name) comments inside questions or answers.

    ``beside``: other nodes to exclude, (nodes,).
    """
    types = nodes.element_types
    named = np.array([_named(names) for _, names in types.pairs])[types.of_scope]
    is_form = (types.by_tag({"form": 1}) > 0) & (nodes.totals[:, CHARS] < _LONGEST_FORM)
    forms = np.flatnonzero(is_form).tolist()
    is_form[[node for node in forms if not _is_filled_in(nodes.scopes[node].element)]] = False
    never = ((named & 1 > 0) & nodes.is_inside(named & 2 > 0)) | nodes.closed | is_form
    if beside is not None:
        never |= beside
    if not never.any():
        return scores
    result: Floats = np.where(never | nodes.is_inside(never), NEVER, scores)
    return result


def beside_posts(nodes: PageNodes) -> Bools:
    """Return which nodes stand beside the posts of a board, or below them; (nodes,).

    They are sidebars, footers, data about members, head rows of tables and small groups of controls.
    """
    types = nodes.element_types
    named = np.array([_named(names) for _, names in types.pairs])[types.of_scope]
    beside = (named & 4 > 0) | (types.by_tag(_BESIDE) > 0)
    beside &= 2 * nodes.totals[:, CHARS] < nodes.page_totals[nodes.page_of_scope, CHARS]
    spans = nodes.first * (len(nodes.blocks) + 1) + nodes.last
    beside = np.isin(spans, spans[beside])  # also elements around it without other text
    is_group = (types.by_tag({"fieldset": 1}) > 0) & (nodes.totals[:, CHARS] < _LONGEST_FORM)
    found: Bools = beside | is_group | _are_heads(nodes)
    return found


def _are_heads(nodes: PageNodes) -> Bools:
    """Return which nodes are rows of tables with nothing but headers; (nodes,)."""
    types = nodes.element_types
    cells = types.by_tag({"th": 1, "td": 2})
    around = nodes.parent[np.flatnonzero(cells)]
    of_row = [np.bincount(around[cells[cells > 0] == kind], minlength=len(nodes)) for kind in (1, 2)]
    heads: Bools = (types.by_tag({"tr": 1}) > 0) & (of_row[0] > 1) & (of_row[1] == 0)
    return heads


def _is_filled_in(form: Any) -> bool:
    """Return whether a form has a field or a button; some boards put each post into a form without any."""
    controls = form.iter("input", "select", "textarea", "button")
    return any(control.get("type", "").lower() != "hidden" for control in controls)


@remembered(1 << 14)
def _named(names: str) -> int:
    """Return the sum of what an attribute names: 1 for a comment, 2 for an answer or question, 4 for what is beside."""
    words = attribute_words(names).every
    is_comment, is_answered = not _COMMENT.isdisjoint(words), not _ANSWERED.isdisjoint(words)
    return is_comment + 2 * is_answered + 4 * (_SIDE.search(names) is not None)


def candidates(nodes: PageNodes, scores: Floats, least: int) -> CandidateSets:
    """Propose distinct sets of ``least`` to 10,000 posts for each page from the nodes' scores (log-odds, (nodes,))."""
    smooth = smoothed(nodes, scores)
    best = np.maximum.reduceat(smooth, nodes.scope_starts[:-1])
    thresholds = np.concatenate([np.tile(_THRESHOLDS, (len(best), 1)), best[:, None] - np.array(_BELOW_BEST)], axis=1)
    openers = _Openers(nodes, smooth)
    grouped = (
        nodes.signatures,
        nodes.tag_paths,
        nodes.own_signatures,
        nodes.near_signatures,
        nodes.ordinal_signatures,
    )
    found = CandidateSets.joined(
        [
            best_disjoint(nodes, smooth[:, None] - thresholds[nodes.page_of_scope]),
            *(_of_groups(nodes, groups, scores, openers) for groups in grouped),
            _two_of_the_best(nodes, smooth),
        ]
    )
    return found.take((found.lengths >= least) & (found.lengths <= _MOST_POSTS)).unique()


class _Openers:
    """Finds the best-scored node that ends before a given block of its page; of equal scores, the first node wins."""

    def __init__(self, nodes: PageNodes, smooth: Floats) -> None:
        self._nodes, self._scores = nodes, smooth
        self._order = np.lexsort((-np.arange(len(smooth)), smooth))
        rank = np.empty(len(smooth), dtype=np.int64)
        rank[self._order] = np.arange(len(smooth))
        self._best = np.full(len(nodes.blocks) + 1, -1, dtype=np.int64)
        # nodes of a later page outrank those of all earlier pages
        np.maximum.at(self._best, nodes.last, nodes.page_of_scope * len(smooth) + rank)
        np.maximum.accumulate(self._best, out=self._best)

    def before(self, node: Ints) -> Ints:
        """Return the opener before each node, -1 if no node scores high enough to open a thread; (nodes given,)."""
        page, rank = np.divmod(self._best[self._nodes.first[node]], len(self._scores))
        opener = self._order[rank]
        is_good = (page == self._nodes.page_of_scope[node]) & (self._scores[opener] > _LOWEST_OPENER)
        return np.where(is_good, opener, -1)


def _of_groups(nodes: PageNodes, groups: Ints, scores: Floats, openers: _Openers) -> CandidateSets:
    """Propose the groups with the best mean scores, each on its own and with the likeliest opening post before it."""
    order = np.argsort(groups, kind="stable")
    counts = np.bincount(groups)
    one = order[counts.cumsum() - counts]  # the first node of each group
    best = _best_groups(nodes, np.where(counts > 1, group_mean(groups, scores), -np.inf), one)
    order = order[scores[order] > NEVER]
    counts = np.bincount(groups[order], minlength=len(counts))
    members = order[ranges((counts.cumsum() - counts)[best], counts[best])]
    of_group = np.repeat(np.arange(len(best)), counts[best])
    size = len(nodes.blocks) + 1
    covered = np.maximum.accumulate(of_group * size + nodes.last[members])
    kept = of_group * size + nodes.first[members] >= np.append(0, covered[:-1])
    lengths = np.bincount(of_group[kept], minlength=len(best))
    found = CandidateSets(nodes.page_of_scope[one[best]], lengths, members[kept]).take(lengths > 0)
    return _with_openers(found, openers)


def _best_groups(nodes: PageNodes, mean: Floats, first: Ints) -> Ints:
    """Return the 25 groups with the best means of each page, best first; ``first``: a node of each, to break ties."""
    hopeful = np.flatnonzero(mean >= _LOWEST_MEAN)
    page = nodes.page_of_scope[first[hopeful]]
    order = np.lexsort((first[hopeful], -mean[hopeful], page))
    counts = np.bincount(page, minlength=len(nodes.block_counts))
    rank = np.arange(len(order)) - (counts.cumsum() - counts)[page[order]]
    return hopeful[order[rank < _GROUPS]]


def _with_openers(found: CandidateSets, openers: _Openers) -> CandidateSets:
    """Return each set, followed by the same set with its opener if it has one."""
    begins = found.runs.begins
    opener = openers.before(found.members[begins])
    has = opener >= 0
    opened = CandidateSets(found.page, found.lengths + has, np.insert(found.members, begins[has], opener[has]))
    both = CandidateSets(*(np.append(getattr(found, n), getattr(opened, n)) for n in ("page", "lengths", "members")))
    return both.take(np.arange(len(both)).reshape(2, -1).T[np.stack([np.ones_like(has), has], axis=1)])


def _two_of_the_best(nodes: PageNodes, smooth: Floats) -> CandidateSets:
    """Propose each pair of the 12 best nodes of each page, unless one contains the other."""
    starts = nodes.scope_starts
    rank = np.arange(_PAIRED)
    best = np.lexsort((-smooth, nodes.page_of_scope))[np.minimum(starts[:-1, None] + rank, len(smooth) - 1)]
    exists = rank < np.diff(starts)[:, None]
    first, last = nodes.first[best], nodes.last[best]
    apart = (last[:, :, None] <= first[:, None, :]) & exists[:, :, None] & exists[:, None, :]
    page, one, two = np.nonzero(apart)
    members = np.stack([best[page, one], best[page, two]], axis=1).ravel()
    return CandidateSets(page, np.full(len(page), 2), members)


def best_disjoint(nodes: PageNodes, values: Floats) -> CandidateSets:
    """Return, for each column of (nodes, columns), the disjoint nodes of each page that have the greatest sum.

    One pass goes up the trees level by level: each node passes the greater of its own value and the best sum below it
    to its parent. Of the nodes that are better than what is below them, the outermost are then chosen.
    """
    inner = np.zeros_like(values)  # the best sums below each node
    for level, parents, starts in _levels(nodes):
        inner[parents] = np.add.reduceat(np.maximum(values[level], inner[level]), starts, axis=0)
    taken = ((values > 0) & (values >= inner)).T
    covered = np.maximum.accumulate(np.where(taken, nodes.last, 0), axis=1)
    taken[:, 1:] &= nodes.first[1:] >= covered[:, :-1]
    column, members = np.nonzero(taken)
    pages = len(nodes.block_counts)
    lengths = np.bincount(column * pages + nodes.page_of_scope[members], minlength=len(taken) * pages)
    return CandidateSets(np.tile(np.arange(pages), len(taken)), lengths, members)


def _levels(nodes: PageNodes) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield the nodes of each depth with their parents, the deepest level first, without the roots.

    Children of one parent are adjacent, the last child first, because sums of floats depend on the order; ``starts``
    marks where the children of each parent begin.
    """
    order = np.lexsort((-np.arange(len(nodes)), -nodes.depth))
    depth, parent = nodes.depth[order], nodes.parent[order]
    starts = np.flatnonzero(np.diff(parent, prepend=-1) | np.diff(depth, prepend=-1))
    edges = np.append(np.flatnonzero(np.diff(depth[starts], prepend=-1)), len(starts))
    bounds = np.append(starts, len(order))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if depth[starts[begin]] > 0:
            level = slice(int(bounds[begin]), int(bounds[end]))
            yield order[level], parent[starts[begin:end]], starts[begin:end] - starts[begin]


_LOW = -15.0  # score that replaces a missing one
_HIGHEST = 64  # how many levels up to search for an element around two posts
_CELLS = 1_000_000  # maximum of candidates times nodes processed at once
_BEFORE = 12  # number of blocks before the first post that are searched for dates


def candidate_features(nodes: PageNodes, scores: Floats, candidates: CandidateSets) -> NDArray[np.float32]:
    """Return the `candidate_columns`, (candidates, columns); (0, 0) without candidates."""
    if not len(candidates):
        return np.zeros((0, 0), dtype=np.float32)
    return matrix_of(candidate_columns(nodes, scores, candidates).values())


def candidate_columns(nodes: PageNodes, scores: Floats, candidates: CandidateSets) -> Columns:
    """Describe sets of nodes that may be posts: their text, scores, likeness, and what is between and beside them.

    There is at least one set; the columns are (candidates,) each. ``scores``: the log-odds that each node is the body
    of a post, (nodes,).
    """
    return _Describer(nodes, scores, candidates).columns()


def prose_before(nodes: PageNodes, candidates: CandidateSets) -> Floats:
    """Return the share of the page's prose that precedes each candidate, (candidates,)."""
    page, first = nodes.page_totals[candidates.page], nodes.first[candidates.members[candidates.runs.begins]]
    before = nodes.sums[first, PROSE] - nodes.sums[nodes.block_starts[candidates.page], PROSE]
    share: Floats = before / np.maximum(page[:, PROSE], 1)
    return share


class _Describer:
    def __init__(self, nodes: PageNodes, scores: Floats, candidates: CandidateSets) -> None:
        self.nodes = nodes
        self.scores = scores
        self.smooth = smoothed(nodes, scores)
        self.page = candidates.page
        self.runs, self.chosen = candidates.runs, candidates.members
        self.first, self.last = nodes.first[self.chosen], nodes.last[self.chosen]
        self.inside = nodes.totals.take(self.chosen, axis=0)
        # all posts of a candidate except the last, each with the next post; a single post with itself
        several = self.runs.lengths > 1
        inner = np.ones(len(self.chosen), dtype=bool)
        inner[(self.runs.ends - 1)[several]] = False
        self.here = np.flatnonzero(inner)
        self.following = self.here + several[self.runs.of_item[self.here]]
        self.gap_runs = Runs(self.runs.lengths - several)

    def columns(self) -> Columns:
        """Return the features by name, (candidates,) each."""
        columns: Columns = {}
        self._coverage(columns)
        self._scores_inside(columns)
        self._texts(columns)
        self._between(columns)
        self._likeness(columns)
        self._left_out(columns)
        self._elements(columns)
        self._common(columns)
        return columns

    def _coverage(self, columns: Columns) -> None:
        """Measure how much of the page, and of the span from the first post to the last, the posts cover."""
        runs, page = self.runs, self.nodes.page_totals[self.page]
        begin, end = self.first[runs.begins], self.last[runs.begins + runs.lengths - 1]
        span = self.nodes.sums[end] - self.nodes.sums[begin]
        chars, prose = runs.sum(self.inside[:, CHARS]), runs.sum(self.inside[:, PROSE])
        columns["posts"] = runs.lengths.astype(np.float64)
        columns["log_posts"] = np.log1p(runs.lengths)
        columns["share"] = chars / page[:, CHARS]
        columns["log_chars"] = np.log1p(chars)
        columns["of_span"] = chars / np.maximum(span[:, CHARS], 1)
        columns["span_share"] = span[:, CHARS] / page[:, CHARS]
        columns["span_blocks"] = span[:, BLOCKS] / page[:, BLOCKS]
        columns["blocks_of_span"] = runs.sum(self.inside[:, BLOCKS]) / span[:, BLOCKS]
        columns["prose_share"] = prose / np.maximum(page[:, PROSE], 1)
        columns["prose_of_span"] = prose / np.maximum(span[:, PROSE], 1)
        columns["prose_of_chars"] = prose / np.maximum(chars, 1)
        start = self.nodes.block_starts[self.page]
        columns["begin"] = (begin - start) / page[:, BLOCKS]
        columns["end"] = (end - start) / page[:, BLOCKS]
        for name, column in (("chars", CHARS), ("blocks", BLOCKS), ("dates", DATES), ("prose", PROSE)):
            columns[f"page_{name}"] = np.log1p(page[:, column])
        columns["outside"] = np.log1p(page[:, CHARS] - chars)
        before = self.nodes.sums[begin, DATES] - self.nodes.sums[np.maximum(begin - _BEFORE, start), DATES]
        columns["dates_before"] = np.log1p(before)

    def _scores_inside(self, columns: Columns) -> None:
        runs, scores, smooth = self.runs, self.scores[self.chosen], self.smooth[self.chosen]
        best = np.maximum.reduceat(self.smooth, self.nodes.scope_starts[:-1])[self.page]
        columns["score_mean"], columns["score_min"] = runs.mean(scores), runs.least(scores)
        columns["score_max"], columns["score_median"] = runs.most(scores), runs.median(scores)
        columns["score_sum"] = runs.sum(scores) / 10
        columns["score_first"], columns["score_last"] = runs.first(scores), runs.last(scores)
        columns["smooth_mean"], columns["smooth_min"] = runs.mean(smooth), runs.least(smooth)
        columns["smooth_best"] = best
        columns["smooth_below_best"] = best - columns["smooth_mean"]

    def _texts(self, columns: Columns) -> None:
        runs, inside = self.runs, self.inside
        logs, chars = np.log1p(inside[:, CHARS]), np.maximum(runs.sum(inside[:, CHARS]), 1)
        columns["post_chars"], columns["post_spread"] = runs.mean(logs), runs.spread(logs)
        columns["post_least"], columns["post_most"] = runs.least(logs), runs.most(logs)
        columns["first_longer"] = runs.first(logs) - columns["post_chars"]
        columns["links"] = runs.sum(inside[:, LINKS]) / chars
        columns["sentence_rate"] = runs.sum(inside[:, SENTENCES]) / chars * 100
        columns["with_dates"] = runs.mean(inside[:, DATES] > 0)
        columns["dates"] = runs.mean(np.log1p(inside[:, DATES]))
        columns["questions"] = runs.mean(inside[:, QUESTIONS])
        columns["first_asks"] = (runs.first(inside[:, QUESTIONS]) > 0).astype(np.float64)
        columns["post_blocks"] = runs.mean(np.log1p(inside[:, BLOCKS]))
        columns["tiny"] = runs.sum(inside[:, TINY]) / runs.sum(inside[:, BLOCKS])
        columns["with_long"] = runs.mean(inside[:, LONG] > 0)
        columns["with_prose"] = runs.mean(inside[:, PROSE] > 0)

    def _between(self, columns: Columns) -> None:
        """Describe what lies between consecutive posts."""
        runs = self.gap_runs
        begin = self.last[self.here]
        gaps = self.nodes.sums[np.maximum(self.first[self.following], begin)] - self.nodes.sums[begin]
        for name, column in (("blocks", BLOCKS), ("chars", CHARS)):
            logs = np.log1p(gaps[:, column])
            columns[f"gap_{name}"], columns[f"gap_{name}_spread"] = runs.mean(logs), runs.spread(logs)
        prose = np.log1p(gaps[:, PROSE])
        columns["gap_with_date"] = runs.mean(gaps[:, DATES] > 0)
        columns["gap_dates"] = runs.mean(np.log1p(gaps[:, DATES]))
        columns["gap_dates_spread"] = runs.spread(gaps[:, DATES])
        columns["gap_numbers"] = runs.mean(gaps[:, NUMBERS])
        columns["gap_none"] = runs.mean(gaps[:, BLOCKS] == 0)
        columns["gap_prose"], columns["gap_most_prose"] = runs.mean(prose), runs.most(prose)
        columns["gap_with_prose"] = runs.mean(gaps[:, PROSE] > 0)

    def _likeness(self, columns: Columns) -> None:
        """Measure how similar the posts are in names, tags and depth."""
        nodes, runs, chosen = self.nodes, self.runs, self.chosen
        counts = runs.lengths
        signatures, own = nodes.signatures[chosen], nodes.own_signatures[chosen]
        sizes, own_sizes = np.bincount(nodes.signatures), np.bincount(nodes.own_signatures)
        different, _ = runs.different(signatures)
        owns, own_commonest = runs.different(own)
        taken = runs.sum(sizes[signatures])
        columns["signatures"], columns["signature_share"] = different, different / counts
        columns["group_taken"] = taken / counts**2
        columns["group_rest"] = np.where(different == 1, (taken - counts) / counts, -1)
        columns["parents"] = runs.different(nodes.parent[chosen])[0] / counts
        depths = nodes.depth[chosen]
        columns["depth_mean"], columns["depth_spread"] = runs.mean(depths), runs.spread(depths)
        columns["unique"] = runs.different(nodes.text_ids[self.first])[0] / counts
        columns["own_signatures"], columns["own_signature_share"] = owns, owns / counts
        columns["own_commonest"] = own_commonest / counts
        columns["tag_commonest"] = runs.different(nodes.tag_numbers[chosen])[1] / counts
        columns["own_group_taken"] = runs.sum(own_sizes[own]) / counts**2

    def _left_out(self, columns: Columns) -> None:
        """Find the best scores among the nodes outside the posts, and among other nodes inside them."""
        nodes, runs = self.nodes, self.runs
        order = np.lexsort((-self.smooth, nodes.page_of_scope))  # the nodes of each page in descending order of score
        starts = np.searchsorted(self.page, np.arange(len(nodes.block_counts) + 1)).tolist()
        best = np.empty((3, len(self.page)))
        for page, (begin, end) in enumerate(pairwise(starts)):
            own = order[nodes.scope_starts[page] : nodes.scope_starts[page + 1]]
            at_once = max(1, _CELLS // len(own))
            for low in range(begin, end, at_once):
                some = slice(low, min(low + at_once, end))
                items = slice(int(runs.begins[low]), int(runs.ends[some.stop - 1]))
                best[:, some] = self._best_left_out(page, own, runs.of_item[items] - low, self.chosen[items])
        columns |= zip(("outside_best", "outside_third", "within_best"), best, strict=True)

    def _best_left_out(self, page: int, own: Ints, row: Ints, chosen: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the best and third-best score outside the posts, and the best of other nodes inside; (rows,) each.

        ``own``: the nodes of a page in descending order of score; ``chosen``: the posts of some candidates of the page;
        ``row``: the candidate that each post belongs to.
        """
        nodes, scores, start = self.nodes, self.smooth[own], self.nodes.block_starts[page]
        first, last = nodes.first[own] - start, nodes.last[own] - start
        covered = np.zeros((row[-1] + 1, nodes.block_counts[page] + 1), dtype=np.int32)
        # no two posts share their first or their last block, so no index occurs twice
        covered[row, nodes.first[chosen] - start] += 1
        covered[row, nodes.last[chosen] - start] -= 1
        running = np.zeros_like(covered)
        covered[:, :-1].cumsum(axis=1, out=covered[:, :-1]).cumsum(axis=1, out=running[:, 1:])
        inside = running.take(last, axis=1) - running.take(first, axis=1)
        within = inside == (last - first).astype(np.int32)
        rank = np.empty(len(own), dtype=np.int64)
        rank[own - nodes.scope_starts[page]] = np.arange(len(own))
        within[row, rank[chosen - nodes.scope_starts[page]]] = False
        outside = inside == 0
        best, _, third = (_best_left(outside, scores) for _ in range(3))
        return best, third, _best_left(within, scores)

    def _elements(self, columns: Columns) -> None:
        runs, elements = self.runs, self.nodes.elements[self.chosen]
        around = self.nodes.elements[self.nodes.parent[self.chosen]]
        columns["images"] = runs.mean(np.log1p(elements[:, IMAGES]))
        columns["paragraphs"] = runs.mean(np.log1p(elements[:, PARAGRAPHS]))
        columns["items"] = runs.mean(np.log1p(elements[:, ITEMS]))
        columns["headings"] = runs.mean(elements[:, HEADINGS] > 0)
        for name, column in (("times", TIMES), ("images", IMAGES), ("controls", CONTROLS)):
            columns[f"around_{name}"] = runs.mean(np.log1p(around[:, column]))

    def _common(self, columns: Columns) -> None:
        """Describe the innermost elements around neighboring posts, which are the same for all posts of one list."""
        nodes, runs = self.nodes, self.gap_runs
        common = self._joints()
        depths = nodes.depth[common].astype(np.float64)
        below = nodes.depth[self.chosen[self.following]] - depths
        columns["common_spread"] = runs.spread(depths)
        columns["common_range"] = runs.most(depths) - runs.least(depths)
        columns["common_depth"] = runs.mean(depths)
        columns["common_same"] = runs.different(common)[1] / runs.lengths
        columns["below_common"], columns["below_spread"] = runs.mean(below), runs.spread(below)

    def _joints(self) -> Ints:
        """Return the innermost element around each post and the next one's first block; (posts with a next one,)."""
        nodes, common, goal = self.nodes, self.chosen[self.here], self.first[self.following]
        for _ in range(_HIGHEST):
            rising = nodes.last[common] <= goal  # never true at the root, which contains all blocks of its page
            if not rising.any():
                break
            common = np.where(rising, nodes.parent[common], common)
        return common


def _best_left(flags: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return the first flagged score in each row of (rows, scores), _LOW if there is none, and clear its flag."""
    rows, found = np.arange(len(flags)), flags.argmax(axis=1)
    result: Floats = np.where(flags[rows, found], scores[found], _LOW)
    flags[rows, found] = False
    return result


# Links of the records of posts lead to their own page, those of the rows of a list to others. The record of a post is
# the largest element around its body without another body, with the siblings beside it that are in no other one: rows
# of a table with its author or its buttons. Addresses are compared by path and query; words and numbers in them are no
# features, so that nothing depends on one program.

#: The columns of `link_features`. The shares of records with a link to their own page, with one that has the number or
#: the last words of its address, with one to a part of a page, and with a long link elsewhere: a title. Of the titles,
#: the mean logarithm of the width, the shares that have different targets, different texts, and targets of one form,
#: and those that are the first link; their characters as a share of those of the posts.
LINK_FEATURES = (
    *("own", "same_number", "to_part", "titled"),
    *("title_width", "title_targets", "title_texts", "title_form", "title_first", "title_chars"),
)
_MOST_RECORDS, _SIBLINGS = 15, 3  # records of a set, and siblings on each side, whose links are read
_TITLE_WIDTH, _MAX_WIDTH, _READ = 12, 200, 400  # characters of a title as in Latin script, and of a text that are read
_NUMBER, _LONG_WORD = re.compile(r"\d{2,}"), 8
_VARIES, _LONG_PART = re.compile(r"[\d_%-]"), 16  # signs and length of parts of a path that differ between alike pages


class RecordLink(NamedTuple):
    """A link of a record: its text, its width in characters of Latin script, and where it leads.

    ``form``: the target without what differs between alike pages; ``is_own``: whether it is the page itself, or an
    action on it; ``has_number``: whether it has the page's number.
    """

    text: str
    width: int
    target: str
    form: str
    is_own: bool
    has_number: bool


class PageAddress:
    """The address of a page, to which those of its links are compared."""

    def __init__(self, url: str | None) -> None:
        parts = address_of(url)
        self._url = url if parts.is_known else None
        self._host, self._path = parts.host, parts.path.rstrip("/")
        # the longest number, or else the last name, tells the page from others
        numbers, name = _NUMBER.findall(f"{parts.path}?{parts.query}"), self._path.rpartition("/")[2]
        self._mark = max(numbers, key=len) if numbers else name if len(name) > _LONG_WORD else ""

    def link(self, text: str, href: str) -> RecordLink | None:
        """Describe a link; None if it does not lead to a web page."""
        if href.startswith("#"):
            return RecordLink(text, 0, href, "#", is_own=len(href) > 1, has_number=False)
        target = resolved(href, self._url or "http://page.invalid/")
        parts = address_of(target)
        if target is None or parts.scheme not in ("http", "https"):
            return None
        marks = [*_NUMBER.findall(f"{parts.path}?{parts.query}"), *parts.path.split("/")]
        has_number = self._mark != "" and self._mark in marks
        is_below = self._path != "" and parts.host == self._host and parts.path.startswith(self._path)
        keys = sorted(part.partition("=")[0] for part in parts.query.split("&"))
        form = f"{parts.host}{'/'.join(map(_form, parts.path.split('/')))}?{'&'.join(keys)}"
        width = int(len(text) * width_of(text[:_READ])) if text else 0
        return RecordLink(text, width, target, form, has_number or (is_below and "#" in target), has_number)


def _form(part: str) -> str:
    """Return a part of a path, with * for what differs between alike pages."""
    if _VARIES.search(part):
        return "*"
    return ".".join("*" if len(name) >= _LONG_PART else name for name in part.split("."))


def link_features(nodes: PageNodes, sets: CandidateSets, urls: Sequence[str | None]) -> Floats:
    """Return LINK_FEATURES of sets; (sets, features). ``urls``: that of the page of each set, if known."""
    rows = [
        _features(nodes, sets.nodes_of(number)[:_MOST_RECORDS], PageAddress(url)) for number, url in enumerate(urls)
    ]
    return np.array(rows).reshape(-1, len(LINK_FEATURES))


def _features(nodes: PageNodes, posts: Sequence[int], page: PageAddress) -> list[float]:
    records = [[*_links(elements, page)] for elements in _elements_of_records(nodes, posts)]
    titles, firsts = [], 0
    for links in records:
        others = [link for link in links if link.width >= _TITLE_WIDTH and not link.is_own]
        if others:
            titles.append(max(others, key=lambda link: link.width))
            firsts += titles[-1] is links[0]
    found = max(1, len(titles))
    forms = Counter(title.form for title in titles)
    chars = sum(len(text) * width_of(text[:_READ]) for text in map(nodes.text, posts))
    shares = [
        sum(any(link.is_own for link in links) for links in records),
        sum(any(link.has_number for link in links) for links in records),
        sum(any("#" in link.target for link in links) for links in records),
        len(titles),
    ]
    of_titles = [
        sum(np.log1p(min(title.width, _MAX_WIDTH)) for title in titles),
        len({without_fragment(title.target) for title in titles}),
        len({title.text for title in titles}),
        max(forms.values(), default=0),
        firsts,
    ]
    values = [*(share / len(posts) for share in shares), *(value / found for value in of_titles)]
    return [*values, sum(title.width for title in titles) / max(1.0, chars)]


def _links(elements: Sequence[Any], page: PageAddress) -> Iterator[RecordLink]:
    for element in elements:
        for anchor in element.iter("a"):
            if (href := anchor.get("href")) and (link := page.link(text_line(anchor), href.strip())):
                yield link


def _elements_of_records(nodes: PageNodes, posts: Sequence[int]) -> list[list[Any]]:
    """Return the elements of the record of each post (disjoint nodes in page order), in page order."""
    elements = [nodes.scopes[_largest_alone(nodes, posts, place)].element for place in range(len(posts))]
    known = {*elements}

    def beside(element: Any, *, preceding: bool) -> list[Any]:
        siblings = takewhile(lambda each: each not in known, element.itersiblings(preceding=preceding))
        return [*islice(siblings, _SIBLINGS)]

    return [[*beside(each, preceding=True)[::-1], each, *beside(each, preceding=False)] for each in elements]


def _largest_alone(nodes: PageNodes, posts: Sequence[int], place: int) -> int:
    """Return the outermost node around a post that holds no block of another; a single post itself."""
    node = posts[place]
    least = nodes.lasts[posts[place - 1]] if place else 0
    most = nodes.firsts[posts[place + 1]] if place + 1 < len(posts) else nodes.lasts[0]
    while len(posts) > 1 and nodes.firsts[above := nodes.parents[node]] >= least and nodes.lasts[above] <= most:
        node = above
    return node
