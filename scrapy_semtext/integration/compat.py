"""Replacements for features that the oldest supported version of Scrapy, 2.14, lacks."""

from __future__ import annotations

from scrapy.exporters import BaseItemExporter

__all__ = ["ItemExporter", "sleep"]

try:
    from scrapy.utils.asyncio import sleep
except ImportError:  # before Scrapy 2.18
    import asyncio

    from scrapy.utils.asyncio import is_asyncio_available
    from twisted.internet.task import deferLater

    async def sleep(seconds: float) -> None:
        """Wait without blocking the event loop, whether asyncio's or that of another Twisted reactor."""
        if is_asyncio_available():
            await asyncio.sleep(seconds)
            return
        from twisted.internet import reactor  # not at module level, since the import installs a reactor

        await deferLater(reactor, seconds)


class ItemExporter(BaseItemExporter):
    """Scrapy's exporter with a method that is public since Scrapy 2.18."""

    if not hasattr(BaseItemExporter, "get_serialized_fields"):
        get_serialized_fields = BaseItemExporter._get_serialized_fields  # type: ignore[attr-defined]
