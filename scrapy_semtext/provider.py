"""The scrapy-poet provider, under the path that settings name it by."""

from scrapy_semtext.integration.provider import PageProvider

__all__ = ["PageProvider"]
