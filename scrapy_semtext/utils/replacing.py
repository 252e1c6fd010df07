"""Files that are replaced, or appended to, atomically: a full disk leaves no partial data."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def replace_file(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file so that it has its old or its new content whenever the process or the system stops.

    A temporary file next to it is flushed to disk and renamed. Raises OSError; the old content is then kept, as it is
    if ``parts`` raises.
    """
    with replacing_file(path) as file:
        file.writelines(parts)


@contextmanager
def replacing_file(path: Path, temporary: Path | None = None) -> Iterator[IO[bytes]]:
    """Open the temporary file of `replace_file`, which becomes the file at the end."""
    part = temporary or path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    with suppress(OSError):  # flush the folder, so that the rename survives a power failure; not every system can
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def append_whole(file: IO[bytes], data: bytes) -> None:
    """Write data to the end of a file, bypassing its buffer, so that it is in the file even if the process dies.

    Raises OSError with the name of the file if not all data can be written; any written part is removed. Other files,
    such as a pipe or a compressed file, receive the data by their own ``write``.
    """
    if not isinstance(file, io.BufferedWriter) or not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.write(data)
        return
    file.flush()
    handle = file.fileno()
    begin = os.lseek(handle, 0, os.SEEK_END)
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(handle, left) :]
    except OSError as error:
        os.ftruncate(handle, begin)
        os.lseek(handle, begin, os.SEEK_SET)
        reason = f"{error.strerror}; what was written before is whole"
        raise OSError(error.errno, reason, getattr(file, "name", None)) from error
