"""Files, plain or compressed, that are created only once they are complete."""

from __future__ import annotations

import gzip
import lzma
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.utils.replacing import replacing_file


@contextmanager
def replacing(name: str, temporary: Path | None = None) -> Iterator[IO[bytes]]:
    """Open a file for writing, compressed if the name ends in .gz or .xz; "-" is standard output.

    A temporary file, by default with a unique name, is renamed to it on success; on an error an existing file is not
    changed. Special files, such as /dev/null or a pipe, are written to directly.
    """
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = require_writable(name)
    with ExitStack() as stack:
        try:
            raw = stack.enter_context(target.open("wb") if is_special(name) else replacing_file(target, temporary))
        except OSError as error:
            raise CommandError(f"{name} cannot be written: {error.strerror or error}") from error
        compressed = _compressed(raw, name)
        yield compressed if compressed is raw else stack.enter_context(compressed)


def require_writable(name: str) -> Path:
    """Return the path of a file to write, with links resolved; raise CommandError if it or its folder is unusable."""
    target = Path(os.path.realpath(name))  # otherwise a symbolic link itself would be replaced
    if target.is_dir() or not target.parent.is_dir():
        raise CommandError(
            f"{name} cannot be written: {'it is a folder' if target.is_dir() else 'there is no such folder'}."
        )
    return target


def is_special(name: str) -> bool:
    """Return whether a name is that of a pipe or a device: reading changes it, and it is written to directly."""
    target = Path(name)
    return target.exists() and not target.is_file()


def _compressed(raw: IO[bytes], name: str) -> IO[bytes]:
    if name.endswith(".gz"):  # without the time, so that equal rows give equal bytes
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)  # type: ignore[return-value]
    if name.endswith(".xz"):
        return lzma.LZMAFile(raw, "wb")
    return raw
