"""Removes boilerplate from a finished set of pages, using the blocks that pages of a site share.

Follows deboiler (Mashayekh 2023): pages are compared with neighbors in URL order, parts with the same plain text are
boilerplate, duplicate pages are ignored, and the rest gives title, description, headings, breadcrumbs, lists and main
text. Here the parts are the blocks of the segmentation, and a place with varying text holds content (see
`scrapy_semtext.site.store`).

The template of a finished site, learnt from all of its pages in the order of their URLs; many pages wait on disk.
"""

from __future__ import annotations

import multiprocessing
import shutil
import sqlite3
import tempfile
import weakref
from collections import OrderedDict, deque
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from scrapy_semtext.dom.joining import main_text
from scrapy_semtext.dom.tags import HEADING_LEVELS
from scrapy_semtext.dom.tree import base_url
from scrapy_semtext.features.parsed_page import describe
from scrapy_semtext.output.metadata import metas_of
from scrapy_semtext.output.page_details import breadcrumbs_of
from scrapy_semtext.output.title import title_of
from scrapy_semtext.site.bounds import SITE_KINDS, SiteKind
from scrapy_semtext.site.store import (
    PagePrint,
    Rules,
    Seen,
    SiteTemplate,
    page_print,
    site_of,
    with_evidence,
    without_shared,
)
from scrapy_semtext.text.folding import one_line
from scrapy_semtext.text.word_tables import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from typing_extensions import Self

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.utils.arrays import Bools, Floats


#: The number of blocks stored while the pages of a site are compared, which limits how far apart in URL order pages
#: may be. With 100 new blocks per page it covers 160 pages.
WINDOW_BLOCKS = 16_384

#: Without labels, duplicates are detected by all text, menus included, so the required overlap is higher. So is the
#: share of repeated blocks at a position.
RULES = Rules(constant_share=0.6, overlap=0.9)


class Shared(NamedTuple):
    """Fingerprints of the blocks that pages of a site share, and of positions that hold mostly shared blocks."""

    blocks: frozenset[int]
    places: frozenset[int]

    def evidence(self, page: PagePrint, shift: float) -> Floats:
        """Return the values to add to each block's log-odds of being main content: (blocks,), ``-shift`` or 0."""
        return np.array(
            [
                -shift if block in self.blocks and place in self.places else 0.0
                for block, place in zip(page.blocks, page.places, strict=True)
            ],
            np.float64,
        )


class SiteFit(SiteTemplate):
    """A template that retains shared blocks when it evicts others."""

    __slots__ = ("_retained",)

    def __init__(self, rules: Rules = RULES) -> None:
        super().__init__(WINDOW_BLOCKS, rules)
        self._retained: OrderedDict[int, Seen] = OrderedDict()

    def learn_all(self, pages: Iterable[PagePrint]) -> SiteFit:
        """Learn pages, which must be in the order of their URLs; returns itself."""
        for page in pages:
            # duplicates are detected by blocks that are not known to be shared
            self.learn(page, ~self.shared(page))
        return self

    def forget(self) -> None:
        """Evict the least recently seen entries beyond ``size``, but retain shared blocks."""
        while len(self.blocks) > self.size:
            block, seen = self.blocks.popitem(last=False)
            if seen.pages > self.rules.pages:
                self._retained[block] = seen
        while len(self._retained) > self.size:
            self._retained.popitem(last=False)
        super().forget()

    def result(self) -> Shared:
        """Return the blocks that are on enough pages, and the positions that hold mostly such blocks."""
        blocks = {block for block, seen in self.blocks.items() if seen.pages > self.rules.pages}
        places = (
            place
            for place, (count, constant) in self.places.items()
            if count > 0 and constant >= self.rules.constant_share * count
        )
        return Shared(frozenset(blocks.union(self._retained)), frozenset(places))


# The number of sites whose shared blocks are kept in memory while pages are cleaned.
_SITES = 16

_PRINTS = np.dtype([("block", "<u8"), ("place", "<u8"), ("size", "<u4"), ("heading", "?")])


class Spool:
    """A SQLite file that sorts pages by site and URL, using constant memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # one process writes before others read, and the file is not used after a crash: no journal is needed
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute("CREATE TABLE IF NOT EXISTS pages (site TEXT, url TEXT, prints BLOB)")
        self._connection.execute("CREATE TABLE IF NOT EXISTS sites (site TEXT PRIMARY KEY, blocks BLOB, places BLOB)")

    def add_pages(self, pages: Iterable[tuple[str, str, PagePrint]]) -> None:
        """Add pages as tuples of site, URL and fingerprints."""
        rows = ((_storable(site), _storable(url), _packed(page)) for site, url, page in pages)
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
        self._connection.execute("COMMIT")

    def pages(self) -> Iterator[tuple[str, PagePrint]]:
        """Yield site and fingerprints of all pages, sorted by site, then by URL."""
        cursor = self._connection.execute("SELECT site, prints FROM pages ORDER BY site, url, prints")
        for site, prints in cursor:
            yield site, _unpacked(prints)

    def set_shared(self, sites: Iterable[tuple[str, Shared]]) -> None:
        """Store the shared blocks and places of each site, and delete the pages."""
        rows = ((site, *(np.array(sorted(part), "<u8").tobytes() for part in shared)) for site, shared in sites)
        self._connection.executemany("INSERT INTO sites VALUES (?, ?, ?)", rows)
        self._connection.execute("DELETE FROM pages")
        self._connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class FittedTemplates:
    """The shared blocks of sites, read from the file in any process; an extractor uses them to revise labels.

    ``close`` closes the file; it is called at the latest when the templates are garbage-collected.
    """

    def __init__(self, path: Path, by: SiteKind) -> None:
        # the connection may be closed by another thread, which drops the last reference
        uri = f"{path.resolve().as_uri()}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._by = by
        self.of = lru_cache(maxsize=_SITES)(self._of)
        self.close = weakref.finalize(self, self._connection.close)

    def revised(self, url: str | None, blocks: Sequence[TextBlock], keep: Bools, probabilities: Floats) -> Bools:
        """Return which of the blocks that the labeler keeps are main content, (blocks,)."""
        page = page_print(blocks)
        return with_evidence(keep, probabilities, self._evidence(url, page), page)

    def left(self, url: str | None, blocks: Sequence[TextBlock]) -> Bools:
        """Return which blocks are not shared by pages of the site, (blocks,)."""
        page = page_print(blocks)
        return without_shared(self._evidence(url, page), page)

    def _evidence(self, url: str | None, page: PagePrint) -> Floats:
        site = site_of(url, self._by)
        return self.of(site).evidence(page, RULES.shift) if site else np.zeros(len(page))

    def _of(self, site: str) -> Shared:
        query = "SELECT blocks, places FROM sites WHERE site = ?"
        row = self._connection.execute(query, (_storable(site),)).fetchone()
        if row is None:
            return Shared(frozenset(), frozenset())
        return Shared(*(frozenset(np.frombuffer(part, "<u8").tolist()) for part in row))


def _packed(page: PagePrint) -> bytes:
    rows = zip(page.blocks, page.places, page.sizes, page.headings, strict=True)
    return np.array(list(rows), _PRINTS).tobytes()


def _unpacked(packed: bytes) -> PagePrint:
    rows = np.frombuffer(packed, _PRINTS)
    return PagePrint(*(tuple(rows[name].tolist()) for name in ("block", "place", "size", "heading")))


def _storable(text: str) -> str:
    """Replace lone surrogates, which SQLite does not accept."""
    return text.encode("utf-8", "replace").decode()


_LISTS = frozenset(("ul", "ol", "menu", "dl"))


@dataclass(slots=True)
class CleanPage:
    """A page without the boilerplate of its site; attributes are named as in deboiler.

    ``headings``, ``lists`` (each the texts of its items) and ``main_text`` are of the kept blocks; ``breadcrumbs`` are
    the entries of the trail that the page shows, without their links.
    """

    url: str | None = None
    title: str | None = None
    description: str | None = None
    headings: list[str] = field(default_factory=list)
    breadcrumbs: list[str] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    main_text: str = ""


def clean_page(root: Any, blocks: Sequence[TextBlock], keep: Sequence[bool], url: str | None = None) -> CleanPage:
    """Return a page with the kept blocks only; ``keep`` has an entry for each of ``blocks``."""
    kept = [block for block, stays in zip(blocks, keep, strict=True) if stays]
    return CleanPage(
        url=url,
        title=title_of(root),
        description=next(filter(None, map(metas_of(root).get, WORDS["description"])), None),
        headings=[one_line(block.text) for block in kept if block.scope.tag in HEADING_LEVELS],
        breadcrumbs=[crumb.name for crumb in breadcrumbs_of(root, (), base_url(root, url))],
        lists=list(_lists(kept)),
        main_text=main_text(blocks, keep),
    )


def _lists(blocks: Sequence[TextBlock]) -> Iterator[list[str]]:
    """Yield the items of each kept list, in page order; nested lists are separate."""
    lists: dict[Any, list[str]] = {}
    for block in blocks:
        scope = next((scope for scope in block.scope.ancestry() if scope.tag in _LISTS), None)
        if scope is not None:
            items = lists.setdefault(scope, [])
            items += [line.strip() for line in block.text.splitlines() if line.strip()]
    yield from lists.values()


_CHUNK = 16

_In = TypeVar("_In")
_Out = TypeVar("_Out")
#: The maximum number of pending chunks per process.
_PENDING_PER_WORKER = 3
_states: list[Any] = []  # in a process of the pool: the return value of its setup


class NotFittedError(RuntimeError):
    """`Deboiler.transform` was called before `Deboiler.fit`."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page as it was fetched."""

    html: str
    url: str | None = None


class Deboiler:
    """Learns what the pages of each site share, then cleans pages of these sites.

    ``load`` returns the extractor whose labels are revised; with more than one worker it must be picklable
    (`functools.partial(Extractor.load, device="cpu")`). With None, as in deboiler, all text that is not shared is kept.
    ``workers`` is the number of processes. ``by`` is the kind of site. Pages without a URL belong to no site. Results
    depend neither on the order of the pages nor on the number of workers. Memory is bounded: fingerprints are stored in
    a temporary file, about 20 bytes per block, until `close`.

    Raises ValueError for an invalid ``workers`` or ``by``.
    """

    def __init__(
        self,
        load: Callable[[], Extractor] | None = None,
        *,
        workers: int = 1,
        by: SiteKind = "host",
    ) -> None:
        if workers < 1:
            raise ValueError(f"the number of workers is {workers!r}; it has to be at least 1")
        if by not in SITE_KINDS:
            raise ValueError(f"a site is {by!r}; it has to be one of {', '.join(SITE_KINDS)}")
        self._load = load
        self._workers = workers
        self._by = by
        self._folder = Path(tempfile.mkdtemp(prefix="semtext-site-"))
        self.close = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._fitted = False
        #: The number of pages, duplicates and sites of the last fit.
        self.stats: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fit(self, pages: Iterable[SourcePage]) -> Self:
        """Learn which blocks the pages of each site share, from scratch. Returns itself."""
        path = self._folder / "prints.sqlite"
        path.unlink(missing_ok=True)
        spool = Spool(path)
        try:
            with_site = (page for page in pages if site_of(page.url, self._by))
            found = ordered_map(_prints, chunks(with_site, _CHUNK), self._workers)
            for group in chunks(found, 256):
                spool.add_pages((site_of(url, self._by), url, prints) for url, prints in group if prints is not None)
            self.stats = {"pages": 0, "duplicates": 0, "sites": 0}
            spool.set_shared(self._shared(spool.pages()))
        finally:
            spool.close()
        self._fitted = True
        return self

    def transform(self, pages: Iterable[SourcePage]) -> Iterator[CleanPage | Exception]:
        """Yield each page without the boilerplate of its site, in order; a page that fails gives its exception.

        Raises NotFittedError before `fit`.
        """
        if not self._fitted:
            raise NotFittedError("the Deboiler is not fitted: call fit first")
        setup = (self._folder / "prints.sqlite", self._load, self._by)
        return ordered_map(_cleaned, chunks(pages, _CHUNK), self._workers, _set_up, setup)

    def _shared(self, pages: Iterator[tuple[str, PagePrint]]) -> Iterator[tuple[str, Shared]]:
        for site, group in groupby(pages, key=lambda page: page[0]):
            fit = SiteFit().learn_all(page for _, page in group)
            self.stats["sites"] += 1
            self.stats["pages"] += fit.pages + fit.duplicates
            self.stats["duplicates"] += fit.duplicates
            yield site, fit.result()


def _prints(_: None, pages: list[SourcePage]) -> list[tuple[str, PagePrint | None]]:
    found: list[tuple[str, PagePrint | None]] = []
    for page in pages:
        url = page.url or ""
        try:
            found.append((url, page_print(describe(page.html, url).text_blocks)))
        except Exception:  # noqa: BLE001  transform gives the exception of the page
            found.append((url, None))
    return found


def _set_up(path: Path, load: Callable[[], Extractor] | None, by: SiteKind) -> Extractor | FittedTemplates:
    templates = FittedTemplates(path, by)
    if load is None:
        return templates
    extractor = load()
    extractor.templates = templates
    return extractor


def _cleaned(cleaner: Extractor | FittedTemplates, pages: list[SourcePage]) -> list[CleanPage | Exception]:
    results: list[CleanPage | Exception] = []
    for page in pages:
        try:
            results.append(_clean(page, cleaner))
        except Exception as error:  # noqa: BLE001, PERF203  it is the page's result
            results.append(error)
    return results


def _clean(page: SourcePage, cleaner: Extractor | FittedTemplates) -> CleanPage:
    if isinstance(cleaner, FittedTemplates):
        described = describe(page.html, page.url)
        left = cleaner.left(page.url, described.text_blocks)
        return clean_page(described.root, described.text_blocks, left.tolist(), page.url)
    read = cleaner.annotate(page.html, page.url)
    return clean_page(read.root, read.text_blocks, [block.is_main for block in read.page.blocks], page.url)


def chunks(items: Iterable[_In], size: int) -> Iterator[list[_In]]:
    """Yield lists of ``size`` items, the last one shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def ordered_map(
    function: Callable[[Any, list[_In]], list[_Out]],
    items: Iterable[list[_In]],
    workers: int,
    setup: Callable[..., Any] | None = None,
    arguments: tuple[Any, ...] = (),
) -> Iterator[_Out]:
    """Yield the results of ``function`` for each chunk, in order; its first argument is the result of ``setup``.

    With one worker everything runs in this process; otherwise ``setup`` is called once per process. Processes are
    spawned, not forked, because threads of libraries do not survive a fork.
    """
    if workers == 1:
        state = setup and setup(*arguments)
        for chunk in items:
            yield from function(state, chunk)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _begin, (setup, arguments)) as pool:
        pending: deque[Future[list[_Out]]] = deque()
        try:
            for chunk in items:
                pending.append(pool.submit(_work, function, chunk))
                if len(pending) >= _PENDING_PER_WORKER * workers:
                    yield from pending.popleft().result()
            while pending:
                yield from pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(setup: Callable[..., Any] | None, arguments: tuple[Any, ...]) -> None:
    _states[:] = [setup and setup(*arguments)]


def _work(function: Callable[[Any, list[_In]], list[_Out]], chunk: list[_In]) -> list[_Out]:
    return function(_states[0], chunk)
