"""The text of pages that display little or only the beginning of it, taken from JSON-LD or the data for scripts.

Sites that are rendered in the browser embed their content in the page as JSON: in a separate script (such as the
``__NEXT_DATA__`` of Next.js), in an assignment like ``window.__STATE__ = {...}``, in a call like
``self.__next_f.push([1, "..."])``, or in an attribute (Discourse's ``data-preloaded``). JSON strings that are running
text, or HTML with running text, are grouped by their key; the key with the most text is taken as the main text.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_semtext.dom.element_text import text_of_html
from scrapy_semtext.output.markup import main_text_from_markup
from scrapy_semtext.sections.line_features import is_prose
from scrapy_semtext.text.folding import letters_of, without_surrogates
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: A page of fewer words is waiting for its scripts: "Please enable JavaScript", the name of the site.
LITTLE = 50
# The text that replaces what a page displays must be this many times as long.
_TIMES = 5
# The factor if the page displays the beginning of the text, and the minimum share of its sentences not on the page.
_TIMES_OF_BEGINNING, _NOT_SHOWN = 1.5, 0.5
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")
# Sentences are equal if this many letters and digits at their beginning are; sentences with fewer than the second are
# ignored.
_LOOK, _LEAST_LETTERS = 40, 20

# JSON-LD is read separately (see `scrapy_semtext.output.markup`).
_SCRIPTS: Any = etree.XPath("//script[not(contains(translate(@type, 'LDJSON', 'ldjson'), 'ld+json'))]")
_ATTRIBUTES: Any = etree.XPath("//@*[string-length() > 200 and (starts-with(., '{') or starts-with(., '['))]")
# JSON may begin in a script after "=" or "(".
_BEGINS = re.compile(r"""[=(]\s*(?=[\[{"])""")
# Rows of React's server components: "5:[...]" is JSON, "5:T4f,..." a text of the given number of bytes, and others name
# required scripts.
_ROW = re.compile(r"^[0-9a-f]{1,4}:(?=[\[{]|T[0-9a-f]{1,6},|[A-Z]*[\[{\"])", re.MULTILINE)
_TEXT_ROW = re.compile(r"T[0-9a-f]{1,6},")
_DECODER = json.JSONDecoder(strict=False)
# The number of possible beginnings of JSON after which a script without any is skipped.
_ATTEMPTS = 200
# The maximum nesting of JSON within JSON strings, as in Discourse and React.
_NESTED = 3
# Shorter strings are ignored: running text is longer, even in scripts with two characters per word.
_SHORTEST = 20


def fallback_text(
    root: etree._Element, main_text: str, shown: float, *, markup: bool, texts: Iterable[str] = ()
) -> str | None:
    """Return the hidden text of a page if it should replace ``main_text``, otherwise None.

    It should if the page has no main text, if all the words it displays (``shown``) are few compared with the hidden
    text, or if its ``texts`` are only the beginning of the text in its JSON-LD. For pages that display more, script
    data is not read, because it then includes other pages. ``markup``: whether the page's JSON-LD may be read.
    """
    least = int(_TIMES_OF_BEGINNING * len(main_text))
    stated = main_text_from_markup(root, least) if markup else None
    held = main_text_from_state(root) if shown < LITTLE else None
    text = max(stated or "", held or "", key=len)
    if not text or len(text) <= least:
        return None
    few = shown < LITTLE and word_counts([text])[0] >= _TIMES * shown
    return text if few or not main_text or (text == stated and _begin(texts, stated)) else None


def _begin(texts: Iterable[str], whole: str) -> bool:
    """Return whether texts of a page contain the first sentence of a whole (or a near one) but lack most others."""
    sentences = [letters_of(sentence)[:_LOOK] for sentence in _SENTENCE.split(whole)]
    sentences = [sentence for sentence in sentences if len(sentence) >= _LEAST_LETTERS]
    there = letters_of("".join(texts))
    missing = [sentence not in there for sentence in sentences]
    return not all(missing[:3]) and sum(missing) >= _NOT_SHOWN * len(missing)


def main_text_from_state(root: etree._Element) -> str | None:
    """Return the running text in a page's script data, in page order and without repetitions; None if there is none.

    Only JSON is read, and no script is run. Broken JSON is skipped.
    """
    texts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    values = chain((script.text or "" for script in _SCRIPTS(root)), _ATTRIBUTES(root))
    for state in chain.from_iterable(map(_decoded, values)):
        for key, string in _strings(state):
            if len(string) >= _SHORTEST and (text := text_of_html(string)) and any(map(is_prose, text.splitlines())):
                texts[key].setdefault(text)
    return max(("\n".join(found) for found in texts.values()), key=len, default=None)


def _decoded(text: str) -> Iterator[Any]:
    """Yield the JSON value that a whole text is, or else the values that begin within it."""
    try:
        yield json.loads(text, strict=False)
    except (ValueError, RecursionError):
        yield from _embedded(text)


def _embedded(text: str) -> Iterator[Any]:
    at = 0
    for _ in range(_ATTEMPTS):
        begin = _BEGINS.search(text, at)
        if begin is None:
            return
        at = begin.end()
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield value


def _strings(state: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings of a JSON value in order, each with its key, or that of the list around it."""
    stack: list[tuple[str, Any, int]] = [("", state, 0)]
    while stack:
        key, value, nested = stack.pop()
        if isinstance(value, dict):
            stack += [(inner, item, nested) for inner, item in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(key, item, nested) for item in reversed(value)]
        elif isinstance(value, str):
            inner_values = _within(value) if nested < _NESTED else None
            if inner_values is None:
                yield key, without_surrogates(value)
            else:
                stack += [(key, item, nested + 1) for item in reversed(inner_values)]


def _within(text: str) -> list[Any] | None:
    """Return the values in a JSON string that is itself JSON or rows of React; None for any other text."""
    if text.lstrip()[:1] in ("{", "["):
        return list(_decoded(text)) or None
    if not _ROW.match(text):
        return None
    return [value for row in _ROW.split(text) for value in _row(row)]


def _row(row: str) -> list[Any]:
    if text := _TEXT_ROW.match(row):
        return [row[text.end() :]]
    return list(_decoded(row)) if row[:1] in ("{", "[") else []
