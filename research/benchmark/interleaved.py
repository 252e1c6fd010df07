"""The cost of a page compared with another version of the package: both read each batch in turn.

On a busy machine, the times of two separate runs differ by more than the effect of most changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import mean, stdev
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Source

#: The process of a version, which may be old, so that only its oldest interface is used. The first line of its input
#: has the batches, lists of [HTML, address], each further one the number of a batch; it answers with the folder of its
#: package, then with the CPU seconds of each batch.
_READER = """
import gc, json, sys, time
from pathlib import Path
from scrapy_semtext.extractor import Extractor, Source
batches = [[Source(html, url) for html, url in batch] for batch in json.loads(sys.stdin.readline())]
extractor = Extractor.load(device="cpu")
gc.collect()
gc.freeze()
print(json.dumps(str(Path(sys.modules[Extractor.__module__].__file__).parent)), flush=True)
for line in sys.stdin:
    began = time.process_time()
    extractor.read_many(batches[int(line)])
    print(json.dumps(time.process_time() - began), flush=True)
"""


def compare(folder: Path, batches: Sequence[Sequence[Source]], rounds: int) -> tuple[dict[str, Any], list[str]]:
    """Read the pages ``rounds`` times with this package and with the one in ``folder``, after a warm-up round.

    Return milliseconds of CPU a page in each round, the ratio of the ``own`` to the ``other`` (the mean of the rounds)
    and its standard error, None after one round; and the lines of a report. Raises CommandError if one of the two
    cannot be started or stops.
    """
    if not (folder / "scrapy_semtext").is_dir():
        install = f"pip install --no-deps --target {folder} CHECKOUT"
        raise CommandError(f"{folder} has no package scrapy_semtext. Run: {install}")
    if rounds < 1:
        raise CommandError("--rounds must be at least 1")
    with ExitStack() as stack:
        readers = [_Reader(each, stack) for each in (Path(__file__).parents[2], folder.absolute())]
        package = [reader.begin(batches) for reader in readers][1]
        spent = [_round(readers, len(batches), number) for number in range(rounds + 1)][1:]
    pages = sum(map(len, batches))
    own, other = ([1000 * seconds / pages for seconds in of_rounds] for of_rounds in zip(*spent, strict=True))
    ratios = [mine / others for mine, others in zip(own, other, strict=True)]
    error = stdev(ratios) / rounds**0.5 if rounds > 1 else None
    report = {
        "pages": pages, "batch_size": len(batches[0]), "folder": package, "own": own, "other": other,
        "ratio": mean(ratios), "error": error,
    }  # fmt: skip
    lines = [
        f"{pages} pages, {len(batches[0])} at a time, {rounds} rounds in turns; CPU time a page",
        f"{'this package':18}{mean(own):9.2f} ms",
        f"{'the other':18}{mean(other):9.2f} ms   {package}",
        f"this costs {mean(ratios):.3f}{'' if error is None else f' ± {error:.3f}'} times what the other costs",
    ]
    return report, lines


def _round(readers: Sequence[_Reader], batches: int, number: int) -> list[float]:
    """The CPU seconds of each reader for all batches; the order alternates from batch to batch."""
    spent = [0.0, 0.0]
    for batch in range(batches):
        first = (number + batch) % 2
        for which in (first, 1 - first):
            spent[which] += float(readers[which].ask(batch))
    return spent


class _Reader:
    """A process that reads pages with the package in a folder, as long as ``stack`` is open."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        # with -c, modules are searched in the working folder first
        process = subprocess.Popen([sys.executable, "-c", _READER], cwd=folder, **pipes)  # noqa: S603 - our own code
        self._folder = folder
        self._requests, self._answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        stack.callback(process.communicate)

    def begin(self, batches: Sequence[Sequence[Source]]) -> str:
        """Send the pages; return the folder of the package that reads them."""
        package = str(self.ask([[(page.html, page.url) for page in batch] for batch in batches]))
        if Path(package).parent.resolve() != self._folder.resolve():
            raise CommandError(f"{self._folder} holds no package scrapy_semtext: {package} was found instead.")
        return package

    def ask(self, question: object) -> Any:
        """Return the answer to the number of a batch, or to the batches themselves."""
        answer = ""
        with suppress(OSError):  # the process has ended
            self._requests.write(json.dumps(question) + "\n")
            self._requests.flush()
            answer = self._answers.readline()
        if not answer:
            raise CommandError(f"The package in {self._folder} stopped; see its output above.")
        return json.loads(answer)
