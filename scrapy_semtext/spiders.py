"""Spiders that harvest whole sites, to run or to subclass: the public path of `scrapy_semtext.integration.spiders`.

They need the extra ``crawl``.
"""

from scrapy_semtext.integration.spiders.kinds import ArticleSpider, DocumentationSpider, QASpider
from scrapy_semtext.integration.spiders.parameters import SiteParameters
from scrapy_semtext.integration.spiders.site import SiteItem, SiteSpider

__all__ = ["ArticleSpider", "DocumentationSpider", "QASpider", "SiteItem", "SiteParameters", "SiteSpider"]
