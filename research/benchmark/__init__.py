"""The costs of pages and of crawls: `page` and `crawl` are the commands of ``python -m research.benchmark``."""
