"""A page as words: of its address, its title, its elements' names, its declarations and its texts.

Each word stands under the place where it was found, for "forum" in a host says more than in a text.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import filterfalse, islice
from typing import TYPE_CHECKING

from scrapy_semtext.address import address_of
from scrapy_semtext.wording import FIRST_NAMES, attribute_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

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
    return {
        **_of_address(page.url),
        "title": _words([page.title[:_LOOK]]),
        **_declared(page),
        **_of_texts(page.text_blocks),
        **_of_names(page.layout()),
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
    head = page.root.find("head")
    for meta in () if head is None else head.iter("meta"):
        name = (meta.get("property") or meta.get("name") or "").lower()
        names.add(name)
        if name in ("og:type", "generator"):
            values.add((meta.get("content") or "").lower()[:_LONGEST_VALUE])
    body = page.root.find("body")
    classes = "" if body is None else body.get("class") or ""
    return {"declared": names, "generator": values, "body": set(classes.lower().split()[:FIRST_NAMES])}


def _of_texts(blocks: list[TextBlock]) -> dict[str, Collection[str]]:
    texts = [block.text for block in blocks]
    short = [text for text in texts if len(text) < _SHORT]
    long = [text[:_LOOK] for text in texts if len(text) >= _SHORT]
    buttons = Counter([text.lower() for text in short if len(text) < _BUTTON])
    title = next((block for block in blocks if block.scope.tag == "h1"), None)
    around = [] if title is None else islice(title.scope.ancestry(), _LEVELS)
    return {
        "short text": _words(short),
        "button": buttons.keys(),
        "buttons": [text for text, times in buttons.items() if times >= _REPEATS],
        "text": _words(long),
        "h1": [] if title is None else _words([title.text[:_LOOK]]),
        "around h1": [word for scope in around for word in attribute_words(scope.names).first],
    }


def _of_names(layout: Layout) -> dict[str, Collection[str]]:
    times: dict[str, int] = {}
    for (_, names), count in zip(layout.looks.different, layout.times, strict=True):
        times[names] = times.get(names, 0) + count
    repeated = [names for names, count in times.items() if count >= _REPEATED_NAMES]
    return {
        "name": [word for names in times for word in attribute_words(names).first],
        "names": [word for names in repeated for word in attribute_words(names).first],
    }


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
