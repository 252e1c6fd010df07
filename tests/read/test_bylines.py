"""Headings that are bylines of comments."""

from __future__ import annotations

import pytest

from scrapy_semtext.extractor import extract
from scrapy_semtext.read.dates import signs_comment

LABELS = {
    "en": "Comment {} by Anna Berg",
    "de": "Kommentar {} von Anna Berg",
    "fr": "Commentaire n° {} par Anna Berg",
    "ru": "Комментарий {} от Анны",
    "numbered": "Reply #{}",
    "changed": "Changed {} years ago by anna",
    "updated": "Updated by Anna Berg {} days ago",
}
TEXT = "I saw the same on version 2.{}, where the parser gives up after the first chunk of the file has been read."


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("tag", ["h3", "h4"])
def test_labels_of_comments_are_no_questions(label: str, tag: str) -> None:
    comments = "".join(f"<{tag}>{label.format(n)}</{tag}><p>{TEXT.format(n)}</p>" for n in range(1, 7))
    html = f"<title>Parser stops</title><main><h1>Parser stops</h1><p>{TEXT.format(9)}</p>{comments}</main>"
    assert not any(signs_comment(pair.question) for pair in extract(html).qa_pairs)
    assert signs_comment(label.format(3))


@pytest.mark.parametrize(
    "heading",
    ["Comment on a page", "Reply to a message", "By credit card", "Comment 3 by Anna: is it lost?", "1. Paying", ""],
)
def test_other_headings_sign_nothing(heading: str) -> None:
    assert not signs_comment(heading)
