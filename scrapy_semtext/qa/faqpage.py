"""Pairs as schema.org Questions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.qa.pair_rows import Row


def question_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows of one question as a Question with its answers.

    The accepted answer, or the first if none is, is its ``acceptedAnswer``, which an FAQPage has to have; the others
    are suggested.
    """
    best = next((row for row in rows if row["accepted"]), rows[0])
    question = {"@type": "Question", "name": rows[0]["question_title"] or rows[0]["question"]}
    if rows[0]["question_title"] and rows[0]["question_body"]:
        question["text"] = _html(rows[0]["question_body"])
    question["acceptedAnswer"] = _answer(best)
    others = [_answer(row) for row in rows if row is not best]
    if others:
        question["suggestedAnswer"] = others
    return question


def _answer(row: Row) -> dict[str, Any]:
    author = {"@type": "Person", "name": row["author"]} if row["author"] else None
    answer = {
        "@type": "Answer",
        "text": _html(row["answer"]),
        "author": author,
        "dateCreated": row["date"],
        "upvoteCount": row["votes"],
        "url": row["url"],
    }
    return {name: value for name, value in answer.items() if value is not None}


def _html(text: str) -> str:
    """Return a plain text as HTML, which is what readers of such markup take its texts for."""
    return "<br>".join(escape(line, quote=False) for line in text.splitlines())
