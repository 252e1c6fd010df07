"""The pages of a crawl: which responses have one, the mapping from responses and items to pages, and their views."""

from __future__ import annotations

import itertools
import logging
import threading
import weakref
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

from lxml import etree
from scrapy import Item, Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import load_object

from scrapy_semtext.extractor import Options, Source
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.tree.parsing import ParsedHTML, require_few_attributes
from scrapy_semtext.words.decoding import FOREIGN_ENCODINGS, Decoded, page_text, require_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from scrapy_semtext.integration.processes import PageReader
    from scrapy_semtext.integration.settings import SemtextSettings
    from scrapy_semtext.page import Page
    from scrapy_semtext.read.pair_rows import PairOfPage
    from scrapy_semtext.viewer.folder import ViewFolder

    LinkTarget: TypeAlias = "Page | NoPage | PairOfPage | DroppedOverview"

logger = logging.getLogger(__name__)


def reason_to_skip(request: Request, response: Response, max_body: int) -> str | None:
    """Return why a response is skipped, as in ``semtext/pages/skipped/<reason>``; None if it is to be processed.

    ``max_body`` is in bytes.
    """
    override = request.meta.get("semtext")
    if override is False:
        return "meta"
    # Scrapy uses this marker for requests without a callback: robots.txt, and downloads of media pipelines.
    if request.callback is NO_CALLBACK and override is None:
        return "no_callback"
    if not 200 <= response.status < 300:
        return "status"
    if request.method == "HEAD":
        return "head"
    if not is_html(response):
        return "not_html"
    if not response.body or response.body.isspace():
        return "empty"
    return "too_large" if len(response.body) > max_body else None


def is_html(response: Response) -> bool:
    """Return whether a response is HTML, by its class or, for text responses of other classes, by its Content-Type.

    Scrapy itself creates an HtmlResponse for all HTML; scrapy-splash has a separate class for all text.
    """
    if isinstance(response, HtmlResponse):
        return True
    content_type = (response.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
    return isinstance(response, TextResponse) and content_type in (b"text/html", b"application/xhtml+xml")


def source_of(response: Any, options: Options, *, parse: bool) -> Source:
    """Return the extractor's input; raise NotAPageError for an image, a PDF or an archive that was sent as HTML.

    With ``parse``, the source has the tree of ``response.selector``, which Scrapy creates on first use and keeps: the
    callback's own selectors then use the parsed page. Raises TooManyAttributesError then for a page that libxml2 would
    take too long for. Without, it only has the text, and can be sent to another process.

    Called in the service's thread, because decoding and parsing take milliseconds. No other thread uses the response
    meanwhile: the downloader middleware has not passed it on yet.
    """
    page = _decoded(response)
    parsed = _parsed(response, page.text) if parse else None
    return Source(page.text, response.url, options, parsed, note=page.note)


def _decoded(response: Any) -> Decoded:
    """Decode a response like the extractor, also for the callback; an explicit encoding of the response is used."""
    if response._encoding not in (None, *FOREIGN_ENCODINGS):
        require_page(response.text, response.body)
        return Decoded(response.text, response.encoding)
    page = page_text(response.body, (response.headers.get("Content-Type") or b"").decode("latin-1"))
    if response._cached_ubody not in (None, page.text):  # a middleware has already used Scrapy's decoding
        response._cached_selector = None
    response._encoding, response._cached_ubody = page.encoding, page.text
    return page


def release_selector(response: Response) -> None:
    """Drop the selector that Scrapy caches on a response; ``response.selector`` parses the page again if needed.

    The selector and its response refer to each other, so only the garbage collector would free the response and its
    tree, long after the callback: garbage collection is disabled during batches, which is most of the time.
    """
    if isinstance(response, HtmlResponse):
        response._cached_selector = None


def _parsed(response: Response, text: str) -> ParsedHTML | None:
    """Return the tree of a response's selector, or None if it has no HTML tree; raise TooManyAttributesError."""
    if not isinstance(response, HtmlResponse):
        return None  # Scrapy guesses the type of other classes
    require_few_attributes(text)
    try:
        root = response.selector.root
    except Exception:  # noqa: BLE001  text that parsel cannot parse but the extractor can
        return None
    is_root = isinstance(root, etree._Element) and root.getparent() is None and root.tag == "html"
    return ParsedHTML(text, root) if is_root else None


@dataclass(frozen=True, slots=True)
class NoPage:
    """A response has no page; ``reason`` is as in the stats ``semtext/pages/skipped/<reason>``, or ``error``."""

    reason: str


# A Response has __slots__, so a page cannot be its attribute; and request.meta is pickled by job directories and shared
# queues, so it should not contain one. Both maps have weak keys: a page lives as long as its response.
_of_response: WeakKeyDictionary[Response, Page | NoPage] = WeakKeyDictionary()
_of_request: WeakKeyDictionary[Request, tuple[int, Page | NoPage]] = WeakKeyDictionary()


def page_of(response: Response) -> Page | None:
    """Return the page that was extracted from a response, with its blocks and their probabilities.

    Returns None if the response was skipped (not HTML, empty, ``meta["semtext"] = False``...) or failed; the crawl's
    stats count both.
    """
    outcome = outcome_of(response)
    return None if isinstance(outcome, NoPage) else outcome


def outcome_of(response: Response) -> Page | NoPage | None:
    """Return a response's page, or why it has none; None if it was not processed.

    A copy of the response, such as from ``response.replace()`` in another downloader middleware, is found by its
    request if it has the same body.
    """
    outcome = _of_response.get(response)
    if outcome is not None or response.request is None:
        return outcome
    known = _of_request.get(response.request)
    return known[1] if known is not None and known[0] == hash(response.body) else None


def remember(outcome: Page | NoPage, response: Response, request: Request) -> None:
    """Store the outcome of a response for as long as the response, or its request, lives."""
    _of_response[response] = outcome
    _of_request[request] = (hash(response.body), outcome)


def use_page(response: Response, page: Page) -> None:
    """Replace the page of a response, for example by the merged pages of a thread.

    Items that the response's callback yields from then on are filled from ``page``, and page_of returns it.
    """
    _of_response[response] = page


@dataclass(frozen=True, slots=True)
class DroppedOverview:
    """Links an item to an overview page whose items are to be dropped."""

    page: Page


class ItemLinks:
    """Maps items to their pages, from the spider's callback to the item pipeline.

    Items of some types are neither hashable nor weakly referenceable. Therefore items are identified by ``id()``, and
    kept alive until the pipeline takes the link, so that the id is not reused. The link of an item that never reaches
    the pipeline, because another component replaced or dropped it, ends with its response or request.
    """

    def __init__(self) -> None:
        self._links: dict[int, tuple[int, Any, LinkTarget]] = {}
        self._serials = itertools.count()

    def __len__(self) -> int:
        return len(self._links)

    def holds(self, item: Any) -> bool:
        """Return whether an item is linked."""
        return id(item) in self._links

    def add(self, item: Any, target: LinkTarget, source: Response | Request) -> None:
        """Link an item to a page, or to one of its pairs, for as long as the response or request lives."""
        serial = next(self._serials)
        self._links[id(item)] = (serial, item, target)
        # The finalizer must refer neither to the item nor to the page: either may hold the source, which would then
        # never be freed.
        weakref.finalize(source, self._expire, id(item), serial).atexit = False

    def take(self, item: Any) -> LinkTarget | None:
        """Remove and return the link of an item; None if it has none."""
        link = self._links.pop(id(item), None)
        return None if link is None else link[2]

    def _expire(self, key: int, serial: int) -> None:
        link = self._links.get(key)
        if link is not None and link[0] == serial:
            del self._links[key]


def copy_item(item: Any) -> Any:
    """Return a shallow copy of an item."""
    # copy.copy() of a scrapy.Item shares its fields, and copy() of a pydantic model is deprecated.
    return item.copy() if isinstance(item, Item) else copy(item)


class CrawlViews:
    """Processes pages with another reader, and adds them to a folder of views.

    Called in the threads of the service; thread-safe if the reader is. If worker processes process the pages, they
    write the views. An error in writing is logged and counted, and no page is lost.
    """

    def __init__(self, reader: PageReader, folder: ViewFolder, max_pages: int, stats: StatsCollector) -> None:
        self._reader, self._folder, self._stats = reader, folder, stats
        self._room = max_pages - len(folder.rows)  # below 0 by the number of pages that are left out
        self._lock = threading.Lock()
        self._written = self._errors = 0

    @classmethod
    def around(
        cls, reader: PageReader, settings: SemtextSettings, crawl: BaseSettings, stats: StatsCollector
    ) -> CrawlViews | None:
        """Return the views of a crawl, None unless SEMTEXT_VIEW_DIR is set.

        Raises SettingsError for a folder with other files, and for an extractor of another class than `Extractor`.
        """
        if settings.view_dir is None:
            return None
        from scrapy_semtext.extractor import Extractor
        from scrapy_semtext.viewer.folder import ViewFolder, ViewFolderError

        kind: Any = load_object(settings.extractor)
        if not (isinstance(kind, type) and issubclass(kind, Extractor)):
            raise SettingsError(
                f"SEMTEXT_VIEW_DIR is set, but the SEMTEXT_EXTRACTOR {kind.__name__} gives no page trees: it is not a"
                " subclass of scrapy_semtext.extractor.Extractor"
            )
        try:
            folder = ViewFolder(settings.view_dir, resume=bool(crawl.get("JOBDIR")))
        except ViewFolderError as error:
            raise SettingsError(f"SEMTEXT_VIEW_DIR is {settings.view_dir!r}, but {error}") from error
        return cls(reader, folder, settings.view_max, stats)

    def close(self) -> None:
        """Complete the overview and set the stats; no more pages are processed."""
        try:
            self._folder.close()
        except OSError as error:
            logger.error("The overview of %s could not be written: %s", self._folder.path, error)
        counts = {
            "semtext/views": self._written,
            "semtext/views/left_out": max(0, -self._room),
            "semtext/views/errors": self._errors,
        }
        for name, count in counts.items():
            if count:
                self._stats.set_value(name, count)

    def read_many(self, sources: Sequence[Source]) -> Sequence[Page | Exception]:
        """Process sources with the reader."""
        from scrapy_semtext.viewer.folder import ViewWriter

        names = [self._new_name(source) for source in sources]
        watched = [
            source if name is None else replace(source, on_read=ViewWriter(self._folder.path / name))
            for source, name in zip(sources, names, strict=True)
        ]
        results = self._reader.read_many(watched)
        for source, name, result in zip(sources, names, results, strict=True):
            if name is not None:
                self._add(name, source, result)
        return results

    def _new_name(self, source: Source) -> str | None:
        """Return the name of a view; None for the warm-up page, which has no URL, and for pages that are left out."""
        if source.url is None:
            return None
        with self._lock:
            self._room -= 1
            return self._folder.new_name(source.url) if self._room >= 0 else None

    def _add(self, name: str, source: Source, result: Page | Exception) -> None:
        try:
            written = self._folder.add(name, source, result)
        except OSError as error:
            logger.error("%s could not be added to %s: %s", source.url, self._folder.path, error)
            written = False
        with self._lock:
            self._written += written
            self._errors += not written
