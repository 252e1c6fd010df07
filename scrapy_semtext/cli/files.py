"""Files of JSON lines, plain or compressed, and files that are created only when they are complete."""

from __future__ import annotations

import gzip
import lzma
import os
import sys
import zlib
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNREADABLE = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


class LineReader:
    """The lines of a file, or of standard input for "-", decompressed if the name ends in .gz or .xz.

    ``size`` is the size of the file in bytes, None if unknown; ``position`` how many of these have been read.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._raw: IO[bytes] = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115 - closed by close()
        self._lines = _decompressed(self._raw, name)
        self.size = None if name == "-" else os.fstat(self._raw.fileno()).st_size or None

    @property
    def position(self) -> int:
        """How many (compressed) bytes of the file have been read."""
        return self._raw.tell() if self.size else 0

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._lines
        except (*_UNREADABLE, OSError) as error:
            raise CommandError(f"{self.name} cannot be read to its end: {error}") from error

    def close(self) -> None:
        """Close the file."""
        if self.name != "-":
            self._raw.close()


@contextmanager
def replacing(name: str) -> Iterator[IO[bytes]]:
    """Open a file for writing, compressed if the name ends in .gz or .xz; "-" is standard output.

    A temporary file is renamed to it on success; on an error an existing file stays as it was. Special files, such as
    /dev/null or a pipe, are written to directly.
    """
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(name))  # otherwise a symbolic link itself would be replaced
    if target.is_dir() or not target.parent.is_dir():
        raise CommandError(
            f"{name} cannot be written: {'it is a folder' if target.is_dir() else 'there is no such folder'}."
        )
    whole = not target.exists() or target.is_file()
    part = target.with_name(f".{target.name}.{os.getpid()}.part") if whole else target
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(_opened(part, name))
            compressed = _compressed(raw, name)
            yield compressed if compressed is raw else stack.enter_context(compressed)
        if whole:
            part.replace(target)
    except BaseException:
        if whole:
            with suppress(FileNotFoundError):
                part.unlink()
        raise


def _opened(part: Path, name: str) -> IO[bytes]:
    """Open a temporary file; errors name ``name``, the file that the user asked for."""
    try:
        return part.open("wb")
    except OSError as error:
        raise CommandError(f"{name} cannot be written: {error.strerror or error}") from error


def _decompressed(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value] # typeshed does not make GzipFile an IO[bytes]
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw)
    return raw


def _compressed(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw)  # type: ignore[return-value]
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw, "wb")
    return raw
