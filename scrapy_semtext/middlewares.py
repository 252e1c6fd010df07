"""The middlewares, under their import path in settings."""

from scrapy_semtext.integration.downloader_middleware import SemtextDownloaderMiddleware
from scrapy_semtext.integration.spider_middleware import SemtextSpiderMiddleware

__all__ = ["SemtextDownloaderMiddleware", "SemtextSpiderMiddleware"]
