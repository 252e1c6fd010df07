"""What settings name by ``scrapy_semtext.middlewares``; it is defined in `scrapy_semtext.integration.middlewares`."""

from scrapy_semtext.integration.middlewares import SemtextDownloaderMiddleware, SemtextSpiderMiddleware

__all__ = ["SemtextDownloaderMiddleware", "SemtextSpiderMiddleware"]
