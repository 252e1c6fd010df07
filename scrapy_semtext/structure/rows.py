"""The rows that trees judge blocks by: one a block, of its own numbers and those of what is around it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from scrapy_semtext.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.segment import TextBlock
    from scrapy_semtext.structure.layout import Layout

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

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

#: What the columns hold, in order.
COLUMNS = (
    *FEATURES,
    *(f"{name}^{level}" for level in _LEVELS for name in _SCOPE),
    *(f"{name}^{level}" for level in _ALIKE_LEVELS for name in _ALIKE),
    *(f"{name}_of_branch" for name in _SCOPE),
    *_PLACE,
    *(f"{FEATURES[column]}{step:+d}" for step in _NEIGHBOURS for column in _OF_NEIGHBOURS),
    *(f"page_{name}" for name in _PAGE),
    *(f"page_{name}_elements" for name in _COUNTED),
)

# Prose is a block of at least so many words, outside links for the most part.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_FAR = 999.0
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SENTENCES, _TEXT_LENGTH, _LINK_SHARE = (FEATURES.index(f) for f in ("log_sentence_ends", "log_words", "link_share"))


def rows(
    blocks: Sequence[TextBlock], layout: Layout, numbers: NDArray[np.float32], url: str | None
) -> NDArray[np.float32]:
    """The rows of a page's blocks, (blocks, len(COLUMNS)), float32; ``layout`` is that of the blocks, at least one.

    ``numbers`` are those of `scrapy_semtext.features.numbers`, of which the rows hold a copy; ``url`` is the page's
    address, whose form tells something about its kind.
    """
    page = _PageTable(blocks, layout, numbers)
    columns: list[NDArray[Any]] = [
        numbers,
        *(page.scope_numbers[page.above[level]] for level in _LEVELS),
        *(page.alike()[page.above[level]] for level in _ALIKE_LEVELS),
        page.scope_numbers[page.branch[page.layout.of_block]],
        page.places(),
        *(_moved(numbers[:, _OF_NEIGHBOURS], step) for step in _NEIGHBOURS),
        np.broadcast_to([*_address(url), *page.page_numbers()], (len(blocks), len(_PAGE) + len(_COUNTED))),
    ]
    return np.concatenate(columns, axis=1, dtype=np.float32)


class _PageTable:
    """The numbers of one page from which its rows are put together."""

    def __init__(self, blocks: Sequence[TextBlock], layout: Layout, numbers: NDArray[np.float32]) -> None:
        self.blocks = blocks
        self.layout = layout
        self.headings = np.array([_HEADINGS.get(block.scope.tag, 0) for block in blocks])
        self.chars = np.array([len(block.text) for block in blocks], dtype=np.float64)
        links = np.array([block.link_chars for block in blocks], dtype=np.float64)
        self.words = np.expm1(numbers[:, _TEXT_LENGTH].astype(np.float64))
        self.prose = (self.words > _PROSE_WORDS - 0.5) & (links < _PROSE_LINKS * self.chars)
        sentences = np.expm1(numbers[:, _SENTENCES].astype(np.float64))
        of_blocks = (
            self.chars,
            links,
            np.ones_like(links),
            self.chars * self.prose,
            self.prose,
            sentences,
            self.headings > 0,
        )
        self.totals = layout.totals(np.stack(of_blocks, axis=1).astype(np.float64))
        self.path = layout.heaviest_path(self.totals[:, 3])
        self.joint, self.branch, self.levels_off = layout.branches(self.path)
        self.scope_numbers = self._scope_numbers()
        self.above = layout.above(_LEVELS)
        self._alike: Floats | None = None

    def _scope_numbers(self) -> Floats:
        chars, links, blocks, prose, prose_blocks, sentences, headings = self.totals.T
        children = np.array([scope.children for scope in self.layout.scopes])
        return np.stack(
            [
                np.log1p(chars),
                links / chars,
                np.log1p(blocks),
                prose / chars,
                chars / chars[0],
                prose / max(prose[0], 1),
                prose_blocks / blocks,
                np.log1p(children),
                100 * sentences / chars,
                headings / blocks,
            ],
            axis=1,
        )

    def alike(self) -> Floats:
        """How many siblings of the same tag and names each scope has, itself counted, and what they hold."""
        if self._alike is None:
            of_scope = self.layout.alike
            count = np.bincount(of_scope)
            chars = np.bincount(of_scope, self.totals[:, 0]) / count
            prose = np.bincount(of_scope, self.totals[:, 3]) / count
            with_prose = np.bincount(of_scope, self.totals[:, 3] > 0) / count
            table = np.stack([np.log1p(count), np.log1p(chars), prose / chars, with_prose], axis=1)
            self._alike = table[of_scope]
        return self._alike

    def places(self) -> Floats:
        """Where each block stands: to the path that holds the prose, to headings, to prose, to others of its kind."""
        layout, of_block = self.layout, self.layout.of_block
        count = len(self.blocks)
        place = np.arange(count)
        heading = _last(self.headings > 0)
        title = _last(self.headings == 1)
        prose = np.flatnonzero(self.prose)
        after = np.searchsorted(prose, place)  # how many blocks of prose stand before
        following = np.append(prose, -1)[after]
        # the block itself counts as the next prose, not as the last
        before = np.append(-1, prose)[after]
        total = max(self.words.sum(), 1)
        signatures = [
            (block.scope.tag, block.scope.names, block.scope.parent and block.scope.parent.tag) for block in self.blocks
        ]
        alike = Counter(signatures)
        joint = self.joint[of_block]
        return np.stack(
            [
                self.levels_off[of_block],
                joint == self.path[-1],
                self.totals[joint, 3] / max(self.totals[0, 3], 1),
                self.totals[joint, 0] / self.totals[0, 0],
                layout.depth[of_block],
                np.where(heading >= 0, place - heading, -1),
                np.where(heading >= 0, self.headings[heading], 0),
                np.where(title >= 0, place - title, -1),
                np.array([alike[signature] for signature in signatures]) / count,
                self.headings,
                np.where(following >= 0, following - place, _FAR),
                np.where(before >= 0, place - before, _FAR),
                after / max(len(prose), 1),
                self.words.cumsum() / total,
            ],
            axis=1,
        ).astype(np.float64)

    def page_numbers(self) -> list[float]:
        """Numbers of the whole page; those of its address come before."""
        chars, links, blocks, prose, prose_blocks, sentences, headings = self.totals[0].tolist()
        end = self.totals[self.path[-1]].tolist()
        tags = Counter(scope.tag for scope in self.layout.scopes)
        return [
            float(np.log1p(blocks)),
            float(np.log1p(chars)),
            links / chars,
            prose / chars,
            prose_blocks,
            100 * sentences / chars,
            headings,
            end[0] / chars,
            end[3] / max(prose, 1),
            end[1] / end[0],
            *(float(tags[tag]) for tag in _COUNTED),
        ]


def _last(marked: NDArray[np.bool_]) -> Ints:
    """The place of the last marked block up to each, -1 before the first."""
    found: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))
    return found


def _moved(numbers: NDArray[np.float32], step: int) -> NDArray[np.float32]:
    """The numbers of the block ``step`` further on, 0 beyond the ends."""
    result = np.zeros_like(numbers)
    if step > 0:
        result[:-step] = numbers[step:]
    else:
        result[-step:] = numbers[:step]
    return result


def _address(url: str | None) -> list[float]:
    """What the form of an address tells: a front page, a dated article, a search."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        parts = urlsplit("")
    path = parts.path
    return [
        float(path.count("/")),
        float(len(path)),
        float(sum(map(str.isdigit, path))),
        float(len(parts.query)),
        float(path.count("-")),
        float(path in ("", "/")),
    ]
