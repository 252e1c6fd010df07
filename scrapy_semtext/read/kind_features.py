"""Features of pages: their URLs, their text, repetition in it, their elements and their links.

Articles are prose in one place; listings and collections repeat a pattern of links, headings and short texts; shops
have prices, and forums have posts of a common structure. No feature depends on the language, except a few signs of
money, time and code.

Repetition on pages: siblings of one element type, and linked blocks of one kind anywhere on the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.features.blocks import FEATURES, UNSPACED_WORD
from scrapy_semtext.features.table import BLOCKS, CHARS, LINKS, PROSE_CHARS, PageTable, first_maximum, form_of
from scrapy_semtext.tree.elements import COUNTED, count_links
from scrapy_semtext.tree.scopes import ScopeTree, group_ids
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.utils.arrays import Floats, Ints
from scrapy_semtext.words.words import UNSPACED

#: The number of groups of siblings that are described, and their features.
GROUPS = 3
GROUP = "log_count chars links log_mean_chars prose headings blocks images linked".split()

#: The features of the linked blocks of one kind.
TEASERS = "log_count mean_chars chars gap first last distinct".split()

_LEAST = 3
# The number of leading columns of totals that are summed.
_GROUP_SUMMED = 5
# The number of members of a group that are searched for images.
_FIRST_MEMBERS = 8
# The maximum and minimum number of characters of a link that counts as a teaser.
_MOST_CHARS, _LEAST_CHARS = 80, 15
# Links whose average distance is smaller than this are a menu, and get this weight.
_MENU_GAP, _MENU_WEIGHT = 1.5, 0.3


def groups(tree: ScopeTree, totals: Floats) -> Floats:
    """Describe the groups of similar siblings with the most text (teasers, posts, products), none nested.

    ``totals``: (columns, scopes), of which the first five are characters, link characters, blocks, prose characters,
    headings. Returns (GROUPS * len(GROUP), pages), 0 for missing groups.
    """
    pages, group = len(tree.roots), tree.sibling_groups
    count = np.bincount(group)
    sums = np.stack([np.bincount(group, column) for column in totals[:_GROUP_SUMMED]])
    linked = np.bincount(group, totals[LINKS] > 0)
    members = np.argsort(group, kind="stable")
    ends = count.cumsum()
    page = tree.page_of_scope[members[ends - count]]
    first, last = tree.first[members[ends - count]], tree.last[members[ends - 1]]
    weights = np.where(count < _LEAST, 0.0, sums[CHARS])
    found = np.zeros((GROUPS, len(GROUP), pages))
    for out in found:
        best, weight = first_maximum(weights, page, pages)
        has = np.flatnonzero(weight > 0)
        own = best[has]
        chars, links, blocks, prose, headings = sums[:, own]
        out[:, has] = [
            np.log1p(count[own]),
            chars / totals[CHARS, tree.roots[has]],
            links / chars,
            np.log1p(chars / count[own]),
            prose / chars,
            headings / count[own],
            blocks / count[own],
            [_share_with_images(tree, members[ends[each] - count[each] : ends[each]]) for each in own.tolist()],
            linked[own] / count[own],
        ]
        weights[(weight > 0)[page] & (last > first[best][page]) & (first < last[best][page])] = 0
    return found.reshape(-1, pages)


def _share_with_images(tree: ScopeTree, members: NDArray[np.int64]) -> float:
    """Return the share of the first members of a group that contain an image."""
    elements = [tree.scopes[scope].element for scope in members[:_FIRST_MEMBERS].tolist()]
    return sum(next(element.iter("img"), None) is not None for element in elements) / len(elements)


def teasers(tree: ScopeTree, chars: Floats, linked: NDArray[np.bool_]) -> Floats:
    """Describe the linked blocks of the kind with the most text; consecutive ones (menus) count less.

    Blocks are of one kind if they agree in the element types of their element and its parent. ``chars``: (blocks,);
    ``linked``: (blocks,), whether most of a block is in links. Returns (len(TEASERS), pages), 0 for pages without such
    blocks.
    """
    pages, places = len(tree.roots), np.flatnonzero(linked)
    page, scopes, types = tree.page_of_block[places], tree.of_block[places], tree.element_types
    codes = types.of_scope[scopes] * len(types.pairs) + types.of_scope[tree.parent[scopes]]
    kind = group_ids(codes * pages + page)
    count, length = np.bincount(kind), chars[places]
    members, ends = places[np.argsort(kind, kind="stable")], count.cumsum()
    first, last = members[ends - count], members[ends - 1]
    gap = (last - first) / np.maximum(count - 1, 1)
    weights = np.bincount(kind, np.where(length > _LEAST_CHARS, np.minimum(length, _MOST_CHARS), 0.0))
    weights = weights * np.where(count < _LEAST, 0.0, np.where(gap > _MENU_GAP, 1.0, _MENU_WEIGHT))
    best, weight = first_maximum(weights, tree.page_of_block[first], pages)
    has = np.flatnonzero(weight > 0)
    own = best[has]
    chosen = places[kind == best[page]]
    distinct = np.bincount(
        tree.page_of_block[chosen[np.unique(tree.text_ids[chosen], return_index=True)[1]]], minlength=pages
    )
    held, blocks = np.bincount(kind, length)[own], np.diff(tree.block_starts)[has]
    found = np.zeros((len(TEASERS), pages))
    found[:, has] = [
        np.log1p(count[own]),
        held / count[own],
        held / np.add.reduceat(chars, tree.block_starts[:-1])[has],
        gap[own],
        tree.place[first[own]] / blocks,
        tree.place[last[own]] / blocks,
        distinct[has] / count[own],
    ]
    return found


_ADDRESS = (
    "slashes length digits query dashes root ends_in_slash last_length last_dashes last_digits extension dated "
    "long_number"
).split()
_TEXT = (
    "log_chars log_blocks link_share prose_blocks prose_share sentences headings block_chars_25 block_chars_50 "
    "block_chars_75 block_chars_90 longest_share repeated_share linked_blocks question_marks commas stop_words "
    "title_words title_chars title_place first_prose last_prose longest_run hidden short_blocks long_blocks "
    "prose_in_first_half most_repeats repeats"
).split()
_PATH = "chars prose links blocks headings depth sentences block_chars".split()
_OWN = "log_prose prose_share prose_blocks".split()
_HEADING = "log_linked linked_share gap h1_words h1_linked".split()
_PARTS = ("main", "nav", "footer", "aside", "header")
_MARKS = "prices years ago braces calls counters".split()
_SCOPES = "p h1 h2 h3 h4 li ul table tr pre section article dl blockquote form".split()
_DESCRIPTION = "log_chars coverage place share log_holding".split()
_LINKS = "log_count below sibling external log_empty twice log_paged query log_anchors".split()

#: The names of the columns, in order.
COLUMNS = (
    *(f"url_{name}" for name in _ADDRESS),
    *(f"text_{name}" for name in _TEXT),
    *(f"path_{name}" for name in _PATH),
    *(f"own_{name}" for name in _OWN),
    *(f"heading_{name}" for name in _HEADING),
    *(f"group{place}_{name}" for place in range(GROUPS) for name in GROUP),
    *(f"teaser_{name}" for name in TEASERS),
    *(f"part_{name}" for name in (*_PARTS, "main_links")),
    *(f"mark_{name}" for name in _MARKS),
    *(f"scope_{name}" for name in _SCOPES),
    *(f"element_{name}" for name in COUNTED),
    *(f"link_{name}" for name in _LINKS),
    *(f"description_{name}" for name in _DESCRIPTION),
)

# The features of the end of an unknown URL, and of the targets of its links (the first three after _LINKS[0]): the
# medians over the training pages.
_TYPICAL_END = (0.0, 31.0, 4.0, 0.0, 0.0, 0.0, 0.0)
_TYPICAL_TARGETS = [0.0, 0.02, 0.2]

_DATED = re.compile(r"/(?:19|20)\d\d(?:[/-]|$)")
_LONG_NUMBER = re.compile(r"\d{4,}")
# Signs grouped by meaning: counting them takes a tenth of the time of patterns.
_SIGNS = (("$", "€", "£", "¥", "₹", "₽"), ("202", "201"), (" ago",), ("{",), ("()",))
_ALL_SIGNS = tuple(chain.from_iterable(_SIGNS))
# The number of characters of a block that are searched for signs, and the maximum length of a button or counter.
_LOOK, _SHORT = 200, 30
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Characters per word, with its space, in an alphabet: the average, and the least a text has without unspaced script.
_LATIN_WORD, _LEAST_WORD = 6.0, 4.0
# The block features that are summed.
_SUMMED = [FEATURES.index(name) for name in ("log_commas", "stop_word_share", "hidden")]


def page_features(table: PageTable) -> NDArray[np.float32]:
    """Return the features of the pages with text, of which there must be at least one; (pages, COLUMNS)."""
    pages, tree = table.pages, table.tree
    addresses = [address_of(page.url) for page in pages]
    blocks = _Blocks(table)
    columns = [
        _columns([_address(address) for address in addresses]),
        *blocks.text(),
        *blocks.path(),
        *blocks.own(),
        *blocks.heads(),
        groups(tree, blocks.totals),
        teasers(tree, blocks.chars, blocks.linked),
        *blocks.parts(),
        _columns([_marks(texts) for texts in table.texts_of_pages()]),
        np.log1p(tree.tag_counts(_SCOPES)),
        np.log1p(_columns([page.elements.counts for page in pages])),
        _columns([_links(page.elements.targets, address) for page, address in zip(pages, addresses, strict=True)]),
        *_description(table),
    ]
    return np.ascontiguousarray(np.vstack(columns).T, dtype=np.float32)


def _columns(rows: Iterable[Sequence[float]]) -> Floats:
    columns: Floats = np.array([*rows], dtype=np.float64).T
    return columns


def _address(address: Address) -> list[float]:
    """Return the features of a URL."""
    form = form_of(address)
    if not address.is_known:
        return [*form, *_TYPICAL_END]
    path = address.path
    last = path.rstrip("/").rpartition("/")[2]
    stem, dot, _ = last.rpartition(".")
    return [
        *form,
        path.endswith("/"),
        len(last),
        last.count("-") + last.count("_"),
        sum(map(str.isdigit, last)),
        bool(dot and stem),
        _DATED.search(path) is not None,
        _LONG_NUMBER.search(path) is not None,
    ]


def _widened(table: PageTable) -> PageTable:
    """Return the table with text of scripts without spaces scaled to the length of others."""
    wider: dict[int, float] = {}
    for place in np.flatnonzero(table.words > table.columns[CHARS] / _LEAST_WORD).tolist():
        text = table.texts[place]
        if not text.isascii() and (unspaced := len(_UNSPACED.findall(text))):
            wider[place] = unspaced / len(text) * (_LATIN_WORD / UNSPACED_WORD - 1)
    if not wider:
        return table
    widths = np.ones(len(table.blocks))
    widths[[*wider]] += [*wider.values()]
    return table.widened(widths)


class _Blocks:
    """The blocks of pages and the elements around them; methods return features of the pages, (pages,) each."""

    def __init__(self, table: PageTable) -> None:
        self._table, self._tree = table, table.tree
        self._blocks = blocks = _widened(table)
        self._starts, self._page, self._place = table.starts[:-1], table.tree.page_of_block, table.tree.place
        self._count = np.diff(table.starts)
        self.totals, self._of_pages = blocks.totals, blocks.of_pages()
        self.chars, self._links, self._words = *blocks.columns[: LINKS + 1], blocks.words
        self._heading = blocks.headings > 0
        self.linked = self._links > 0.5 * self.chars
        self._title = self._first(blocks.headings == 1)

    def _sum(self, values: NDArray[Any]) -> Floats:
        """Sum a column, (blocks,), over the blocks of each page."""
        sums: Floats = np.add.reduceat(values, self._starts, dtype=np.float64)
        return sums

    def _first(self, marked: NDArray[np.bool_]) -> Ints:
        """Return the first marked block of each page, counted over all pages; -1 if it has none."""
        blocks = np.flatnonzero(marked)[::-1]
        first = np.full(len(self._starts), -1)
        first[self._page[blocks]] = blocks
        return first

    def _last(self, marked: NDArray[np.bool_]) -> Ints:
        """Return the last marked block of each page, counted over all pages; -1 if it has none."""
        blocks = np.flatnonzero(marked)
        last = np.full(len(self._starts), -1)
        last[self._page[blocks]] = blocks
        return last

    def _placed(self, blocks: Ints) -> Floats:
        """Return the positions of blocks on their pages, as a share of all blocks there; -1 for no block."""
        return np.where(blocks >= 0, self._place[blocks] / self._count, -1.0)

    def text(self) -> list[Floats]:
        """Return the amount of text, the sizes of its parts, and its properties."""
        total, links, _, prose_chars, headings, sentences, _ = self._of_pages
        count, words, pages = self._count, self._words, self._table.pages
        ordered = self.chars[np.lexsort((self.chars, self._page))]
        commas, stop_words, hidden = self._table.block_features[:, _SUMMED].astype(np.float64).T
        all_words = self._sum(words)
        all_words[all_words == 0] = 1.0
        prose = self._blocks.prose
        return [
            np.log1p(total),
            np.log1p(count),
            links / total,
            self._sum(prose),
            prose_chars / total,
            100 * sentences / total,
            headings / count,
            *[
                np.log1p(ordered[self._starts + (share * (count - 1)).astype(np.int64)])
                for share in (0.25, 0.5, 0.75, 0.9)
            ],
            ordered[self._starts + count - 1] / total,
            self._sum(self._repeated() * self._table.columns[CHARS]) / total,
            self._sum(self.linked) / count,
            self._sum(np.array(["?" in text for text in self._table.texts])),
            self._sum(np.expm1(commas)) / all_words,
            self._sum(stop_words * words) / all_words,
            np.array([len(page.title.split()) for page in pages], dtype=np.float64),
            np.array([len(page.title) for page in pages], dtype=np.float64),
            np.where(self._title >= 0, self._place[self._title], -1) / count,
            self._placed(self._first(prose)),
            self._placed(self._last(prose)),
            self._longest_run(prose),
            self._sum(hidden) / count,
            self._sum(words < 4) / count,
            self._sum(prose & (self.chars > 300)),
            self._sum(self.chars * prose * (self._place < (count // 2)[self._page]))
            / np.where(prose_chars == 0, 1.0, prose_chars),
            *self._repeats(),
        ]

    def _repeated(self) -> NDArray[np.bool_]:
        """Return whether the text of each block is repeated on its page."""
        ids = self._tree.text_ids
        return np.bincount(ids)[ids] > 1

    def _repeats(self) -> list[Floats]:
        """Return how often the most repeated short text occurs, and how many short texts occur more than twice."""
        ids = self._tree.text_ids
        times = np.where(self._table.columns[CHARS] < _SHORT, np.bincount(ids)[ids], 1)
        is_first = ids > np.append(-1, np.maximum.accumulate(ids)[:-1])
        return [np.maximum.reduceat(times, self._starts).astype(np.float64), self._sum((times > 2) & is_first)]

    def _longest_run(self, prose: NDArray[np.bool_]) -> Floats:
        """Return the maximum number of consecutive prose blocks."""
        blocks = np.arange(len(prose))
        before = np.maximum.accumulate(np.where(prose, -1, blocks))  # the last block that is not prose
        runs = blocks - np.maximum(before, self._starts[self._page] - 1)
        return np.maximum.reduceat(runs, self._starts).astype(np.float64)

    def path(self) -> list[Floats]:
        """Describe the element at the end of the path to most of the prose."""
        chars, links, blocks, prose, headings, sentences, _ = self.totals[:, self._blocks.path_end]
        whole = self._of_pages
        return [
            chars / whole[CHARS],
            prose / np.where(whole[PROSE_CHARS] == 0, 1.0, whole[PROSE_CHARS]),
            links / chars,
            blocks / whole[BLOCKS],
            headings,
            self._tree.depth[self._blocks.path_end] + 1.0,
            100 * sentences / chars,
            np.log1p(chars / blocks),
        ]

    def own(self) -> list[Floats]:
        """Describe the element with the most prose directly below it, as in an article."""
        tree, prose = self._tree, self._blocks.prose
        holder = tree.parent[tree.of_block]
        held = np.bincount(holder, self.chars * prose, minlength=len(tree))
        best, most = first_maximum(held, tree.page_of_scope, len(tree.roots))
        whole = self._of_pages[PROSE_CHARS]
        return [
            np.log1p(most),
            most / np.where(whole == 0, 1.0, whole),
            np.bincount(holder, prose, minlength=len(tree))[best],
        ]

    def heads(self) -> list[Floats]:
        """Describe headings that are links, as in teasers, and the title."""
        both, title = self._heading & self.linked, self._title
        count, headings = self._sum(both), self._sum(self._heading)
        gap = (self._last(both) - self._first(both)) / np.maximum(count - 1, 1)
        return [
            np.log1p(count),
            count / np.where(headings == 0, 1.0, headings),
            gap,
            np.where(title >= 0, self._words[title], -1.0),
            np.where(title >= 0, self._links[title] > 0, -1.0),
        ]

    def parts(self) -> list[Floats]:
        """Return how much text is in the parts that HTML names, and the share of links in <main>."""
        row = {tag: place for place, tag in enumerate(_PARTS)}
        tree, pages = self._tree, len(self._starts)
        codes = tree.element_types.by_tag(row, len(_PARTS)) * pages + tree.page_of_scope
        chars, links = (
            np.bincount(codes, self.totals[line], minlength=(len(_PARTS) + 1) * pages).reshape(-1, pages)
            for line in (CHARS, LINKS)
        )
        main = row["main"]
        return [
            *chars[: len(_PARTS)] / self._of_pages[CHARS],
            links[main] / np.where(chars[main] == 0, 1.0, chars[main]),
        ]


def _marks(texts: list[str]) -> list[float]:
    """Return log counts of signs of money, time and code at the beginnings of blocks, and of numeric blocks."""
    counters = sum([text.strip("()#+ ").isdigit() for text in texts if len(text) < 8])
    counts = iter(_counts_of_signs(texts))
    return [*(math.log1p(sum(islice(counts, len(signs)))) for signs in _SIGNS), math.log1p(counters)]


def _counts_of_signs(texts: list[str]) -> list[int]:
    """Return how often each sign occurs at the beginnings of blocks."""
    text = "\n".join([text[:_LOOK] for text in texts])
    return [*map(text.count, _ALL_SIGNS)]


def _description(table: PageTable) -> list[Floats]:
    """Return how much of the page's description one block has, its position, and how many blocks share any of it."""
    found, starts = table.descriptions, table.starts[:-1]
    coverage = np.concatenate([description.coverage for description in found])
    share = np.concatenate([description.share for description in found])
    best, most = first_maximum(coverage, table.tree.page_of_block, len(found))
    return [
        np.log1p([len(description.text) for description in found]),
        most,
        np.where(most > 0, table.tree.place[best] / np.diff(table.starts), -1.0),
        share[best],
        np.log1p(np.add.reduceat(coverage > 0.1, starts, dtype=np.float64)),
    ]


def _links(targets: Sequence[str | None], address: Address) -> list[float]:
    """Describe links by their targets."""
    links = count_links(targets, address)
    count = links.addresses or 1
    led = [links.below / count, links.beside / count, links.external / count]
    return [
        math.log1p(links.addresses),
        *(led if address.is_known else _TYPICAL_TARGETS),
        math.log1p(links.empty),
        links.twice / count,
        math.log1p(links.paged),
        links.query / count,
        math.log1p(links.anchors),
    ]
