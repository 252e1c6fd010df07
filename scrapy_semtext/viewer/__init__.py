"""Pages as HTML documents to look at: what was kept of one, its labels to correct, and an overview of many.

The documents are single files without outside parts, safe to open whatever the page holds (`document`, `copying`).
"""

from scrapy_semtext.viewer.index import IndexRow, confidence, index_page
from scrapy_semtext.viewer.page_document import NeighborLinks
from scrapy_semtext.viewer.view import label_page, view_page

__all__ = ["IndexRow", "NeighborLinks", "confidence", "index_page", "label_page", "view_page"]
