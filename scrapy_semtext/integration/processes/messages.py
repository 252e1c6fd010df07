"""What a crawl and its worker processes say to each other over pipes, one pickle a message.

A pickle says by itself where it ends, so a pipe of them needs no frame. Pages travel one by one: to unpickle one takes
about a millisecond, during which no other thread runs, the event loop's neither; a whole batch would hold it up.
"""

from __future__ import annotations

import logging
import pickle
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.integration.batches import FIRST_PAGE
from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Options


class WorkerTracebackError(Exception):
    """The cause of an exception that came from a worker process: its traceback there, as text."""


class UnsendableError(RuntimeError):
    """Stands for an exception of a worker process that cannot be pickled; the message says what it was."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a worker loads its extractor: ``kind.load(**arguments, options=options)``, then a first page, for nothing.

    Records below ``log_level`` are not sent to the crawl.
    """

    kind: type[Any]
    arguments: dict[str, Any]
    options: Options
    log_level: int
    first_page: str = FIRST_PAGE


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker has loaded what it needs."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What a worker could not do, loading or one page."""

    error: Exception
    where: str = field(repr=False)

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """Return the message for an exception, or for one in its place if it would not arrive."""
        where = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301  our own
        except Exception:  # noqa: BLE001  whatever a class of the user's raises when it is pickled
            error = UnsendableError(f"{type(error).__name__}: {error}")
        return cls(error, where)

    def exception(self) -> Exception:
        """Return the exception with the traceback it had in the worker as its cause."""
        self.error.__cause__ = WorkerTracebackError(f"\n{self.where}")
        return self.error


@dataclass(frozen=True, slots=True)
class Logged:
    """A record that was logged in a worker."""

    record: logging.LogRecord


def wanted_level() -> int:
    """The least level of records that any handler of this process's root logger takes."""
    root = logging.getLogger()
    return max(root.level, min((handler.level for handler in root.handlers), default=logging.WARNING))


Answer = Page | Ready | Failed | Logged
