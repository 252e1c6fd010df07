"""Page objects for the items of zyte-common-items, which scrapy-poet uses for every URL without a better one.

Put ``"scrapy_semtext.page_objects"`` into SCRAPY_POET_DISCOVER. Importing this package registers them.
"""

from __future__ import annotations

from scrapy_semtext.utils.extras import require_extra

require_extra("zyte_common_items", "page-objects")
require_extra("web_poet", "page-objects")

from scrapy_semtext.page_objects.items import (  # noqa: E402
    PRIORITY,
    SemtextArticleNavigationPage,
    SemtextArticlePage,
    SemtextForumThreadPage,
    SemtextPage,
    SemtextPageContentPage,
    SemtextProductPage,
)
from scrapy_semtext.serialization import register  # noqa: E402

__all__ = [
    "PRIORITY",
    "SemtextArticleNavigationPage",
    "SemtextArticlePage",
    "SemtextForumThreadPage",
    "SemtextPage",
    "SemtextPageContentPage",
    "SemtextProductPage",
]

register()  # for fixtures, which are replayed without the provider
