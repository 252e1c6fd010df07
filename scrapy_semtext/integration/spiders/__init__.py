"""Spiders that harvest whole sites, with the Scrapy components that they need."""
