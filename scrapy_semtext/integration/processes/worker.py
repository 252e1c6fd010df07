"""A handle of one worker process, for the crawl."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy_semtext.integration.processes.messages import Failed
from scrapy_semtext.limits import PageTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.processes.messages import Answer
    from scrapy_semtext.page import Page

# Not a process of multiprocessing: those import the main module again, which would run a script without a __name__
# guard a second time, and they outlive a crawl that was killed. This one ends when its standard input does. SIGINT and
# SIGTERM, which may go to all processes of a group, are ignored, since the crawl handles them: it has pages to end.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from scrapy_semtext.integration.processes.child import main
main()
"""

#: How long, in seconds, to wait for a worker to end before it is killed.
_END_TIMEOUT = 5.0


class WorkerDiedError(RuntimeError):
    """A worker process ended unexpectedly, for instance because the system ran out of memory."""


class Worker:
    """A process that reads pages with an extractor of its own. Not thread-safe.

    ``setup``: a pickled Setup. The process starts at once; ``wait_until_ready`` waits until it can read.
    """

    def __init__(self, setup: bytes) -> None:
        # One thread for linear algebra, since cores are used by starting several processes.
        environment = {"OMP_NUM_THREADS": "1", **os.environ}
        self._process = subprocess.Popen(  # noqa: S603  runs our own code
            [sys.executable, "-c", _BOOT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        with contextlib.suppress(BrokenPipeError):  # reading the answer raises WorkerDiedError
            pickle.dump(sys.path, self._requests)
            self._requests.write(setup)
            self._requests.flush()

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    def wait_until_ready(self) -> str | None:
        """Wait until the extractor is loaded, and return its device; raise what loading raised, or WorkerDiedError."""
        answer = self._answer()
        if isinstance(answer, Failed):
            raise answer.exception()
        device: str | None = answer.device
        return device

    def read(self, sources: Sequence[Source], timeout: float = 0.0) -> Iterator[Page | Exception]:
        """Yield a page or an exception for each source, in order; raise WorkerDiedError if the process ends.

        If an answer takes more than ``timeout`` seconds, the process is killed and PageTimeoutError is raised; 0 is
        without a limit.
        """
        try:
            pickle.dump(list(sources), self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
        except OSError as error:
            raise self._died() from error
        for _ in sources:
            answer = self._answer_within(timeout) if timeout else self._answer()
            yield answer.exception() if isinstance(answer, Failed) else answer

    def close_input(self) -> None:
        """Close the process's standard input; it ends once it has read the pages that it got."""
        with contextlib.suppress(OSError):  # data that is not sent yet is lost
            self._requests.close()

    def end(self) -> None:
        """Close the process's input and wait until it has ended; kill it if that takes too long."""
        self.close_input()
        try:
            self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def kill(self) -> None:
        """Kill the process, if it has not ended yet."""
        self._process.kill()
        self.end()

    def _answer_within(self, timeout: float) -> Any:
        killed = threading.Event()

        def stop() -> None:
            killed.set()
            self._process.kill()

        timer = threading.Timer(timeout, stop)
        timer.daemon = True
        timer.start()
        try:
            return self._answer()
        except WorkerDiedError as error:
            if killed.is_set():
                raise PageTimeoutError(f"reading took more than {timeout:g} seconds") from error
            raise
        finally:
            timer.cancel()

    def _answer(self) -> Any:
        """Return the next answer (Ready or a page, or Failed); handle the log records that come before it."""
        while True:
            try:
                answer: Answer = pickle.load(self._answers)  # noqa: S301  sent by our own process
            except (EOFError, OSError, pickle.UnpicklingError) as error:  # UnpicklingError: incomplete message
                raise self._died() from error
            if not isinstance(answer, logging.LogRecord):
                return answer
            logger = logging.getLogger(answer.name)
            if logger.isEnabledFor(answer.levelno):
                logger.handle(answer)

    def _died(self) -> WorkerDiedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT)  # its pipes are closed, so it ends soon
        return WorkerDiedError(
            f"the worker process {self.pid} ended with the exit code {self._process.returncode} (-9: killed, most often"
            " because the system ran out of memory)"
        )
