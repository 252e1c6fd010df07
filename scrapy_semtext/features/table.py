"""A parsed page, and a batch of parsed pages as a table, whose columns numpy computes for all blocks of all pages.

The columns of tree models describe a block itself, the elements and blocks around it, and the posts that it is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from scrapy_semtext.features.blocks import FEATURES, block_features, words_of_blocks
from scrapy_semtext.models.config import NetworkConfig, PageInput
from scrapy_semtext.tree import parsing
from scrapy_semtext.tree.elements import Elements, elements_of
from scrapy_semtext.tree.letters import needing_letters, runs_with_unseen, teasers, without_unseen, write_letters
from scrapy_semtext.tree.nodes import PageNodes
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


#: The log-odds that the page is a thread; the share of a block that is inside posts, and the number of its post from
#: the first and from the last; the number of posts, and their share of the page's words; whether a block is before
#: (-1), in (1), between (0) or after (2) posts; the number of blocks to the next one in a post and since the last.
POST_COLUMNS = (
    "posts_odds posts_inside posts_from_first posts_from_last posts_count posts_share posts_side posts_next posts_since"
).split()

_NO_POSTS = np.array([[-12.0], *[[-1.0]] * 8], dtype=np.float32)
_LEAST = 1e-5  # probabilities are clipped to the range from this to one minus this
_MOST_BLOCKS, _MOST_POSTS, _MOST_COUNT = 20, 20, 50

#: Log-odds against a block outside the posts, and for a block inside, on a page that is certainly a thread and whose
#: labels are certain of none of its posts. Chosen on engines and domains that no model had seen
#: (research/notes/training-notes.md).
OUTSIDE, INSIDE = 2.0, 3.0

#: Subtracted from the log-odds of the blocks from the first post to the last if these are certainly comments.
COMMENTS = 4.0


#: The probability from which a page counts as a thread (research/notes/qa-pairs.md).
IS_THREAD = 0.5


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


def post_columns(posts: Sequence[PostBlocks | None], words: Floats, starts: Ints) -> Singles:
    """Return the columns of the blocks of pages, (9, blocks), float32.

    ``posts``: those of each page; ``words``: (blocks,), the number of words of each block; ``starts``: (pages
    + 1,), where the blocks of each page begin.
    """
    out = np.empty((len(POST_COLUMNS), len(words)), dtype=np.float32)
    out[:] = _NO_POSTS
    for own, begin, end in zip(posts, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if own is not None:  # a loop, because few pages are threads
            _write_posts(own, words[begin:end], out[:, begin:end])
    return out


def _write_posts(posts: PostBlocks, words: Floats, out: Singles) -> None:
    """Write the columns of the blocks of a page with posts, (9, blocks)."""
    p = float(np.clip(posts.probability, _LEAST, 1 - _LEAST))
    inside, post, weights = posts.inside, posts.post, words + 1
    to_next, since, side = _distances(inside > 0.5)
    out[0] = np.log(p) - np.log1p(-p)
    out[1] = inside
    out[2] = np.minimum(post, _MOST_POSTS)
    out[3] = np.where(post >= 0, np.minimum(posts.count - 1 - post, _MOST_POSTS), -1)
    out[4] = min(posts.count, _MOST_COUNT)
    out[5] = (weights * inside).sum() / weights.sum()
    out[6] = side
    out[7] = to_next
    out[8] = since


def _distances(within: Bools) -> tuple[Ints, Ints, Ints]:
    """Return for each block the distance to the next block in a post, from the last one, and `posts_side`."""
    places, at = np.arange(len(within)), np.flatnonzero(within)
    if not len(at):
        return np.zeros_like(places), np.zeros_like(places), np.zeros_like(places)
    following, before = np.searchsorted(at, places), np.searchsorted(at, places, side="right") - 1
    to_next = np.where(following < len(at), at[np.minimum(following, len(at) - 1)] - places, _MOST_BLOCKS)
    since = np.where(before >= 0, places - at[np.maximum(before, 0)], _MOST_BLOCKS)
    side = np.where(places < at[0], -1, np.where(places > at[-1], 2, within.astype(np.int64)))
    return np.minimum(to_next, _MOST_BLOCKS), np.minimum(since, _MOST_BLOCKS), side


def post_logit_adjustment(posts: PostBlocks, probabilities: Floats) -> Floats:
    """Return the values to add to each block's log-odds of being main content, (blocks,).

    ``probabilities``: (blocks,), from the labels so far. Blocks outside the posts become less likely. Blocks inside
    become likelier, the more so the less certain the labels are of the posts: a labeler that is certain of most posts
    knows such pages, and drops the rest for a reason. If the posts are comments, all blocks from the first to the last
    become less likely.
    """
    inside = posts.inside
    uncertainty = 1 - _certainty(posts, probabilities)
    odds: Floats = posts.probability * (INSIDE * uncertainty * inside - OUTSIDE * (1 - inside))
    return odds - COMMENTS * posts.comments * _within(posts)


def _within(posts: PostBlocks) -> Floats:
    """Return 1 for the blocks from the first in a post to the last, 0 for others; (blocks,)."""
    at = np.flatnonzero(posts.post >= 0)
    within = np.zeros(len(posts.post))
    if len(at):
        within[at[0] : at[-1] + 1] = 1
    return within


def _certainty(posts: PostBlocks, probabilities: Floats) -> float:
    """Return the highest probability of a block in each post, averaged over the posts with blocks; 0 without any."""
    within = posts.post >= 0
    highest = np.full(posts.count, -1.0)
    np.maximum.at(highest, posts.post[within], probabilities[within])
    return float(highest[highest >= 0].mean()) if within.any() else 0.0


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
    unseen, needless = runs_with_unseen(raw_tree.blocks), teasers(raw_tree.blocks)
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


if TYPE_CHECKING:
    Kind = TypeVar("Kind", bound=np.generic)


def first_maximum(values: NDArray[Any], page: Ints, pages: int) -> tuple[Ints, Floats]:
    """Return the index of the first greatest value of each page, and that value; (pages,) each.

    ``page``: (values,), the page of each value. Pages without values get -1 and minus infinity.
    """
    most = np.full(pages, -np.inf)
    np.maximum.at(most, page, values)
    places = np.flatnonzero(values == most[page])[::-1]
    first = np.full(pages, -1)
    first[page[places]] = places  # if an index occurs several times, numpy keeps the last value
    return first, most


#: Rows of `PageTable.columns` and `PageTable.totals`.
CHARS, LINKS, BLOCKS, PROSE_CHARS, HEADINGS, SENTENCES, PROSE = range(7)

# Prose is a block of at least this many words, with at most this share of link characters.
_PROSE_WORDS, _PROSE_LINKS = 12, 0.3
_WORD_COLUMN, _SENTENCE_COLUMN = FEATURES.index("log_words"), FEATURES.index("log_sentence_ends")


# The numbers of levels above a block at which its ancestors are described, and their features.
_LEVELS = (0, 1, 2, 3, 4, 6)
_SCOPE = (
    "log_chars link_share log_blocks prose_share page_share page_prose_share prose_blocks log_children sentences "
    "headings"
).split()
_SIBLINGS = "log_alike alike_log_chars alike_prose_share alike_with_prose".split()
_SIBLING_LEVELS = (0, 1, 2, 3)
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
    "siblings": [f"{name}^{level}" for level in _SIBLING_LEVELS for name in _SIBLINGS],
    "branch": [f"{name}_of_branch" for name in _SCOPE],
    "place": _PLACE,
    "neighbours": [f"{FEATURES[column]}{step:+d}" for step in _NEIGHBOURS for column in _OF_NEIGHBOURS],
    "page": [f"page_{name}" for name in _PAGE] + [f"page_{name}_elements" for name in _COUNTED],
}
# The first column of each part.
_BEGINS = dict(zip(_PARTS, accumulate(map(len, _PARTS.values()), initial=0), strict=False))

#: The names of the columns, in order.
COLUMNS = tuple(chain.from_iterable(_PARTS.values()))

_FAR = 999.0

# The form of an unknown URL: the medians over the training pages. Zeros would be the form of a front page, which is
# mostly an overview.
_TYPICAL_FORM = (3.0, 46.0, 2.0, 0.0, 4.0, 0.0)


def structure_features(table: PageTable, out: Singles) -> None:
    """Write the columns of the blocks of pages into the first rows of ``out``, (>= len(COLUMNS), blocks).

    The first columns are those of `scrapy_semtext.features.blocks`. The form of a page's URL gives evidence of its
    kind.
    """
    tree = table.tree
    joint, branch, levels_off = tree.branches(table.path)
    of_scopes = _scope_features(table)
    own = of_scopes[: len(_SCOPE)]
    out[: len(FEATURES)] = table.block_features.T
    write_above(tree, own, _LEVELS, out[_BEGINS["scopes"] : _BEGINS["siblings"]])
    write_above(tree, of_scopes[len(_SCOPE) :], _SIBLING_LEVELS, out[_BEGINS["siblings"] : _BEGINS["branch"]])
    out[_BEGINS["branch"] : _BEGINS["place"]] = own[:, branch[tree.of_block]]
    _write_places(table, joint, levels_off, out[_BEGINS["place"] : _BEGINS["neighbours"]])
    _write_neighbours(out[_OF_NEIGHBOURS, :], tree.page_of_block, out[_BEGINS["neighbours"] : _BEGINS["page"]])
    forms = [form_of(address_of(page.url)) for page in table.pages]
    pages = np.array([*zip(*forms, strict=True), *_page_features(table)])
    out[_BEGINS["page"] : len(COLUMNS)] = pages.astype(np.float32)[:, tree.page_of_block]


def form_of(address: Address) -> tuple[float, ...]:
    """Return the slashes, length and digits of a URL's path, the query's length, the dashes, and whether it is a root.

    For an unknown URL, typical values are returned.
    """
    if not address.is_known:
        return _TYPICAL_FORM
    path = address.path
    digits = sum(map(str.isdigit, path))
    return path.count("/"), len(path), digits, len(address.query), path.count("-"), path in ("", "/")


def write_above(tree: ScopeTree, columns: Singles, levels: tuple[int, ...], out: Singles) -> None:
    """Write columns of scopes, (columns, scopes), for the ancestors of each block: (levels * columns, blocks).

    The ancestors are the scopes ``levels`` above the block, in ascending order, or the root.
    """
    scopes, parts = tree.of_block, iter(out.reshape(len(levels), -1, out.shape[1]))
    for level in range(levels[-1] + 1):
        if level in levels:
            next(parts)[:] = columns[:, scopes]
        scopes = tree.parent[scopes]


def _scope_features(table: PageTable) -> Singles:
    """Return the features of each element, (len(_SCOPE) + len(_SIBLINGS), scopes)."""
    found = np.empty((len(_SCOPE) + len(_SIBLINGS), len(table.tree)))
    _write_totals(table, found[: len(_SCOPE)])
    _write_siblings(table, found[len(_SCOPE) :])
    for logarithms in (found[:3:2], found[7], found[len(_SCOPE) : len(_SCOPE) + 2]):
        np.log1p(logarithms, out=logarithms)
    return found.astype(np.float32)


def _write_totals(table: PageTable, out: Floats) -> None:
    """Write the features of each element before logarithms are applied, (len(_SCOPE), scopes)."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.totals
    of_page = table.of_pages()[:, table.tree.page_of_scope]
    out[0] = chars
    out[1] = links / chars
    out[2] = blocks
    out[3] = prose / chars
    out[4] = chars / of_page[CHARS]
    out[5] = prose / np.maximum(of_page[PROSE_CHARS], 1)
    out[6] = prose_blocks / blocks
    out[7] = table.tree.children
    out[8] = 100 * sentences / chars
    out[9] = headings / blocks


def _write_siblings(table: PageTable, out: Floats) -> None:
    """Write the size and contents of each scope's group of siblings of one element type, including the scope itself.

    (len(_SIBLINGS), scopes), before logarithms are applied.
    """
    group, held = table.tree.sibling_groups, table.totals[PROSE_CHARS]
    count = np.bincount(group)
    chars = np.bincount(group, table.totals[CHARS]) / count
    prose = np.bincount(group, held) / count
    out[0] = count[group]
    out[1] = chars[group]
    out[2] = (prose / chars)[group]
    out[3] = (np.bincount(group, held > 0) / count)[group]


def _write_places(table: PageTable, joint: Ints, levels_off: Ints, out: Singles) -> None:
    """Write the position of each block relative to the main path of prose, headings, prose and blocks of its type."""
    tree, of_block, totals = table.tree, table.tree.of_block, table.totals
    page, block = tree.page_of_block, np.arange(len(tree.of_block))
    start, end = tree.block_starts[page], tree.block_starts[page + 1]
    of_page = table.of_pages()[:, page]
    heading = _last(table.headings > 0, start)
    title = _last(table.headings == 1, start)
    prose = np.flatnonzero(table.prose)
    after = np.searchsorted(prose, block)  # how many prose blocks precede
    # a block of prose counts as its own next prose, not as its last
    following, before = np.append(prose, len(block))[after], np.append(-1, prose)[after]
    element_type = _type_ids(tree)
    words = np.append(0, table.words.cumsum())
    joint = joint[of_block]
    out[0] = levels_off[of_block]
    out[1] = joint == table.path_end[page]
    out[2] = totals[PROSE_CHARS, joint] / np.maximum(of_page[PROSE_CHARS], 1)
    out[3] = totals[CHARS, joint] / of_page[CHARS]
    out[4] = tree.depth[of_block]
    out[5] = np.where(heading >= 0, block - heading, -1)
    out[6] = np.where(heading >= 0, table.headings[heading], 0)
    out[7] = np.where(title >= 0, block - title, -1)
    out[8] = np.bincount(element_type)[element_type] / of_page[BLOCKS]
    out[9] = table.headings
    out[10] = np.where(following < end, following - block, _FAR)
    out[11] = np.where(before >= start, block - before, _FAR)
    out[12] = (after - np.searchsorted(prose, start)) / np.maximum(of_page[PROSE], 1)
    out[13] = (words[1:] - words[start]) / np.maximum(words[end] - words[start], 1)


def _type_ids(tree: ScopeTree) -> Ints:
    """Return an index for each block, equal on a page for blocks with the same element type and parent tag."""
    types, of_block = tree.element_types, tree.of_block
    above = types.tag_of_scope[tree.parent[of_block]]
    above[tree.depth[of_block] == 0] = len(types.pairs)  # in a root, which has no parent
    codes = types.of_scope[of_block] * (len(types.pairs) + 1) + above
    return group_ids(codes * len(tree.roots) + tree.page_of_block)


def _page_features(table: PageTable) -> list[Floats]:
    """Return the features of whole pages, (pages,) each; those of the URLs come before these."""
    chars, links, blocks, prose, headings, sentences, prose_blocks = table.of_pages()
    end = table.totals[:, table.path_end]
    return [
        np.log1p(blocks),
        np.log1p(chars),
        links / chars,
        prose / chars,
        prose_blocks,
        100 * sentences / chars,
        headings,
        end[CHARS] / chars,
        end[PROSE_CHARS] / np.maximum(prose, 1),
        end[LINKS] / end[CHARS],
        *table.tree.tag_counts(_COUNTED),
    ]


def _last(marked: Bools, start: Ints) -> Ints:
    """Return the last marked block up to each block of its page, which begins at ``start``; -1 before the first."""
    found: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), -1))
    return np.where(found >= start, found, -1)


def _write_neighbours(columns: Singles, page: Ints, out: Singles) -> None:
    """Write the columns, (columns, blocks), of each block's previous and next blocks, 0 beyond the ends of its page."""
    out[:] = 0
    for place, step in enumerate(_NEIGHBOURS):
        own = out[place * len(columns) : (place + 1) * len(columns)]
        after, before = slice(abs(step), None), slice(None, -abs(step))
        source, target = (after, before) if step > 0 else (before, after)
        own[:, target] = columns[:, source] * (page[source] == page[target])


_NAMES = frozenset(("description", "og:description"))
# The minimum length of words that are compared; shorter ones are mostly function words.
_LONG = 4
# The number of characters of a block that are compared.
_COMPARED = 1500
# The share of the description's words from which a block counts as containing the description.
_FOUND = 0.4
_NOT_FOUND = -999.0
_KEY_SALT, _HASH_SALT = 0x9E37, np.uint64(0x9E3779B97F4A7C15)


class Description(NamedTuple):
    """A page's description compared with its blocks.

    ``text``: the description, "" if missing; ``share``: (blocks,), the share of each block's words that the description
    has, 0 to 1; ``coverage``: (blocks,), the share of the description's distinct words that each block has, 0 to 1.
    """

    text: str
    share: Floats
    coverage: Floats


def descriptions_of(
    metas: Sequence[Iterable[etree._Element]], characters: Characters, starts: Ints
) -> list[Description]:
    """Return the description of each page (the longest if there are several) and compare its blocks with it.

    ``metas``: elements of each page, including all of its <meta>; ``characters``: those of the text blocks of all
    pages; ``starts``: (pages + 1,), where the blocks of each page begin. Words are compared by hashes in lower case.
    """
    texts = [max(_descriptions(each), key=len, default="") for each in metas]
    page_of_block = np.repeat(np.arange(len(texts)), np.diff(starts))
    begin, end, block = _long_words(characters, _COMPARED)
    counts = np.bincount(block, minlength=len(page_of_block))
    described = Characters(texts)
    wanted_begin, wanted_end, wanted_page = _long_words(described)
    # most other words differ in length, first or last letter, or are on other pages
    may_be_wanted = np.zeros(1 << 16, dtype=np.bool_)
    may_be_wanted[_keys_of_page(described.word_keys(wanted_begin, wanted_end), wanted_page)] = True
    alike = np.flatnonzero(may_be_wanted.take(_keys_of_page(characters.word_keys(begin, end), page_of_block[block])))
    block = block[alike]
    hashes = _hashes_of_page(characters.word_hashes(begin[alike], end[alike]), page_of_block[block])
    wanted, first = np.unique(
        _hashes_of_page(described.word_hashes(wanted_begin, wanted_end), wanted_page), return_index=True
    )
    word = np.searchsorted(wanted, hashes)
    found = np.flatnonzero(np.append(wanted, np.uint64(0))[word] == hashes)
    block, word = block[found], word[found]
    matches = np.bincount(block, minlength=len(counts))
    size = max(len(wanted), 1)
    distinct = np.bincount(np.unique(block * size + word) // size, minlength=len(counts))
    words_of_page = np.bincount(wanted_page[first], minlength=len(texts))
    share = matches / np.maximum(counts, 1)
    coverage = distinct / np.maximum(words_of_page, 1)[page_of_block]
    return [
        Description(text, share[start:stop], coverage[start:stop])
        for text, (start, stop) in zip(texts, pairwise(starts.tolist()), strict=True)
    ]


def _long_words(characters: Characters, compared: int | None = None) -> tuple[Ints, Ints, Ints]:
    """Return the begins, ends and lines of long words, (words,) each; only within the first ``compared`` characters."""
    begin, end = characters.words
    long = np.flatnonzero(end - begin >= _LONG)
    begin, end = begin[long], end[long]
    line = characters.line_numbers(begin)
    if compared is not None and characters.lengths.max(initial=0) > compared:
        end = np.minimum(end, characters.starts[line] + compared)
        long = np.flatnonzero(end - begin >= _LONG)
        begin, end, line = begin[long], end[long], line[long]
    return begin, end, line


def _keys_of_page(keys: Ints, page: Ints) -> Ints:
    """Return keys of words combined with their pages, below 2**16."""
    salted: Ints = keys + page * _KEY_SALT & 0xFFFF
    return salted


def _hashes_of_page(hashes: Hashes, page: Ints) -> Hashes:
    """Return hashes of words combined with their pages, so that they are equal only for equal words of one page."""
    salted: Hashes = hashes ^ page.astype(np.uint64) * _HASH_SALT
    return salted


def _descriptions(metas: Iterable[etree._Element]) -> Iterator[str]:
    for meta in metas:
        if (meta.get("name") or "").lower() in _NAMES or meta.get("property") == "og:description":
            yield meta.get("content") or ""


#: The share of a block's words that the description has, and of the description's words that the block has; the
#: distance in blocks from the block with most of them, and that block's share; and the sum of those shares over the
#: blocks of the elements above.
DESCRIPTION_COLUMNS = (
    *(f"description_{name}" for name in ("share", "coverage", "distance", "found")),
    *(f"description^{level}" for level in _LEVELS),
)


def write_description_columns(descriptions: Sequence[Description], tree: ScopeTree, out: Singles) -> None:
    """Write the description columns of the blocks of pages into ``out``, (10, blocks).

    ``descriptions``: one for each page; ``tree`` is the tree of the blocks, at least one per page.
    """
    coverage = np.concatenate([description.coverage for description in descriptions])
    page = tree.page_of_block
    best, most = first_maximum(coverage, page, len(descriptions))
    found = most >= _FOUND
    out[0] = np.concatenate([description.share for description in descriptions])
    out[1] = coverage
    out[2] = np.where(found[page], np.arange(len(coverage)) - best[page], _NOT_FOUND)
    out[3] = np.where(found, most, 0.0)[page]
    write_above(tree, tree.sums_inside(coverage[None]).astype(np.float32), _LEVELS, out[4:])


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
        wide = copy(self)
        for name in ("columns", "totals", "path", "path_end"):
            wide.__dict__.pop(name, None)
        wide.widths = widths
        return wide

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
    def descriptions(self) -> list[Description]:
        """The description of each page, compared with its text blocks."""
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

    def of_pages(self) -> Floats:
        """The totals of each page; (7, pages)."""
        return self.totals[:, self.tree.roots]

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
