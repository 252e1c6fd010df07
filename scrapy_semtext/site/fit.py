"""The template of a finished site, learnt from all of its pages in the order of their URLs; many pages wait on disk."""

from __future__ import annotations

import sqlite3
import weakref
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_semtext.site.store import site_of
from scrapy_semtext.site.template import PagePrint, Rules, Seen, SiteTemplate, page_print, with_evidence, without_shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_semtext.dom.segmentation import TextBlock
    from scrapy_semtext.site.bounds import SiteKind
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
