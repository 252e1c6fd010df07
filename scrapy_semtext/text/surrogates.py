"""Lone surrogates, which escapes of JSON may stand for. They have no UTF-8 form: files and feeds cannot hold them."""

from __future__ import annotations

import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(value: Any) -> Any:
    """Return a value of JSON with U+FFFD in place of lone surrogates. Raises RecursionError for hundreds of levels."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(each) for key, each in value.items()}
    return value
