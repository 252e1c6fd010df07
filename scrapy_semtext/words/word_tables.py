"""The words in names of elements, classes and ids, and words of languages: the tables in ``tables/``.

A line of a table is a name in lower case and its words; ``#`` begins a comment, which says how the table was made.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from scrapy_semtext.utils.remembering import remembered

# Separators in names of custom, SVG or prefixed elements: "my-post", "o:p", "fb:like", "x_y.z".
_TAG_SEPARATORS = re.compile(r"[\W_]+")
# From this code point on, (nearly all) characters are of scripts without spaces.
_WITHOUT_SPACES = "\u2e80"
# A tag name can be as long as the page, but no word is.
_MAX_TAG_CHARS = 64


def paragraphs(name: str) -> list[list[str]]:
    """Return the lines of a table by paragraph, without comments."""
    text = (files("scrapy_semtext.words") / "tables" / f"{name}.txt").read_text(encoding="utf-8")
    lines = ([line for line in part.splitlines() if line[:1] != "#"] for part in text.split("\n\n"))
    return [part for part in lines if part]


def _table(table: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each name in a table."""
    lines = (line.split() for part in paragraphs(table) for line in part)
    return {name: tuple(words) for name, *words in lines}


#: Part of a class or id name, in lower case -> its words.
ABBREVIATIONS = _table("abbreviations")
#: The same for parts that have this meaning only before a measure.
UTILITIES = _table("utilities")
#: Tag (lower case) -> its words.
TAG_WORDS = _table("tags")
#: Name of a month, in lower case, in one of many languages -> its number.
MONTHS = {name: int(number) for number, names in _table("months").items() for name in names}
#: Name of a list of names or words -> its content.
WORDS = _table("words")

_ALTERNATIVES = {name: "|".join(lines) for name, *lines in paragraphs("patterns")}
#: Kind of label -> the labels, see the table.
LABELS = {kind: tuple(word.replace("_", " ") for word in words) for kind, words in _table("labels").items()}


def alternatives(name: str) -> str:
    """Return the list of names and words with this name in the table ``patterns`` as a regular expression."""
    return _ALTERNATIVES[name]


def characters(name: str) -> str:
    """Return the characters of a list of code point ranges, such as "e0-ff", for use in square brackets."""
    return "".join("-".join(chr(int(code, 16)) for code in part.split("-")) for part in WORDS[name])


def labels(kind: str, form: str = "{}") -> re.Pattern[str]:
    """Return the case-insensitive pattern of the labels of a kind, inserted into ``form``."""
    words = sorted(LABELS[kind], key=len, reverse=True)
    return re.compile(form.replace("{}", f"(?:{'|'.join(map(_label, words))})"), re.IGNORECASE)


def _label(word: str) -> str:
    """Return the pattern of a label, delimited as a word in scripts with spaces."""
    pattern = re.escape(word.rstrip("*"))
    if word[0] >= _WITHOUT_SPACES or not word[0].isalpha():
        return pattern
    return rf"(?<!\w){pattern}" if not word[-1].isalpha() else rf"(?<!\w){pattern}(?!\w)"


@cache
def code_languages() -> frozenset[str]:
    """Return the names of programming languages, in lower case."""
    return frozenset(name for short, others in _table("code_languages").items() for name in (short, *others))


@remembered(4096)
def tag_words(tag: str) -> tuple[str, ...]:
    """Return the words of an element's tag name: ``"td"`` -> ``("table", "data", "cell")``.

    The names of custom elements are split at hyphens like class names (``"my-post"`` -> ``("my", "post")``); an unknown
    name that cannot be split is returned in lower case. Only an empty name has no words.
    """
    tag = tag[:_MAX_TAG_CHARS].lower()
    words = TAG_WORDS.get(tag)
    if words is None:
        words = tuple(word for word in _TAG_SEPARATORS.split(tag) if word) or ((tag,) if tag else ())
    return words
