"""Recognize lines that name the author of a post, in the most common forum languages: "by Ann", "Ann wrote:"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_semtext.qa.cues import has_date
from scrapy_semtext.qa.faq_text import has_question_mark
from scrapy_semtext.text.word_tables import alternatives
from scrapy_semtext.utils.remembering import remembered

if TYPE_CHECKING:
    from scrapy_semtext.qa.records import Fragment, Records

#: The maximum length of a label.
LABEL = 40

_LONGEST, _MOST_WORDS = 50, 6
_BY = alternatives("by")
_BEFORE = re.compile(rf"^(?:(?:{_BY})(?:\s*[:：]\s*|\s+)|@)", re.IGNORECASE)
_IS_BEFORE = re.compile(rf"(?:.*\b)?(?:{_BY})\s*[:：]?", re.IGNORECASE)
# "Submitted by Ann on 3 May 2004"
_LINE = re.compile(
    r"(?<!\w)(?:by|von|par|por|от|автор:?)\s+(.{1,50}?)\s*(?:\b(?:on|at|am|le|el|il|в)\s|[-–—|,»]\s|\s\d|$)",
    re.IGNORECASE,
)
_COMMENT = re.compile(rf"\W*(?:{alternatives('comment')})\s*(?:#|№|nr\.?|no\.?|n°)?\s*\d", re.IGNORECASE)
_VERBS = alternatives("wrote")
_AFTER = re.compile(
    rf"\s+(?:{_VERBS})\b.{{0,60}}$|\s*(?:发表于|发表|回复于|写道|说道).{{0,40}}$|\s*(?<![»•·|,–—-])[»•·|,–—-]+$",
    re.IGNORECASE,
)
_IS_AFTER = re.compile(rf"(?:(?:{_VERBS})\b|发表于|写道).{{0,30}}", re.IGNORECASE)
_NO_NAME = re.compile(alternatives("no name"), re.IGNORECASE)
_CHANGED = re.compile(rf"\W*(?:last |zuletzt |dernière )?(?:{alternatives('changed')})", re.IGNORECASE)


#: `has_date` with a cache, because the short texts of a page repeat.
is_dated = remembered(1 << 12)(has_date)


@remembered(1 << 12)
def name_in(text: str) -> str | None:
    """Return the name in a short text such as "Ann", "by Ann" or "Ann wrote:", or None if it cannot contain one."""
    if is_dated(text) and (line := _LINE.search(text)):
        text = line[1]
    name = _AFTER.sub("", _BEFORE.sub("", text, count=1), count=1).strip()
    text = name.rstrip(" :：") if name != text else name
    if not text or len(text) > _LONGEST or len(text.split()) > _MOST_WORDS or _NO_NAME.search(text):
        return None
    return text


@remembered(1 << 12)
def is_byline(text: str) -> bool:
    """Return whether a text contains more than just a name: "by Ann", "Ann wrote:"."""
    after = _AFTER.search(text)
    spoken = after is not None and any(map(str.isalpha, after[0]))
    return spoken or _BEFORE.match(text) is not None or (is_dated(text) and _LINE.search(text) is not None)


def signs_comment(text: str) -> bool:
    """Return whether a heading labels a comment: "Comment 3 by Ann", "Changed 2 days ago by"."""
    is_signed = _COMMENT.match(text) is not None or (is_dated(text) and (is_byline(text) or announces(text)))
    return is_signed and not has_question_mark(text)


@remembered(1 << 12)
def announces(label: str) -> bool:
    """Return whether a label announces a name that follows it: "Posted by"."""
    return _IS_BEFORE.fullmatch(label[-LABEL:]) is not None


@remembered(1 << 12)
def follows(text: str) -> bool:
    """Return whether a text follows a name: "wrote:"."""
    return _IS_AFTER.fullmatch(text) is not None


def is_of_change(records: Records, fragment: Fragment) -> bool:
    """Return whether a fragment describes a later edit of the post rather than its creation."""
    return any(map(_tells_of_change, records.context(fragment))) or _tells_of_change(records.label(fragment)[:LABEL])


@remembered(1 << 12)
def _tells_of_change(text: str) -> bool:
    return _CHANGED.match(text) is not None
