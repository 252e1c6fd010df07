"""What a crawl of a whole site needs to know of links, URLs and pages: no Scrapy."""
