"""Files of JSON lines, plain or packed, and files that appear only when they are whole."""

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
    """The lines of a file, or of standard input for "-", unpacked if the name ends in .gz or .xz.

    ``size`` is the size of the file in bytes, None where it has none; ``position`` how much of it has been read.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._raw: IO[bytes] = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115 - closed by close()
        self._lines = _unpacked(self._raw, name)
        self.size = None if name == "-" else os.fstat(self._raw.fileno()).st_size or None

    @property
    def position(self) -> int:
        """How many bytes of the file, as it lies on disk, have been read."""
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
    """Open a file to write, packed if the name ends in .gz or .xz; "-" is standard output.

    It is written beside the name and takes its place only when all is well: otherwise what was there stays as it was.
    What is no ordinary file, such as /dev/null or a pipe, is written to directly.
    """
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(name))  # where a link leads to, or the link itself would be replaced
    if target.is_dir() or not target.parent.is_dir():
        raise CommandError(
            f"{name} cannot be written: {'it is a folder' if target.is_dir() else 'there is no such folder'}."
        )
    whole = not target.exists() or target.is_file()
    part = target.with_name(f".{target.name}.{os.getpid()}.part") if whole else target
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(_opened(part, name))
            packed = _packed(raw, name)
            yield packed if packed is raw else stack.enter_context(packed)
        if whole:
            part.replace(target)
    except BaseException:
        if whole:
            with suppress(FileNotFoundError):
                part.unlink()
        raise


def _opened(part: Path, name: str) -> IO[bytes]:
    """Open what is written for the file ``name``, which is what the user knows."""
    try:
        return part.open("wb")
    except OSError as error:
        raise CommandError(f"{name} cannot be written: {error.strerror or error}") from error


def _unpacked(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value] # it is one, but typeshed does not say so
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw)
    return raw


def _packed(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw)  # type: ignore[return-value]
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw, "wb")
    return raw
