"""Output of commands."""

from __future__ import annotations

import sys


def write_out(text: str) -> None:
    """Write text and a newline to standard output, in UTF-8 regardless of the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def counted(count: int, noun: str) -> str:
    """Return the count and its noun, such as "1 page" and "2 pages"; the plural must end in -s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
