"""Pages on their way through the steps of the extractor, the interfaces used by the steps, and running of steps."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_semtext.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_semtext.features.table import PageTable, ParsedPage
    from scrapy_semtext.models.scores import Scores
    from scrapy_semtext.options import Options, Source
    from scrapy_semtext.page import Page, Section
    from scrapy_semtext.read.threads import PostSearch
    from scrapy_semtext.tree.nodes import PageNodes
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Bools, Floats


class Templates(Protocol):
    """The interface of site templates: they revise the labels of a page's blocks, once for each page."""

    def revised(self, url: str | None, blocks: list[TextBlock], keep: Bools, probabilities: Floats) -> Bools:
        """Return which of the blocks that the labeler keeps are main content, (blocks,)."""
        ...


class RuleForPage(Protocol):
    """The interface of a page's rule, which overrides the models. ``unmatched``: its selectors without a match."""

    name: str
    unmatched: list[str]

    def scores(self, scores: Scores, blocks: Sequence[TextBlock]) -> Scores:
        """Return the corrected scores of the blocks."""
        ...

    def decide(self, blocks: Sequence[TextBlock], keep: Bools) -> Bools:
        """Return which blocks are main content, (blocks,); ``keep``: the result without the rule."""
        ...

    def decides(self) -> bool:
        """Return whether the rule keeps or drops anything on the page."""
        ...

    def title(self) -> str | None:
        """Return the title, None if the rule gives none."""
        ...

    def next_page(self, base: str | None) -> str | None:
        """Return the absolute URL of the next page, None if the rule gives none."""
        ...

    def posts(self, nodes: PageNodes) -> tuple[list[int], int | None] | None:
        """Return the nodes of the posts, and that of the opening post; None if the rule gives none."""
        ...


class Sites(Protocol):
    """The interface of the rules of sites."""

    def for_page(self, url: str | None, root: Any) -> RuleForPage | None:
        """Return the rule of a page, None if there is none."""
        ...


@dataclass(slots=True)
class Annotation:
    """A page with its tree and its text blocks, which are in the order of ``page.blocks``.

    ``reading`` is the state of the extraction, for `Extractor.relabeled`.
    """

    root: Any
    text_blocks: list[TextBlock]
    page: Page
    reading: Reading | None = field(default=None, repr=False)


@dataclass(slots=True)
class Reading:
    """A page on its way through the steps, each of which sets one more attribute. ``error`` is set if a step failed.

    ``kinds``: the probabilities of KINDS, (kinds,), None before they are known and for a page without text. ``table``:
    the pages of the last step that needed one. ``seconds`` is the CPU time of the page's own steps. A page is processed
    ``apart`` from the others once a step of the batch has taken longer than allowed for a page, which reveals the slow
    page.
    """

    source: Source
    options: Options
    limits: Limits = field(default_factory=Limits)
    error: Exception | None = None
    seconds: float = 0.0
    apart: bool = False
    parsed: ParsedPage = field(init=False)
    rule: RuleForPage | None = None
    posts: PostSearch | None = None
    scores: Scores = field(init=False)
    page: Page = field(init=False)
    sections: list[Section] = field(default_factory=list)
    fallback: str | None = None
    kinds: Floats | None = None
    table: PageTable | None = None

    def annotation(self) -> Annotation:
        """Return the finished page with its tree."""
        return Annotation(self.parsed.root, self.parsed.text_blocks, self.page, self)

    def run(self, step: Callable[[], None]) -> None:
        """Run a step only on this page, unless it has already taken too long; store the exception if the step fails."""
        begin = time.thread_time()
        try:
            self.limits.check_time(self.seconds)
            step()
        except Exception as error:  # noqa: BLE001 - becomes the page's result, which the caller counts and reports
            self.error = error
        self.seconds += time.thread_time() - begin


def one_by_one(readings: Sequence[Reading], step: Callable[[Reading], None]) -> None:
    """Run a step on one page after the other; a page that fails stores its exception."""
    for reading in readings:
        if reading.error is None:
            reading.run(partial(step, reading))


def all_at_once(readings: Sequence[Reading], step: Callable[[Sequence[Reading]], None]) -> None:
    """Run a step on all pages at once or, if that fails, one by one, so that one page does not affect the others."""
    left = [reading for reading in readings if reading.error is None]
    if len(left) == 1 or any(reading.apart for reading in left):
        for reading in left:
            reading.run(partial(step, [reading]))
        return
    if not left:
        return
    begin = time.thread_time()
    try:
        step(left)
    except Exception:  # noqa: BLE001 - raised again by the page that causes it
        for reading in left:
            all_at_once([reading], step)
    else:
        taken = time.thread_time() - begin
        for reading in left:
            reading.apart = 0 < reading.limits.seconds < taken
