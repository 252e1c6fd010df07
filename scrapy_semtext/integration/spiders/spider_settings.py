"""Settings and components of Scrapy as site spiders need them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.core.scheduler import Scheduler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from scrapy_semtext.integration.compat import sleep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.dupefilters import BaseDupeFilter
    from scrapy.robotstxt import RobotParser
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure
    from typing_extensions import Self

#: Why a URL is not fetched that is outside the scope, or leads there.
OUTSIDE = "out of scope"
#: What DOWNLOADER_MIDDLEWARES has for the scope and for robots.txt.
MIDDLEWARES = {
    "scrapy_semtext.integration.spiders.spider_settings.ScopeMiddleware": 50,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy_semtext.integration.spiders.spider_settings.PatientRobotsTxtMiddleware": 100,
}
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WAIT = 0.02  # seconds between two looks


def add_to_dict(settings: BaseSettings, name: str, values: Mapping[str, Any], *, wins: bool = False) -> None:
    """Add values to a setting that is a dict; where the setting has them already, they stay unless ``wins``.

    The result has the priority of the setting, for instance that of the command line, but at least that of a spider.
    """
    own = settings.getdict(name)
    priority = max(settings.getpriority(name) or 0, SETTINGS_PRIORITIES["spider"])
    settings.set(name, {**own, **values} if wins else {**values, **own}, priority)


@dataclass(slots=True)
class ScopeMiddleware:
    """Lets no request leave the scope of a site spider, but for those with ``allow_offsite`` in their meta."""

    crawler: Crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make it."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raise IgnoreRequest for a URL outside the scope."""
        spider: Any = self.crawler.spider
        if not (spider.scope.reaches(request.url) or request.meta.get("allow_offsite")):
            raise IgnoreRequest(OUTSIDE)


class PatientRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware, for several requests to a host at once.

    In Scrapy 2.19, of the requests that wait for the robots.txt of a host only the first gets what it says: they share
    a Deferred, whose result is gone when the first one has it (Twisted's Deferred.asFuture). The others are sent,
    whatever robots.txt forbids.
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the robots.txt of a request's host; None if it has none."""
        host = urlparse_cached(request).netloc
        if host not in self._parsers:
            return await super().robot_parser(request)
        while isinstance(parser := self._parsers[host], Deferred):
            await sleep(_WAIT)
        return parser


class MemoryScheduler(Scheduler):
    """Scrapy's scheduler, with all requests in memory: the few that are sent, and their redirects and retries.

    With JOBDIR, the URLs of a site spider are in a file of its own, which survives a kill. Were its requests in
    queues on disk as well, a next run would send them twice.
    """

    def __init__(self, dupefilter: BaseDupeFilter, jobdir: str | None = None, **options: Any) -> None:  # noqa: ARG002
        super().__init__(dupefilter, None, **options)


def reason_of(failure: Failure) -> str:
    """Return why a request failed: "status 404", "robots.txt", or the name of the error, as "connection refused"."""
    error = failure.value
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    if isinstance(error, IgnoreRequest):
        return "robots.txt" if "robots.txt" in str(error) else f"ignored: {error}"
    name = type(error).__name__.removesuffix("Error").removesuffix("Exception").removeprefix("Download")
    return _CAPITAL.sub(" ", name).lower()
