"""Limits of the size of the responses that site spiders get, packed and unpacked."""

from __future__ import annotations

import logging
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import StopDownload
from scrapy.utils.httpobj import urlparse_cached

from scrapy_semtext.integration.settings import SemtextSettings

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self

logger = logging.getLogger(__name__)

#: The key of a request's meta with the largest size of its response in bytes, which Scrapy applies before and after
#: unpacking; 0 means no limit.
MAX_SIZE = "download_maxsize"
_RECEIVED = "semtext_robots_received"  # a request for robots.txt has it in its meta: the number of bytes so far
_ROBOTS_SIZE = 500 << 10  # bytes of robots.txt that RFC 9309 (2.5) asks for
_FORMS = (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS)  # gzip or zlib; deflate without a header, as some servers send it


class SizeMiddleware:
    """Limits responses to the size in the meta of their request, or to SEMTEXT_MAX_BODY; DOWNLOAD_MAXSIZE holds too.

    Larger ones fail, but robots.txt is cut: without it, every URL would be allowed. The middleware has to come behind
    HttpCompressionMiddleware (590), which unpacks whole responses.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._most = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._page = SemtextSettings.read(crawler.settings).max_body
        self._robots = self._bounded(_ROBOTS_SIZE)
        self._stats = crawler.stats
        crawler.signals.connect(self._received, signal=signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware; called by Scrapy. Raises SettingsError for invalid settings."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Set the largest size of the response."""
        if _RECEIVED in request.meta or urlparse_cached(request).path == "/robots.txt":
            request.meta.update({_RECEIVED: 0, MAX_SIZE: 0})
            request.headers["Accept-Encoding"] = "gzip, deflate"  # which zlib unpacks in part
        else:
            request.meta[MAX_SIZE] = self._bounded(request.meta.get(MAX_SIZE, self._page))

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; of robots.txt, only the whole lines within the limit."""
        if _RECEIVED not in request.meta:
            return response
        request.meta[MAX_SIZE] = self._robots  # for Scrapy, which unpacks other encodings
        headers, body = response.headers.copy(), response.body
        encoding = (headers.pop("Content-Encoding", None) or [b""])[-1].strip().lower()
        if encoding in (b"gzip", b"x-gzip", b"deflate"):
            body = _unpacked(body, self._robots + 1)
        elif encoding not in (b"", b"identity"):
            return response
        if len(body) > self._robots:
            body = body[: self._robots].rpartition(b"\n")[0]
            count_once(self._stats, "semtext/crawl/robots_cut", "Of %s, only the beginning is obeyed", response.url)
        return response.replace(headers=headers, body=body)

    def _bounded(self, size: int) -> int:
        return min(size or self._most, self._most or size)

    def _received(self, data: bytes, request: Request) -> None:
        if _RECEIVED in request.meta:
            request.meta[_RECEIVED] += len(data)
            if request.meta[_RECEIVED] > self._robots:
                raise StopDownload(fail=False)


def count_once(stats: StatsCollector, stat: str, message: str, *args: Any) -> None:
    """Count something; log it as a warning the first time, and at level DEBUG later."""
    logger.log(logging.DEBUG if stats.get_value(stat) else logging.WARNING, message, *args)
    stats.inc_value(stat)


def _unpacked(packed: bytes, most: int) -> bytes:
    """Return the beginning of a gzip or deflate body, up to a size in bytes; nothing if it is broken."""
    for form in _FORMS:
        with suppress(zlib.error):
            return zlib.decompressobj(form).decompress(packed, most)
    return b""
