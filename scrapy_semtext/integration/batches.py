"""Processes batches of pages so that each page has its own result, a page or an exception. Independent of Scrapy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from scrapy_semtext.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.extractor import Source
    from scrapy_semtext.integration.processes import Setup
    from scrapy_semtext.utils.process_tuning import RenewedThreads

#: A page that makes an extractor load everything that it loads on first use.
FIRST_PAGE = """<html><title>Title</title><script type="application/ld+json">{"@type": "WebPage"}</script>
<div itemscope itemtype="https://schema.org/WebPage"><p>A paragraph.</p></div></html>"""


class UnsupportedRulesError(TypeError):
    """An extractor does not support rules for sites."""


class PageReader(Protocol):
    """The interface of extractors. Called from one thread at a time, which may change."""

    def read_many(self, sources: Sequence[Source]) -> Sequence[Page | Exception]:
        """Return a page for each source, or the exception that reading it raised."""
        ...


def loaded(setup: Setup) -> PageReader:
    """Load an extractor, and pass it the limits (if it has an attribute for them) and the rules of sites.

    Raises the errors of ``load``, and UnsupportedRulesError if it cannot apply rules.
    """
    reader: Any = setup.kind.load(**setup.arguments, options=setup.options)
    if hasattr(reader, "limits"):
        reader.limits = setup.limits
    if setup.sites is not None:
        if not hasattr(reader, "sites"):
            name = type(reader).__name__
            raise UnsupportedRulesError(
                f"the extractor {name} does not support rules for sites: it has no attribute `sites`"
            )
        reader.sites = setup.sites
    return reader  # type: ignore[no-any-return]


def read_sources(reader: PageReader, sources: Sequence[Source]) -> list[Page | Exception]:
    """Read sources as a batch; if that raises an exception, one by one, so that the others get a page."""
    if not sources:
        return []
    try:
        return _checked(reader, reader.read_many(sources), len(sources))
    except Exception as error:  # noqa: BLE001  becomes the page's result
        if len(sources) == 1:
            return [error]
    return [result for source in sources for result in read_sources(reader, [source])]


def read_sources_in(threads: RenewedThreads, reader: PageReader, sources: Sequence[Source]) -> list[Page | Exception]:
    """Process sources in another thread, so that libxml2's memory for them is freed in time; wait for the results."""
    return threads.submit(sum(len(source.html) for source in sources), read_sources, reader, sources).result()


def _checked(reader: PageReader, results: Sequence[Page | Exception], count: int) -> list[Page | Exception]:
    """Return the results of an extractor; raise TypeError unless there is one of a valid type for each source."""
    checked = list(results)
    if len(checked) != count or not all(isinstance(result, Page | Exception) for result in checked):
        kinds = sorted({type(result).__name__ for result in checked})
        raise TypeError(
            f"{type(reader).__name__}.read_many returned {len(checked)} results ({kinds}) for {count} sources"
        )
    return checked
