"""A fictional site, and an extractor without weights that errs on it: common parts of the tests of site templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commanding import LongBlocks

from scrapy_semtext.extractor import Extractor

if TYPE_CHECKING:
    from scrapy_semtext.extractor import Options

#: A block that the labeler below takes for main content, as it is long.
BANNER = "Sign up for our weekly letter and never miss a story again"


def text_of(number: int) -> str:
    """Return the text of a page, in separate blocks."""
    return f"Story {number} is told here in more words than six, and is told nowhere else."


def site_page(number: int, *, text: str | None = None, heading: str = "", nested: str = "") -> str:
    """Return a page of the site: a menu, a story, a banner."""
    return (
        f"<html><head><title>Story {number} | Stories</title><meta name=description content='About {number}'></head>"
        "<body><nav class=breadcrumb><a href=/>Home</a> » <a href=/s>Stories</a></nav>"
        f"<main><h1>Story number {number}</h1>{heading}<p>{text or text_of(number)}</p>{nested}</main>"
        f"<div class=letter><p>{BANNER}</p></div><footer><ul><li>Imprint</li><li>Contact</li></ul></footer>"
        "</body></html>"
    )


def url_of(number: int) -> str:
    """Return the URL of a page of the site."""
    return f"http://site.test/story/{number:05}"


class SiteExtractor(Extractor):
    """An extractor that labels long blocks as main content; can be used as SEMTEXT_EXTRACTOR."""

    @classmethod
    def load(  # type: ignore[override]  # a crawl gives all arguments
        cls, *, bundle: Any = None, device: str = "cpu", options: Options | None = None
    ) -> SiteExtractor:
        return cls(LongBlocks(), "viterbi", options)
