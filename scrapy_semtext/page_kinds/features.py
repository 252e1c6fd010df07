"""A page as numbers: its address, its text, what repeats in it, its elements and its links.

Articles are prose in one place; listings and collections repeat one pattern of links, headings and short texts; shops
have prices, forums have posts alike in looks. None of the numbers depends on the language but a few signs of money,
time and code.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.dom.address import Address, address_of, form_of
from scrapy_semtext.dom.elements import COUNTED
from scrapy_semtext.features.block_features import FEATURES, UNSPACED_WORD
from scrapy_semtext.features.block_table import BlockTable
from scrapy_semtext.page_kinds.groups import GROUP, GROUPS, TEASERS, groups, teasers
from scrapy_semtext.text.words import UNSPACED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_semtext.dom.elements import Elements, Links
    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.features.parsed_page import ParsedPage

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

#: What the columns hold, in order.
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

# What is taken for the rest of an address that is not known, and for where its links lead (the first three of _LINKS):
# the medians over the training pages.
_TYPICAL_END = (0.0, 31.0, 4.0, 0.0, 0.0, 0.0, 0.0)
_TYPICAL_TARGETS = [0.0, 0.02, 0.2]

_DATED = re.compile(r"/(?:19|20)\d\d(?:[/-]|$)")
_LONG_NUMBER = re.compile(r"\d{4,}")
# Signs by what they are signs of: counting them costs a tenth of what patterns do.
_SIGNS = (("$", "€", "£", "¥", "₹", "₽"), ("202", "201"), (" ago",), ("{",), ("()",))
_ALL_SIGNS = tuple(chain.from_iterable(_SIGNS))
# How much of a block is looked at for signs, and the length of a text that may be a button or a counter.
_LOOK, _SHORT = 200, 30
_UNSPACED = re.compile(f"[{UNSPACED}]")
# How many characters a word of an alphabet has, with its space: on average, and at least in the average of a text.
_LATIN_WORD, _LEAST_WORD = 6.0, 4.0
# The features of blocks that are summed up.
_SUMMED = [FEATURES.index(name) for name in ("log_commas", "stop_word_share", "hidden")]


class _Sums(NamedTuple):
    """What the blocks of a page have together.

    Blocks of ``prose``, the ``first`` of these and the ``last``, the longest ``run`` of them, how many are ``long``;
    the characters of those in the ``first_half`` of the blocks; all ``words``; blocks of ``few_words``, and ``linked``
    ones; ``commas``, ``stop_words``, ``hidden`` blocks, those with ``questions``; the characters of ``repeated`` texts,
    how often the short text comes that comes most, and how many short ones come more than twice.
    """

    prose: float
    first: float
    last: float
    run: float
    long: float
    first_half: float
    words: float
    few_words: float
    linked: float
    commas: float
    stop_words: float
    hidden: float
    questions: float
    repeated: float
    most_repeats: float
    repeats: float


def page_numbers(page: ParsedPage) -> NDArray[np.float32]:
    """The numbers of a page that has text blocks, (COLUMNS,), float32."""
    address = address_of(page.url)
    table, layout = _Table(page), page.layout()
    values = [
        *_address(address),
        *table.text(page),
        *table.path(),
        *table.own(),
        *table.heads(),
        *groups(layout, table.totals),
        *teasers(page.text_blocks, layout, table.chars, table.linked),
        *table.parts(),
        *_marks(table.texts),
        *_scopes(layout),
        *_elements(page.elements),
        *_links(page.elements.links, address),
        *_description(page),
    ]
    return np.array(values, dtype=np.float32)


def _address(address: Address) -> list[float]:
    """What the form of an address tells."""
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


def _table_of(page: ParsedPage) -> BlockTable:
    """The table of a page's blocks, in which text of scripts without spaces is as long as that of others would be."""
    table = page.table()
    wider: dict[int, float] = {}
    for place in np.flatnonzero(table.words > table.chars / _LEAST_WORD).tolist():
        text = page.text_blocks[place].text
        if not text.isascii() and (unspaced := len(_UNSPACED.findall(text))):
            wider[place] = unspaced / len(text) * (_LATIN_WORD / UNSPACED_WORD - 1)
    if not wider:
        return table
    widths = np.ones(len(table.chars))
    widths[[*wider]] += [*wider.values()]
    return BlockTable(page.text_blocks, table.layout, table.numbers, widths)


class _Table:
    """The blocks of one page and the elements around them as arrays, (blocks,) and (scopes, columns)."""

    def __init__(self, page: ParsedPage) -> None:
        self.of_blocks = table = _table_of(page)
        self.layout, self.totals = table.layout, table.totals
        self.chars, self.links, self.words = table.chars, table.links, table.words
        self.prose, self.heading = table.prose, table.headings > 0
        self.texts = [block.text for block in page.text_blocks]
        self.linked = self.links > 0.5 * self.chars
        self.prose_chars = self.chars * self.prose
        titles = np.flatnonzero(table.headings == 1)
        self.title = int(titles[0]) if len(titles) else -1

    def text(self, page: ParsedPage) -> list[float]:
        """How much text there is, in what portions, where the prose stands, and what comes again."""
        count = len(self.chars)
        total, links, _, prose_chars, headings, sentences, _ = self.totals[:, 0].tolist()
        sums = _Sums(*self._sums())
        words = sums.words or 1.0
        ordered = np.sort(self.chars).tolist()
        return [
            math.log1p(total),
            math.log1p(count),
            links / total,
            sums.prose,
            prose_chars / total,
            100 * sentences / total,
            headings / count,
            *[math.log1p(ordered[int(share * (count - 1))]) for share in (0.25, 0.5, 0.75, 0.9)],
            ordered[-1] / total,
            sums.repeated / total,
            sums.linked / count,
            sums.questions,
            sums.commas / words,
            sums.stop_words / words,
            len(page.title.split()),
            len(page.title),
            self.title / count,
            sums.first / count if sums.prose else -1.0,
            sums.last / count if sums.prose else -1.0,
            sums.run,
            sums.hidden / count,
            sums.few_words / count,
            sums.long,
            sums.first_half / (prose_chars or 1.0),
            sums.most_repeats,
            sums.repeats,
        ]

    def _sums(self) -> list[float]:
        """What `_Sums` has of the blocks."""
        chars, prose, count = self.chars, self.prose, len(self.chars)
        places = np.flatnonzero(prose)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], prose, [0]]))).reshape(-1, 2)
        commas, stop_words, hidden = self.of_blocks.numbers[:, _SUMMED].astype(np.float64).T
        again = {text: times for text, times in Counter(self.texts).items() if times > 1}
        short = [times for text, times in again.items() if len(text) < _SHORT]
        return [
            len(places),
            places[0] if len(places) else -1.0,
            places[-1] if len(places) else -1.0,
            (edges[:, 1] - edges[:, 0]).max(initial=0),
            np.count_nonzero(prose & (chars > 300)),
            (chars * prose)[: count // 2].sum(),
            self.words.sum(),
            np.count_nonzero(self.words < 4),
            np.count_nonzero(self.linked),
            np.expm1(commas).sum(),
            (stop_words * self.words).sum(),
            hidden.sum(),
            sum(["?" in text for text in self.texts]),
            sum(len(text) * times for text, times in again.items()),
            max(short, default=1),
            sum(times > 2 for times in short),
        ]

    def path(self) -> list[float]:
        """The element that the way to most of the prose ends at."""
        way = self.of_blocks.path
        chars, links, blocks, prose, headings, sentences, _ = self.totals[:, way[-1]].tolist()
        whole = self.totals[:, 0].tolist()
        return [
            chars / whole[0],
            prose / (whole[3] or 1.0),
            links / chars,
            blocks / whole[2],
            headings,
            len(way),
            100 * sentences / chars,
            math.log1p(chars / blocks),
        ]

    def own(self) -> list[float]:
        """The element that has most prose right below it, as an article has."""
        holder = self.layout.parent[self.layout.of_block]
        prose = np.bincount(holder, self.prose_chars)
        most = int(prose.argmax())
        return [
            math.log1p(prose[most]),
            prose[most] / (self.totals[3, 0] or 1.0),
            np.bincount(holder, self.prose)[most],
        ]

    def heads(self) -> list[float]:
        """Headings that are links, as those of teasers are, and the title."""
        linked = np.flatnonzero(self.heading & self.linked)
        return [
            math.log1p(len(linked)),
            len(linked) / (self.heading.sum() or 1.0),
            (linked[-1] - linked[0]) / (len(linked) - 1) if len(linked) > 1 else 0.0,
            self.words[self.title] if self.title >= 0 else -1.0,
            self.links[self.title] > 0 if self.title >= 0 else -1.0,
        ]

    def parts(self) -> list[float]:
        """How much of the text stands in the parts that HTML names, and the share of links in <main>."""
        found = dict.fromkeys(_PARTS, 0.0)
        links = 0.0
        looks = [(look, tag) for look, tag in enumerate(self.layout.tags) if tag in found]
        chars_of, links_of = (np.bincount(self.layout.looks.of_scope, self.totals[line]) for line in (0, 1))
        for look, tag in looks:
            found[tag] += chars_of[look]
            links += links_of[look] if tag == "main" else 0.0
        return [*(chars / self.totals[0, 0] for chars in found.values()), links / (found["main"] or 1.0)]


def _marks(texts: list[str]) -> list[float]:
    """Signs of money, time and code; counted in the beginnings of blocks."""
    counters = sum([text.strip("()#+ ").isdigit() for text in texts if len(text) < 8])
    counts = iter(_counts_of_signs(texts))
    return [*(math.log1p(sum(islice(counts, len(signs)))) for signs in _SIGNS), math.log1p(counters)]


def _counts_of_signs(texts: list[str]) -> list[int]:
    """How often each sign stands in the beginnings of blocks."""
    text = "\n".join([text[:_LOOK] for text in texts])
    return [*map(text.count, _ALL_SIGNS)]


def _description(page: ParsedPage) -> list[float]:
    """How much of the page's description one block has, where it stands, and how many have something of it."""
    text, share, coverage = page.description()
    best = int(coverage.argmax())
    return [
        math.log1p(len(text)),
        coverage[best],
        best / len(coverage) if coverage[best] > 0 else -1.0,
        share[best],
        math.log1p((coverage > 0.1).sum()),
    ]


def _scopes(layout: ScopeTree) -> list[float]:
    counts = layout.tag_counts
    return [math.log1p(counts.get(tag, 0)) for tag in _SCOPES]


def _elements(elements: Elements) -> list[float]:
    """Elements that hold no text of their own."""
    return [*map(math.log1p, elements.counts)]


def _links(links: Links, address: Address) -> list[float]:
    """Links by where they lead."""
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
