"""How much of the package is executed for one page: ``python -m research.walk [PAGE]``.

For PAGE, an HTML file (plain or .gz; by default a thread of the example project), read by an extractor with default
options and then in a crawl with the add-on, prints how many files of ``scrapy_semtext``, and how many of their
functions, are entered. The extractor is new, so that one-time initialization counts; the crawl has read another page
before. Python's profiler does not see compiled extensions: with ``SEMTEXT_COMPILED=0`` the functions that replace them
count.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess

import scrapy_semtext
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.utils.extensions import EXTENSIONS, missing_extensions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from types import CodeType, FrameType

    from typing_extensions import Self

PACKAGE = Path(scrapy_semtext.__file__).parent
PAGES = Path(__file__).parent.parent / "example_project" / "site" / "pages"

#: A question with answers and comments. No bundled thread enters more files.
THREAD = "stackoverflow.com-how-do-you-generate-dynamic-parameterize.html.gz"
FIRST = "forums.docker.com-confusing-resolver-structure.html.gz"

_SETTINGS = {"ADDONS": {"scrapy_semtext.Addon": 300}, "SEMTEXT_ENABLED": True, "LOG_LEVEL": "WARNING"}


class Walk:
    """Records the functions entered within the context, in this thread and in threads started meanwhile."""

    def __init__(self) -> None:
        self._entered: set[CodeType] = set()

    def __enter__(self) -> Self:
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self._entered.add(frame.f_code)

    def take(self) -> Counter[str]:
        """Return the number of functions of the package entered so far by file, and forget them.

        Modules that are loaded meanwhile, comprehensions and lambdas do not count as functions.
        """
        entered, self._entered = self._entered, set()
        paths = (Path(code.co_filename) for code in entered.copy() if not code.co_name.startswith("<"))
        return Counter(path.relative_to(PACKAGE).as_posix() for path in paths if path.is_relative_to(PACKAGE))


def html_of(path: str | Path) -> bytes:
    """Return the source of a page, unpacked."""
    source = Path(path).read_bytes()
    return gzip.decompress(source) if Path(path).suffix == ".gz" else source


def walk_of_page(html: bytes) -> Counter[str]:
    """Return the functions entered by file while a new extractor with default options reads a page."""
    extractor = Extractor.load()
    with Walk() as walk:
        extractor.read(html, "http://site.test/thread/1")
    return walk.take()


class ThreadSpider(scrapy.Spider):
    """Requests two pages one after the other, for items that the add-on fills; measures the second one."""

    name = "threads"
    pages: Sequence[str]
    walk: Walk
    found: list[Counter[str]]

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Request the first page."""
        self.crawler.signals.connect(self.scraped, signals.item_scraped)
        yield scrapy.Request(self.pages[0])

    def scraped(self) -> None:
        """Keep the functions entered since the last item, and request the next page."""
        self.found.append(self.walk.take())
        if len(self.found) < len(self.pages) and self.crawler.engine is not None:
            self.crawler.engine.crawl(scrapy.Request(self.pages[len(self.found)]))

    def parse(self, response: scrapy.http.Response) -> dict[str, Any]:
        """Return an item."""
        return {"url": response.url}


def walk_of_crawl(html: bytes) -> Counter[str]:
    """Return the functions entered by file, from the request of a page to its item, in a crawl with the add-on."""
    found: list[Counter[str]] = []
    with tempfile.TemporaryDirectory() as folder, Walk() as walk:
        pages = [Path(folder) / "thread-1.html", Path(folder) / "thread-2.html"]
        for path, source in zip(pages, (html_of(PAGES / FIRST), html), strict=True):
            path.write_bytes(source)
        process = AsyncCrawlerProcess(_SETTINGS)
        process.crawl(ThreadSpider, pages=[path.as_uri() for path in pages], walk=walk, found=found)
        process.start()
    return found[-1]


def main() -> None:
    """Run the command."""
    html = html_of(sys.argv[1] if len(sys.argv) > 1 else PAGES / THREAD)
    sys.stdout.write(f"{len(EXTENSIONS) - len(missing_extensions())} of {len(EXTENSIONS)} extensions compiled\n")
    for what, functions in (("Extractor.read", walk_of_page(html)), ("crawl", walk_of_crawl(html))):
        sys.stdout.write(f"{what}: {len(functions)} files, {functions.total()} functions\n")


if __name__ == "__main__":
    main()
