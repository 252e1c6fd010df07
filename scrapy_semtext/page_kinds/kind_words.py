"""A page as words: of its URL, its title, its elements' names, its declarations and its texts.

Each word is combined with the place where it was found, because "forum" in a host says more than in a text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.scope_tree import ranges
from scrapy_semtext.text.words import FIRST_NAMES, attribute_words
from scrapy_semtext.utils.address import address_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_semtext.dom.scope_tree import ScopeTree
    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.features.page_table import PageTable
    from scrapy_semtext.features.parsed_page import ParsedPage
    from scrapy_semtext.utils.address import Address

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
    found: list[dict[str, Collection[str]]] = []
    for page, texts, names in zip(table.pages, table.texts_of_pages(), _of_names(table.tree), strict=True):
        few: dict[str, Collection[str]] = {place: _words([text]) for place, text in _few_texts(page).items()}
        found.append({**few, **_few_words(page), **_of_texts(texts), **_of_buttons(texts), **names})
    return found


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


def _few_texts(page: ParsedPage) -> dict[str, str]:
    """Return the text of each place that has a single text."""
    address, title = address_of(page.url), _headline(page)
    *folders, last = _path_of(address)
    return {
        "host": address.netloc,
        "folder": "/".join(folders),
        "last part": last,
        "title": page.title[:_LOOK],
        "h1": "" if title is None else title.text[:_LOOK],
    }


def _few_words(page: ParsedPage) -> dict[str, Collection[str]]:
    """Return the words of a page that are not from a text: names and parts of URLs, unchanged."""
    address, title = address_of(page.url), _headline(page)
    around = [] if title is None else islice(title.scope.ancestry(), _LEVELS)
    query = [part.partition("=")[0] for part in address.query.split("&")] if address.is_known else []
    return {
        "first folder": _path_of(address)[:1] if address.is_known else [],
        "query": query,
        **_declared(page),
        "around h1": [*chain.from_iterable(attribute_words(scope.names).first for scope in around)],
    }


def _path_of(address: Address) -> list[str]:
    """Return the parts of a path in lower case, at least one; an unknown URL has one that matches nothing."""
    parts = address.path.lower().split("/") if address.is_known else []
    return [part for part in parts if part] or [""]


def _headline(page: ParsedPage) -> TextBlock | None:
    return next((block for block in page.text_blocks if block.scope.tag == "h1"), None)


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
    short = [text for text in texts if len(text) < _SHORT]
    long = [text[:_LOOK] for text in texts if len(text) >= _SHORT]
    return {"short text": _words(short), "text": _words(long)}


def _of_buttons(texts: Sequence[str]) -> dict[str, Collection[str]]:
    buttons = Counter([text.lower() for text in texts if len(text) < _BUTTON])
    return {"button": buttons.keys(), "buttons": [text for text, times in buttons.items() if times >= _REPEATS]}


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
