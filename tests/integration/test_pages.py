"""A page is known by its response, and forgotten with it."""

from __future__ import annotations

import gc
import weakref

from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_semtext import Page, page_of
from scrapy_semtext.integration.pages import NoPage, outcome_of, remember

URL = "http://site.test/"


def test_a_response_nobody_read_has_no_page() -> None:
    assert page_of(HtmlResponse(URL)) is None
    assert outcome_of(HtmlResponse(URL)) is None


def test_the_reason_is_kept_where_there_is_no_page() -> None:
    response = HtmlResponse(URL)
    remember(NoPage("empty"), response, Request(URL))
    assert page_of(response) is None
    assert outcome_of(response) == NoPage("empty")


def test_a_copy_is_known_by_its_request_and_body() -> None:
    page, request = Page(), Request(URL)
    response = HtmlResponse(URL, body=b"<p>Text", request=request)
    remember(page, response, request)
    assert page_of(response.replace(url=URL + "moved")) is page
    assert page_of(response.replace(body=b"<p>Other text")) is None
    assert page_of(response.replace(request=None)) is None


def test_pages_go_with_their_responses_and_requests() -> None:
    page, request = Page(), Request(URL)
    gone = weakref.ref(request)
    response = HtmlResponse(URL, request=request)
    remember(page, response, request)
    del request, response
    gc.collect()
    assert gone() is None
