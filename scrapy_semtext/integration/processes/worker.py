"""One worker process, as the crawl sees it."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
from typing import IO, TYPE_CHECKING, cast

from scrapy_semtext.integration.processes.messages import Failed, Logged, Ready
from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.processes.messages import Answer

# A process of our own making rather than one of multiprocessing's: those import the main module again, which would run
# a script that starts a crawl without asking for its __name__ a second time, and outlive a crawl that was killed. This
# one ends when its standard input does. Ctrl-C is for the crawl to act upon.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from scrapy_semtext.integration.processes.child import main
main()
"""

#: How long, in seconds, a worker is given to end by itself.
_PATIENCE = 5.0


class WorkerDiedError(RuntimeError):
    """A worker process ended while it was needed, for instance because the system ran out of memory."""


class Worker:
    """A process that reads pages with an extractor of its own. For one thread at a time.

    ``setup``: a pickled Setup. The process starts at once; ``wait_until_ready`` tells when it can read.
    """

    def __init__(self, setup: bytes) -> None:
        # Cores are shared out by starting so many processes: what multiplies matrices in one is to keep to its own.
        environment = {"OMP_NUM_THREADS": "1", **os.environ}
        self._process = subprocess.Popen(  # noqa: S603  our own code
            [sys.executable, "-c", _BOOT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        with contextlib.suppress(BrokenPipeError):  # it is noticed when nothing is answered
            pickle.dump(sys.path, self._requests)
            self._requests.write(setup)
            self._requests.flush()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Wait until the extractor is loaded; raise what loading it raised, or WorkerDiedError."""
        answer = self._answer()
        if isinstance(answer, Failed):
            raise answer.exception()
        if not isinstance(answer, Ready):
            raise TypeError(f"a worker process answered {answer!r} before anything was asked")

    def read(self, sources: Sequence[Source]) -> Iterator[Page | Exception]:
        """Yield what becomes of each source, in order; raise WorkerDiedError where the process ends before that."""
        try:
            pickle.dump(list(sources), self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
        except OSError as error:
            raise self._died() from error
        for _ in sources:
            answer = self._answer()
            if isinstance(answer, Page):
                yield answer
            elif isinstance(answer, Failed):
                yield answer.exception()
            else:
                raise TypeError(f"a worker process answered {answer!r} to a page")

    def ask_to_end(self) -> None:
        """Send no more; the process ends when it has done what it was asked for."""
        with contextlib.suppress(OSError):  # what was not sent yet cannot be sent any more
            self._requests.close()

    def end(self) -> None:
        """Wait until the process has ended; kill it if that takes too long."""
        self.ask_to_end()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def kill(self) -> None:
        """End the process at once, if it has not ended yet."""
        self._process.kill()
        self.end()

    def _answer(self) -> Answer:
        """Return the next answer; what was logged there in the meantime is logged here."""
        while True:
            try:
                answer: Answer = pickle.load(self._answers)  # noqa: S301  our own process's
            except (EOFError, OSError, pickle.UnpicklingError) as error:  # the last: it died in the middle of a message
                raise self._died() from error
            if not isinstance(answer, Logged):
                return answer
            logger = logging.getLogger(answer.record.name)
            if logger.isEnabledFor(answer.record.levelno):
                logger.handle(answer.record)

    def _died(self) -> WorkerDiedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)  # its pipes are closed, so it is about to end
        return WorkerDiedError(
            f"the worker process {self.pid} ended with the exit code {self._process.returncode} (-9: killed, most often"
            " for want of memory)"
        )
