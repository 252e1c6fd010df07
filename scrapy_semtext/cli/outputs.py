"""Writing to standard output."""

from __future__ import annotations

import sys


def write_out(text: str) -> None:
    """Write text and a newline to standard output, in UTF-8 regardless of the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
