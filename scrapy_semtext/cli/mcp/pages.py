"""Where the tools get their pages from, and how these are read: one at a time, by one model."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.inputs import fetch, is_address
from scrapy_semtext.text.decoding import is_binary

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.page import Page


class Pages:
    """Reads pages that are given as HTML or, if ``allow_network``, by their address.

    ``timeout`` is in seconds, ``max_bytes`` is the size of a page. Only with ``allow_private`` are pages of private
    networks fetched. Tools run in threads; the model is for one at a time.
    """

    def __init__(
        self, extractor: Extractor, *, allow_network: bool, allow_private: bool, timeout: float, max_bytes: int
    ) -> None:
        self.allow_network = allow_network
        self._extractor = extractor
        self._allow_private = allow_private
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._lock = Lock()

    def read(self, html: str | None, url: str | None, **options: Any) -> Page:
        """Return a page, read with the extractor's options but for ``options``. Raises CommandError if there is none.

        With ``html``, ``url`` is only what its links are relative to.
        """
        if html is None:
            html, url = self._fetch(url)
        elif len(html) > self._max_bytes:
            raise CommandError(f"The page is larger than {self._max_bytes >> 20} MiB. Allow more with --max-size.")
        if is_binary(html):
            raise CommandError("This is not a page but a picture, a PDF or an archive.")
        with self._lock:
            return self._extractor.read(html, url, replace(self._extractor.options, **options))

    def _fetch(self, url: str | None) -> tuple[str, str | None]:
        if url is None:
            raise CommandError("Give the page as html" + (", or its address as url." if self.allow_network else "."))
        if not self.allow_network:
            raise CommandError(
                "This server does not fetch pages: give the page as html, or start `semtext mcp` with --allow-network."
            )
        if not is_address(url):
            raise CommandError(f"{url}: only http and https addresses can be fetched.")
        document = fetch(url, self._timeout, self._max_bytes, public_only=not self._allow_private)
        return document.html, document.url
