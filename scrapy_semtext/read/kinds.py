"""The kind of a page: gradient-boosted trees over its columns and its words.

The kinds are those of WCXB. An overview is a page that lists others: a listing or a collection.

Columns describe a page's URL, text, elements and links, and repetition: siblings of one element type, and linked blocks
of one kind anywhere on the page. Articles are prose in one place; listings and collections repeat a pattern of links,
headings and short texts; shops have prices, and forums have posts of a common structure. No column depends on the
language, except a few signs of money, time and code.

Words are those of the page's URL, its title, its elements' names, its declarations and its texts. Each is combined with
the place where it was found, because "forum" in a host says more than in a text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.features.blocks import FEATURES
from scrapy_semtext.features.runs import first_maximum
from scrapy_semtext.features.table import BLOCKS, CHARS, LINKS, PROSE_CHARS, PageTable, ParsedPage, describe, form_of
from scrapy_semtext.models.config import PAGE_KINDS
from scrapy_semtext.models.storage import TreeHead
from scrapy_semtext.reading import Models, Reading, reader
from scrapy_semtext.tree.elements import COUNTED, count_links
from scrapy_semtext.tree.scopes import ScopeTree, group_ids, ranges
from scrapy_semtext.utils.address import Address, address_of
from scrapy_semtext.words.words import FIRST_NAMES, attribute_words, width_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.features.table import Columns
    from scrapy_semtext.models.trees import TreeEnsemble
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints


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
_MARKS_LOOK, _SHORT_TEXT = 200, 30
# The least number of characters per word, with its space, that a text has without unspaced script.
_LEAST_WORD = 4.0
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
        if (width := width_of(table.texts[place])) > 1:
            wider[place] = width - 1
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
        repeats, is_first = (
            np.where(own_chars < _SHORT_TEXT, times, 1),
            ids > np.append(-1, np.maximum.accumulate(ids)[:-1]),
        )
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
    text = "\n".join([text[:_MARKS_LOOK] for text in texts])
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


#: The places by name.
PLACES = (
    *("host", "folder", "first folder", "last part", "query", "title", "declared", "generator", "body"),
    *("short text", "button", "buttons", "text", "h1", "around h1", "name", "names"),
)

_WORD = re.compile(r"[^\W\d_]+")
# A translation table: ASCII letters to lower case, everything else to spaces.
_IN_WORDS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))
_SHORT, _BUTTON, _LOOK = 60, 25, 100
_LEVELS = 4
_LONGEST_VALUE = 20
# The number of occurrences from which a short text, or the names of an element, count as repeated.
_REPEATS, _REPEATED_NAMES = 3, 6


def page_words(table: PageTable) -> list[dict[str, Collection[str]]]:
    """Return the words at each of PLACES for each page with text; words may be repeated."""
    pages = zip(table.pages, table.texts_of_pages(), _of_names(table.tree), strict=True)
    return [{**_of_page(page), **_of_texts(texts), **names} for page, texts, names in pages]


class Vocabulary:
    """Words with their places that are searched for on pages."""

    def __init__(self, column_of: Mapping[str, dict[str, int]]) -> None:
        """``column_of``: for each of PLACES, the columns of the words that are searched for there."""
        self._column_of = column_of
        self._known = {place: frozenset(columns) for place, columns in column_of.items()}

    def mark(self, table: PageTable, rows: NDArray[np.float32]) -> None:
        """Write 1 to the columns of the words of each page with text; ``rows``: (pages, columns)."""
        for found, row in zip(page_words(table), rows, strict=True):
            columns: list[int] = []
            for place, words in found.items():
                column_of = self._column_of[place]
                columns += [column_of[word] for word in self._known[place].intersection(words)]
            row[columns] = 1


def _of_page(page: ParsedPage) -> dict[str, Collection[str]]:
    """Return the words of a page's URL, title, first heading and declarations."""
    address, path = address_of(page.url), _path_of(address_of(page.url))
    headline = next((block for block in page.text_blocks if block.scope.tag == "h1"), None)
    around = [] if headline is None else islice(headline.scope.ancestry(), _LEVELS)
    texts = {
        "host": address.netloc,
        "folder": "/".join(path[:-1]),
        "last part": path[-1],
        "title": page.title[:_LOOK],
        "h1": "" if headline is None else headline.text[:_LOOK],
    }
    return {
        **{place: _words([text]) for place, text in texts.items()},
        "first folder": path[:1] if address.is_known else [],
        "query": [part.partition("=")[0] for part in address.query.split("&")] if address.is_known else [],
        **_declared(page),
        "around h1": [*chain.from_iterable(attribute_words(scope.names).first for scope in around)],
    }


def _path_of(address: Address) -> list[str]:
    """Return the parts of a path in lower case, at least one; an unknown URL has one that matches nothing."""
    parts = address.path.lower().split("/") if address.is_known else []
    return [part for part in parts if part] or [""]


def _declared(page: ParsedPage) -> dict[str, Collection[str]]:
    """Return what <meta> declares: all names, and the values of two of them; no schema.org markup."""
    names: set[str] = set()
    values: set[str] = set()
    for element, tag, key, in_head in page.elements.naming:
        if in_head and tag == "meta":
            names.add(key)
            if key in ("og:type", "generator"):
                values.add((element.get("content") or "").lower()[:_LONGEST_VALUE])
    body = next(page.root.iterchildren("body"), None)
    classes = "" if body is None else body.get("class") or ""
    return {"declared": names, "generator": values, "body": set(classes.lower().split()[:FIRST_NAMES])}


def _of_texts(texts: Sequence[str]) -> dict[str, Collection[str]]:
    buttons = Counter([text.lower() for text in texts if len(text) < _BUTTON])
    return {
        "short text": _words([text for text in texts if len(text) < _SHORT]),
        "text": _words([text[:_LOOK] for text in texts if len(text) >= _SHORT]),
        "button": buttons.keys(),
        "buttons": [text for text, times in buttons.items() if times >= _REPEATS],
    }


def _of_names(tree: ScopeTree) -> list[dict[str, Collection[str]]]:
    """Return the words in the names of each page's elements, and in names shared by several elements."""
    types, pages = tree.element_types, len(tree.roots)
    names, of_scope = types.names
    words, number, counts = types.first_words
    distinct, begins = np.array(words, dtype=object), counts.cumsum() - counts
    times = np.bincount(tree.page_of_scope * len(names) + of_scope, minlength=pages * len(names)).reshape(pages, -1)

    def of_pages(least: int) -> Iterator[list[str]]:
        page, name = np.nonzero(times >= least)
        has_word = np.zeros((pages, len(words)), dtype=np.bool_)
        has_word[page.repeat(counts[name]), number[ranges(begins[name], counts[name])]] = True
        return (distinct[own].tolist() for own in has_word)

    return [{"name": each, "names": some} for each, some in zip(of_pages(1), of_pages(_REPEATED_NAMES), strict=True)]


def _words(texts: Sequence[str]) -> list[str]:
    """Return the words of texts. ASCII text, the usual case, is translated and then split at spaces."""
    plain = " ".join(filter(str.isascii, texts)).encode("ascii").translate(_IN_WORDS).decode("ascii")
    other = "\n".join(filterfalse(str.isascii, texts)).lower()
    return [*plain.split(), *_WORD.findall(other)]


def spelt(found: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """Yield words with their places as single strings."""
    return (f"{place}: {word}" for place, words in found.items() for word in words)


def parted(word: str) -> tuple[str, str]:
    """Split a string from `spelt` into place and word."""
    place, _, bare = word.partition(": ")
    return place, bare


#: The page kinds, in alphabetical order; the network is trained on them as an auxiliary task.
KINDS = PAGE_KINDS
#: The kinds that list other pages.
OVERVIEWS = ("collection", "listing")

#: The kinds that present an offer, and their weight when overviews are separated from the other kinds. Annotators
#: disagree on how many offers make a list, so classifying an offer as an overview is the lesser error.
OFFERS = ("product", "service")
OFFER_WEIGHT = 1 / 3

_OVERVIEWS = [KINDS.index(kind) for kind in OVERVIEWS]
# By kind: 1 for an overview, else 0; the weight.
_AS_OVERVIEW = np.array([float(kind in OVERVIEWS) for kind in KINDS])
_WEIGHTS = np.array([OFFER_WEIGHT if kind in OFFERS else 1.0 for kind in KINDS])
_FORUM = KINDS.index("forum")
_READ = np.array([float(kind in ("article", "documentation")) for kind in KINDS])  # kinds of texts to be read
_OTHERS = [place for place in range(len(KINDS)) if place not in _OVERVIEWS]


@dataclass(frozen=True, slots=True)
class KindOfPage:
    """The predicted kind of a page and whether it is an overview, each with its probability.

    ``kind`` is one of OVERVIEWS if and only if ``is_overview``.
    """

    kind: str
    probability: float
    is_overview: bool
    overview_probability: float


def overview_probability(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of an overview, (...), from those of KINDS, (..., kinds), with OFFER_WEIGHT.

    This is the probability if products and services were rarer than in WCXB by that factor.
    """
    result: NDArray[np.float64] = probabilities @ _AS_OVERVIEW / (probabilities @ _WEIGHTS)
    return result


def kind_probabilities(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of the logits of KINDS, (..., kinds)."""
    likely = np.exp(odds - odds.max(-1, keepdims=True))
    result: NDArray[np.float64] = likely / likely.sum(-1, keepdims=True)
    return result


@dataclass(slots=True)
class KindModel:
    """Gradient-boosted trees over selected features and words of pages.

    ``trees``: the trees of ``parts`` models, one for each of KINDS in turn; the logits of the models are averaged.
    ``columns``: names from COLUMNS; ``words``: words with their places, whose
    columns follow; ``offsets``: added to the logits of KINDS. A page is an overview if the probability is at least
    ``threshold``. ``training`` documents data, seed, dates and scores.
    """

    trees: TreeEnsemble
    parts: int
    columns: tuple[str, ...]
    words: tuple[str, ...]
    offsets: tuple[float, ...]
    threshold: float
    training: dict[str, Any] = field(default_factory=dict)
    _vocabulary: Vocabulary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise ValueError if the trees do not fit the columns, words, parts or offsets."""
        if unknown := set(self.columns) - set(COLUMNS):
            raise ValueError(f"the trees were fitted to columns that this release does not compute: {sorted(unknown)}")
        if self.trees.columns != len(self.columns) + len(self.words):
            raise ValueError("the trees were fitted to another number of columns than are named")
        if self.parts < 1 or len(self.trees.roots) % len(KINDS):  # a part may have stopped earlier
            raise ValueError("the trees are not as many for each kind of page")
        if len(self.offsets) != len(KINDS):
            raise ValueError("the offsets are not one for each kind of page")
        words: dict[str, dict[str, int]] = {place: {} for place in PLACES}
        for column, spelt in enumerate(self.words, len(self.columns)):
            place, word = parted(spelt)
            if place not in words:
                raise ValueError(f"the trees were fitted to words of {place!r}, which this release does not read")
            words[place][word] = column
        self._vocabulary = Vocabulary(words)

    def read(self, page: ParsedPage) -> KindOfPage | None:
        """Classify a page; None for a page without text."""
        (probabilities,) = self.probabilities([page])
        return None if probabilities is None else self.likeliest(probabilities)

    def likeliest(self, probabilities: NDArray[np.float64], threshold: float | None = None) -> KindOfPage:
        """Return the most probable of the overviews, or of the other kinds, given ``probabilities``, (kinds,).

        ``threshold`` overrides that of the model.
        """
        overview = float(overview_probability(probabilities))
        is_overview = overview >= (self.threshold if threshold is None else threshold)
        among = _OVERVIEWS if is_overview else _OTHERS
        best = among[int(probabilities[among].argmax())]
        return KindOfPage(KINDS[best], float(probabilities[best]), is_overview, overview)

    def probabilities(self, pages: Sequence[ParsedPage]) -> list[NDArray[np.float64] | None]:
        """Return the probabilities of KINDS, (kinds,), for each page; None for one without text.

        The trees take about as long for a batch as for one page, because memory access dominates.
        """
        table = PageTable.of(pages)
        rows = np.zeros((len(table.pages), self.trees.columns), dtype=np.float32)
        if table.pages:
            columns = page_columns(table)
            for place, name in enumerate(self.columns):
                rows[:, place] = columns[name]
            self._vocabulary.mark(table, rows)
        found = iter(self.of_rows(rows))
        return [next(found) if page.text_blocks else None for page in pages]

    def of_rows(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of KINDS, (pages, kinds), for the columns of pages, (pages, columns)."""
        return kind_probabilities(self.trees.output_scores(rows, len(KINDS)) / self.parts + self.offsets)


def _described(model: KindModel) -> dict[str, Any]:
    lists = {name: list(getattr(model, name)) for name in ("columns", "words", "offsets")}
    return {"parts": model.parts, "threshold": model.threshold, **lists}


def _model(description: dict[str, Any], trees: dict[str, TreeEnsemble]) -> KindModel:
    return KindModel(
        trees["kinds"],
        int(description["parts"]),
        tuple(description["columns"]),
        tuple(description["words"]),
        tuple(map(float, description["offsets"])),
        float(description["threshold"]),
        description["training"],
    )


HEAD = TreeHead(
    "kinds",
    "model of page kinds",
    2,
    trees={"kinds": "trees"},
    build=_model,
    describe_model=_described,
    names={"kinds": KINDS},
)
save_kinds, load_kinds = HEAD.write, HEAD.read


@reader("kinds", by_page=False)
def kinds_reader(table: PageTable, models: Models, _: Sequence[Reading]) -> list[NDArray[np.float64] | None]:
    """Classify the kinds of pages, without their posts."""
    return models.pair_models.posts.kinds.probabilities(table)


def kinds_of(reading: Reading) -> NDArray[np.float64] | None:
    """Return the probabilities of KINDS, (kinds,), given the posts of a page; None for a page without text.

    An entry of a help centre is an article or documentation.
    """
    kinds, posts = reading.kinds, reading.posts
    if kinds is not None and reading.entry is not None:
        texts: NDArray[np.float64] = kinds * _READ / max(kinds @ _READ, 1e-12)
        return texts
    if kinds is None or posts is None or not posts.is_thread:
        return kinds
    others = kinds * (np.arange(len(KINDS)) != _FORUM)
    result: NDArray[np.float64] = others * ((1 - posts.probability) / max(others.sum(), 1e-12))
    result[_FORUM] = posts.probability
    return result


@reader(
    ("page_kind", "page_kind_probability", "is_overview", "overview_probability"),
    ("kinds", "posts", "message", "entry"),
    asked=lambda options: options.reads_kinds,
)
def kind_reader(reading: Reading, models: Models) -> tuple[str | None, float | None, bool | None, float | None]:
    """Return the kind of a page: the model's, "forum" for a thread, or "article" for one message."""
    kinds, posts = kinds_of(reading), reading.posts
    if kinds is None:
        return None, None, None, None
    if reading.page.message is not None:
        return "article", 1.0, False, 0.0
    if posts is not None and posts.is_thread and reading.entry is None:
        return "forum", posts.probability, False, float(overview_probability(kinds))
    found = models.pair_models.posts.kinds.likeliest(kinds, reading.options.overview_threshold)
    return found.kind, found.probability, found.is_overview, found.overview_probability
