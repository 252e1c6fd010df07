"""The log formatter, under the path that settings name it by."""

from scrapy_semtext.integration.log_formatter import ShortLogFormatter

__all__ = ["ShortLogFormatter"]
