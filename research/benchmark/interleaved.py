"""The cost of a page compared with another version of the package: both read each batch in turn.

On a busy machine, the times of two separate runs differ by more than the effect of most changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import IO, TYPE_CHECKING, Any, cast

from research.benchmark import interleaved_reader
from research.benchmark.measure import batches_of
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Source


@dataclass(frozen=True, slots=True)
class InterleavedBenchmark:
    """Milliseconds of CPU a page in each round, for this package (``own``) and the ``other`` one."""

    pages: int
    batch_size: int
    folder: str
    own: list[float]
    other: list[float]

    @property
    def ratio(self) -> float:
        """The cost of this package relative to the other, mean of the rounds."""
        return mean(self._ratios())

    @property
    def error(self) -> float | None:
        """The standard error of the ratio; None after one round."""
        ratios = self._ratios()
        return stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else None

    def _ratios(self) -> list[float]:
        return [own / other for own, other in zip(self.own, self.other, strict=True)]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**asdict(self), "ratio": self.ratio, "error": self.error}

    def lines(self) -> Iterator[str]:
        """The report as text."""
        yield f"{self.pages} pages, {self.batch_size} at a time, {len(self.own)} rounds in turns; CPU time a page"
        yield f"{'this package':18}{mean(self.own):9.2f} ms"
        yield f"{'the other':18}{mean(self.other):9.2f} ms   {self.folder}"
        error = "" if self.error is None else f" ± {self.error:.3f}"
        yield f"this costs {self.ratio:.3f}{error} times what the other costs"


def interleaved(folder: Path, pages: Sequence[Source], batch_size: int, rounds: int) -> InterleavedBenchmark:
    """Read the pages ``rounds`` times with this package and with the one in ``folder``, after a warm-up round.

    Raises CommandError if one of the two cannot be started or stops.
    """
    batches = batches_of(pages, batch_size)
    here = Path(__file__).parents[2]
    with ExitStack() as stack:
        own, other = (stack.enter_context(_reader(each)) for each in (here, folder.absolute()))
        own.begin(batches)
        package = other.begin(batches)
        spent = [_round((own, other), len(batches), number) for number in range(rounds + 1)][1:]
    ms = [[1000 * seconds / len(pages) for seconds in of_rounds] for of_rounds in zip(*spent, strict=True)]
    return InterleavedBenchmark(len(pages), batch_size, package, *ms)


def _round(readers: tuple[_Reader, _Reader], batches: int, number: int) -> list[float]:
    """The CPU seconds of each reader for all batches; the order alternates from batch to batch."""
    spent = [0.0, 0.0]
    for batch in range(batches):
        first = (number + batch) % 2
        for which in (first, 1 - first):
            spent[which] += readers[which].read(batch)
    return spent


class _Reader:
    """A process that reads pages with the package in a folder."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self._folder, self._process = folder, process

    def begin(self, batches: Sequence[Sequence[Source]]) -> str:
        """Send the pages; return the folder of the package that reads them."""
        package = str(self._ask(json.dumps([[(page.html, page.url) for page in batch] for batch in batches])))
        if Path(package).parent.resolve() != self._folder.resolve():
            raise CommandError(f"{self._folder} holds no package scrapy_semtext: {package} was found instead.")
        return package

    def read(self, batch: int) -> float:
        """Read a batch; return its CPU seconds."""
        return float(self._ask(str(batch)))

    def _ask(self, line: str) -> Any:
        requests, answers = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        answer = ""
        with suppress(OSError):  # the process has ended
            requests.write(line + "\n")
            requests.flush()
            answer = answers.readline()
        if not answer:
            raise CommandError(f"The package in {self._folder} stopped; see its output above.")
        return json.loads(answer)


@contextmanager
def _reader(folder: Path) -> Iterator[_Reader]:
    code = Path(interleaved_reader.__file__).read_text(encoding="utf-8")
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    # with -c, modules are searched in the working folder first
    with subprocess.Popen([sys.executable, "-c", code], cwd=folder, **pipes) as process:  # noqa: S603 - our own code
        try:
            yield _Reader(folder, process)
        finally:
            process.kill()
            with suppress(OSError):  # of unsent data
                cast("IO[str]", process.stdin).close()
