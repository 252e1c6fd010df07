"""Pages as HTML documents for review: the kept parts of a page, its labels to correct, and an overview of many pages.

The documents are self-contained files, safe to open regardless of the page's content (`document`).
"""

from scrapy_semtext.viewer.index import IndexRow, confidence, index_page
from scrapy_semtext.viewer.view import NeighborLinks, label_page, view_page

__all__ = ["IndexRow", "NeighborLinks", "confidence", "index_page", "label_page", "view_page"]
