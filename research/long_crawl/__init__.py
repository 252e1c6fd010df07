"""A crawl of hundreds of thousands of pages on this machine, and what it needs over time."""
