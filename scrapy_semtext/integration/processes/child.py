"""What a worker process does: load an extractor, then read the batches it is sent, until nobody sends any more."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import sys
import threading
from logging.handlers import QueueHandler
from typing import IO, TYPE_CHECKING

from scrapy_semtext.extractor import Source
from scrapy_semtext.integration.batches import PageReader, read_sources
from scrapy_semtext.integration.processes.messages import Failed, Logged, Ready
from scrapy_semtext.utils.process_tuning import freeze_gc, trim_malloc

if TYPE_CHECKING:
    from scrapy_semtext.integration.processes.messages import Answer, Setup
    from scrapy_semtext.page import Page

#: How much workers stand back behind the crawl, whose event loop is to have a core whenever it has something to do.
_NICENESS = 5


def main() -> None:
    """Serve the process that started this one, over standard input and output, and end with it."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What else is printed here, by whatever library, is not for the pipe.
    os.dup2(2, 1)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)
    with contextlib.suppress(BrokenPipeError):
        serve(requests, answers)
    os._exit(0)  # nothing here is worth taking down piece by piece


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer the Setup that comes first with Ready or Failed, then each list of sources with a message for each."""
    outlet = _Outlet(answers)
    with contextlib.suppress(EOFError):  # the crawl is over, or was killed
        try:
            reader = _load(pickle.load(requests), outlet)  # noqa: S301  the parent's
        except Exception as error:  # noqa: BLE001  it is the parent's to report
            outlet.send(Failed.of(error))
            return
        outlet.send(Ready())
        while True:
            for result in read_sources(reader, pickle.load(requests)):  # noqa: S301
                outlet.send_result(result)


class _Outlet:
    """Sends answers, one at a time, from whatever thread."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()

    def send(self, answer: Answer) -> None:
        self._write(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))

    def send_result(self, result: Page | Exception) -> None:
        if isinstance(result, Exception):
            self.send(Failed.of(result))
            return
        try:
            message = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001  such as a subclass of Page that cannot be pickled
            message = pickle.dumps(Failed.of(error), pickle.HIGHEST_PROTOCOL)
        self._write(message)

    def _write(self, message: bytes) -> None:
        with self._lock:
            self._file.write(message)
            self._file.flush()


class _Sender(QueueHandler):
    """Sends what is logged here to the crawl, whose handlers and levels know what to do with it."""

    def __init__(self, outlet: _Outlet) -> None:
        super().__init__(outlet)  # type: ignore[arg-type]  # what it is given is only used by enqueue()

    def enqueue(self, record: logging.LogRecord) -> None:
        self.queue.send(Logged(record))  # type: ignore[attr-defined]


def _load(setup: Setup, outlet: _Outlet) -> PageReader:
    logging.getLogger().addHandler(_Sender(outlet))
    logging.getLogger().setLevel(setup.log_level)
    reader: PageReader = setup.kind.load(**setup.arguments, options=setup.options)
    read_sources(reader, [Source(setup.first_page, options=setup.options)])
    freeze_gc()
    trim_malloc()
    return reader
