"""Several worker processes behind the interface of one extractor."""

from __future__ import annotations

import logging
import pickle
import weakref
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

from scrapy_semtext.integration.processes.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.processes.messages import Setup
    from scrapy_semtext.page import Page

logger = logging.getLogger(__name__)


class SetupError(TypeError):
    """The setup of a worker cannot be pickled; the message says why."""


@dataclass(eq=False, slots=True)
class _Slot:
    """A slot for a worker, which is None after the last one died, until another is needed."""

    worker: Worker | None
    deaths: int = 0


class WorkerPool:
    """Reads pages in ``count`` processes, for as many threads at once: each call goes to a free one.

    A process that dies is replaced, as is one that does not answer within the time of a page. What it had not answered
    is read again, page by page; a page that kills the fresh process, too, comes to nothing but the WorkerDiedError or
    PageTimeoutError. ``device`` is that of the extractors, None if unknown.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        """Start all processes and wait until they can read.

        Raises SetupError, what loading the extractor raised, or WorkerDiedError.
        """
        self._setup = _pickled(setup)
        self._timeout = setup.limits.seconds
        self.device: str | None = None
        self._slots: list[_Slot] = []
        self._free: SimpleQueue[_Slot] = SimpleQueue()
        # also for crawls that never come to their end
        self._finalizer = weakref.finalize(self, _end, self._slots)
        try:
            self._slots += [_Slot(Worker(self._setup)) for _ in range(count)]  # all load at the same time
            for slot in self._slots:
                if slot.worker is not None:
                    self.device = slot.worker.wait_until_ready()
                self._free.put(slot)
        except BaseException:
            self.close()
            raise

    @property
    def deaths(self) -> int:
        """The number of workers that have died."""
        return sum(slot.deaths for slot in self._slots)

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        """Read the sources in one of the processes; a source that fails gives its exception in its place."""
        slot = self._free.get()
        try:
            results: list[Page | Exception] = []
            self._attempt(slot, sources, results)
            while len(results) < len(sources):
                again = sources[len(results)]
                if error := self._attempt(slot, [again], results):
                    results.append(error)
            return results
        finally:
            self._free.put(slot)

    def close(self) -> None:
        """End all processes, once they have read the pages that they got. May be called twice."""
        self._finalizer()

    def _attempt(self, slot: _Slot, sources: Sequence[Source], results: list[Page | Exception]) -> Exception | None:
        """Append the results of the sources until the process dies; return the exception if it does."""
        try:
            if slot.worker is None:
                slot.worker = Worker(self._setup)
                slot.worker.wait_until_ready()
            for result in slot.worker.read(sources, self._timeout):
                results.append(result)  # noqa: PERF402  results before an exception are kept
        except Exception as error:  # noqa: BLE001  it died, or could not be started
            if slot.worker is not None:
                slot.worker.kill()
                slot.worker = None
            slot.deaths += 1
            logger.warning("Replacing a worker process: %s", error)
            return error
        return None


def _pickled(setup: Setup) -> bytes:
    if setup.kind.__module__ == "__main__":
        raise SetupError(
            f"{setup.kind.__qualname__} is defined in the script that is run, where worker processes cannot find it;"
            " put it into a module of its own"
        )
    try:
        return pickle.dumps(setup)
    except Exception as error:  # user-defined classes may raise anything when pickled
        name = getattr(setup.kind, "__qualname__", setup.kind)
        raise SetupError(f"worker processes cannot load {name}: {error}") from error


def _end(slots: Sequence[_Slot]) -> None:
    workers = [slot.worker for slot in slots if slot.worker is not None]
    for worker in workers:
        worker.close_input()
    for worker in workers:
        worker.end()
