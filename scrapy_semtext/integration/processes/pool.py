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
    """Another process cannot be told what to load; the message says why."""


@dataclass(eq=False, slots=True)
class _Seat:
    """A place for a worker: None where the last one died and nobody has needed another yet."""

    worker: Worker | None
    deaths: int = 0


class WorkerPool:
    """Reads pages in ``count`` processes, for as many threads at once: each call goes to a free one.

    A process that dies is replaced. What it had not answered is read again, page by page; a page that kills the fresh
    process, too, comes to nothing but the WorkerDiedError.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        """Start all processes and wait until they can read.

        Raises SetupError, what loading the extractor raised, or WorkerDiedError.
        """
        self._setup = _pickled(setup)
        self._seats: list[_Seat] = []
        self._free: SimpleQueue[_Seat] = SimpleQueue()
        # also for crawls that never come to their end
        self._finalizer = weakref.finalize(self, _end, self._seats)
        try:
            self._seats += [_Seat(Worker(self._setup)) for _ in range(count)]  # all load at the same time
            for seat in self._seats:
                if seat.worker is not None:
                    seat.worker.wait_until_ready()
                self._free.put(seat)
        except BaseException:
            self.close()
            raise

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that run."""
        return [seat.worker.pid for seat in self._seats if seat.worker is not None]

    @property
    def deaths(self) -> int:
        """How many processes have died."""
        return sum(seat.deaths for seat in self._seats)

    def read_many(self, sources: Sequence[Source]) -> list[Page | Exception]:
        """Read the sources in one of the processes; a source that fails gives its exception in its place."""
        seat = self._free.get()
        try:
            results: list[Page | Exception] = []
            self._attempt(seat, sources, results)
            while len(results) < len(sources):
                again = sources[len(results)]
                if error := self._attempt(seat, [again], results):
                    results.append(error)
            return results
        finally:
            self._free.put(seat)

    def close(self) -> None:
        """End all processes, once they have done what they were asked for. Can be called twice."""
        self._finalizer()

    def _attempt(self, seat: _Seat, sources: Sequence[Source], results: list[Page | Exception]) -> Exception | None:
        """Add what becomes of the sources to the results, until the process dies; return why it cannot go on."""
        try:
            if seat.worker is None:
                seat.worker = Worker(self._setup)
                seat.worker.wait_until_ready()
            for result in seat.worker.read(sources):
                results.append(result)  # noqa: PERF402  those before an exception count
        except Exception as error:  # noqa: BLE001  it died, or it did not get as far as that: a page must not hang on it
            if seat.worker is not None:
                seat.worker.kill()
                seat.worker = None
            seat.deaths += 1
            logger.warning("A worker process is replaced: %s", error)
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
    except Exception as error:  # whatever a class of the user's raises when it is pickled
        name = getattr(setup.kind, "__qualname__", setup.kind)
        raise SetupError(f"worker processes cannot load {name}: {error}") from error


def _end(seats: Sequence[_Seat]) -> None:
    workers = [seat.worker for seat in seats if seat.worker is not None]
    for worker in workers:
        worker.ask_to_end()
    for worker in workers:
        worker.end()
