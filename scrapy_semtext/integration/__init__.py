"""Scrapy: add-on, middlewares, site spiders, worker processes, `scrapy shell`, settings. No extraction logic."""
