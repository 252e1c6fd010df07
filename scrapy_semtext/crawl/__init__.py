"""The logic of crawling whole sites: links, URLs and pages. It does not depend on Scrapy."""
