"""Files that are replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def replace_file(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file so that it has its old or its new content whenever the process or the system stops.

    A temporary file beside it is flushed to the disk and renamed. Raises OSError; the old content stays then, as it
    does if ``parts`` raises.
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
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that a rename survives a power cut; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
