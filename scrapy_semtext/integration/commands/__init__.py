"""Scrapy commands that the package extends; registered by entry points in pyproject.toml."""
