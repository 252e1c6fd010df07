"""Threads over several pages, for spiders: the public path of `scrapy_semtext.qa.thread_pages`."""

from scrapy_semtext.qa.thread_pages import canonical_url, merge_pages, merge_pairs, next_url, previous_url

__all__ = ["canonical_url", "merge_pages", "merge_pairs", "next_url", "previous_url"]
