"""A page as words: of its address, its title, its elements' names, its declarations and its texts.

Each word stands under the place where it was found, for "forum" in a host says more than in a text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import filterfalse, islice
from typing import TYPE_CHECKING

from scrapy_semtext.address import address_of
from scrapy_semtext.compiled import kinds as compiled
from scrapy_semtext.wording import FIRST_NAMES, attribute_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_semtext.describe import Described
    from scrapy_semtext.segment import TextBlock
    from scrapy_semtext.structure.layout import Layout

#: The places by name.
PLACES = (
    *("host", "folder", "first folder", "last part", "query", "title", "declared", "generator", "body"),
    *("short text", "button", "buttons", "text", "h1", "around h1", "name", "names"),
)

_WORD = re.compile(r"[^\W\d_]+")
# By code: small letters of ASCII for its letters, spaces for all else.
_IN_WORDS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalpha() else ord(" ") for code in range(256))
_SHORT, _BUTTON, _LOOK = 60, 25, 100
_LEVELS = 4
_LONGEST_VALUE = 20
# From how many times on a short text, or the names of an element, are ones that repeat.
_REPEATS, _REPEATED_NAMES = 3, 6


def page_words(page: Described) -> dict[str, Collection[str]]:
    """The words of a page at each of PLACES; some come more than once."""
    return {**_few_words(page), **_of_texts([block.text for block in page.text_blocks]), **_of_names(page.layout())}


class Vocabulary:
    """Words with their places that are looked for on pages."""

    def __init__(self, column_of: Mapping[str, dict[str, int]]) -> None:
        """``column_of``: for each of PLACES, the columns of the words that are looked for there."""
        self._column_of = column_of
        self._known = {place: frozenset(columns) for place, columns in column_of.items()}
        if compiled is not None:
            self._in_texts = [compiled.Vocabulary(column_of[place]) for place in ("short text", "text")]

    def mark(self, page: Described, row: NDArray[np.float32]) -> None:
        """Write 1 to the columns of the words that a page has."""
        if compiled is None:
            found = page_words(page)
        else:
            found = _few_words(page)
            compiled.mark_words([block.text for block in page.text_blocks], _SHORT, _LOOK, *self._in_texts, row)
            layout, columns = page.layout(), (self._column_of["name"], self._column_of["names"])
            looks = layout.looks.different
            words = [attribute_words(names).first for _, names in looks]
            compiled.mark_names(looks, words, layout.times, _REPEATED_NAMES, *columns, row)
        for place, words_there in found.items():
            for word in self._known[place].intersection(words_there):
                row[self._column_of[place][word]] = 1


def _few_words(page: Described) -> dict[str, Collection[str]]:
    """The words of a page but those of its texts and of its elements' names, which most are."""
    return {
        **_of_address(page.url),
        "title": _words([page.title[:_LOOK]]),
        **_declared(page),
        **_of_buttons(page.text_blocks),
        **_of_title(page.text_blocks),
    }


def _of_address(url: str | None) -> dict[str, Collection[str]]:
    address = address_of(url)
    if not address.is_known:
        return dict.fromkeys(PLACES[:5], ())
    *folders, last = [part for part in address.path.lower().split("/") if part] or [""]
    return {
        "host": _words([address.host]),
        "folder": _words(["/".join(folders)]),
        "first folder": {folders[0] if folders else last},
        "last part": _words([last]),
        "query": {part.partition("=")[0] for part in address.query.split("&")},
    }


def _declared(page: Described) -> dict[str, Collection[str]]:
    """What <meta> declares: the names of it all, and the values of two; no markup of schema.org."""
    names: set[str] = set()
    values: set[str] = set()
    for element, tag, key, in_head in page.elements.naming:
        if in_head and tag == "meta":
            names.add(key)
            if key in ("og:type", "generator"):
                values.add((element.get("content") or "").lower()[:_LONGEST_VALUE])
    body = page.root.find("body")
    classes = "" if body is None else body.get("class") or ""
    return {"declared": names, "generator": values, "body": set(classes.lower().split()[:FIRST_NAMES])}


def _of_texts(texts: Sequence[str]) -> dict[str, Collection[str]]:
    short = [text for text in texts if len(text) < _SHORT]
    long = [text[:_LOOK] for text in texts if len(text) >= _SHORT]
    return {"short text": _words(short), "text": _words(long)}


def _of_buttons(blocks: list[TextBlock]) -> dict[str, Collection[str]]:
    buttons = Counter([text.lower() for block in blocks if len(text := block.text) < _BUTTON])
    return {"button": buttons.keys(), "buttons": [text for text, times in buttons.items() if times >= _REPEATS]}


def _of_title(blocks: list[TextBlock]) -> dict[str, Collection[str]]:
    title = next((block for block in blocks if block.scope.tag == "h1"), None)
    if title is None:
        return {"h1": [], "around h1": []}
    around = islice(title.scope.ancestry(), _LEVELS)
    return {
        "h1": _words([title.text[:_LOOK]]),
        "around h1": _united([scope.names for scope in around]),
    }


def _of_names(layout: Layout) -> dict[str, Collection[str]]:
    times: dict[str, int] = {}
    for (_, names), count in zip(layout.looks.different, layout.times, strict=True):
        times[names] = times.get(names, 0) + count
    repeated = [names for names, count in times.items() if count >= _REPEATED_NAMES]
    return {"name": _united(times), "names": _united(repeated)}


def _united(several: Iterable[str]) -> frozenset[str]:
    """The words of several elements' names."""
    return frozenset().union(*[attribute_words(names).first for names in several])


def _words(texts: Sequence[str]) -> list[str]:
    """The words of texts. Those of ASCII, as most are, are cut at spaces once nothing but words has no space."""
    plain = " ".join(filter(str.isascii, texts)).encode("ascii").translate(_IN_WORDS).decode("ascii")
    other = "\n".join(filterfalse(str.isascii, texts)).lower()
    return [*plain.split(), *_WORD.findall(other)]


def spelt(found: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """The words with their places in one string each."""
    return (f"{place}: {word}" for place, words in found.items() for word in words)


def parted(word: str) -> tuple[str, str]:
    """The place and the word of what `spelt` gave."""
    place, _, bare = word.partition(": ")
    return place, bare
