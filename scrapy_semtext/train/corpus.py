"""Training examples from annotated pages, with labels of their blocks, and scores of texts against the truth.

The labels of a page's blocks, derived from its true main text. The method is the automatic block labeling of Web2Text
(Vogels, Ganea & Eickhoff 2018, section 4.1): snippets of ten characters that occur once in the page and once in the
truth are ties between the two, and split both into parts, in which other snippets are unique in turn. The rest between
the ties is aligned by dynamic programming. A block is content if at least two thirds of its text is aligned. White
space, case and invisible characters are ignored.

The kept ties are the heaviest chain in which both texts move forward, so a distant accidental match does no harm. The
rest is aligned by words, not characters, because any two texts share half of their single letters. Some truths do not
follow the page's order (reviews, side boxes), so long stretches that remain in both texts are finally aligned wherever
they are, unlike in the paper. Over the WCXB pages, this raises the score of perfect labels by a tenth of a point.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.features.table import describe
from scrapy_semtext.models.config import PageInput
from scrapy_semtext.words.characters import lower_tokens, word_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_semtext.features.table import ParsedPage
    from scrapy_semtext.train.datasets import AnnotatedPage


class PRF(NamedTuple):
    """Precision, recall and their harmonic mean, each 0 to 1."""

    precision: float
    recall: float
    f1: float


def word_prf(predicted: str, truth: str) -> PRF:
    """Compare two texts as bags of words, the measure of the WCXB benchmark."""
    found, expected = Counter(lower_tokens(predicted)), Counter(lower_tokens(truth))
    return prf((found & expected).total(), found.total(), expected.total())


def prf(overlap: float, predicted: float, expected: float) -> PRF:
    """Return precision, recall and F1 from counts; all 1 if ``predicted`` and ``expected`` are 0."""
    if not predicted and not expected:
        return PRF(1.0, 1.0, 1.0)
    if not overlap:
        return PRF(0.0, 0.0, 0.0)
    precision, recall = overlap / predicted, overlap / expected
    return PRF(precision, recall, 2 * precision * recall / (precision + recall))


def mean_prf(rows: Iterable[PRF]) -> PRF:
    """Return the mean of each column, zeros for no rows."""
    table = list(rows)
    return PRF(*(sum(column) / len(table) for column in zip(*table, strict=True))) if table else PRF(0.0, 0.0, 0.0)


#: The number of characters of a snippet, as in Web2Text (Vogels et al. 2018, 4.1).
SNIPPET = 10

# If no snippet is unique, all pairs of places of those with at most this many are tried.
_RARE = 4

# The weight of a chain: its length, and in these lower bits its position in the page.
_TIE_BITS = 64

Chars = NDArray[np.uint32]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Run(NamedTuple):
    """``size`` equal characters, beginning at ``truth`` in the true text and at ``page`` in the page."""

    truth: int
    page: int
    size: int


def common_runs(truth: Chars, page: Chars, *, late: bool = False) -> list[Run]:
    """Return the heaviest chain of runs of snippets that are unique in both texts and in the same order.

    If no snippet is unique in both, rare snippets are used; among copies in the page the last ones if ``late``, else
    the first. The runs are disjoint and in order. Takes O(n log n) for texts with n code points in total.
    """
    in_truth, in_page = _hashes(truth), _hashes(page)
    in_page_order = np.flatnonzero(np.isin(in_page, in_truth))
    known = in_page[in_page_order]
    for max_places in (1, _RARE):
        truth_at, page_at = _pairs(in_truth, known, max_places)
        if len(truth_at):
            return _disjoint(_heaviest_chain(_joined(truth_at, in_page_order[page_at]), late=late))
    return []


def stray_runs(truth: Chars, page: Chars, free_truth: Mask, free_page: Mask, min_size: int) -> Iterator[Run]:
    """Yield runs of at least ``min_size`` characters within the free places of both texts, in any order.

    The longest run comes first, and each run uses up its characters: if the page has a stretch twice and the truth
    once, one copy is found. The two masks are cleared for each run.
    """
    in_truth, truth_order = _free_hashes(truth, free_truth)
    in_page, page_order = _free_hashes(page, free_page)
    known = np.isin(in_page, in_truth)
    truth_at, page_at = _pairs(in_truth, in_page[known], _RARE)
    runs = _joined(truth_order[truth_at], page_order[known][page_at]) if len(truth_at) else []
    for run in sorted(runs, key=lambda run: (-run.size, run)):
        if run.size < min_size:
            return
        free = free_truth[run.truth : run.truth + run.size] & free_page[run.page : run.page + run.size]
        begin, size = _longest_stretch(free)
        if size >= min_size:
            free_truth[run.truth + begin : run.truth + begin + size] = False
            free_page[run.page + begin : run.page + begin + size] = False
            yield Run(run.truth + begin, run.page + begin, size)


def _free_hashes(chars: Chars, free: Mask) -> tuple[Hashes, Places]:
    """Return the hashes of the snippets within free places, and where they begin."""
    hashes = _hashes(chars)
    taken = np.concatenate(([0], np.cumsum(~free)))
    begins = np.flatnonzero(taken[SNIPPET:] == taken[: len(hashes)])
    return hashes[begins], begins


def _longest_stretch(free: Mask) -> tuple[int, int]:
    """Return the start and the length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], free, [False])).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    if not len(begins):
        return 0, 0
    longest = int(np.argmax(ends - begins))
    return int(begins[longest]), int(ends[longest] - begins[longest])


def _hashes(chars: Chars) -> Hashes:
    """Return a 64-bit hash of each snippet, one for each place where a snippet begins."""
    count = max(len(chars) - SNIPPET + 1, 0)
    mixed = chars.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    total = np.zeros(count, dtype=np.uint64)
    for offset in range(SNIPPET if count else 0):
        total *= np.uint64(0xD1342543DE82EF95)
        total += mixed[offset : offset + count]
    return total


def _pairs(in_truth: Hashes, in_page: Hashes, max_places: int) -> tuple[Places, Places]:
    """Return all pairs of places of the snippets with at most ``max_places`` places in either text."""
    truth_order, page_order = np.argsort(in_truth, kind="stable"), np.argsort(in_page, kind="stable")
    truth_values, truth_first, truth_count = np.unique(in_truth[truth_order], return_index=True, return_counts=True)
    page_values, page_first, page_count = np.unique(in_page[page_order], return_index=True, return_counts=True)
    _, one, two = np.intersect1d(truth_values, page_values, assume_unique=True, return_indices=True)
    few = (truth_count[one] <= max_places) & (page_count[two] <= max_places)
    one, two = one[few], two[few]
    truth_at, page_at = [], []
    for i in range(max_places):
        for j in range(max_places):
            both = (truth_count[one] > i) & (page_count[two] > j)
            truth_at.append(truth_order[truth_first[one[both]] + i])
            page_at.append(page_order[page_first[two[both]] + j])
    return np.concatenate(truth_at), np.concatenate(page_at)


def _joined(truth_at: Places, page_at: Places) -> list[Run]:
    """Join pairs of snippets that follow each other in both texts into runs."""
    order = np.lexsort((truth_at, page_at - truth_at))
    truth_at, page_at = truth_at[order], page_at[order]
    breaks = np.flatnonzero((np.diff(truth_at) != 1) | (np.diff(page_at) != 1)) + 1
    begins = np.concatenate(([0], breaks))
    sizes = np.diff(np.concatenate((begins, [len(truth_at)]))) + SNIPPET - 1
    return [Run(*row) for row in zip(truth_at[begins].tolist(), page_at[begins].tolist(), sizes.tolist(), strict=True)]


def _heaviest_chain(runs: list[Run], *, late: bool) -> list[Run]:
    """Return the runs of the greatest total length that follow each other in both texts.

    Runs count as ending where their last snippet begins, because adjacent ones may share characters. A sweep over the
    truth queries the best chain that ends before a run's place in the page, and enters each run when it has ended.
    Among equal chains the later one in the page wins if ``late``, else the earlier one.
    """
    ends = sorted({_last(run) for run in runs})
    tree = _BestBefore(len(ends))
    weight, before = [0] * len(runs), [-1] * len(runs)
    events = [(run.truth, True, index) for index, run in enumerate(runs)]
    events += [(run.truth + run.size - SNIPPET + 1, False, index) for index, run in enumerate(runs)]
    for _, begins, index in sorted(events):
        run = runs[index]
        if begins:
            best, before[index] = tree.best(bisect_left(ends, run.page))
            weight[index] = best + ((run.size - SNIPPET + 1) << _TIE_BITS) + (run.page if late else -run.page)
        else:
            tree.enter(bisect_left(ends, _last(run)) + 1, (weight[index], index))
    index = max(range(len(runs)), key=weight.__getitem__)
    chain = []
    while index >= 0:
        chain.append(runs[index])
        index = before[index]
    return chain[::-1]


def _last(run: Run) -> int:
    """Return where the run's last snippet begins in the page."""
    return run.page + run.size - SNIPPET


class _BestBefore:
    """The greatest (weight, index) entered at places 1 to n: a Fenwick tree of maxima, O(log n) per call."""

    def __init__(self, size: int) -> None:
        self._tree = [(0, -1)] * (size + 1)

    def best(self, place: int) -> tuple[int, int]:
        found = (0, -1)
        while place:
            found = max(found, self._tree[place])
            place &= place - 1
        return found

    def enter(self, place: int, value: tuple[int, int]) -> None:
        while place < len(self._tree):
            self._tree[place] = max(self._tree[place], value)
            place += place & -place


def _disjoint(chain: list[Run]) -> list[Run]:
    """Cut the beginning of each run where it overlaps the previous one."""
    cut: list[Run] = []
    truth_end = page_end = 0
    for run in chain:
        overlap = max(truth_end - run.truth, page_end - run.page, 0)
        if overlap < run.size:
            cut.append(Run(run.truth + overlap, run.page + overlap, run.size - overlap))
            truth_end, page_end = run.truth + run.size, run.page + run.size
    return cut


#: The share of a block's characters that must be aligned for it to be content (the paper's two thirds).
CONTENT_SHARE = 2 / 3

# Parts with fewer pairs of characters are aligned word by word at once, because snippets would not pay off.
_SMALL = 2_500

# The maximum numbers of rows and cells (words of the truth times words of the page) for dynamic programming. Larger
# parts have no rare snippet in common, so there is little to gain; they stay unaligned.
_MAX_ROWS = 2_000
_MAX_CELLS = 1_000_000

# The maximum number of times that a part is split by ties: real pages need a few, and repetitive texts could need many.
_MAX_DEPTH = 12

# The minimum number of characters of a stretch that is aligned out of order: three snippets.
_STRAY = 30

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")

# A character of a script written without spaces, any other word, or a sign.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")


class _Part(NamedTuple):
    """A stretch of the truth, and the stretch of the page where it is searched for (characters, ends exclusive)."""

    truth: int
    truth_end: int
    page: int
    page_end: int
    depth: int


def label_blocks(blocks: Sequence[str], truth: str) -> list[bool]:
    """Return for each block, in page order, whether CONTENT_SHARE of its characters are aligned to the truth."""
    return [aligned >= CONTENT_SHARE for aligned in aligned_shares(blocks, truth)]


def aligned_shares(blocks: Sequence[str], truth: str) -> list[float]:
    """Return the share (0 to 1) of each block's characters that are aligned to the true text; 0 for an empty block.

    Time is bounded by the length of the texts: parts that would be too costly to align stay unaligned.
    """
    page, true = _Text(blocks), _Text([truth])
    free_page: Mask = np.ones(len(page.chars), dtype=np.bool_)
    free_truth: Mask = np.ones(len(true.chars), dtype=np.bool_)
    for run in _align(page, true):
        free_page[run.page : run.page + run.size] = False
        free_truth[run.truth : run.truth + run.size] = False
    for _ in stray_runs(true.chars, page.chars, free_truth, free_page, _STRAY):
        pass  # clears the masks
    aligned = np.concatenate(([0], np.cumsum(~free_page)))[page.bounds]
    shares: list[float] = (np.diff(aligned) / np.maximum(np.diff(page.bounds), 1)).tolist()
    return shares


class _Text:
    """A text as used by the aligner: folded, and without spaces.

    ``spaced`` is the folded text with single spaces, ``solid`` the same without spaces, and ``chars`` its code points;
    ``places`` are their positions in ``spaced``; ``bounds`` are the beginnings of the pieces in ``chars``, and its end.
    """

    __slots__ = ("bounds", "chars", "places", "solid", "spaced")

    def __init__(self, pieces: Sequence[str]) -> None:
        folded = [_fold(piece) for piece in pieces]
        self.spaced = " ".join(folded)
        self.solid = self.spaced.replace(" ", "")
        points: Chars = np.frombuffer(self.spaced.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self.places: Places = np.flatnonzero(points != ord(" "))
        self.chars: Chars = points[self.places]
        sizes = [0, *(len(piece) - piece.count(" ") for piece in folded)]
        self.bounds: Places = np.cumsum(np.array(sizes, dtype=np.int64))

    def words(self, start: int, end: int) -> tuple[list[str], list[int]]:
        """Return the words of a non-empty stretch of ``chars``, and where each begins in ``chars``."""
        found = list(_WORD.finditer(self.spaced, int(self.places[start]), int(self.places[end - 1]) + 1))
        begins: list[int] = np.searchsorted(self.places, [match.start() for match in found]).tolist()
        return [match.group() for match in found], begins


def _fold(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return " ".join(text.casefold().split())


def _align(page: _Text, truth: _Text) -> Iterator[Run]:
    """Yield the runs of characters that the texts have in common; no two overlap."""
    parts = [_Part(0, len(truth.chars), 0, len(page.chars), 0)]
    while parts:
        part = parts.pop()
        cells = (part.truth_end - part.truth) * (part.page_end - part.page)
        if not cells:
            continue
        runs = _ties(page, truth, part) if cells > _SMALL and part.depth < _MAX_DEPTH else []
        if runs:
            yield from runs
            parts.extend(_between(runs, part))
        else:
            yield from _align_words(page, truth, part)


def _ties(page: _Text, truth: _Text, part: _Part) -> list[Run]:
    """Return the runs that are ties in the part, each extended on both sides as far as the texts agree."""
    true_chars, page_chars = truth.chars[part.truth : part.truth_end], page.chars[part.page : part.page_end]
    chain = common_runs(true_chars, page_chars, late=part.truth == 0)
    chain = [Run(run.truth + part.truth, run.page + part.page, run.size) for run in chain]
    ties: list[Run] = []
    truth_end, page_end = part.truth, part.page
    followers = [*chain[1:], Run(part.truth_end, part.page_end, 0)]
    for run, follower in zip(chain, followers, strict=False):
        begin, at, end = run.truth, run.page, run.truth + run.size
        while begin > truth_end and at > page_end and truth.solid[begin - 1] == page.solid[at - 1]:
            begin, at = begin - 1, at - 1
        shift = at - begin
        while end < follower.truth and end + shift < follower.page and truth.solid[end] == page.solid[end + shift]:
            end += 1
        ties.append(Run(begin, at, end - begin))
        truth_end, page_end = end, end + shift
    return ties


def _between(runs: list[Run], part: _Part) -> Iterator[_Part]:
    truth, page = part.truth, part.page
    for run in runs:
        yield _Part(truth, run.truth, page, run.page, part.depth + 1)
        truth, page = run.truth + run.size, run.page + run.size
    yield _Part(truth, part.truth_end, page, part.page_end, part.depth + 1)


def _align_words(page: _Text, truth: _Text, part: _Part) -> Iterator[Run]:
    """Yield the aligned words of a part; none if the part is too large."""
    true_words, true_at = truth.words(part.truth, part.truth_end)
    page_words, page_at = page.words(part.page, part.page_end)
    common = {word: number for number, word in enumerate(set(true_words) & set(page_words))}
    wanted = [(common[word], at, len(word)) for word, at in zip(true_words, true_at, strict=True) if word in common]
    offered = [(common[word], at) for word, at in zip(page_words, page_at, strict=True) if word in common]
    if not wanted or len(wanted) > _MAX_ROWS or len(wanted) * len(offered) > _MAX_CELLS:
        return
    numbers, begins, lengths = map(list, zip(*wanted, strict=True))
    columns, places = zip(*offered, strict=True)
    for row, column in _common_words(numbers, np.array(columns), lengths, late=part.truth == 0):
        yield Run(begins[row], places[column], lengths[row])


def _common_words(
    wanted: list[int], offered: NDArray[np.int64], lengths: list[int], *, late: bool
) -> list[tuple[int, int]]:
    """Return (row, column) of the words in the heaviest common subsequence, last to first.

    The weight of a word is its length, plus a quarter of a character if it follows the previous word in both texts.
    Among equal choices the last columns are taken if ``late``, else the first: text before the first tie of a page
    belongs close to the tie, and so does text after the last.
    """
    best = np.zeros((len(wanted) + 1, len(offered) + 1), dtype=np.int64)
    taken = np.full_like(best, -1)  # the best that ends with this row's word at this column
    for row, word in enumerate(wanted):
        same = np.flatnonzero(offered == word)
        taken[row + 1, same + 1] = np.maximum(best[row, same], taken[row, same] + 1) + 4 * lengths[row]
        np.maximum.accumulate(np.maximum(best[row], taken[row + 1]), out=best[row + 1])
    chosen = []
    row, column, follows = len(wanted), len(offered), False
    while row and column:
        here = best[row, column]
        if follows or (taken[row, column] == here and (late or best[row, column - 1] < here)):
            row, column = row - 1, column - 1
            follows = bool(taken[row, column] + 1 > best[row, column])
            chosen.append((row, column))
        elif best[row, column - 1] == here:
            column -= 1
        else:
            row -= 1
    return chosen


_Input = TypeVar("_Input")

# Pages with less of their true text than this would teach that main content is boilerplate: they are rendered by
# scripts, or the saved page is truncated.
_LEAST_RECALL = 0.5

_LINK_SHARE = FEATURES.index("link_share")
# Elements around navigation, and elements of a page's heading.
_NAVIGATION, _HEADING = frozenset({"nav", "footer", "form"}), frozenset({"h1", "h2"})


@dataclass(slots=True)
class PageExample(Generic[_Input]):
    """A training page.

    ``input``: the input of the labeler; ``labels``: (blocks,) bool, whether each block is main content; ``known``:
    (blocks,) bool, whether this is known; ``words``: (blocks,) the number of words; ``block_words`` and ``truth``: the
    words of each block and of the true text, only kept for pages that are scored.
    """

    id: str
    dataset: str
    kind: str | None
    input: _Input
    labels: NDArray[np.bool_]
    known: NDArray[np.bool_]
    words: NDArray[np.float64]
    block_words: list[list[str]] | None = None
    truth: list[str] | None = None

    def f1(self, keep: NDArray[np.bool_]) -> float:
        """Return the word F1 of the page if these blocks, (blocks,), were kept."""
        if self.block_words is None or self.truth is None:
            raise ValueError(f"page {self.id} was prepared without its words")
        found = [word for block, kept in zip(self.block_words, keep, strict=True) if kept for word in block]
        return prf((Counter(found) & Counter(self.truth)).total(), len(found), len(self.truth)).f1


#: An example for the network.
Example = PageExample[PageInput]


def prepare(
    pages: Iterable[AnnotatedPage],
    read: Callable[[ParsedPage], _Input],
    *,
    scored: bool,
    workers: int = 1,
    progress: bool = False,
) -> list[PageExample[_Input]]:
    """Segment, label and describe pages, in several processes; unusable pages are skipped.

    ``read`` creates the input of a labeler. ``scored`` keeps the words for `PageExample.f1`, and all pages with blocks
    whose labels are all known. Otherwise, pages with less than half of their true text are skipped as well.
    """
    found: list[PageExample[_Input]] = []
    remaining = iter(pages)
    bar = tqdm(desc="preparing pages", unit=" pages", disable=not progress)
    with bar, ProcessPoolExecutor(workers) as pool:
        while portion := list(islice(remaining, 200)):  # a pool would read all pages ahead
            for example in pool.map(partial(prepare_page, read=read, scored=scored), portion, chunksize=10):
                bar.update()
                if example is not None:
                    found.append(example)
    return found


def prepare_page(
    page: AnnotatedPage, read: Callable[[ParsedPage], _Input], *, scored: bool
) -> PageExample[_Input] | None:
    """Create an example from a page; None if it has no blocks or, unless ``scored``, too little of its true text.

    If ``scored``, also None if the labels of some blocks are unknown.
    """
    described = describe(page.html, page.url)
    if not described.text_blocks:
        return None
    texts = [block.text for block in described.text_blocks]
    counts = word_counts(texts)
    labels = np.array(label_blocks(texts, page.text))
    truth = lower_tokens(page.text)
    if not scored and counts[labels].sum() < _LEAST_RECALL * len(truth):
        return None
    known = _known(described, page, labels)
    example = PageExample(page.id, page.dataset, page.page_type, read(described), labels, known, counts)
    if scored and not known.all():
        return None
    if scored:
        example.block_words, example.truth = [lower_tokens(text) for text in texts], truth
    return example


def _known(described: ParsedPage, page: AnnotatedPage, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for which blocks, (blocks,), the true text determines whether they are main content.

    The true text of a recipe is its ingredients and steps; only links and navigation in the rest are certainly
    boilerplate. The true text of search results is the records, without a heading of the page.
    """
    tags = [frozenset(block.tags) for block in described.text_blocks]
    known: NDArray[np.bool_] = labels.copy()
    if page.page_type == "recipe":
        known |= described.block_features()[:, _LINK_SHARE] > 0.5
        known |= np.array([bool(around & _NAVIGATION) for around in tags])
    elif page.page_type == "search_results":
        known |= np.array([not around & _HEADING for around in tags])
    else:
        known[:] = True
    return known


def word_lines(examples: Iterable[Example]) -> Iterator[tuple[str, ...]]:
    """Yield the word strings of the blocks, for training word vectors: every text, and each page's distinct paths."""
    for example in examples:
        yield from (string for string in example.input.text if string)
        yield from {string for string in example.input.tags if string}
        yield from {string for string in example.input.names if string}
