"""What settings name by ``scrapy_semtext.provider``; it is defined in `scrapy_semtext.integration.provider`."""

from scrapy_semtext.integration.provider import PageProvider

__all__ = ["PageProvider"]
