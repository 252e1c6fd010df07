"""A Scrapy project that crawls a bundled site of real pages and yields items with clean main text."""
