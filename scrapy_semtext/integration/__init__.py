"""Scrapy: add-on, middlewares, pipelines, provider, service, exporters, settings. No extraction logic."""
