"""Reads hostile pages in batches, again in another order, and without compiled extensions, and checks what has to hold.

As a module, ``python -m research.fuzzing.reading``, it is the process without extensions: it reads pages from standard
input, a line of JSON each, and prints the fingerprints of their readings.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy_semtext.extractor import Extractor, Options, Source
from scrapy_semtext.limits import LimitError
from scrapy_semtext.results import RESULTS
from scrapy_semtext.site.rules import SiteRules
from scrapy_semtext.viewer import view_page
from scrapy_semtext.words.decoding import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.extractor import Annotation
    from scrapy_semtext.page import Page

EVERYTHING = Options(metadata=True, details=True, markdown=True, main_html=True, records=True, chunks=True)
#: Options of batches, in turn. Metadata takes as long as all the rest.
BATCHES = (
    EVERYTHING,
    replace(EVERYTHING, metadata=False, details=False),
    Options(),
    replace(EVERYTHING, join_comments=True, drop_quotes=True),
    replace(EVERYTHING, labeler="textsweeper"),
    replace(EVERYTHING, labeler="trees", decision="viterbi"),
    replace(EVERYTHING, labeler="network", markup=False),
    Options(chunks={"words": 3, "overlap": 1}, links=False, markdown=True),
    Options(pairs=False, comments=False, sections=False, kinds=False),
)
URLS = ("http://a.test/b", "http://a.test/../%00?page=2", "http://[", "javascript:x", "", None, "http://ruled.test/x")
_RULE = {"keep": ["p"], "drop": [".comment", "table"], "title": "h1", "next_page": "a", "qa": {"post": ".body"}}
#: The most CPU seconds for a batch: so many, and so many for each character.
_SECONDS, _SECONDS_PER_CHARACTER = 1.0, 30e-6


@dataclass(slots=True)
class Input:
    """A page to be read: its text or bytes with their label, its address, and how it was made."""

    html: str | bytes
    content_type: str | None = None
    url: str | None = None
    made_by: list[str] = field(default_factory=list)
    fingerprint: str | None = None  # of its first reading

    def source(self, options: Options = EVERYTHING) -> Source:
        """Return what the extractor gets."""
        html = self.html if isinstance(self.html, str) else decoded(self.html, self.content_type).text
        return Source(html, self.url, options)


class Reader:
    """Reads pages; counts them, their characters and the CPU seconds, also the most for a million characters."""

    def __init__(self) -> None:
        self.extractor = _extractor()
        self.inputs = self.characters = 0
        self.seconds = self.worst = 0.0
        self._uncompiled = subprocess.Popen(
            [sys.executable, "-m", "research.fuzzing.reading"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SEMTEXT_COMPILED": "0"},
        )

    def violations(self, pages: Sequence[Input], options: Options = EVERYTHING) -> Iterator[tuple[Input, str]]:
        """Read pages in a batch, and yield what does not hold; keep the fingerprints of their readings."""
        sources = [page.source(options) for page in pages]
        characters = sum(len(source.html) for source in sources)
        allowed = _SECONDS + _SECONDS_PER_CHARACTER * characters
        results, annotations, taken = self._timed(sources)
        if taken > allowed:  # unless that was for what is loaded on first use
            results, annotations, taken = self._timed(sources)
        self.inputs += len(pages)
        self.characters += characters
        self.seconds += taken
        self.worst = max(self.worst, taken / (characters + 100_000) * 1e6)
        if taken > allowed:
            yield pages[0], f"reading {len(pages)} pages took {taken:.1f} s for {characters:,} characters"
        read = iter(annotations)
        for page, result in zip(pages, results, strict=True):
            page.fingerprint = fingerprint(result)
            if isinstance(result, Exception):
                if not isinstance(result, LimitError):  # which is as meant for the largest pages
                    yield page, f"reading fails: {result!r}"
                continue
            annotation = next(read)
            yield from ((page, violation) for violation in violations(annotation))
            view_page(annotation).encode("utf-8", "replace")

    def differing(self, pages: Sequence[Input], options: Options = EVERYTHING) -> Iterator[tuple[Input, str]]:
        """Read pages again, in the reverse order and in other batches, and yield those that are read otherwise."""
        half = len(pages) // 2
        for part in (pages[half:][::-1], pages[:half][::-1]):
            readings = self.extractor.read_many([page.source(options) for page in part])
            for page, reading in zip(part, readings, strict=True):
                if fingerprint(reading) != page.fingerprint:
                    yield page, "the readings in two batches differ"

    def differing_uncompiled(self, pages: Sequence[Input]) -> Iterator[tuple[Input, str]]:
        """Yield the pages, which were read with EVERYTHING, that the process without extensions reads otherwise."""
        requests, answers = cast("IO[str]", self._uncompiled.stdin), cast("IO[str]", self._uncompiled.stdout)
        for page in pages:
            requests.write(json.dumps([page.source().html, page.url]) + "\n")
            requests.flush()
            if json.loads(answers.readline()) != page.fingerprint:
                yield page, "the reading without compiled extensions is another"

    def close(self) -> None:
        """End the other process."""
        self._uncompiled.communicate()

    def _timed(self, sources: Sequence[Source]) -> tuple[list[Page | Exception], list[Annotation], float]:
        annotations: list[Annotation] = []
        began = time.thread_time()
        results = self.extractor.read_many([replace(source, on_read=annotations.append) for source in sources])
        return results, annotations, time.thread_time() - began


def violations(annotation: Annotation) -> Iterator[str]:
    """Yield what does not hold for a page with its tree."""
    page = annotation.page
    for block in page.blocks:
        if block.label not in ("main", "boilerplate") or not 0 <= block.probability <= 1:
            yield f"a block is {block!r}"
            break
    main = [block.text for block in page.blocks if block.is_main]
    if main and _squeezed("".join(main)) != _squeezed(page.main_text):
        yield "the main text is not that of the main blocks"
    if [block.text for block in page.blocks] != [block.text for block in annotation.text_blocks]:
        yield "the blocks of the page are not those of its tree"
    yield from _out_of_order(annotation)
    yield from _bad_numbers(page)
    try:
        json.dumps(page.values(RESULTS), allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"the page is no JSON: {error}"


def _out_of_order(annotation: Annotation) -> Iterator[str]:
    """The blocks are text of the page, in its order; scripts and the like may stand within their words."""
    text, blocks = _squeezed("".join(map(str, annotation.root.itertext()))), annotation.text_blocks
    at = 0
    for squeezed in map(_squeezed, (block.text for block in blocks)):  # the usual case, and quick
        at = text.find(squeezed, at) + len(squeezed)
        if at < len(squeezed):
            break
    else:
        return
    characters = iter(text)
    for block in blocks:
        if not all(character in characters for character in _squeezed(block.text)):
            yield f"the block {block.text[:80]!r} is not in the page behind the block before"
            return


def _bad_numbers(page: Page) -> Iterator[str]:
    for pair in page.qa_pairs:
        if not pair.question or not pair.answer:
            yield f"a pair is empty: {pair!r}"
        if not (0 <= pair.score <= 1 and 0 <= pair.question_score <= 1):
            yield f"the score of a pair is not from 0 to 1: {pair!r}"
    for value in (page.page_kind_probability, page.overview_probability):
        if value is not None and not (math.isfinite(value) and 0 <= value <= 1):
            yield f"the probability of the kind is {value}"
    for place, comment in enumerate(page.comments):
        if comment.parent is not None and not 0 <= comment.parent < place:
            yield f"comment {place} answers {comment.parent}"


def _squeezed(text: str) -> str:
    return "".join(text.split())


def fingerprint(page: Page | Exception) -> str:
    """Return what is equal for equal readings; scores do not count, whose last digits may differ."""
    if isinstance(page, Exception):
        return repr(page)
    text = json.dumps(_without_floats(asdict(page)), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_floats(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_floats(each) for each in value]
    return None if isinstance(value, float) else value


def _extractor() -> Extractor:
    extractor = Extractor.load(device="cpu")
    extractor.sites = SiteRules.of({"ruled.test": _RULE})
    return extractor


def main() -> None:
    """Answer until standard input ends."""
    extractor = _extractor()
    for line in sys.stdin:
        html, url = json.loads(line)
        (page,) = extractor.read_many([Source(html, url, EVERYTHING)])
        sys.stdout.write(json.dumps(fingerprint(page)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
