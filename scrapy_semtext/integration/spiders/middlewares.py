"""The Scrapy components of site spiders: middlewares for scope, robots.txt, refreshes and sizes; the scheduler."""

from __future__ import annotations

import logging
import re
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.scheduler import Scheduler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from w3lib.url import canonicalize_url

from scrapy_semtext.crawl.links import address_key
from scrapy_semtext.integration.compat import sleep
from scrapy_semtext.integration.settings import SemtextSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.dupefilters import BaseDupeFilter
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure
    from typing_extensions import Self

logger = logging.getLogger(__name__)

#: The key of a request's meta with the largest size of its response in bytes, which Scrapy applies before and after
#: unpacking; 0 means no limit.
MAX_SIZE = "download_maxsize"
_RECEIVED = "semtext_robots_received"  # a request for robots.txt has it in its meta: the number of bytes so far
_ROBOTS_SIZE = 500 << 10  # bytes of robots.txt that RFC 9309 (2.5) asks for
_FORMS = (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS)  # gzip or zlib; deflate without a header, as some servers send it

#: The reason for not fetching URLs that are outside the scope, or redirect there.
OUTSIDE = "out of scope"
#: The reason for failing of responses beyond a limit of their size.
TOO_LARGE = "too large"
#: The entries of DOWNLOADER_MIDDLEWARES for the scope, robots.txt, refreshes and the size of responses.
MIDDLEWARES = {
    "scrapy_semtext.integration.spiders.middlewares.ScopeMiddleware": 50,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy_semtext.integration.spiders.middlewares.PatientRobotsTxtMiddleware": 100,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "scrapy_semtext.integration.spiders.middlewares.OnwardRefreshMiddleware": 580,
    "scrapy_semtext.integration.spiders.middlewares.SizeMiddleware": 595,
}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WAIT = 0.02  # seconds between checks


def add_to_dict(settings: BaseSettings, name: str, values: Mapping[str, Any], *, wins: bool = False) -> None:
    """Add values to a setting that is a dict; values that the setting already has take precedence unless ``wins``.

    The result has the priority of the setting, such as that of the command line, but at least that of a spider.
    """
    own = settings.getdict(name)
    priority = max(settings.getpriority(name) or 0, SETTINGS_PRIORITIES["spider"])
    settings.set(name, {**own, **values} if wins else {**values, **own}, priority)


class _Middleware:
    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware; called by Scrapy. Raises SettingsError for invalid settings."""
        return cls(crawler)


class ScopeMiddleware(_Middleware):
    """Drops requests outside the scope of a site spider, except those with ``allow_offsite`` in their meta."""

    def process_request(self, request: Request) -> None:
        """Raise IgnoreRequest for a URL outside the scope."""
        spider: Any = self.crawler.spider
        if not (spider.scope.reaches(request.url) or request.meta.get("allow_offsite")):
            raise IgnoreRequest(OUTSIDE)


class PatientRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware, corrected for concurrent requests to a host.

    In Scrapy 2.19, only the first of the requests that wait for the robots.txt of a host gets its rules: they share a
    Deferred, whose result is lost once the first one has received it (Twisted's Deferred.asFuture). The others are
    sent even if robots.txt forbids it.
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parsed robots.txt of a request's host, or None if it has none."""
        host = urlparse_cached(request).netloc
        if host not in self._parsers:
            return await super().robot_parser(request)
        while isinstance(parser := self._parsers[host], Deferred):
            await sleep(_WAIT)
        return parser


class OnwardRefreshMiddleware(MetaRefreshMiddleware):
    """Scrapy's middleware, but a page is read as it is if it would be fetched again, as pages that reload themselves.

    A refresh to another URL of the page, such as with a session, is followed once. Refreshes count for ``max_pages``.
    """

    def process_response(  # type: ignore[override]  # Scrapy deprecates its last argument
        self, request: Request, response: Response
    ) -> Request | Response:
        """Return the request for the page to which a response leads, else the response."""
        following = super().process_response(request, response)
        if not isinstance(following, Request):
            return following
        before = [*request.meta.get("redirect_urls", ()), request.url]
        same = [url for url in before if address_key(url) == address_key(following.url)]
        if len(same) > 1 or canonicalize_url(following.url) in map(canonicalize_url, same):
            self.crawler.stats.inc_value("semtext/crawl/refresh_ignored")
            return response
        spider: Any = self.crawler.spider
        spider.pages_sent += 1
        return following


class SizeMiddleware(_Middleware):
    """Limits responses to the size in the meta of their request, or to SEMTEXT_MAX_BODY; DOWNLOAD_MAXSIZE holds too.

    Larger ones fail, but robots.txt is cut: without it, every URL would be allowed. The middleware has to come behind
    HttpCompressionMiddleware (590), which unpacks whole responses.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._most = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._page = SemtextSettings.read(crawler.settings).max_body
        self._robots = self._bounded(_ROBOTS_SIZE)
        crawler.signals.connect(self._received, signal=signals.bytes_received)

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
            count_once(
                self.crawler.stats, "semtext/crawl/robots_cut", "Of %s, only the beginning is obeyed", response.url
            )
        return response.replace(headers=headers, body=body)

    def _bounded(self, size: int) -> int:
        return min(size or self._most, self._most or size)

    def _received(self, data: bytes, request: Request) -> None:
        if _RECEIVED in request.meta:
            request.meta[_RECEIVED] += len(data)
            if request.meta[_RECEIVED] > self._robots:
                raise StopDownload(fail=False)


class MemoryScheduler(Scheduler):
    """Scrapy's scheduler, with all requests in memory: the few that are sent, and their redirects and retries.

    With JOBDIR, a site spider keeps its URLs in a separate file, which survives a kill. If its requests were also in
    queues on disk, the next run would send them twice.
    """

    def __init__(self, dupefilter: BaseDupeFilter, jobdir: str | None = None, **options: Any) -> None:  # noqa: ARG002
        super().__init__(dupefilter, None, **options)


def reason_of(failure: Failure) -> str:
    """Return why a request failed: "status 404", "robots.txt", "too large", or an error: "connection refused"."""
    error = failure.value
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    if "DOWNLOAD_MAXSIZE" in str(error) or "Cancelled" in type(error).__name__:
        return TOO_LARGE
    if isinstance(error, IgnoreRequest):
        return "robots.txt" if "robots.txt" in str(error) else f"ignored: {error}"
    name = type(error).__name__.removesuffix("Error").removesuffix("Exception").removeprefix("Download")
    return _CAPITAL.sub(" ", name).lower()


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
