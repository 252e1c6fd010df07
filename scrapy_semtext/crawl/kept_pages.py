"""The pages that a crawl keeps, to read them again when what the pages of their site have in common is known."""

from __future__ import annotations

import zlib
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from scrapy_semtext.crawl.job_file import open_job
from scrapy_semtext.crawl.links import address_key
from scrapy_semtext.options import Source
from scrapy_semtext.page import Page
from scrapy_semtext.read.thread_pages import merge_pages
from scrapy_semtext.site.places import PageTemplates, sampled
from scrapy_semtext.words.characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from scrapy_semtext.crawl.job_file import JobError
    from scrapy_semtext.crawl.links import PageLink
    from scrapy_semtext.extractor import Extractor

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, url TEXT UNIQUE, item TEXT, number INTEGER, round INTEGER, html BLOB);
CREATE INDEX IF NOT EXISTS of_item ON pages (item, number);
CREATE TABLE IF NOT EXISTS links (key TEXT, text TEXT, PRIMARY KEY (key, text)) WITHOUT ROWID;
"""
_FAST = 3  # level of compression
_LEAST, _MOST = 4, 200  # characters of the text of a link that may be a title
_BATCH = 16
_PLACES = ("record", "beside", "text")  # of links that may have the title of a page as their text


class KeptPages:
    """The pages of the items of a crawl, compressed in a file, and the texts of links.

    ``path`` is None for a temporary file. The methods raise JobError if the file cannot be written. ``templates`` are
    what was learnt from the pages.
    """

    templates: PageTemplates | None = None

    def __init__(self, path: Path | None = None) -> None:
        self._database = open_job(path)
        self._database.executescript(_SCHEMA)

    @property
    def failure(self) -> JobError | None:
        """The error if the file could not be written."""
        return self._database.failure

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def keep(self, item: str, number: int, url: str, html: str, round_number: int) -> None:
        """Keep a page of an item, which has the URL of its first page; ``number`` counts the item's pages from 0."""
        packed = zlib.compress(html.encode("utf-8", "surrogatepass"), _FAST)
        self._database.execute(
            "INSERT INTO pages (url, item, number, round, html) VALUES (?, ?, ?, ?, ?) ON CONFLICT (url) DO UPDATE"
            " SET item = excluded.item, number = excluded.number, round = excluded.round, html = excluded.html",
            (url, item, number, round_number, packed),
        )

    def keep_links(self, links: Iterable[PageLink]) -> None:
        """Keep the texts of links that may be the titles of the pages that they lead to."""
        texts = ((address_key(link.url), one_line(link.text)) for link in links if link.position in _PLACES)
        with self._database:
            self._database.executemany(
                "INSERT OR IGNORE INTO links VALUES (?, ?)", [row for row in texts if _LEAST <= len(row[1]) <= _MOST]
            )

    def read_again(self, extractor: Extractor, round_number: int) -> Iterator[Page]:
        """Learn what the pages share, and yield the items of a round as read with that, in the order of their URLs.

        Items with a page that fails are left out. The pages of earlier rounds are learnt from too.
        """
        extractor.templates = self.templates = PageTemplates.learn(extractor, self._sample, self._titles)
        try:
            for _, pages in groupby(self._read(extractor, round_number), key=itemgetter(0)):
                read = [page for _, page in pages]
                if all(isinstance(page, Page) for page in read):
                    yield merge_pages([page for page in read if isinstance(page, Page)])
        finally:
            extractor.templates = None

    def _sample(self) -> Iterator[Source]:
        urls = (url for (url,) in self._database.execute("SELECT url FROM pages"))
        for url in sampled(urls):
            (html,) = self._database.execute("SELECT html FROM pages WHERE url = ?", (url,)).fetchone()
            yield Source(_unpacked(html), url)

    def _titles(self, url: str) -> list[str]:
        query = "SELECT text FROM links WHERE key = ? ORDER BY text"
        return [text for (text,) in self._database.execute(query, (address_key(url),))]

    def _read(self, extractor: Extractor, round_number: int) -> Iterator[tuple[str, Page | Exception]]:
        """Yield the pages of the items of a round, each with the URL of its item."""
        query = "SELECT item, url, html FROM pages WHERE round = ? ORDER BY item, number"
        rows = self._database.execute(query, (round_number,))
        while batch := rows.fetchmany(_BATCH):
            read = extractor.read_many([Source(_unpacked(html), url) for _, url, html in batch])
            yield from zip(map(itemgetter(0), batch), read, strict=True)


def _unpacked(html: bytes) -> str:
    return zlib.decompress(html).decode("utf-8", "surrogatepass")
