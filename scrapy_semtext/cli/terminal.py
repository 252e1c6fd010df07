"""What commands write for people: errors, counts, and streams without the control characters of pages.

Such characters move the cursor, or hide and reorder text.
"""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from scrapy_semtext.utils import UserError

# Tabs and line feeds are not among them; embeddings, overrides and isolates of bidirectional text are.
_CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What progress begins with, to rewrite its line. Text at the beginning of a line does no harm with it.
_REWRITES = re.compile(r"(?:\r(?:\x1b\[K)?)*")


class CommandError(UserError):
    """An error in a command or its input; like all user errors, it is printed without a traceback."""


def write_out(text: str) -> None:
    """Write text and a newline to standard output, in UTF-8 regardless of the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def counted(count: int, noun: str) -> str:
    """Return the count and its noun, such as "1 page" and "2 pages"; the plural must end in -s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Replace control characters in all that is written to standard error, and to standard output on a terminal."""
    with ExitStack() as stack:
        stack.enter_context(redirect_stderr(_Text(sys.stderr)))
        if sys.stdout.isatty():
            stack.enter_context(redirect_stdout(_Text(sys.stdout)))
        yield


def _harmless(text: str) -> str:
    return _CONTROLS.sub("?", text.replace("\r\n", "\n"))


class _Text:
    """A text stream for ``stream``; its ``buffer`` takes UTF-8."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.buffer = _Bytes(getattr(stream, "buffer", None))  # tests may replace a stream by one without bytes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        start: Any = _REWRITES.match(text)
        self._stream.write(start[0] + _harmless(text[start.end() :]))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


class _Bytes(io.BufferedIOBase):
    def __init__(self, stream: Any) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(_harmless(self._decoder.decode(bytes(data))).encode())
        return len(data)

    def flush(self) -> None:
        self._stream.flush()
