"""What a crawl of a whole site needs to know of links, addresses and pages: no Scrapy."""
