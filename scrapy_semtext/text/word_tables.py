"""What names of elements, classes and ids are in words: the tables beside this module, in ``tables/``.

A line of a table is a name in lower case and its words; ``#`` begins a comment, which says how the table was made.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from scrapy_semtext.utils.remembering import remembered

# Where the name of a custom, SVG or prefixed element is cut: "my-post", "o:p", "fb:like", "x_y.z".
_CUT = re.compile(r"[\W_]+")

# A tag name can be as long as the page; no word is.
_LONGEST = 64


def paragraphs(name: str) -> list[list[str]]:
    """Return the lines of a table by paragraph, without comments."""
    text = (files("scrapy_semtext.text") / "tables" / f"{name}.txt").read_text(encoding="utf-8")
    lines = ([line for line in part.splitlines() if line[:1] != "#"] for part in text.split("\n\n"))
    return [part for part in lines if part]


def _table(name: str) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for part in paragraphs(name) for line in part)
    return {short: tuple(words) for short, *words in lines}


#: Part of a class or id name, in lower case -> its words.
ABBREVIATIONS = _table("abbreviations")

#: The same for parts that only have this meaning in front of a measure.
UTILITIES = _table("utilities")

#: Tag (lower case) -> its words.
TAG_WORDS = _table("tags")


@cache
def code_languages() -> frozenset[str]:
    """Return the names of languages that code is written in, in lower case."""
    return frozenset(name for short, others in _table("code_languages").items() for name in (short, *others))


@remembered(4096)
def tag_words(tag: str) -> tuple[str, ...]:
    """Return the words of an element's tag name: ``"td"`` -> ``("table", "data", "cell")``.

    The names of custom elements are cut at hyphens like class names (``"my-post"`` -> ``("my", "post")``); an unknown
    name that cannot be cut stays as it is, in lower case. Never empty except for an empty name.
    """
    tag = tag[:_LONGEST].lower()
    words = TAG_WORDS.get(tag)
    if words is None:
        words = tuple(word for word in _CUT.split(tag) if word) or ((tag,) if tag else ())
    return words
