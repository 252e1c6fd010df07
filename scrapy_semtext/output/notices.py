"""Notices that are never content: about scripts, cookies, browsers, ad blockers, logging in to reply.

A notice is a short block with typical wording that is separate from the content: in an element for notices, or next to
no other block of the content. Therefore, what an article or a post says about cookies or browsers is kept. Notes and
warnings in the content are content including their titles, which `with_titles` adds.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.text.word_tables import alternatives, paragraphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.dom.segmentation import Scope, TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats, Ints

#: Words, at least one of which occurs in any text about a subject.
Subjects = tuple[str, ...]

#: Blocks with at least this many words are not notices.
MOST_WORDS = 60

# The minimum number of words of prose.
_PROSE = 20

# If all that is left of a page has at least this many words, it is not a notice.
_SHORT = 20

#: The number of ancestors of a block that may identify it as a notice.
_LEVELS = 4
_ROLES = frozenset(("alertdialog", "dialog"))
_NAMES = re.compile(alternatives("notices"), re.IGNORECASE)

#: The wording of notices, in lower case, by words of which each matching text has at least one; these are its subjects.
_NOTICES: dict[Subjects, re.Pattern[str]] = {
    tuple(subjects.split(", ")): re.compile("|".join(patterns)) for subjects, *patterns in paragraphs("notices")
}

#: A whole block: the control after a partly displayed quotation.
_EXPAND = re.compile(rf"(?:{alternatives('expand')})\W*", re.IGNORECASE)
_EXPAND_LENGTH = 60

# The names of notes and warnings, and the maximum number of words of their titles.
_BOXES = re.compile(rf"(?:^|[\s_-])(?:{alternatives('boxes')})(?:$|[\s_-])", re.IGNORECASE)
_MOST_WORDS_OF_TITLE = 8
#: The probability from which a heading is content if the blocks around it are.
LIKELY = 0.38
_LETTER = re.compile(r"[^\W\d_]")


def with_titles(blocks: Sequence[TextBlock], keep: Bools, words: Floats, likely: Bools) -> Bools:
    """Return which blocks are main content, (blocks,), including titles directly followed by main content.

    A title is short. It is "Warning" or similar, or the first line of a box; or a button that expands the part after
    it; or a heading before main content that is ``likely``, (blocks,), to be content, and no link unless prose follows.
    The other arguments are those of `without_notices`.
    """
    result: Bools = keep.copy()
    for place in (~keep[:-1] & keep[1:] & (words[:-1] < _SHORT)).nonzero()[0].tolist():
        block, scope, beside = blocks[place], blocks[place].scope, {*blocks[place + 1].scope.ancestry()}
        if not _LETTER.search(block.text):
            continue
        if scope.tag == "button":
            result[place] = _opens(scope.element, {around.element for around in beside})
        elif place and keep[place - 1] and likely[place] and scope.tag in HEADING_LEVELS:
            is_prose = words[place + 1] >= _PROSE and not blocks[place + 1].link_chars
            result[place] = (is_prose or not block.link_chars) and not beside.isdisjoint(islice(scope.ancestry(), 1, 3))
        elif not block.link_chars and words[place] <= _MOST_WORDS_OF_TITLE:
            outside = {*blocks[place - 1].scope.ancestry()} if place else set()
            shared = (around for around in scope.ancestry() if around in beside and around not in outside)
            result[place] = any(
                around.tag == "details" or _BOXES.search(around.names) for around in islice(shared, _LEVELS)
            )
    return result


def _opens(button: Any, beside: set[Any]) -> bool:
    """Return whether the element after a button, or after a heading that is one, contains the next block."""
    opener, around = button, button.getparent()
    if len(around) == 1 and around.tag in (*HEADING_LEVELS, "div"):
        opener, around = around, around.getparent()
    part = opener.getnext()
    if part is None or part not in beside or part.tag in HEADING_LEVELS:
        return False
    if opener.tag in HEADING_LEVELS:
        return True
    others = (each.getnext() for each in around.iterchildren(opener.tag) if each is not opener)
    return any(other is not None and other.tag == part.tag for other in others)


def without_notices(blocks: Sequence[TextBlock], keep: Bools, words: Floats, apart: Bools) -> Bools:
    """Return which blocks are main content, (blocks,), without notices.

    ``blocks`` are the blocks of a page, ``keep`` which are main content so far, ``words`` the number of words,
    ``apart`` which are not part of a post; (blocks,) each. A block of fewer than sixty words outside posts with the
    wording of a notice is dropped if an ancestor is an element for notices (unless those contain most of the content),
    or if it is isolated: it is not a heading, it is before or after all prose, no adjacent block of the content is in
    the same element, and no other block is about its subject. The control that expands a quotation is always dropped.
    """
    texts = {place: blocks[place].text for place in (keep & (words < MOST_WORDS)).nonzero()[0].tolist()}
    result: Bools = keep.copy()
    result[[place for place, text in texts.items() if len(text) < _EXPAND_LENGTH and _EXPAND.fullmatch(text)]] = False
    said = {place: subjects for place, subjects in _said(texts).items() if apart[place]}
    if said:
        others = np.setdiff1d(result.nonzero()[0], [*said])
        marked = [place for place in said if _is_for_notices(blocks[place].scope)]
        if marked and _are_most(blocks, result, words):
            marked = []
        result[marked + _alone(said, others, blocks, words)] = False
    return result


def _said(texts: dict[int, str]) -> dict[int, Subjects]:
    """Return the indexes of the texts with the wording of notices, with the words for their subjects."""
    everything = "\n".join(texts.values()).lower().encode()
    said = {}
    for subjects, pattern in _NOTICES.items():
        if present := [subject for subject in subjects if subject.encode() in everything]:
            for place, text in texts.items():
                lower = text.lower()
                if any(subject in lower for subject in present) and pattern.search(lower):
                    said[place] = subjects
    return said


def _are_most(blocks: Sequence[TextBlock], keep: Bools, words: Floats) -> bool:
    """Return whether most content is in elements for notices, as on a page that is itself a cookie policy."""
    kept = keep.nonzero()[0].tolist()
    inside = words[[place for place in kept if _is_for_notices(blocks[place].scope)]].sum()
    return bool(inside >= max(MOST_WORDS, words[kept].sum() / 2))


def _is_for_notices(scope: Scope) -> bool:
    """Return whether the element or its parent is a dialog, <noscript>, or named for notices."""
    return any(
        around.tag in ("noscript", "dialog") or around.element.get("role") in _ROLES or _NAMES.search(around.names)
        for around in islice(scope.ancestry(), _LEVELS)
    )


def _alone(said: dict[int, Subjects], others: Ints, blocks: Sequence[TextBlock], words: Floats) -> list[int]:
    """Return which notice-like blocks are isolated; ``others`` are the other blocks of the content."""
    if not any(blocks[place].scope.tag not in HEADING_LEVELS for place in others.tolist()):
        said = {place: subjects for place, subjects in said.items() if words[place] < _SHORT}
    prose = others[words[others] >= _PROSE]
    rest = "\n".join([blocks[place].text.lower() for place in others.tolist()])
    spoken = {subjects for subjects in {*said.values()} if any(subject in rest for subject in subjects)}
    return [
        place
        for place, subjects in said.items()
        if blocks[place].scope.tag not in HEADING_LEVELS
        and not (len(prose) and prose[0] < place < prose[-1])
        and subjects not in spoken
        and not _stands_beside(place, others, blocks)
    ]


def _stands_beside(place: int, others: Ints, blocks: Sequence[TextBlock]) -> bool:
    """Return whether the nearest of some blocks, before or after a block, is in the same or a surrounding element."""
    own, at = blocks[place].scope, int(np.searchsorted(others, place))
    near = [blocks[other].scope for other in others[max(0, at - 1) : at + 1].tolist()]
    return any(own.parent is each.parent or own is each.parent or own.parent is each for each in near)
