"""Commands of Scrapy that the package adds to; entry points in pyproject.toml register them."""
