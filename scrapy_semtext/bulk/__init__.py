"""Pages in bulk: rows of plain values, web archives, and the extractor as a component of datatrove.

Independent of Scrapy.
"""
