"""A scheduler without queues on disk, for spiders that keep their addresses themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.scheduler import Scheduler

if TYPE_CHECKING:
    from scrapy.dupefilters import BaseDupeFilter


class MemoryScheduler(Scheduler):
    """Scrapy's scheduler, with all requests in memory: the few that are sent, and their redirects and retries.

    With JOBDIR, the addresses of a site spider are in a file of its own, which survives a kill. Were its requests in
    queues on disk as well, a next run would send them twice.
    """

    def __init__(self, dupefilter: BaseDupeFilter, jobdir: str | None = None, **options: Any) -> None:  # noqa: ARG002
        super().__init__(dupefilter, None, **options)
