"""Values on one short line, for reprs and logs."""

from __future__ import annotations

from typing import Any

_DEEPEST = 3  # levels of lists and dicts that are shown


def shortened(value: Any, length: int = 60, level: int = 0) -> str:
    """Return the repr of a value with long strings cut after ``length`` characters, and of a list the first element.

    What is left out is counted, as in ``'It was a dark'... (7,310 characters)`` and ``[{'text': 'Yes'}, ... 8 more]``.
    """
    if isinstance(value, str | bytes):
        left_out = f"... ({len(value):,} {'characters' if isinstance(value, str) else 'bytes'})"
        return repr(value) if len(value) <= length else f"{value[:length]!r}{left_out}"
    if isinstance(value, list | tuple | dict) and level >= _DEEPEST:
        return f"<{type(value).__name__} of {len(value):,}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {shortened(each, length, level + 1)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        shown = [shortened(each, length, level + 1) for each in value[:1]]
        return f"[{', '.join(shown + [f'... {len(value) - 1:,} more'] * (len(value) > 1))}]"
    text = repr(value)
    return text if len(text) <= length else f"{text[:length]}..."
