"""Features of pages: their URLs, their text, repetition in it, their elements and their links.

Articles are prose in one place; listings and collections repeat a pattern of links, headings and short texts; shops
have prices, and forums have posts of a common structure. No feature depends on the language, except a few signs of
money, time and code.

Repetition on pages: siblings of one element type, and linked blocks of one kind anywhere on the page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain, islice

import numpy as np

from scrapy_semtext.features.blocks import FEATURES, UNSPACED_WORD
from scrapy_semtext.features.runs import first_maximum
from scrapy_semtext.features.table import BLOCKS, CHARS, LINKS, PROSE_CHARS, Columns, PageTable, describe, form_of
from scrapy_semtext.tree.elements import COUNTED, count_links
from scrapy_semtext.tree.scopes import ScopeTree, group_ids
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.utils.arrays import Bools, Floats, Ints
from scrapy_semtext.words.words import UNSPACED

# The number of groups of siblings that are described, and the minimum number of members of a group.
_GROUPS, _LEAST = 3, 3
# The number of leading columns of totals that are summed.
_GROUP_SUMMED = 5
# The number of members of a group that are searched for images.
_FIRST_MEMBERS = 8
# The maximum and minimum number of characters of a link that counts as a teaser.
_MOST_CHARS, _LEAST_CHARS = 80, 15
# Links whose average distance is smaller than this are a menu, and get this weight.
_MENU_GAP, _MENU_WEIGHT = 1.5, 0.3

_PARTS = ("main", "nav", "footer", "aside", "header")
_SCOPES = "p h1 h2 h3 h4 li ul table tr pre section article dl blockquote form".split()

# The features of the end of an unknown URL, and of the targets of its links: the medians over the training pages.
_TYPICAL_END = dict.fromkeys(
    "ends_in_slash last_length last_dashes last_digits extension dated long_number".split(), 0.0
) | {"last_length": 31.0, "last_dashes": 4.0}
_TYPICAL_TARGETS = {"below": 0.0, "sibling": 0.02, "external": 0.2}

_DATED = re.compile(r"/(?:19|20)\d\d(?:[/-]|$)")
_LONG_NUMBER = re.compile(r"\d{4,}")
# Signs grouped by meaning: counting them takes a tenth of the time of patterns.
_SIGNS = {
    "prices": ("$", "€", "£", "¥", "₹", "₽"),
    "years": ("202", "201"),
    "ago": (" ago",),
    "braces": ("{",),
    "calls": ("()",),
}
_ALL_SIGNS = tuple(chain.from_iterable(_SIGNS.values()))
# The number of characters of a block that are searched for signs, and the maximum length of a button or counter.
_LOOK, _SHORT = 200, 30
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Characters per word, with its space, in an alphabet: the average, and the least a text has without unspaced script.
_LATIN_WORD, _LEAST_WORD = 6.0, 4.0
# The block features that are summed.
_SUMMED = [FEATURES.index(name) for name in ("log_commas", "stop_word_share", "hidden")]


def page_columns(table: PageTable) -> Columns:
    """Describe the pages with text, of which there must be at least one; (pages,) each."""
    pages, tree = table.pages, table.tree
    addresses = [address_of(page.url) for page in pages]
    blocks = _Blocks(table)
    counts = zip(COUNTED, np.log1p(np.array([page.elements.counts for page in pages])).T, strict=True)
    return {
        **_named("url", [_address(address) for address in addresses]),
        **_prefixed("text", blocks.text()),
        **_prefixed("path", blocks.path()),
        **_prefixed("own", blocks.own()),
        **_prefixed("heading", blocks.heads()),
        **groups(tree, blocks.totals),
        **_prefixed("teaser", teasers(tree, blocks.chars, blocks.linked)),
        **_prefixed("part", blocks.parts()),
        **_named("mark", [_marks(texts) for texts in table.texts_of_pages()]),
        **_prefixed("scope", dict(zip(_SCOPES, np.log1p(tree.tag_counts(_SCOPES)), strict=True))),
        **_prefixed("element", dict(counts)),
        **_named("link", [_links(page.elements.targets, at) for page, at in zip(pages, addresses, strict=True)]),
        **_prefixed("description", _description(table)),
    }


def _prefixed(prefix: str, columns: Columns) -> Columns:
    return {f"{prefix}_{name}": column for name, column in columns.items()}


def _named(prefix: str, rows: Sequence[Mapping[str, float]]) -> Columns:
    """Return rows, one for each page, as columns."""
    return {f"{prefix}_{name}": np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _spread(columns: Columns, has: Ints, pages: int) -> Columns:
    """Return columns of some of the pages as columns of all, 0 for the others."""
    found = {name: np.zeros(pages) for name in columns}
    for name, values in columns.items():
        found[name][has] = values
    return found


def groups(tree: ScopeTree, totals: Floats) -> Columns:
    """Describe the groups of similar siblings with the most text (teasers, posts, products), none nested.

    ``totals``: (columns, scopes), of which the first five are characters, link characters, blocks, prose characters,
    headings.
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
    found: Columns = {}
    for number in range(_GROUPS):
        best, weight = first_maximum(weights, page, pages)
        has = np.flatnonzero(weight > 0)
        own = best[has]
        chars, links, blocks, prose, headings = sums[:, own]
        images = [_share_with_images(tree, members[ends[each] - count[each] : ends[each]]) for each in own.tolist()]
        columns: Columns = {
            "log_count": np.log1p(count[own]),
            "chars": chars / totals[CHARS, tree.roots[has]],
            "links": links / chars,
            "log_mean_chars": np.log1p(chars / count[own]),
            "prose": prose / chars,
            "headings": headings / count[own],
            "blocks": blocks / count[own],
            "images": np.array(images, dtype=np.float64),
            "linked": linked[own] / count[own],
        }
        found |= _prefixed(f"group{number}", _spread(columns, has, pages))
        weights[(weight > 0)[page] & (last > first[best][page]) & (first < last[best][page])] = 0
    return found


def _share_with_images(tree: ScopeTree, members: Ints) -> float:
    """Return the share of the first members of a group that contain an image."""
    elements = [tree.scopes[scope].element for scope in members[:_FIRST_MEMBERS].tolist()]
    return sum(next(element.iter("img"), None) is not None for element in elements) / len(elements)


def teasers(tree: ScopeTree, chars: Floats, linked: Bools) -> Columns:
    """Describe the linked blocks of the kind with the most text; consecutive ones (menus) count less.

    Blocks are of one kind if they agree in the element types of their element and its parent. ``chars``: (blocks,);
    ``linked``: (blocks,), whether most of a block is in links. The columns are 0 for pages without such blocks.
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
    columns = {
        "log_count": np.log1p(count[own]),
        "mean_chars": held / count[own],
        "chars": held / np.add.reduceat(chars, tree.block_starts[:-1])[has],
        "gap": gap[own],
        "first": tree.place[first[own]] / blocks,
        "last": tree.place[last[own]] / blocks,
        "distinct": distinct[has] / count[own],
    }
    return _spread(columns, has, pages)


def _address(address: Address) -> Mapping[str, float]:
    """Return the features of a URL."""
    if not address.is_known:
        return form_of(address) | _TYPICAL_END
    path = address.path
    last = path.rstrip("/").rpartition("/")[2]
    stem, dot, _ = last.rpartition(".")
    return form_of(address) | {
        "ends_in_slash": path.endswith("/"),
        "last_length": len(last),
        "last_dashes": last.count("-") + last.count("_"),
        "last_digits": sum(map(str.isdigit, last)),
        "extension": bool(dot and stem),
        "dated": _DATED.search(path) is not None,
        "long_number": _LONG_NUMBER.search(path) is not None,
    }


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
    """The blocks of pages and the elements around them; methods return columns of the pages, (pages,) each."""

    def __init__(self, table: PageTable) -> None:
        self._table, self._tree, self._runs = table, table.tree, table.runs
        self._wide = wide = _widened(table)
        self.totals, self._of_pages, self._shared = wide.totals, wide.of_pages(), wide.page_columns
        self.chars, self._links = wide.columns[: LINKS + 1]
        self.linked = self._links > 0.5 * self.chars
        self._title, _ = self._runs.marked(table.headings == 1)

    def _placed(self, blocks: Ints) -> Floats:
        """Return the positions of blocks on their pages, as a share of all blocks there; -1 for no block."""
        return np.where(blocks >= 0, self._tree.place[blocks] / self._runs.lengths, -1.0)

    def text(self) -> Columns:
        """Return the amount of text, the sizes of its parts, and its properties."""
        runs, chars, title, prose = self._runs, self.chars, self._title, self._wide.prose
        count, words, titles = runs.lengths, self._table.words, [page.title for page in self._table.pages]
        total, prose_chars = self._of_pages[CHARS], np.maximum(self._of_pages[PROSE_CHARS], 1.0)
        ordered = chars[np.lexsort((chars, runs.of_item))]
        commas, stop_words, hidden = self._table.block_features[:, _SUMMED].astype(np.float64).T
        all_words = runs.sum(words)
        all_words[all_words == 0] = 1.0
        own_chars, ids = self._table.columns[CHARS], self._tree.text_ids
        times = np.bincount(ids)[ids]
        repeats, is_first = np.where(own_chars < _SHORT, times, 1), ids > np.append(-1, np.maximum.accumulate(ids)[:-1])
        sizes = {
            share: ordered[runs.begins + (share * (count - 1)).astype(np.int64)] for share in (0.25, 0.5, 0.75, 0.9)
        }
        first_prose, last_prose = runs.marked(prose)
        return {
            "log_chars": self._shared["log_chars"],
            "log_blocks": self._shared["log_blocks"],
            "link_share": self._shared["link_share"],
            "prose_blocks": runs.sum(prose),
            "prose_share": self._shared["prose_share"],
            "sentences": self._shared["sentences"],
            "headings": self._shared["headings"] / count,
            **{f"block_chars_{share:.0%}".rstrip("%"): np.log1p(chars) for share, chars in sizes.items()},
            "longest_share": ordered[runs.ends - 1] / total,
            "repeated_share": runs.sum((times > 1) * own_chars) / total,
            "linked_blocks": runs.sum(self.linked) / count,
            "question_marks": runs.sum(np.array(["?" in text for text in self._table.texts])),
            "commas": runs.sum(np.expm1(commas)) / all_words,
            "stop_words": runs.sum(stop_words * words) / all_words,
            "title_words": np.array([len(title.split()) for title in titles]),
            "title_chars": np.array([*map(len, titles)]),
            "title_place": np.where(title >= 0, self._tree.place[title], -1) / count,
            "first_prose": self._placed(first_prose),
            "last_prose": self._placed(last_prose),
            "longest_run": self._longest_run(prose),
            "hidden": runs.sum(hidden) / count,
            "short_blocks": runs.sum(words < 4) / count,
            "long_blocks": runs.sum(prose & (chars > 300)),
            "prose_in_first_half": runs.sum(chars * prose * (self._tree.place < (count // 2)[runs.of_item]))
            / prose_chars,
            "most_repeats": runs.most(repeats),
            "repeats": runs.sum((repeats > 2) & is_first),
        }

    def _longest_run(self, prose: Bools) -> Floats:
        """Return the maximum number of consecutive prose blocks."""
        blocks = np.arange(len(prose))
        before = np.maximum.accumulate(np.where(prose, -1, blocks))  # the last block that is not prose
        return self._runs.most(blocks - np.maximum(before, self._runs.begins[self._runs.of_item] - 1))

    def path(self) -> Columns:
        """Describe the element at the end of the path to most of the prose."""
        end = self._wide.path_end
        chars, _, blocks, _, headings, sentences, _ = self.totals[:, end]
        return {
            "chars": self._shared["path_share"],
            "prose": self._shared["path_prose_share"],
            "links": self._shared["path_link_share"],
            "blocks": blocks / self._of_pages[BLOCKS],
            "headings": headings,
            "depth": self._tree.depth[end] + 1.0,
            "sentences": 100 * sentences / chars,
            "block_chars": np.log1p(chars / blocks),
        }

    def own(self) -> Columns:
        """Describe the element with the most prose directly below it, as in an article."""
        tree, prose = self._tree, self._wide.prose
        holder = tree.parent[tree.of_block]
        held = np.bincount(holder, self.chars * prose, minlength=len(tree))
        best, most = first_maximum(held, tree.page_of_scope, len(tree.roots))
        return {
            "log_prose": np.log1p(most),
            "prose_share": most / np.maximum(self._of_pages[PROSE_CHARS], 1.0),
            "prose_blocks": np.bincount(holder, prose, minlength=len(tree))[best],
        }

    def heads(self) -> Columns:
        """Describe headings that are links, as in teasers, and the title."""
        is_heading, title = self._table.headings > 0, self._title
        both = is_heading & self.linked
        count, (first, last) = self._runs.sum(both), self._runs.marked(both)
        return {
            "log_linked": np.log1p(count),
            "linked_share": count / np.maximum(self._runs.sum(is_heading), 1.0),
            "gap": (last - first) / np.maximum(count - 1, 1),
            "h1_words": np.where(title >= 0, self._table.words[title], -1.0),
            "h1_linked": np.where(title >= 0, self._links[title] > 0, -1.0),
        }

    def parts(self) -> Columns:
        """Return how much text is in the parts that HTML names, and the share of links in <main>."""
        tree, pages = self._tree, len(self._tree.roots)
        rows = {tag: place for place, tag in enumerate(_PARTS)}
        codes = tree.element_types.by_tag(rows, len(_PARTS)) * pages + tree.page_of_scope
        chars, links = (
            np.bincount(codes, self.totals[line], minlength=(len(_PARTS) + 1) * pages).reshape(-1, pages)
            for line in (CHARS, LINKS)
        )
        main = rows["main"]
        return {
            **{tag: chars[row] / self._of_pages[CHARS] for tag, row in rows.items()},
            "main_links": links[main] / np.where(chars[main] == 0, 1.0, chars[main]),
        }


def _marks(texts: list[str]) -> dict[str, float]:
    """Return log counts of signs of money, time and code at the beginnings of blocks, and of numeric blocks."""
    text = "\n".join([text[:_LOOK] for text in texts])
    counts = map(text.count, _ALL_SIGNS)
    counters = sum([text.strip("()#+ ").isdigit() for text in texts if len(text) < 8])
    of_signs = {name: math.log1p(sum(islice(counts, len(signs)))) for name, signs in _SIGNS.items()}
    return {**of_signs, "counters": math.log1p(counters)}


def _description(table: PageTable) -> Columns:
    """Return how much of the page's description one block has, its position, and how many blocks share any of it."""
    texts, share, coverage = table.descriptions
    best, most = first_maximum(coverage, table.tree.page_of_block, len(texts))
    return {
        "log_chars": np.log1p([*map(len, texts)]),
        "coverage": most,
        "place": np.where(most > 0, table.tree.place[best] / table.runs.lengths, -1.0),
        "share": share[best],
        "log_holding": np.log1p(table.runs.sum(coverage > 0.1)),
    }


def _links(targets: Sequence[str | None], address: Address) -> dict[str, float]:
    """Describe links by their targets."""
    links = count_links(targets, address)
    count = links.addresses or 1
    led = {"below": links.below / count, "sibling": links.beside / count, "external": links.external / count}
    return {
        "log_count": math.log1p(links.addresses),
        **(led if address.is_known else _TYPICAL_TARGETS),
        "log_empty": math.log1p(links.empty),
        "twice": links.twice / count,
        "log_paged": math.log1p(links.paged),
        "query": links.query / count,
        "log_anchors": math.log1p(links.anchors),
    }


#: The names of `page_columns`, in order.
COLUMNS = (*page_columns(PageTable([describe("<p>One block.</p>", None)])),)
