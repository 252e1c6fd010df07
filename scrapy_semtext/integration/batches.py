"""Several pages read together so that each gets a result of its own: a page or an exception. No Scrapy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Source

#: A page that has a bit of everything that extractors load code for.
FIRST_PAGE = """<html><title>Title</title><script type="application/ld+json">{"@type": "WebPage"}</script>
<div itemscope itemtype="https://schema.org/WebPage"><p>A paragraph.</p></div></html>"""


class PageReader(Protocol):
    """What a crawl needs of an extractor. It is only ever called from one thread."""

    def read_many(self, sources: Sequence[Source]) -> Sequence[Page | Exception]:
        """Read the sources; a source that fails gives its exception in its place."""
        ...


def read_sources(reader: PageReader, sources: Sequence[Source]) -> list[Page | Exception]:
    """Read sources together; should that fail as a whole, one by one, so that one page does not cost the others."""
    if not sources:
        return []
    try:
        return _checked(reader, reader.read_many(sources), len(sources))
    except Exception as error:  # noqa: BLE001  it is the result of this page
        if len(sources) == 1:
            return [error]
    return [result for source in sources for result in read_sources(reader, [source])]


def _checked(reader: PageReader, results: Sequence[Page | Exception], count: int) -> list[Page | Exception]:
    """Return what an extractor gave if it kept its contract; raise TypeError where it did not."""
    checked = list(results)
    if len(checked) != count or not all(isinstance(result, Page | Exception) for result in checked):
        kinds = sorted({type(result).__name__ for result in checked})
        raise TypeError(f"{type(reader).__name__}.read_many gave {len(checked)} results ({kinds}) for {count} sources")
    return checked
