"""Batches of pages, read so that each page has its own result, and the processes that read them. Independent of Scrapy.

A pool of worker processes has the interface of a single extractor, for machines with more cores than one Python thread
can use. A worker loads an extractor, then processes batches until its standard input ends. Messages are pickles over
pipes, which are self-delimiting. Pages are sent one by one: unpickling one takes about a millisecond, during which no
other thread runs, and a whole batch would block the event loop.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass, field
from logging.handlers import QueueHandler
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]  # typeshed lacks it
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from scrapy_semtext.extractor import Options, Source
from scrapy_semtext.limits import Limits, PageTimeoutError
from scrapy_semtext.page import Page
from scrapy_semtext.utils.process_tuning import RenewedThreads, enable_tuning, freeze_gc, trim_malloc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.site.rules import SiteRules


logger = logging.getLogger(__name__)


#: A page that makes an extractor load everything that it loads on first use.
FIRST_PAGE = """<html><title>Title</title><script type="application/ld+json">{"@type": "WebPage"}</script>
<div itemscope itemtype="https://schema.org/WebPage"><p>A paragraph.</p></div></html>"""


class UnsupportedRulesError(TypeError):
    """An extractor does not support rules for sites."""


class PageReader(Protocol):
    """The interface of extractors. Called from one thread at a time, which may change."""

    def read_many(self, sources: Sequence[Source]) -> Sequence[Page | Exception]:
        """Return a page for each source, or the exception that reading it raised."""
        ...


def loaded(setup: Setup) -> PageReader:
    """Load an extractor, and pass it the limits (if it has an attribute for them) and the rules of sites.

    Raises the errors of ``load``, and UnsupportedRulesError if it cannot apply rules.
    """
    reader: Any = setup.kind.load(**setup.arguments, options=setup.options)
    if hasattr(reader, "limits"):
        reader.limits = setup.limits
    if setup.sites is not None:
        if not hasattr(reader, "sites"):
            name = type(reader).__name__
            raise UnsupportedRulesError(
                f"the extractor {name} does not support rules for sites: it has no attribute `sites`"
            )
        reader.sites = setup.sites
    return reader  # type: ignore[no-any-return]


def read_sources(reader: PageReader, sources: Sequence[Source]) -> list[Page | Exception]:
    """Read sources as a batch; if that raises an exception, one by one, so that the others get a page."""
    if not sources:
        return []
    try:
        return _checked(reader, reader.read_many(sources), len(sources))
    except Exception as error:  # noqa: BLE001  becomes the page's result
        if len(sources) == 1:
            return [error]
    return [result for source in sources for result in read_sources(reader, [source])]


def read_sources_in(threads: RenewedThreads, reader: PageReader, sources: Sequence[Source]) -> list[Page | Exception]:
    """Process sources in another thread, so that libxml2's memory for them is freed in time; wait for the results."""
    return threads.submit(sum(len(source.html) for source in sources), read_sources, reader, sources).result()


def _checked(reader: PageReader, results: Sequence[Page | Exception], count: int) -> list[Page | Exception]:
    """Return the results of an extractor; raise TypeError unless there is one of a valid type for each source."""
    checked = list(results)
    if len(checked) != count or not all(isinstance(result, Page | Exception) for result in checked):
        kinds = sorted({type(result).__name__ for result in checked})
        raise TypeError(
            f"{type(reader).__name__}.read_many returned {len(checked)} results ({kinds}) for {count} sources"
        )
    return checked


class UnsendableError(RuntimeError):
    """Replaces an answer of a worker process that cannot be pickled; the message says what it was."""


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


def wanted_level() -> int:
    """Return the lowest level that a handler of the root logger accepts."""
    root = logging.getLogger()
    return max(root.level, min((handler.level for handler in root.handlers), default=logging.WARNING))


#: The messages from a worker; log records may come before any other. The cause of an exception is its traceback there.
Answer = Page | Ready | Exception | logging.LogRecord


#: Added to the niceness of workers, so that the event loop of the crawl gets a core when it needs one.
_NICENESS = 5


def worker_main() -> None:
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
    """Answer a Setup with Ready or an exception, then each list of sources with a message for each source."""
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

    def send(self, answer: Answer) -> None:
        """Send an answer, or UnsendableError for one (such as a subclass of Page) that cannot be pickled."""
        self._write(_pickled_answer(answer))

    def put_nowait(self, record: logging.LogRecord) -> None:
        """Send a log record, like a QueueHandler; the handlers and levels of the crawl apply."""
        self._write(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))

    def _write(self, message: bytes) -> None:
        with self._lock:
            self._file.write(message)
            self._file.flush()


def _pickled_answer(answer: Answer) -> bytes:
    sent: Any = ExceptionWithTraceback(answer, answer.__traceback__) if isinstance(answer, Exception) else answer
    try:
        message = pickle.dumps(sent, pickle.HIGHEST_PROTOCOL)
        if sent is not answer:
            pickle.loads(message)  # noqa: S301  pickled here; arguments of its class may not be those that it keeps
    except Exception as error:  # noqa: BLE001  user-defined classes may raise anything when pickled
        failed = answer if isinstance(answer, Exception) else error
        unsendable = UnsendableError(f"{type(failed).__name__}: {failed}")
        message = pickle.dumps(ExceptionWithTraceback(unsendable, failed.__traceback__), pickle.HIGHEST_PROTOCOL)
    return message


def _load(setup: Setup, writer: _AnswerWriter) -> PageReader:
    logging.getLogger().addHandler(QueueHandler(writer))  # type: ignore[arg-type]  # only put_nowait is used
    logging.getLogger().setLevel(setup.log_level)
    enable_tuning(setup.process_tuning)
    reader = loaded(setup)
    read_sources(reader, [Source(FIRST_PAGE, options=setup.options)])
    freeze_gc()
    trim_malloc()
    return reader


# This does not use multiprocessing: its processes import the main module again, which would run a script without a
# __name__ guard a second time, and they outlive a crawl that was killed. This process ends when its standard input
# does. SIGINT and SIGTERM, which may be sent to a whole process group, are ignored, because the crawl handles them: it
# has pages to finish.
_BOOT = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from scrapy_semtext.integration.processes import worker_main
worker_main()
"""

#: How long, in seconds, to wait for a worker to exit before it is killed.
_END_TIMEOUT = 5.0


class WorkerDiedError(RuntimeError):
    """A worker process ended unexpectedly, for example because the system ran out of memory."""


class Worker:
    """A process that extracts pages with its own extractor. Not thread-safe.

    ``setup``: a pickled Setup. The process starts at once; ``wait_until_ready`` waits until it can process pages.
    """

    def __init__(self, setup: bytes) -> None:
        # One thread for linear algebra, because several processes use the cores.
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
        if isinstance(answer, Exception):
            raise answer
        device: str | None = answer.device
        return device

    def read(self, sources: Sequence[Source], timeout: float = 0.0) -> Iterator[Page | Exception]:
        """Yield a page or an exception for each source, in order; raise WorkerDiedError if the process ends.

        If an answer takes more than ``timeout`` seconds, the process is killed and PageTimeoutError is raised; 0 means
        no limit.
        """
        try:
            pickle.dump(list(sources), self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
        except OSError as error:
            raise self._died() from error
        for _ in sources:
            yield self._answer_within(timeout) if timeout else self._answer()

    def close_input(self) -> None:
        """Close the process's standard input; it exits after the pages that it has received."""
        with contextlib.suppress(OSError):  # data that is not sent yet is lost
            self._requests.close()

    def end(self) -> None:
        """Close the process's input and wait until it has exited; kill it if that takes too long."""
        self.close_input()
        try:
            self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def kill(self) -> None:
        """Kill the process if it is still running."""
        self._process.kill()
        self.end()

    def _answer_within(self, timeout: float) -> Any:
        timer = threading.Timer(timeout, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            return self._answer()
        except WorkerDiedError as error:
            if timer.finished.is_set():  # it has killed the process
                raise PageTimeoutError(f"reading took more than {timeout:g} seconds") from error
            raise
        finally:
            timer.cancel()

    def _answer(self) -> Any:
        """Return the next answer that is no log record; these are handled."""
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


class SetupError(TypeError):
    """The setup of a worker cannot be pickled; the message says why."""


@dataclass(eq=False, slots=True)
class _Slot:
    """A slot for a worker, which is None after the last one died, until another is needed."""

    worker: Worker | None
    deaths: int = 0


class WorkerPool:
    """Processes pages in ``count`` processes, for as many threads at once: each call goes to a free process.

    A process that dies is replaced, as is one that does not answer within the time limit of a page. Its unanswered
    pages are processed again, one by one; a page that also kills the new process results in the WorkerDiedError or
    PageTimeoutError. ``device`` is that of the extractors, None if unknown.
    """

    def __init__(self, setup: Setup, count: int) -> None:
        """Start all processes and wait until they are ready.

        Raises SetupError, the errors of loading the extractor, or WorkerDiedError.
        """
        self._setup = _pickled(setup)
        self._timeout = setup.limits.seconds
        self.device: str | None = None
        self._slots: list[_Slot] = []
        self._free: SimpleQueue[_Slot] = SimpleQueue()
        # also for crawls that are never closed
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
        """Process the sources in one of the processes; the result for a source that fails is its exception."""
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
        """End all processes, after the pages that they have received. May be called twice."""
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
