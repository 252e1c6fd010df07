"""Normalized texts: without white space, case and signs, or without characters that cannot be stored."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

_SIGNS_OF_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_SURROGATE = re.compile("[\ud800-\udfff]")


def one_line(text: str | None) -> str:
    """Return a text with each run of white space replaced by a space, and stripped; "" for None."""
    return " ".join(text.split()) if text else ""


def without_entities(text: str) -> str:
    """Return a text with the characters of its HTML entities, which may be escaped twice.

    Entities without a semicolon stay: "&copy=1" is a part of a URL.
    """
    for _ in range(2 * ("&" in text)):
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    return text


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    if text.isascii():  # much faster
        return text.lower().encode("ascii").translate(None, _SIGNS_OF_ASCII).decode("ascii")
    return "".join(filter(str.isalnum, text.casefold()))


def without_surrogates(value: Any) -> Any:
    """Return a JSON value with U+FFFD in place of lone surrogates, which its escapes may contain.

    Lone surrogates cannot be encoded in UTF-8. Raises RecursionError for hundreds of levels.
    """
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(each) for key, each in value.items()}
    return value
