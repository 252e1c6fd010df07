"""Texts without what seldom tells them apart: white space, case and signs."""

from __future__ import annotations


def one_line(text: str | None) -> str:
    """Return a text with one space for each run of white space, and none at its ends; "" for None."""
    return " ".join(text.split()) if text else ""


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))
