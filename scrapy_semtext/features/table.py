"""A parsed page, and a batch of parsed pages as a table, whose columns numpy computes for all blocks of all pages.

The columns of tree models describe a block itself, the elements and blocks around it, and the posts that it is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.features.blocks import FEATURES, block_features, words_of_blocks
from scrapy_semtext.features.runs import Runs, first_maximum
from scrapy_semtext.models.config import NetworkConfig, PageInput
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import Elements, elements_of
from scrapy_semtext.tree.letters import needing_letters, runs_with_unseen, teaser_lines, without_unseen, write_letters
from scrapy_semtext.tree.nodes import PageNodes, matrix_of
from scrapy_semtext.tree.parsing import drop
from scrapy_semtext.tree.scopes import ScopeTree, group_ids, joined_blocks
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.words.characters import Characters, word_counts
from scrapy_semtext.words.words import stop_words

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Hashes, Ints, Singles

    Kind = TypeVar("Kind", bound=np.generic)

#: Columns by name, with a value for each block, scope or page.
Columns = dict[str, NDArray[Any]]

# The values of `post_columns` without posts, in order.
_NO_POSTS = {"posts_odds": -12.0} | dict.fromkeys(
    (f"posts_{name}" for name in "inside from_first from_last count share side next since".split()), -1.0
)
_MIN_PROBABILITY = 1e-5  # probabilities are clipped to the range from this to one minus this
_MAX_BLOCKS, _MAX_POSTS, _MAX_COUNT = 20, 20, 50

#: Log-odds against a block outside the posts, and for a block inside, on a page that is certainly a thread and whose
#: labels are certain of none of its posts. Chosen on engines and domains that no model had seen
#: (research/notes/training-notes.md).
OUTSIDE, INSIDE = 2.0, 3.0

#: Subtracted from the log-odds of the blocks from the first post to the last if these are certainly comments.
COMMENTS = 4.0


#: The probability from which a page counts as a thread (research/notes/qa-pairs.md).
IS_THREAD = 0.4


@dataclass(frozen=True, slots=True)
class PostBlocks:
    """Where the text blocks of a page are in its likeliest posts (`scrapy_semtext.read.threads`).

    ``probability``: that the page consists of such posts; ``comments``: that they are readers' comments on other
    content of the page; ``count``: the number of posts; ``inside``: (blocks,), the share of each block that is inside
    posts; ``post``: (blocks,) int64, the first post that it is in, from 0, -1 for none.
    """

    probability: float
    count: int
    inside: Floats
    post: Ints
    comments: float = 0.0

    @property
    def is_thread(self) -> bool:
        """Whether the page is classified as a thread."""
        return self.probability >= IS_THREAD


def post_columns(posts: Sequence[PostBlocks | None], table: PageTable) -> Columns:
    """Describe where blocks are in the posts of their pages; ``posts``: those of each page with text.

    The columns: the log-odds that the page is a thread; the share of a block that is inside posts, and the number of
    its post from the first and from the last; the number of posts, and their share of the page's words; whether a block
    is before (-1), in (1), between (0) or after (2) posts; the number of blocks to the next post and since the last.
    """
    columns = {name: np.full(len(table.blocks), value) for name, value in _NO_POSTS.items()}
    for page_posts, begin, end in zip(posts, table.starts[:-1].tolist(), table.starts[1:].tolist(), strict=True):
        if page_posts is None:
            continue
        p = float(np.clip(page_posts.probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY))
        inside, post, weights = page_posts.inside, page_posts.post, table.word_counts[begin:end] + 1
        to_next, since, side = _distances(inside > 0.5)
        values = (
            np.log(p) - np.log1p(-p),
            inside,
            np.minimum(post, _MAX_POSTS),
            np.where(post >= 0, np.minimum(page_posts.count - 1 - post, _MAX_POSTS), -1),
            min(page_posts.count, _MAX_COUNT),
            (weights * inside).sum() / weights.sum(),
            side,
            to_next,
            since,
        )
        for column, value in zip(columns.values(), values, strict=True):
            column[begin:end] = value
    return columns


def _distances(in_posts: Bools) -> tuple[Ints, Ints, Ints]:
    """Return for each block the distance to the next block in a post, from the last one, and ``posts_side``."""
    blocks, posts = np.arange(len(in_posts)), np.flatnonzero(in_posts)
    if not len(posts):
        return np.zeros_like(blocks), np.zeros_like(blocks), np.zeros_like(blocks)
    following, before = np.searchsorted(posts, blocks), np.searchsorted(posts, blocks, side="right") - 1
    to_next = np.where(following < len(posts), posts[np.minimum(following, len(posts) - 1)] - blocks, _MAX_BLOCKS)
    since = np.where(before >= 0, blocks - posts[np.maximum(before, 0)], _MAX_BLOCKS)
    side = np.where(blocks < posts[0], -1, np.where(blocks > posts[-1], 2, in_posts.astype(np.int64)))
    return np.minimum(to_next, _MAX_BLOCKS), np.minimum(since, _MAX_BLOCKS), side


def post_logit_adjustment(posts: PostBlocks, probabilities: Floats) -> Floats:
    """Return the values to add to each block's log-odds of being main content, (blocks,).

    ``probabilities``: (blocks,), from the labels so far. Blocks outside the posts become less likely. Blocks inside
    become likelier, the more so the less certain the labels are of the posts: a labeler that is certain of most posts
    knows such pages, and drops the rest for a reason. If the posts are comments, all blocks among them become less
    likely.
    """
    inside, is_in_span, certainty = posts.inside, np.zeros(len(posts.post)), 0.0
    blocks = np.flatnonzero(posts.post >= 0)
    if len(blocks):
        is_in_span[blocks[0] : blocks[-1] + 1] = 1
        highest = np.full(posts.count, -1.0)  # the highest probability of a block in each post
        np.maximum.at(highest, posts.post[blocks], probabilities[blocks])
        certainty = float(highest[highest >= 0].mean())
    odds: Floats = posts.probability * (INSIDE * (1 - certainty) * inside - OUTSIDE * (1 - inside))
    return odds - COMMENTS * posts.comments * is_in_span


@dataclass(slots=True)
class ParsedPage:
    """A page's tree, its text blocks in page order, and its title, language and description.

    ``raw_tree`` has the blocks of the search phase (``raw_blocks``) and their scopes. ``text_blocks`` were joined from
    them: ``starts``, (text blocks,) int64, is the index of the first raw block of each. ``elements`` is the result of
    `elements_of`. ``title`` is the text of <title>, "" if missing; ``lang`` the page's language tag, None if it states
    none; ``url`` its URL, if known.

    The properties compute their arrays once. `scrapy_semtext.features.table.PageTable` does so for batches.
    """

    root: Any
    elements: Elements
    raw_tree: PageNodes
    text_blocks: list[TextBlock]
    starts: Ints
    title: str
    lang: str | None
    url: str | None = None
    _block_features: Singles | None = None
    _layout: ScopeTree | None = None
    _word_counts: Floats | None = None

    @property
    def raw_blocks(self) -> list[TextBlock]:
        """The blocks of the search phase."""
        return self.raw_tree.blocks

    def block_features(self) -> Singles:
        """The numeric features of the text blocks, (blocks, FEATURES) (`scrapy_semtext.features.blocks`)."""
        if self._block_features is None:
            self._block_features = np.zeros((0, len(FEATURES)), dtype=np.float32)
            if self.text_blocks:
                self._block_features = PageTable([self]).block_features
        return self._block_features

    def word_counts(self) -> Floats:
        """The number of words of each text block, (blocks,) (`scrapy_semtext.models.scores`)."""
        if self._word_counts is None:
            self._word_counts = word_counts([block.text for block in self.text_blocks])
        return self._word_counts

    def layout(self) -> ScopeTree:
        """The tree of the text blocks; there must be at least one block."""
        if self._layout is None:
            self._layout = self.raw_tree.of_joined(self.text_blocks, self.starts)
        return self._layout


def describe(html: str, url: str | None, parsed: parsing.ParsedHTML | None = None) -> ParsedPage:
    """Parse a page, or use its tree in ``parsed``, and split it into blocks; any text is accepted."""
    root = parsing.parse_or_reuse(html, url, parsed)
    return _described(root, url, may_change=parsed is None or root is not parsed.root)


def _described(root: Any, url: str | None, *, may_change: bool) -> ParsedPage:
    """Split a tree into blocks; the tree is copied if it has to be changed but ``may_change`` is false."""
    elements = elements_of(root)
    lettered = needing_letters(elements.lettered)
    if lettered and not may_change:
        return _described(deepcopy(root), url, may_change=True)
    write_letters(lettered)
    raw_tree = PageNodes.of_page(root)
    unseen, needless = runs_with_unseen(raw_tree.blocks), teaser_lines(raw_tree.blocks)
    if unseen or needless:
        if not may_change:
            return _described(deepcopy(root), url, may_change=True)
        without_unseen(unseen)
        for element in needless:
            drop(element)
        raw_tree = PageNodes.of_page(root)
    blocks, starts = joined_blocks(raw_tree)
    title = next((element.text for element, tag, *_ in elements.naming if tag == "title"), None)
    return ParsedPage(root, elements, raw_tree, blocks, starts, title or "", parsing.language(root), url)


#: Rows of `PageTable.columns` and `PageTable.totals`.
CHARS, LINKS, BLOCKS, PROSE_CHARS, HEADINGS, SENTENCES, PROSE = range(7)

# Prose is a block of at least this many words, with at most this share of link characters.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_WORD_COLUMN, _SENTENCE_COLUMN = FEATURES.index("log_words"), FEATURES.index("log_sentence_ends")


# The numbers of levels above a block at which its ancestors, and the siblings of these, are described.
_LEVELS, _SIBLING_LEVELS = (0, 1, 2, 3, 4, 6), (0, 1, 2, 3)
_NEIGHBOURS = (-2, -1, 1, 2)
_OF_NEIGHBOURS = "log_chars link_share log_sentence_ends ends_sentence stop_word_share title_overlap".split()
_COUNTED = "article main form table h1 h2 h3 pre button p li blockquote".split()

_NO_PROSE = 999.0

# The form of an unknown URL: the medians over the training pages. Zeros would be the form of a front page, which is
# mostly an overview.
_TYPICAL_FORM = {"slashes": 3.0, "length": 46.0, "digits": 2.0, "query": 0.0, "dashes": 4.0, "root": 0.0}


def structure_columns(table: PageTable) -> Columns:
    """Describe blocks, beginning with `block_features`, the elements and blocks around them, and their pages.

    The form of a page's URL gives evidence of its kind.
    """
    tree = table.tree
    joint, branch, levels_off = tree.branches(table.path)
    block_columns, scopes = dict(zip(FEATURES, table.block_features.T, strict=True)), _scope_columns(table)
    shared = np.stack([block_columns[name] for name in _OF_NEIGHBOURS])
    forms = [form_of(address_of(page.url)) for page in table.pages]
    pages = {
        **{f"url_{name}": np.array([form[name] for form in forms]) for name in _TYPICAL_FORM},
        **table.page_columns,
        **{f"{tag}_elements": count for tag, count in zip(_COUNTED, tree.tag_counts(_COUNTED), strict=True)},
    }
    columns = {**block_columns, **above(tree, scopes, _LEVELS), **above(tree, _sibling_columns(table), _SIBLING_LEVELS)}
    columns |= {f"{name}_of_branch": column[branch[tree.of_block]] for name, column in scopes.items()}
    columns |= _place_columns(table, joint[tree.of_block], levels_off[tree.of_block])
    for step in _NEIGHBOURS:
        columns |= zip([f"{name}{step:+d}" for name in _OF_NEIGHBOURS], table.runs.shifted(shared, step), strict=True)
    return columns | {f"page_{name}": column[tree.page_of_block] for name, column in pages.items()}


def form_of(address: Address) -> dict[str, float]:
    """Return the slashes, length and digits of a URL's path, the query's length, the dashes, and whether it is a root.

    For an unknown URL, typical values are returned.
    """
    if not address.is_known:
        return _TYPICAL_FORM
    path, digits = address.path, sum(map(str.isdigit, address.path))
    values = path.count("/"), len(path), digits, len(address.query), path.count("-"), path in ("", "/")
    return dict(zip(_TYPICAL_FORM, values, strict=True))


def above(tree: ScopeTree, columns: Columns, levels: tuple[int, ...]) -> Columns:
    """Return columns of scopes, (scopes,), for the ancestors of each block, (blocks,), named like ``depth^2``.

    The ancestors are the scopes ``levels`` above the block, in ascending order, or the root.
    """
    result: Columns = {}
    table, scopes = matrix_of(columns.values()).T, tree.of_block
    for level in range(levels[-1] + 1):
        if level in levels:
            result |= zip([f"{name}^{level}" for name in columns], table[:, scopes], strict=True)
        scopes = tree.parent[scopes]
    return result


def _scope_columns(table: PageTable) -> Columns:
    """Describe each element; (scopes,) each."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals
    of_page = table.of_pages()[:, table.tree.page_of_scope]
    return {
        "log_chars": np.log1p(chars),
        "link_share": links / chars,
        "log_blocks": np.log1p(blocks),
        "prose_share": prose / chars,
        "page_share": chars / of_page[CHARS],
        "page_prose_share": prose / np.maximum(of_page[PROSE_CHARS], 1),
        "prose_blocks": prose_blocks / blocks,
        "log_children": np.log1p(table.tree.children),
        "sentences": 100 * sentences / chars,
        "headings": headings / blocks,
    }


def _sibling_columns(table: PageTable) -> Columns:
    """Describe each element's group of siblings of its type, including itself: size and contents; (scopes,) each."""
    group, held = table.tree.sibling_groups, table.totals[PROSE_CHARS]
    count = np.bincount(group)
    chars = np.bincount(group, table.totals[CHARS]) / count
    of_groups = {
        "log_alike": np.log1p(count),
        "alike_log_chars": np.log1p(chars),
        "alike_prose_share": np.bincount(group, held) / count / chars,
        "alike_with_prose": np.bincount(group, held > 0) / count,
    }
    return {name: values[group] for name, values in of_groups.items()}


def _place_columns(table: PageTable, joint: Ints, levels_off: Ints) -> Columns:
    """Describe the position of each block relative to the main path of prose, headings, prose and blocks of its type.

    ``joint``: the scope at which each block branches off the path; ``levels_off``: how far above it that is; (blocks,).
    """
    tree, totals = table.tree, table.totals
    page, block = tree.page_of_block, np.arange(len(tree.of_block))
    start, end = tree.block_starts[page], tree.block_starts[page + 1]
    of_page = table.of_pages()[:, page]
    heading, title = _last(table.headings > 0, start), _last(table.headings == 1, start)
    prose = np.flatnonzero(table.prose)
    prose_before = np.searchsorted(prose, block)  # how many prose blocks precede
    # a block of prose counts as its own next prose, not as its last
    next_prose, last_prose = np.append(prose, len(block))[prose_before], np.append(-1, prose)[prose_before]
    element_type = _type_ids(tree)
    words = np.append(0, table.words.cumsum())
    return {
        "levels_off_path": levels_off,
        "on_path": joint == table.path_end[page],
        "joint_prose_share": totals[PROSE_CHARS, joint] / np.maximum(of_page[PROSE_CHARS], 1),
        "joint_page_share": totals[CHARS, joint] / of_page[CHARS],
        "since_heading": np.where(heading >= 0, block - heading, -1),
        "heading_level": np.where(heading >= 0, table.headings[heading], 0),
        "since_title": np.where(title >= 0, block - title, -1),
        "like_share": np.bincount(element_type)[element_type] / of_page[BLOCKS],
        "own_heading_level": table.headings,
        "next_prose": np.where(next_prose < end, next_prose - block, _NO_PROSE),
        "last_prose": np.where(last_prose >= start, block - last_prose, _NO_PROSE),
        "prose_before": (prose_before - np.searchsorted(prose, start)) / np.maximum(of_page[PROSE], 1),
        "words_before": (words[1:] - words[start]) / np.maximum(words[end] - words[start], 1),
    }


def _type_ids(tree: ScopeTree) -> Ints:
    """Return an index for each block, (blocks,), equal on a page for the same element type and parent tag."""
    types, of_block = tree.element_types, tree.of_block
    parent_tag = types.tag_of_scope[tree.parent[of_block]]
    parent_tag[tree.depth[of_block] == 0] = len(types.pairs)  # in a root, which has no parent
    codes = types.of_scope[of_block] * (len(types.pairs) + 1) + parent_tag
    return group_ids(codes * len(tree.roots) + tree.page_of_block)


def _last(marked: Bools, start: Ints) -> Ints:
    """Return the last marked block up to each block, on its page from ``start`` on; -1 before the first; (blocks,)."""
    found: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))
    return np.where(found >= start, found, -1)


_NAMES = frozenset(("description", "og:description"))
# The minimum length of words that are compared; shorter ones are mostly function words.
_MIN_WORD_CHARS = 4
# The number of characters of a block that are compared.
_COMPARED = 1500
# The share of the description's words from which a block counts as containing the description.
_MIN_COVERAGE = 0.4
_NO_DESCRIPTION = -999.0
_KEY_SALT, _HASH_SALT = 0x9E37, np.uint64(0x9E3779B97F4A7C15)


class Descriptions(NamedTuple):
    """The descriptions of pages, compared with their blocks.

    ``texts``: the description of each page, "" if missing; (blocks,), from 0 to 1: ``share``, of each block's words,
    those that its description has; ``coverage``, of the distinct words of the description, those that each block has.
    """

    texts: list[str]
    share: Floats
    coverage: Floats


def descriptions_of(metas: Sequence[Iterable[etree._Element]], characters: Characters, starts: Ints) -> Descriptions:
    """Find the description of each page (the longest if there are several) and compare its blocks with it.

    ``metas``: elements of each page, including all of its <meta>; ``characters``: those of the text blocks of all
    pages; ``starts``: (pages + 1,), where the blocks of each page begin. Words are compared by hashes in lower case.
    """
    texts = [max(_descriptions(each), key=len, default="") for each in metas]
    page_of_block = np.repeat(np.arange(len(texts)), np.diff(starts))
    begin, end, block = _long_words(characters, _COMPARED)
    counts = np.bincount(block, minlength=len(page_of_block))
    described = Characters(texts)
    described_begin, described_end, described_page = _long_words(described)
    # most other words differ in length, first or last letter, or are on other pages
    is_described_key = np.zeros(1 << 16, dtype=np.bool_)
    is_described_key[_keys_of_page(described.word_keys(described_begin, described_end), described_page)] = True
    keys = _keys_of_page(characters.word_keys(begin, end), page_of_block[block])
    candidates = np.flatnonzero(is_described_key.take(keys))
    block = block[candidates]
    hashes = _hashes_of_page(characters.word_hashes(begin[candidates], end[candidates]), page_of_block[block])
    described_hashes, first = np.unique(
        _hashes_of_page(described.word_hashes(described_begin, described_end), described_page), return_index=True
    )
    word = np.searchsorted(described_hashes, hashes)
    found = np.flatnonzero(np.append(described_hashes, np.uint64(0))[word] == hashes)
    block, word = block[found], word[found]
    matches = np.bincount(block, minlength=len(counts))
    size = max(len(described_hashes), 1)
    distinct = np.bincount(np.unique(block * size + word) // size, minlength=len(counts))
    words_of_page = np.bincount(described_page[first], minlength=len(texts))
    coverage = distinct / np.maximum(words_of_page, 1)[page_of_block]
    return Descriptions(texts, matches / np.maximum(counts, 1), coverage)


def _long_words(characters: Characters, compared: int | None = None) -> tuple[Ints, Ints, Ints]:
    """Return the begins, ends and lines of long words, (words,) each; only within the first ``compared`` characters."""
    begin, end = characters.words
    long = np.flatnonzero(end - begin >= _MIN_WORD_CHARS)
    begin, end = begin[long], end[long]
    line = characters.line_numbers(begin)
    if compared is not None and characters.lengths.max(initial=0) > compared:
        end = np.minimum(end, characters.starts[line] + compared)
        long = np.flatnonzero(end - begin >= _MIN_WORD_CHARS)
        begin, end, line = begin[long], end[long], line[long]
    return begin, end, line


def _keys_of_page(keys: Ints, page: Ints) -> Ints:
    """Return keys of words combined with their pages, (words,), below 2**16."""
    salted: Ints = keys + page * _KEY_SALT & 0xFFFF
    return salted


def _hashes_of_page(hashes: Hashes, page: Ints) -> Hashes:
    """Return hashes of words combined with their pages, so that they are equal only for equal words of one page."""
    salted: Hashes = hashes ^ page.astype(np.uint64) * _HASH_SALT
    return salted


def _descriptions(metas: Iterable[etree._Element]) -> Iterator[str]:
    """Yield the descriptions in <meta> elements."""
    for meta in metas:
        if (meta.get("name") or "").lower() in _NAMES or meta.get("property") == "og:description":
            yield meta.get("content") or ""


def description_columns(table: PageTable) -> Columns:
    """Compare blocks with the descriptions of their pages.

    The columns: the share of a block's words that the description has, and of the description's words that the block
    has; the distance in blocks from the block with most of them, and its share; the sum of those shares in the elements
    above.
    """
    (texts, share, coverage), tree = table.descriptions, table.tree
    page = tree.page_of_block
    best_block, best_coverage = first_maximum(coverage, page, len(texts))
    found = best_coverage >= _MIN_COVERAGE
    return {
        "description_share": share,
        "description_coverage": coverage,
        "description_distance": np.where(found[page], np.arange(len(page)) - best_block[page], _NO_DESCRIPTION),
        "description_found": np.where(found, best_coverage, 0.0)[page],
        **above(tree, {"description": tree.sums_inside(coverage[None])[0]}, _LEVELS),
    }


class PageTable(Sequence[ParsedPage]):
    """A batch of pages, and the blocks of all pages with text as columns, page after page.

    As a sequence it contains all pages. Everything else covers only the ``pages`` with text; the others have no
    columns. Each column is computed once, on first use.
    """

    #: The weight of a character of each block in ``columns``, (blocks,); None means one.
    widths: Floats | None = None

    def __init__(self, pages: Sequence[ParsedPage]) -> None:
        self._all = pages
        self.pages = [page for page in pages if page.text_blocks]

    @classmethod
    def of(cls, pages: Sequence[ParsedPage]) -> PageTable:
        """Return the pages as a table; a table is returned unchanged."""
        return pages if isinstance(pages, PageTable) else cls(pages)

    def widened(self, widths: Floats) -> PageTable:
        """Return the same pages with another weight for the characters of each block, (blocks,)."""
        table = copy(self)
        for name in ("columns", "totals", "path", "path_end", "page_columns"):
            table.__dict__.pop(name, None)
        table.widths = widths
        return table

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> ParsedPage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ParsedPage]: ...
    def __getitem__(self, index: int | slice) -> ParsedPage | Sequence[ParsedPage]:
        return self._all[index]

    def split(self, column: NDArray[Kind]) -> list[NDArray[Kind]]:
        """Split a column, (blocks, ...), into one array for each page of the sequence, empty for those without text."""
        ends = np.cumsum([0, *(len(page.text_blocks) for page in self._all)]).tolist()
        return [column[begin:end] for begin, end in pairwise(ends)]

    @cached_property
    def starts(self) -> Ints:
        """Where the text blocks of each page begin, followed by their number; (pages + 1,)."""
        return np.cumsum([0, *(len(page.text_blocks) for page in self.pages)])

    @cached_property
    def blocks(self) -> list[TextBlock]:
        """The text blocks of the pages."""
        return [*chain.from_iterable(page.text_blocks for page in self.pages)]

    @property
    def texts(self) -> list[str]:
        """The text of each text block."""
        return self.tree.texts

    def texts_of_pages(self) -> list[list[str]]:
        """The texts of the text blocks of each page."""
        return [self.texts[begin:end] for begin, end in pairwise(self.starts.tolist())]

    @cached_property
    def raw_tree(self) -> ScopeTree:
        """The scopes of all pages, with their raw blocks."""
        return ScopeTree.concatenated([page.raw_tree for page in self.pages])

    @cached_property
    def tree(self) -> ScopeTree:
        """The scopes of all pages, with their text blocks."""
        raw = self.raw_tree
        starts = [page.starts + begin for page, begin in zip(self.pages, raw.block_starts.tolist(), strict=False)]
        return raw.of_joined(self.blocks, np.concatenate(starts))

    @cached_property
    def block_features(self) -> Singles:
        """The numeric features of the text blocks, (blocks, FEATURES); each page caches its own part."""
        titles, stop = [page.title for page in self.pages], [stop_words(page.lang) for page in self.pages]
        features = block_features(self.tree, titles, stop)
        for page, part in zip(self._all, self.split(features), strict=True):
            page._block_features = part
        return features

    @cached_property
    def word_counts(self) -> Floats:
        """The number of words of each text block, (blocks,); each page caches its own part."""
        counts = self.characters.word_counts()
        for page, part in zip(self._all, self.split(counts), strict=True):
            page._word_counts = part
        return counts

    @cached_property
    def characters(self) -> Characters:
        """The characters of the text blocks, at least one."""
        return Characters(self.texts)

    @cached_property
    def descriptions(self) -> Descriptions:
        """The descriptions of the pages, compared with their text blocks."""
        metas = [[element for element, tag, *_ in page.elements.naming if tag == "meta"] for page in self.pages]
        return descriptions_of(metas, self.characters, self.starts)

    @cached_property
    def words(self) -> Floats:
        """The number of words of each block, estimated from its beginning; (blocks,)."""
        return np.expm1(self.block_features[:, _WORD_COLUMN].astype(np.float64))

    @cached_property
    def headings(self) -> Ints:
        """The level of the heading that each block is, or 0; (blocks,)."""
        return self.tree.element_types.by_tag(HEADING_LEVELS)[self.tree.of_block]

    @cached_property
    def columns(self) -> Floats:
        """Columns that are summed: characters, those in links, blocks, and so on (see `CHARS`); (7, blocks)."""
        columns = np.empty((7, len(self.blocks)))
        columns[CHARS] = list(map(len, self.texts))
        columns[LINKS] = [block.link_chars for block in self.blocks]
        columns[BLOCKS] = 1
        columns[PROSE] = (self.words > _PROSE_WORDS - 0.5) & (columns[LINKS] < _PROSE_LINKS * columns[CHARS])
        columns[PROSE_CHARS] = columns[CHARS] * columns[PROSE]
        columns[HEADINGS] = self.headings > 0
        columns[SENTENCES] = np.expm1(self.block_features[:, _SENTENCE_COLUMN].astype(np.float64))
        if self.widths is not None:
            columns[[CHARS, LINKS, PROSE_CHARS]] *= self.widths
        return columns

    @property
    def prose(self) -> Bools:
        """Whether each block is prose; (blocks,)."""
        prose: Bools = self.columns[PROSE] > 0
        return prose

    @cached_property
    def totals(self) -> Floats:
        """The sums of ``columns`` over the blocks inside each scope; (7, scopes)."""
        return self.tree.sums_inside(self.columns)

    @cached_property
    def runs(self) -> Runs:
        """The text blocks of each page."""
        return Runs(np.diff(self.starts))

    def of_pages(self) -> Floats:
        """The totals of each page; (7, pages)."""
        return self.totals[:, self.tree.roots]

    @cached_property
    def page_columns(self) -> Columns:
        """What pages contain, and which part of it is inside the end of their main path; (pages,) each."""
        chars, links, blocks, prose, headings, sentences, prose_blocks = self.of_pages()
        end = self.totals[:, self.path_end]
        return {
            "log_blocks": np.log1p(blocks),
            "log_chars": np.log1p(chars),
            "link_share": links / chars,
            "prose_share": prose / chars,
            "prose": prose_blocks,
            "sentences": 100 * sentences / chars,
            "headings": headings,
            "path_share": end[CHARS] / chars,
            "path_prose_share": end[PROSE_CHARS] / np.maximum(prose, 1),
            "path_link_share": end[LINKS] / end[CHARS],
        }

    @cached_property
    def path(self) -> Ints:
        """The scopes from the root of each page to where its prose is, in order of depth."""
        return self.tree.heaviest_path(self.totals[PROSE_CHARS])

    @cached_property
    def path_end(self) -> Ints:
        """The last scope of the path of each page; (pages,)."""
        end = np.empty(len(self.pages), dtype=np.int64)
        end[self.tree.page_of_scope[self.path]] = self.path  # the last value for a page is the deepest scope
        return end


def page_input(page: ParsedPage, config: NetworkConfig) -> PageInput:
    """Return the word strings and features of a page's blocks as input for a network of this configuration."""
    if not page.text_blocks:
        return PageInput([], [], [], page.block_features())
    return PageInput(*words_of_blocks(page.layout(), config.words, config.keep, page.lang), page.block_features())
