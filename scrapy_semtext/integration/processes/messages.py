"""The messages between a crawl and its worker processes: pickles over pipes.

Pickles are self-delimiting, so messages need no framing. Pages are sent one by one: unpickling one takes about a
millisecond, during which no other thread runs. Unpickling a whole batch would block the event loop.
"""

from __future__ import annotations

import logging
import pickle
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_semtext.limits import Limits
from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Options
    from scrapy_semtext.site.rules import SiteRules


class WorkerTracebackError(Exception):
    """The cause of an exception from a worker process; the message is the traceback in the worker."""


class UnsendableError(RuntimeError):
    """Replaces an exception of a worker process that cannot be pickled; the message has its type and message."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How to load an extractor, here or in a worker: ``kind.load(**arguments, options=options)``.

    A worker then processes a first page to load what is loaded on first use. Log records below ``log_level`` are not
    sent to the crawl. ``process_tuning``: see `scrapy_semtext.utils.process_tuning`. ``sites``: the rules of sites.
    ``limits``: the maximum cost of a page.
    """

    kind: type[Any]
    arguments: dict[str, Any]
    options: Options
    log_level: int
    process_tuning: bool = True
    sites: SiteRules | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker has loaded its extractor, which runs on ``device`` (None if unknown)."""

    device: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """Loading the extractor, or reading one page, raised an exception; ``where`` is the traceback."""

    error: Exception
    where: str = field(repr=False)

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """Return the message for an exception, with a replacement for one that cannot be pickled."""
        where = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301  pickled here
        except Exception:  # noqa: BLE001  user-defined classes may raise anything when pickled
            error = UnsendableError(f"{type(error).__name__}: {error}")
        return cls(error, where)

    def exception(self) -> Exception:
        """Return the exception with the traceback it had in the worker as its cause."""
        self.error.__cause__ = WorkerTracebackError(f"\n{self.where}")
        return self.error


def wanted_level() -> int:
    """Return the lowest level that a handler of the root logger accepts."""
    root = logging.getLogger()
    return max(root.level, min((handler.level for handler in root.handlers), default=logging.WARNING))


#: The messages from a worker; log records may come before any other answer.
Answer = Page | Ready | Failed | logging.LogRecord
