"""Reads hostile pages in every way there is, and compares."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any, cast

from research.fuzzing import invariants
from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.limits import LimitError
from scrapy_semtext.site.rules import SiteRules
from scrapy_semtext.utils.extensions import network
from scrapy_semtext.viewer import view_page
from scrapy_semtext.words.decoding import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Page

EVERYTHING = Options(metadata=True, details=True, markdown=True, main_html=True, records=True, chunks=True)
#: Options of which each is tried now and then.
OTHERS = (
    replace(EVERYTHING, join_comments=True, drop_quotes=True),
    replace(EVERYTHING, labeler="textsweeper"),
    replace(EVERYTHING, labeler="trees", decision="viterbi"),
    replace(EVERYTHING, labeler="network", markup=False),
    Options(chunks={"words": 3, "overlap": 1}, links=False, markdown=True),
    Options(pairs=False, comments=False, sections=False, kinds=False),
)
#: Options of batches, in turn. Metadata takes as long as all the rest, by libraries that are not ours.
BATCHES = (
    EVERYTHING,
    *(replace(EVERYTHING, metadata=False, details=False),) * 3,
    *(Options(),) * 10,
    OTHERS[0],
    OTHERS[4],
)
RULES = {
    "ruled.test": {
        "keep": ["p"],
        "drop": [".comment", "table"],
        "title": "h1",
        "next_page": "a",
        "qa": {"post": ".body"},
    }
}
URLS = ("http://a.test/b", "http://a.test/../%00?page=2", "http://[", "javascript:x", "", None, "http://ruled.test/x")

#: Longer pages are not read without extensions, which takes long.
_LONGEST_COMPARED = 200_000


@dataclass(slots=True)
class Input:
    """A page to be read: its text or bytes with their label, its address, and how it was made."""

    html: str | bytes
    content_type: str | None = None
    url: str | None = None
    made_by: list[str] = field(default_factory=list)
    fingerprint: str | None = None  # of its reading alone

    def source(self, options: Options = EVERYTHING) -> Source:
        """Return what the extractor gets."""
        html = self.html if isinstance(self.html, str) else decoded(self.html, self.content_type).text
        return Source(html, self.url, options)


@dataclass(slots=True)
class Costs:
    """The largest CPU seconds of a page, of a second and 100,000 characters, by its length."""

    inputs: int = 0
    characters: int = 0
    seconds: float = 0.0
    worst: float = 0.0
    worst_page: str = ""


class Reader:
    """Reads pages alone, in batches, and in a process without compiled extensions."""

    def __init__(self) -> None:
        self.extractor = Extractor.load(device="cpu")
        self.extractor.sites = SiteRules.of(RULES)
        self.costs = Costs()
        self._other = _Uncompiled() if network is not None else None

    def batch(self, pages: Sequence[Input], options: Options, *, keep: bool) -> Iterator[tuple[Input, str]]:
        """Read pages in a batch, and yield what does not hold; ``keep`` the fingerprints of their readings."""
        sources = [page.source(options) for page in pages]
        characters = sum(len(source.html) for source in sources)
        allowed = invariants.SECONDS + invariants.SECONDS_PER_CHARACTER * characters
        results, annotations, taken = self._timed_batch(sources)
        if taken > allowed:  # unless that was for what is loaded on first use
            results, annotations, taken = self._timed_batch(sources)
        self.costs.inputs += len(pages)
        self.costs.characters += characters
        self.costs.seconds += taken
        failed = [(page, result) for page, result in zip(pages, results, strict=True) if isinstance(result, Exception)]
        yield from ((page, f"reading fails: {result!r}") for page, result in failed)
        if failed:
            return
        if taken > allowed:
            yield pages[0], f"reading a batch took {taken:.1f} s for {characters:,} characters"
        for page, annotation in zip(pages, annotations, strict=True):
            yield from ((page, violation) for violation in invariants.violations(annotation))
            if keep:
                page.fingerprint = invariants.fingerprint(annotation.page)

    def violations(self, page: Input, *, compare: bool, options: Options | None = None) -> Iterator[tuple[Input, str]]:
        """Read a page alone, and yield what does not hold; ``compare`` it with the uncompiled reading."""
        for violation in self._violations(page, compare=compare, options=options):
            yield page, violation

    def _violations(self, page: Input, *, compare: bool, options: Options | None) -> Iterator[str]:
        source = page.source()
        allowed = invariants.SECONDS + invariants.SECONDS_PER_CHARACTER * len(source.html)
        try:
            annotation, taken = self._timed(source)
        except LimitError:  # as meant for such a page
            return
        if taken > allowed:  # unless that was for what is loaded on first use
            annotation, taken = self._timed(source)
        self._count(page, len(source.html), taken)
        if taken > allowed:
            yield f"reading took {taken:.1f} s for {len(source.html):,} characters"
        page.fingerprint = invariants.fingerprint(annotation.page)
        yield from invariants.violations(annotation)
        view_page(annotation).encode("utf-8", "replace")
        if options is not None:
            found = self.extractor.read(source.html, source.url, options)
            json.dumps(invariants.everything(found), allow_nan=False)
        if not compare or self._other is None or len(source.html) > _LONGEST_COMPARED:
            return
        if self._other.fingerprint(source) != page.fingerprint:
            yield "the reading without compiled extensions is another"

    def differing(self, pages: Sequence[Input], options: Options = EVERYTHING) -> Iterator[tuple[Input, str]]:
        """Read pages again, in a batch of two orders, and yield those that are read otherwise than before."""
        sources = [page.source(options) for page in pages]
        together = [invariants.fingerprint(each) for each in self.extractor.read_many(sources)]
        half = len(sources) // 2  # with other neighbours
        backwards = [
            invariants.fingerprint(each)
            for part in (sources[half:], sources[:half])
            for each in self.extractor.read_many(part[::-1])
        ][::-1]
        for page, one, other in zip(pages, together, backwards, strict=True):
            if not page.fingerprint == one == other:
                yield page, "the readings, the first, in a batch and in another order, differ"

    def close(self) -> None:
        """End the other process."""
        if self._other is not None:
            self._other.close()

    def _timed_batch(self, sources: Sequence[Source]) -> tuple[list[Page | Exception], list[Annotation], float]:
        annotations: list[Annotation] = []
        begin = time.thread_time()
        results = self.extractor.read_many([replace(source, on_read=annotations.append) for source in sources])
        return results, annotations, time.thread_time() - begin

    def _timed(self, source: Source) -> tuple[Annotation, float]:
        begin = time.thread_time()
        annotation = self.extractor.annotate(source.html, source.url, EVERYTHING)
        return annotation, time.thread_time() - begin

    def _count(self, page: Input, characters: int, taken: float) -> None:
        self.costs.inputs += 1
        self.costs.characters += characters
        self.costs.seconds += taken
        share = taken / (characters + 100_000) * 1e6
        if share > self.costs.worst:
            self.costs.worst = share
            self.costs.worst_page = f"{characters:,} characters, {taken:.2f} s ({', '.join(page.made_by)})"


class _Uncompiled:
    """A process that reads pages without compiled extensions."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "research.fuzzing.uncompiled"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SEMTEXT_COMPILED": "0"},
        )

    def fingerprint(self, source: Source) -> str:
        """Return the fingerprint of its reading."""
        requests, answers = cast("IO[str]", self._process.stdin), cast("IO[str]", self._process.stdout)
        requests.write(json.dumps([source.html, source.url]) + "\n")
        requests.flush()
        answer: Any = json.loads(answers.readline())
        return str(answer)

    def close(self) -> None:
        self._process.communicate()
