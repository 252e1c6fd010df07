"""The results of an incomplete run, stored so that it can be resumed.

OUT.part has a line of JSON for each finished page, whatever the format of OUT; OUT.part.run describes the input and
options of the run. A line that was cut off, by a full disk or a killed process, is dropped when the run is resumed.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.cli.row_files import as_line
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.utils.version import __version__

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from scrapy_semtext.read.pair_rows import Row

_CHUNK = 1 << 20


def files_beside(target: Path) -> tuple[Path, Path, Path]:
    """Return the files that a run writes next to its target: OUT.part, OUT.part.run and OUT.part.new.

    If OUT is not JSON lines, it is created as OUT.part.new from OUT.part at the end.
    """
    part, run, new = (target.with_name(f"{target.name}.part{ending}") for ending in ("", ".run", ".new"))
    return part, run, new


class PartialOutput:
    """The rows of a run, in ``path``, which is removed if it has none when the run ends.

    ``run`` describes the run in plain values; one with a different description is not resumed. ``done`` is the number
    of existing rows, ``errors`` the number of those with an error. Raises CommandError if there are rows of an
    interrupted run and neither ``resume`` nor ``restart`` is given, and if another process writes to the same file.
    """

    def __init__(self, target: Path, run: Mapping[str, Any], *, resume: bool, restart: bool) -> None:
        self.path, self._description, self.converted = files_beside(target)
        found = self.path.exists() and self.path.stat().st_size > 0
        if found and resume:
            self._require_same(run)
        elif found and not restart:
            raise CommandError(
                f"{self.path} holds the pages of a run that was interrupted: --resume continues it, --restart discards"
                " it."
            )
        try:
            self._file: IO[bytes] = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except OSError as error:
            raise CommandError(f"{self.path} cannot be written: {error.strerror or error}") from error
        _lock(self._file, self.path)
        if not resume:
            self._file.truncate()
        self._description.write_text(json.dumps(run, indent=1) + "\n", "utf-8")
        self.done = self.rows = _drop_torn_line(self._file)
        self.errors = sum("error" in row for row in self.read())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # a full disk, which add() has already reported
            self._file.close()
        if not self.rows:
            self.remove()
        elif kind is not None and self.path.exists():
            sys.stderr.write(f"kept {counted(self.rows, 'page')} in {self.path}; --resume continues from there\n")

    def add(self, rows: Sequence[Row]) -> None:
        """Write rows, which then survive the death of the process."""
        try:
            self._file.write(b"".join(map(as_line, rows)))
            self._file.flush()
        except OSError as error:
            raise CommandError(f"{self.path} cannot be written: {error.strerror or error}") from error
        self.rows += len(rows)

    def read(self) -> Iterator[Row]:
        """Yield all rows."""
        with self.path.open("rb") as file:
            for line in file:
                yield json.loads(line)

    def become(self, target: Path) -> None:
        """Rename the file to ``target``."""
        os.fsync(self._file.fileno())
        self.path.replace(target)
        self.remove()

    def remove(self) -> None:
        """Remove the files."""
        for path in (self.path, self._description, self.converted):
            with suppress(FileNotFoundError):
                path.unlink()

    def _require_same(self, run: Mapping[str, Any]) -> None:
        try:
            before = json.loads(self._description.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(
                f"{self._description}, which says how {self.path} was made, cannot be read ({error}): --restart begins"
                " again."
            ) from error
        require_same(self.path, before, run, "resume it with the same options, or start again with --restart.")


def require_same(path: Path, before: Mapping[str, Any], run: Mapping[str, Any], advice: str) -> None:
    """Raise CommandError if the description of a resumed run differs from ``before``, which was read from JSON."""
    now = json.loads(json.dumps(run))  # for comparison with the JSON values
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            raise CommandError(
                f"{path} was made with {name} = {before.get(name)!r}, now it is {now.get(name)!r}: {advice}"
            )


def description_of(arguments: argparse.Namespace, without: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return what the results of a run depend on: the version, and all arguments except those in ``without``."""
    options = {name: str(value) for name, value in vars(arguments).items() if name not in ("run", "prog", *without)}
    return {"version": __version__, **more, **options}


def _lock(file: IO[bytes], path: Path) -> None:
    """Raise CommandError if another process has locked the file; the system releases locks of ended processes."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise CommandError(f"{path} is being written by another run.") from error


def _drop_torn_line(file: IO[bytes]) -> int:
    """Remove an incomplete last line, seek to the end, and return the number of lines."""
    lines = end = position = 0
    file.seek(0)
    while chunk := file.read(_CHUNK):
        lines += chunk.count(b"\n")
        if b"\n" in chunk:
            end = position + chunk.rindex(b"\n") + 1
        position += len(chunk)
    file.truncate(end)
    file.seek(end)
    return lines
