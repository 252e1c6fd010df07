"""The SQLite file of a crawl, whose failures, such as a full disk, are told in one way and remembered."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class JobError(Exception):
    """The file of a crawl cannot be read or written; the message says which, why, and what to do."""


class JobFile(sqlite3.Connection):
    """A connection whose methods raise JobError where the file or the disk is at fault, not the statement."""

    #: The file, None for a temporary one, and what failed last.
    path: Path | None = None
    failure: JobError | None = None

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Execute a statement. Raises JobError."""
        try:
            return super().execute(*arguments)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        """Execute a statement for each of the parameters. Raises JobError."""
        try:
            return super().executemany(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def executescript(self, sql: str, /) -> sqlite3.Cursor:
        """Execute statements. Raises JobError."""
        try:
            return super().executescript(sql)
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def __exit__(self, *about: object) -> Any:
        """Commit, or roll back after an exception. Raises JobError."""
        try:
            return super().__exit__(*about)  # type: ignore[arg-type]
        except sqlite3.DatabaseError as error:
            raise self._noted(error) from error

    def _noted(self, error: sqlite3.DatabaseError) -> Exception:
        """Return what to raise for an error."""
        if not (isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError):
            return error  # the statement is at fault
        name = "the temporary file of the crawl" if self.path is None else str(self.path)
        broken = not isinstance(error, sqlite3.OperationalError)
        advice = (
            "it is no file of a crawl, or a damaged one: name another folder"
            if broken
            else "see that the disk has room; what was done before is whole"
        )
        self.failure = JobError(f"{name} cannot be used: {error} ({advice})")
        return self.failure


def open_job(path: Path | None) -> JobFile:
    """Open the file of a crawl, a temporary one for None. Raises JobError."""
    try:
        job = sqlite3.connect("" if path is None else path, isolation_level=None, factory=JobFile)
    except sqlite3.Error as error:
        raise JobError(f"{path or 'a temporary file'} cannot be opened: {error}") from error
    job.path = path
    job.execute(f"PRAGMA journal_mode = {'MEMORY' if path is None else 'WAL'}")
    job.execute(f"PRAGMA synchronous = {'OFF' if path is None else 'NORMAL'}")
    return job
