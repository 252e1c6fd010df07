"""Spiders that harvest whole sites, to run or to subclass: the public path of `scrapy_semtext.integration.spiders`.

They need the extra ``crawl``. With ``SPIDER_MODULES = ["scrapy_semtext.spiders"]``, ``scrapy crawl articles`` runs one.
"""

from scrapy_semtext.integration.spiders.kinds import ArticleSpider, DocumentationSpider, QASpider
from scrapy_semtext.integration.spiders.parameters import SiteParameters
from scrapy_semtext.integration.spiders.site import SiteItem, SiteSpider

__all__ = ["ArticleSpider", "DocumentationSpider", "QASpider", "SiteItem", "SiteParameters", "SiteSpider"]

for _spider in (ArticleSpider, DocumentationSpider, QASpider, SiteSpider):
    _spider.__module__ = __name__  # Scrapy loads the spiders of a module that say that they are of it
