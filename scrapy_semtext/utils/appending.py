"""Appends to files, so that a full disk leaves no part of what did not fit."""

from __future__ import annotations

import io
import os
import stat
from typing import IO


def append_whole(file: IO[bytes], data: bytes) -> None:
    """Write data to the end of a file, past its buffer: it is in the file when this returns, even if the process dies.

    Raises OSError, which names the file, if it cannot be written whole; then the part that was written is cut off. What
    is no plain file, such as a pipe or a compressed file, gets the data by its own ``write``.
    """
    if not _is_plain(file):
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


def _is_plain(file: IO[bytes]) -> bool:
    return isinstance(file, io.BufferedWriter) and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
