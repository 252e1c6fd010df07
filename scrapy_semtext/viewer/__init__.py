"""Pages as HTML documents to look at: what was kept of one, its labels to correct, and an overview of many.

The documents are single files without outside parts, safe to open whatever the page holds (`document`, `copying`).
"""

from scrapy_semtext.viewer.confidence import confidence
from scrapy_semtext.viewer.index import IndexRow, index_page
from scrapy_semtext.viewer.label import label_page
from scrapy_semtext.viewer.page_document import Links
from scrapy_semtext.viewer.view import view_page

__all__ = ["IndexRow", "Links", "confidence", "index_page", "label_page", "view_page"]
