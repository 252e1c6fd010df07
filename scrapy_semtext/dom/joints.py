"""Decide whether two texts separated by an inline tag are parts of one word, or only separated by CSS.

Style sheets are not read, so the evidence is the types of the elements, their names and their surroundings.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from scrapy_semtext.text.word_tables import WORDS, alternatives

# Inline elements of a sentence; and elements of code, in which only white space separates.
_PHRASING = frozenset(WORDS["phrasing"])
_CODE = frozenset("code kbd pre samp".split())
_LEVELS = 4  # ancestors of a text that are checked for code
_SOME, _SHORT = 8, 80  # texts of an element that are examined, and the maximum length of each
# Names of elements next to others, not inside a word.
_BESIDE = re.compile(alternatives("beside"), re.IGNORECASE)


def are_apart(before: str, text: str, element: Any, is_tail: bool) -> bool:
    """Return whether a space is missing between two texts separated by CSS, as in "By AuthorPublished".

    ``text`` is in ``element`` or, if ``is_tail``, directly after it; ``before`` is the text before it. A space can be
    missing where a capital follows a lower-case letter, unless the elements show that both belong to one word.
    """
    return before[-1:].islower() and text[:1].isupper() and are_set_apart(element, is_tail)


def are_set_apart(element: Any, is_tail: bool) -> bool:
    """Like `are_apart`, for any letters and digits, judging only by the elements."""
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
    joined = first[-1] + second[0]  # one word if each letter has its own element, or if the word occurs in the title
    title = element.getroottree().getroot().findtext("head/title")
    return len("".join(first + second)) > 2 and joined not in (title or "")


def _is_inline(element: Any) -> bool:
    return element is not None and (element.tag == "span" or element.tag in _PHRASING)


def _words(element: Any) -> list[str]:
    """Return the words at the beginning of an element."""
    return "".join([text[:_SHORT] for text in islice(element.itertext(), _SOME)]).split()


def _stands_beside(element: Any) -> bool:
    """Return whether an element is not part of the word that adjacent text outside it begins or continues."""
    names = element.get("class") or ""
    if element.tag in _PHRASING and not names:
        return False
    return len(_words(element)) > 1 or "display" in element.get("style", "") or bool(_BESIDE.search(names))
