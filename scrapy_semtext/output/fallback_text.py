"""The text of pages that show little of it, or a beginning: that of JSON-LD or of the data for scripts.

Sites that are rendered in the browser put what they will show into the page as JSON: in a script of its own (such as
the ``__NEXT_DATA__`` of Next.js), in an assignment like ``window.__STATE__ = {...}``, in a call like
``self.__next_f.push([1, "..."])``, or in an attribute (Discourse's ``data-preloaded``). Strings of it that are running
text, or HTML that holds some, are put together by the key that they stand under; the key with most of it has the text.
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
from scrapy_semtext.sections.line_texts import is_prose
from scrapy_semtext.text.folding import letters_of, without_surrogates
from scrapy_semtext.text.tokens import word_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: A page of fewer words is one that waits for its scripts: "Please enable JavaScript", the name of the site.
LITTLE = 50
# What stands in the place of words that a page does show has to be so many times as long.
_TIMES = 5
# And so many times, where what is shown is its beginning; of its sentences at least so many are not on the page.
_TIMES_OF_BEGINNING, _NOT_SHOWN = 1.5, 0.5
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")
# Sentences are the same if they begin alike: so many letters and digits are compared, and those with fewer left out.
_LOOK, _LEAST_LETTERS = 40, 20

# JSON-LD is read by itself (see `scrapy_semtext.output.markup`).
_SCRIPTS: Any = etree.XPath("//script[not(contains(translate(@type, 'LDJSON', 'ldjson'), 'ld+json'))]")
_ATTRIBUTES: Any = etree.XPath("//@*[string-length() > 200 and (starts-with(., '{') or starts-with(., '['))]")
# Where JSON may begin in a script: behind "=" or "(".
_BEGINS = re.compile(r"""[=(]\s*(?=[\[{"])""")
# The rows in which React's server components come: "5:[...]" is JSON, "5:T4f,..." a text of so many bytes, and others
# name the scripts that are needed.
_ROW = re.compile(r"^[0-9a-f]{1,4}:(?=[\[{]|T[0-9a-f]{1,6},|[A-Z]*[\[{\"])", re.MULTILINE)
_TEXT_ROW = re.compile(r"T[0-9a-f]{1,6},")
_DECODER = json.JSONDecoder(strict=False)
# A script without JSON is given up after so many places where some might have begun.
_ATTEMPTS = 200
# JSON within a string of JSON, and again within that, as Discourse and React have it.
_NESTED = 3
# Strings of fewer characters are not looked at: the least running text is longer, even where two characters are a word.
_SHORTEST = 20


def fallback_text(
    root: etree._Element, main_text: str, shown: float, *, markup: bool, texts: Iterable[str] = ()
) -> str | None:
    """Return the text that a page holds and does not show, if it is to replace ``main_text``; None if not.

    It does where the page has no main text, where it shows, in all, few words (``shown``) beside what it holds, and
    where its ``texts`` have a beginning of what its JSON-LD states. A page that shows more is not read from the data of
    its scripts: what these hold then is other pages, too. ``markup``: whether its JSON-LD may be read.
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
    """Whether texts of a page have the first sentence of a whole, or one soon after it, and lack most of the others."""
    sentences = [letters_of(sentence)[:_LOOK] for sentence in _SENTENCE.split(whole)]
    sentences = [sentence for sentence in sentences if len(sentence) >= _LEAST_LETTERS]
    there = letters_of("".join(texts))
    missing = [sentence not in there for sentence in sentences]
    return not all(missing[:3]) and sum(missing) >= _NOT_SHOWN * len(missing)


def main_text_from_state(root: etree._Element) -> str | None:
    """Return the running text that a page holds for its scripts, in page order and each once; None without any.

    JSON alone is read, and no script is run. Broken JSON is passed over.
    """
    texts: defaultdict[str, dict[str, None]] = defaultdict(dict)
    values = chain((script.text or "" for script in _SCRIPTS(root)), _ATTRIBUTES(root))
    for state in chain.from_iterable(map(_decoded, values)):
        for key, string in _strings(state):
            if len(string) >= _SHORTEST and (text := text_of_html(string)) and any(map(is_prose, text.splitlines())):
                texts[key].setdefault(text)
    return max(("\n".join(found) for found in texts.values()), key=len, default=None)


def _decoded(text: str) -> Iterator[Any]:
    """The JSON value that a text is, or else those that begin within it."""
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
    """The strings of a JSON value in order, each with the key that it, or the list around it, stands under."""
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
    """The values that a string of JSON holds, if it is JSON or rows of React; None for any other text."""
    if text.lstrip()[:1] in ("{", "["):
        return list(_decoded(text)) or None
    if not _ROW.match(text):
        return None
    return [value for row in _ROW.split(text) for value in _row(row)]


def _row(row: str) -> list[Any]:
    if text := _TEXT_ROW.match(row):
        return [row[text.end() :]]
    return list(_decoded(row)) if row[:1] in ("{", "[") else []
