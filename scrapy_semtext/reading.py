"""Readers and the pages that they read: the contract of a reader, the order of readers, and running them on a batch.

A result is added by one module with a `Reader`, and by one line in `scrapy_semtext.extractor.READERS`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from scrapy_semtext.features.table import PageTable, ParsedPage, PostBlocks
from scrapy_semtext.limits import Limits
from scrapy_semtext.page import Page, QAPair, Section, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.models.scores import Scores
    from scrapy_semtext.options import Options, Source
    from scrapy_semtext.read.metadata import Metadata
    from scrapy_semtext.read.posts import Posts
    from scrapy_semtext.read.schema import Item
    from scrapy_semtext.site.places import LiveTemplates, PageTemplates, TemplateOfPage
    from scrapy_semtext.site.rules import PageRule, SiteRules
    from scrapy_semtext.tree.segmentation import TextBlock
    from scrapy_semtext.utils.arrays import Floats


class RuledPosts(NamedTuple):
    """The posts that a rule selects: their nodes in page order, and the node of the opening post if selected.

    ``authors`` and ``dates`` are those that the rule selects, by node.
    """

    bodies: list[int]
    opening: int | None
    authors: dict[int, str]
    dates: dict[int, str]


# Types of modules above this one, which only type checkers import: the models that readers use, and what a site teaches
# about its pages.
Models: TypeAlias = "Extractor"
RuleForPage: TypeAlias = "PageRule"
TemplateForPage: TypeAlias = "TemplateOfPage"
Templates: TypeAlias = "PageTemplates | LiveTemplates"
Sites: TypeAlias = "SiteRules"


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
    """A page that is being read. ``page`` has the results; the other fields from ``kinds`` on are what results need.

    ``kinds``: the probabilities of KINDS, (kinds,), None for a page without text. ``posts``: the likeliest posts, if
    any; ``post_blocks``: where the text blocks are in these. ``message_blocks``: the first block of the search phase
    with the text of the page's message, and the end of these. ``entry`` is the pair of a page that answers one
    question. ``text`` is the text of the main blocks, ``fallback`` that of pages which display little. ``shown_pairs``
    are the pairs of the visible page, ``images`` the URLs of the main content's <img> elements, ``stated`` the items
    of schema.org by syntax.

    ``wanted``: the fields that are read. ``table``: the batch of the last reader. ``error`` is set if a reader failed.
    ``seconds`` is the CPU time of the page's own readers. A page is processed ``apart`` from the others once a reader
    has taken longer for the batch than allowed for a page, which reveals the slow page.
    """

    source: Source
    options: Options
    limits: Limits = field(default_factory=Limits)
    error: Exception | None = None
    seconds: float = 0.0
    apart: bool = False
    wanted: frozenset[str] = frozenset()
    table: PageTable | None = None
    parsed: ParsedPage = field(init=False)
    page: Page = field(default_factory=Page)
    rule: RuleForPage | None = None
    template: TemplateForPage | None = None
    kinds: Floats | None = None
    posts: Posts | None = None
    post_blocks: PostBlocks | None = None
    message_blocks: tuple[int, int] | None = None
    scores: Scores = field(init=False)
    text: str = ""
    fallback: str | None = None
    found_sections: list[Section] = field(default_factory=list)
    found_segments: list[Segment] = field(default_factory=list)
    entry: QAPair | None = None
    shown_pairs: list[QAPair] = field(default_factory=list)
    next_of_records: str | None = None
    images: dict[Any, str] = field(default_factory=dict)
    stated: list[tuple[str, list[Item]]] = field(default_factory=list)
    metadata: Metadata = field(init=False)

    @property
    def furniture(self) -> frozenset[int]:
        """The numbers of the blocks of the search phase that are in no post: by the site's template, or by its rule."""
        of_template = frozenset[int]() if self.template is None else self.template.furniture
        return of_template if self.rule is None else of_template | self.rule.dropped(self.parsed.raw_tree)

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


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one result of pages, or something that other readers need.

    ``sets``: the field of `Page` or of `Reading` that it sets, and nothing else does; several if they are one result.
    ``read`` gets the pages as a table, the models and the pages, and returns the value for each page, a tuple if there
    are several fields. With ``by_page`` it gets one page at a time, whose time is then limited.

    ``needs``: the fields that must be read before, whatever is asked for; ``uses``: those that are read before if they
    are asked for. ``asked`` tells whether options ask for the result, with None they never do; a reader
    that is neither asked for nor needed is not run.
    """

    sets: str | tuple[str, ...]
    read: Callable[[PageTable, Models, Sequence[Reading]], Iterable[Any]]
    needs: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    asked: Callable[[Options], bool] | None = None
    by_page: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that it sets."""
        return (self.sets,) if isinstance(self.sets, str) else self.sets

    def run(self, models: Models, readings: Sequence[Reading]) -> None:
        """Read the pages for which the result is wanted."""
        wanted = [reading for reading in readings if reading.error is None and self.fields[0] in reading.wanted]
        if self.by_page:
            one_by_one(wanted, lambda reading: self._set(models, [reading], PageTable([reading.parsed])))
        else:
            all_at_once(wanted, lambda some: self._set(models, some, _table_of(some)))

    def _set(self, models: Models, readings: Sequence[Reading], table: PageTable) -> None:
        for reading, value in zip(readings, self.read(table, models, readings), strict=True):
            for name, each in zip(self.fields, [value] if isinstance(self.sets, str) else value, strict=True):
                setattr(reading.page if name in _RESULTS else reading, name, each)


_RESULTS = frozenset(each.name for each in fields(Page))


def reader(
    sets: str | tuple[str, ...],
    needs: Iterable[str] = (),
    uses: Iterable[str] = (),
    asked: Callable[[Options], bool] | None = None,
    *,
    by_page: bool = True,
) -> Callable[[Callable[..., Any]], Reader]:
    """Make a `Reader` of a function, which with ``by_page`` reads one page: it gets the page and the models."""

    def of(read: Callable[..., Any]) -> Reader:
        def each(_: PageTable, models: Models, readings: Sequence[Reading]) -> list[Any]:
            return [read(reading, models) for reading in readings]

        return Reader(sets, each if by_page else read, frozenset(needs), frozenset(uses), asked, by_page)

    return of


def by_needs(readers: Sequence[Reader]) -> tuple[Reader, ...]:
    """Return readers in an order in which each comes after those that it needs or uses, else in the given order.

    Raises ValueError if a field is needed that no reader sets, if two readers set one, and if readers need each other.
    """
    _require_each_field_once(readers)
    left, ordered, ready = [*readers], list[Reader](), set[str]()
    while left:
        first = next((reader for reader in left if reader.needs | reader.uses <= ready), None)
        if first is None:
            raise ValueError(f"readers need each other: {', '.join(name for reader in left for name in reader.fields)}")
        left.remove(first)
        ordered.append(first)
        ready.update(first.fields)
    return tuple(ordered)


def _require_each_field_once(readers: Sequence[Reader]) -> None:
    """Raise ValueError if a field is needed that no reader sets, or if two readers set one."""
    known = [name for reader in readers for name in reader.fields]
    if twice := {name for name in known if known.count(name) > 1}:
        raise ValueError(f"{', '.join(sorted(twice))}: set by several readers; each field is set by one")
    if unknown := {name for reader in readers for name in reader.needs | reader.uses}.difference(known):
        raise ValueError(f"{', '.join(sorted(unknown))}: needed by a reader, but no reader sets it")


def wanted_of(readers: Sequence[Reader], options: Options, more: Iterable[str] = ()) -> frozenset[str]:
    """Return the fields that options ask for, ``more``, and those that these need; ``readers`` in order of needs."""
    wanted = {*more}
    for reader in reversed(readers):
        if not wanted.isdisjoint(reader.fields) or (reader.asked is not None and reader.asked(options)):
            wanted.update(reader.fields, reader.needs)
    return frozenset(wanted)


def _table_of(readings: Sequence[Reading]) -> PageTable:
    """Return the pages as a table, which is shared by readers of the same pages."""
    pages = [reading.parsed for reading in readings]
    table = readings[0].table if readings else None
    if table is None or [*map(id, table)] != [*map(id, pages)]:
        table = PageTable(pages)
        for reading in readings:
            reading.table = table
    return table


def one_by_one(readings: Sequence[Reading], step: Callable[[Reading], None]) -> None:
    """Run a step on one page after the other; a page that fails stores its exception."""
    for reading in readings:
        if reading.error is None:
            reading.run(partial(step, reading))


def all_at_once(readings: Sequence[Reading], step: Callable[[Sequence[Reading]], None]) -> None:
    """Run a step on all pages at once or, if that fails, one by one, so that one page does not affect the others."""
    left = [reading for reading in readings if reading.error is None]
    if len(left) > 1 and not any(reading.apart for reading in left):
        begin = time.thread_time()
        try:
            step(left)
        except Exception:  # noqa: BLE001, S110 - raised again by the page that causes it
            pass
        else:
            taken = time.thread_time() - begin
            for reading in left:
                reading.apart = 0 < reading.limits.seconds < taken
            return
    for reading in left:
        reading.run(partial(step, [reading]))
