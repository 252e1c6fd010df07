"""Spiders that harvest whole sites, with what they need of Scrapy."""
