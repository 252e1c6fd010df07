"""Pages in bulk: rows of plain values, and the extractor as a component of datatrove, Ray Data and Daft.

Each engine has a module and an extra of the same name. Independent of Scrapy.
"""
