"""Pages in bulk: rows of plain values, and web archives. Independent of Scrapy."""
