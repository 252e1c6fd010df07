"""The main function of a worker process: load an extractor, then process batches until standard input ends."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import sys
import threading
from logging.handlers import QueueHandler
from typing import IO

from scrapy_semtext.extractor import Source
from scrapy_semtext.integration.batches import FIRST_PAGE, PageReader, loaded, read_sources, read_sources_in
from scrapy_semtext.integration.processes.messages import Answer, Failed, Ready, Setup
from scrapy_semtext.utils.process_tuning import RenewedThreads, enable_tuning, freeze_gc, trim_malloc

#: Added to the niceness of workers, so that the event loop of the crawl gets a core when it needs one.
_NICENESS = 5


def main() -> None:
    """Serve the parent process over standard input and output; exit when it does."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Redirect output of libraries to standard error.
    os.dup2(2, 1)
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)
    with contextlib.suppress(BrokenPipeError):
        serve(requests, answers)
    os._exit(0)  # no cleanup is needed


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer a Setup with Ready or Failed, then each list of sources with a message for each source."""
    writer = _AnswerWriter(answers)
    with contextlib.suppress(EOFError):  # the crawl is over, or was killed
        try:
            reader = _load(pickle.load(requests), writer)  # noqa: S301  sent by the parent
        except Exception as error:  # noqa: BLE001  the parent reports it
            writer.send(error)
            return
        writer.send(Ready(getattr(reader, "device", None)))
        threads = RenewedThreads()
        while True:
            for result in read_sources_in(threads, reader, pickle.load(requests)):  # noqa: S301
                writer.send(result)


class _AnswerWriter:
    """Writes answers to a pipe; thread-safe."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()

    def send(self, answer: Answer | Exception) -> None:
        """Send an answer; Failed for an exception, or if the answer (such as a subclass of Page) cannot be pickled."""
        sent = Failed.of(answer) if isinstance(answer, Exception) else answer
        try:
            message = pickle.dumps(sent, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001  user-defined classes may raise anything when pickled
            message = pickle.dumps(Failed.of(error), pickle.HIGHEST_PROTOCOL)
        self._write(message)

    def put_nowait(self, record: logging.LogRecord) -> None:
        """Send a log record, like a QueueHandler; the handlers and levels of the crawl apply."""
        self._write(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))

    def _write(self, message: bytes) -> None:
        with self._lock:
            self._file.write(message)
            self._file.flush()


def _load(setup: Setup, writer: _AnswerWriter) -> PageReader:
    logging.getLogger().addHandler(QueueHandler(writer))  # type: ignore[arg-type]  # only put_nowait is used
    logging.getLogger().setLevel(setup.log_level)
    enable_tuning(setup.process_tuning)
    reader = loaded(setup)
    read_sources(reader, [Source(FIRST_PAGE, options=setup.options)])
    freeze_gc()
    trim_malloc()
    return reader
