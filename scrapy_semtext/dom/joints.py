"""Whether two texts that an inline tag parts are pieces of one word, or set apart by the style of the page alone.

Style sheets are not read, so the page has to tell: by what the elements are, by their names and by what is around them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from scrapy_semtext.text.word_tables import WORDS, alternatives

# Elements of a sentence, and those of code, in which nothing but white space sets apart.
_PHRASING = frozenset(WORDS["phrasing"])
_CODE = frozenset("code kbd pre samp".split())
_LEVELS = 4  # how far code may be around a text
_SOME, _SHORT = 8, 80  # so many texts of an element are looked at, and of each so many characters
# Names of elements that stand beside others, not in a word.
_BESIDE = re.compile(alternatives("beside"), re.IGNORECASE)


def are_apart(before: str, text: str, element: Any, is_tail: bool) -> bool:
    """Whether a space is missing between two texts that the page's style sets apart, as in "By AuthorPublished".

    ``text`` stands in or, if it ``is_tail``, right behind ``element``; ``before`` is the text before it. That may be
    where a capital follows a small letter, unless both are letters of a word by the elements that they stand in.
    """
    return before[-1:].islower() and text[:1].isupper() and are_set_apart(element, is_tail)


def are_set_apart(element: Any, is_tail: bool) -> bool:
    """The same of any letters and digits, by the elements alone."""
    if not isinstance(element.tag, str) or element.tag == "wbr":
        return False
    if any(outer.tag in _CODE for outer in (element, *islice(element.iterancestors(), _LEVELS))):
        return False
    if is_tail:
        return _stands_beside(element)
    while (last := element.getprevious()) is None and _is_inline(outer := element.getparent()) and not outer.text:
        element = outer
    if last is None or last.tail or not isinstance(last.tag, str):
        return _stands_beside(element)
    first, second = _words(last), _words(element)
    if len(first) == len(second) == 1 and {last.tag, element.tag} <= _PHRASING:
        return bool(last.get("class") or element.get("class"))
    if not first or not second or (len(first) > 1 and len(second) > 1):
        return True
    joined = first[-1] + second[0]  # one word if each letter has an element of its own, or if the title has the word
    title = element.getroottree().getroot().findtext("head/title")
    return len("".join(first + second)) > 2 and joined not in (title or "")


def _is_inline(element: Any) -> bool:
    return element is not None and (element.tag == "span" or element.tag in _PHRASING)


def _words(element: Any) -> list[str]:
    """The words at the beginning of an element."""
    return "".join([text[:_SHORT] for text in islice(element.itertext(), _SOME)]).split()


def _stands_beside(element: Any) -> bool:
    """Whether an element is no part of the word that a text without an element begins or goes on with."""
    names = element.get("class") or ""
    if element.tag in _PHRASING and not names:
        return False
    return len(_words(element)) > 1 or "display" in element.get("style", "") or bool(_BESIDE.search(names))
