"""Which responses are read, and what the extractor gets of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_semtext.dom.tree import ParsedHTML, require_few_attributes
from scrapy_semtext.extractor import Source
from scrapy_semtext.text.decoding import FOREIGN_ENCODINGS, Decoded, page_text, require_page

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from scrapy_semtext.extractor import Options


def reason_to_skip(request: Request, response: Response, max_body: int) -> str | None:
    """Return why a response is not read, as in ``semtext/pages/skipped/<reason>``; None if it is to be read.

    ``max_body`` is in bytes.
    """
    override = request.meta.get("semtext")
    if override is False:
        return "meta"
    # Scrapy marks requests without a callback this way: robots.txt, and downloads of media pipelines.
    if request.callback is NO_CALLBACK and override is None:
        return "no_callback"
    if not 200 <= response.status < 300:
        return "status"
    if request.method == "HEAD":
        return "head"
    if not is_html(response):
        return "not_html"
    if not response.body or response.body.isspace():
        return "empty"
    return "too_large" if len(response.body) > max_body else None


def is_html(response: Response) -> bool:
    """Return whether a response is HTML, by its class or, for text responses of other classes, by its Content-Type.

    Scrapy itself makes an HtmlResponse of all HTML; scrapy-splash has a class of its own for all text.
    """
    if isinstance(response, HtmlResponse):
        return True
    content_type = (response.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
    return isinstance(response, TextResponse) and content_type in (b"text/html", b"application/xhtml+xml")


def source_of(response: Any, options: Options, *, parse: bool) -> Source:
    """Return the extractor's input; raise NotAPageError for a picture, a PDF or an archive that was sent as HTML.

    With ``parse``, raise TooManyAttributesError for a page that libxml2 would take too long for.

    With ``parse`` the source has the tree of ``response.selector``, which Scrapy creates on first use and keeps: the
    callback's own selectors then work on a page that is parsed already. Without, it has the text alone, and can be
    sent to another process.

    Called in the service's thread, since decoding and parsing take milliseconds. No other thread uses the response
    meanwhile: the downloader middleware has not passed it on yet.
    """
    page = _decoded(response)
    parsed = _parsed(response, page.text) if parse else None
    return Source(page.text, response.url, options, parsed, note=page.note)


def _decoded(response: Any) -> Decoded:
    """Decode a response as the extractor does, for the callback, too; one made with an encoding is in that."""
    if response._encoding not in (None, *FOREIGN_ENCODINGS):
        require_page(response.text, response.body)
        return Decoded(response.text, response.encoding)
    page = page_text(response.body, (response.headers.get("Content-Type") or b"").decode("latin-1"))
    if response._cached_ubody not in (None, page.text):  # a middleware has read it as Scrapy decodes it
        response._cached_selector = None
    response._encoding, response._cached_ubody = page.encoding, page.text
    return page


def release_selector(response: Response) -> None:
    """Drop the selector that Scrapy caches on a response; ``response.selector`` parses the page again if needed.

    The selector and its response refer to each other, so only the garbage collector would free the response and its
    tree, long after the callback: garbage collection is disabled while a batch is processed, most of the time.
    """
    if isinstance(response, HtmlResponse):
        response._cached_selector = None


def _parsed(response: Response, text: str) -> ParsedHTML | None:
    """Return the tree of a response's selector, or None if it has no HTML tree; raise TooManyAttributesError."""
    if not isinstance(response, HtmlResponse):
        return None  # Scrapy guesses what other classes hold
    require_few_attributes(text)
    try:
        root = response.selector.root
    except Exception:  # noqa: BLE001  text that parsel cannot parse; the extractor can
        return None
    is_root = isinstance(root, etree._Element) and root.getparent() is None and root.tag == "html"
    return ParsedHTML(text, root) if is_root else None
