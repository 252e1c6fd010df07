"""The roles of elements by their tags and their class and id names, as bits of one integer for each element."""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.text.word_tables import WORDS
from scrapy_semtext.utils.remembering import LONGEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.scope_tree import ElementTypes
    from scrapy_semtext.utils.arrays import Ints


# Patterns that begin with a class of characters are searched for faster than those that begin with a lookbehind.
_CAMEL = re.compile(r"[A-Z](?<=[a-z].)")
# A character that no parsed page can hold.
_SEPARATOR = "\0"
# By code: spaces for all but small letters of ASCII and the separator.
_LETTERS = bytes(code if code == 0 or chr(code) in ascii_lowercase else ord(" ") for code in range(256))

_EDGE_TAGS = frozenset("nav footer header aside form button dialog noscript template".split())
_LIST_TAGS = frozenset(("ul", "ol", "dl", "table", "li"))
#: The tags that are features of their own.
TAGS = "p div li dd dt td th pre blockquote summary legend caption figcaption address section article body".split()

#: The bits: names of titles, of small print (a byline, a date), of the edge of pages and of their core, tags of the
#: edge and of lists.
TITLE_NAME, SMALL_NAME, EDGE_NAME, CORE_NAME, EDGE_TAG, LIST_TAG = (1 << bit for bit in range(6))
# Above these bits stand the level of a heading and the index of the tag in TAGS, from 1; 0 for none.
_HEADING_BIT, _TAG_BIT = 6, 9
_NAMES = {
    kind: WORDS[f"{name}_names"]
    for name, kind in (("title", TITLE_NAME), ("small", SMALL_NAME), ("edge", EDGE_NAME), ("core", CORE_NAME))
}
_OF_WORD = {
    name: sum(kind for kind, names in _NAMES.items() if name in names) for name in set().union(*_NAMES.values())
}
_OF_TAG = {
    tag: EDGE_TAG * (tag in _EDGE_TAGS)
    + LIST_TAG * (tag in _LIST_TAGS)
    + (HEADING_LEVELS.get(tag, 0) << _HEADING_BIT)
    + ((TAGS.index(tag) + 1 if tag in TAGS else 0) << _TAG_BIT)
    for tag in {*TAGS, *_EDGE_TAGS, *_LIST_TAGS, *HEADING_LEVELS}
}
_KNOWN = frozenset(_OF_WORD)
#: The most names that are cached; beyond it, the cache is emptied before the next batch.
_MOST_CACHED = 1 << 14


class _NameKinds(dict[str, int]):
    """The bits of class and id names, cached."""

    def __missing__(self, names: str) -> int:
        self.add([names])
        return self[names]

    def add(self, new: Sequence[str]) -> None:
        """Compute the bits of many names at once."""
        text = _SEPARATOR.join(new)
        if not text.islower():
            text = _CAMEL.sub(r" \g<0>", text).lower()
        words = text.encode("ascii", "replace").translate(_LETTERS).decode("ascii")
        for names, found in zip(new, words.split(_SEPARATOR), strict=True):
            kinds = 0
            for word in _KNOWN.intersection(found.split()):
                kinds |= _OF_WORD[word]
            self[names] = kinds


_NAME_KINDS = _NameKinds()


def element_kinds(types: ElementTypes) -> Ints:
    """Return the bits of elements by their types; int64, (elements,)."""
    if len(_NAME_KINDS) > _MOST_CACHED:
        _NAME_KINDS.clear()
    if new := {names for _, names in types.pairs}.difference(_NAME_KINDS):
        _NAME_KINDS.add([*new])
    kinds = [_NAME_KINDS[names] | _OF_TAG.get(tag, 0) for tag, names in types.pairs]
    for names in new:
        if len(names) > LONGEST:
            _NAME_KINDS.pop(names, None)
    return np.array(kinds, dtype=np.int64).take(types.of_scope)


def tag_places(kinds: Ints) -> Ints:
    """Return the index in TAGS of the tag of each element, from 1, or 0; (elements,). ``kinds``: their bits."""
    return kinds >> _TAG_BIT


def heading_levels(kinds: Ints) -> Ints:
    """Return the level of each element that is a heading, 1 to 6, 0 for others; (elements,). ``kinds``: their bits."""
    return kinds >> _HEADING_BIT & 7


def has_small_name(names: str) -> bool:
    """Return whether class and id names are those of a byline, a date or the like."""
    return _NAME_KINDS[names] & SMALL_NAME != 0
