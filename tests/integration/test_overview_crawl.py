"""Items of overview pages are dropped in a crawl, but the links of these pages are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from crawling import URL, Answer, FakeExtractor, crawl, spider_for
from gate.quality import read_sample

from scrapy_semtext.extractor import Extractor

if TYPE_CHECKING:
    from gate.quality import GatePage
    from scrapy.http import Response

    from scrapy_semtext import Page, Source

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

SITE = {f"{URL}list": Answer(b"<p>LIST"), f"{URL}story": Answer(b"<p>A story")}


class Lists(FakeExtractor):
    """Classifies pages that contain LIST as overviews."""

    def read(self, source: Source) -> Page:
        page = super().read(source)
        page.is_overview = "LIST" in source.html
        page.overview_probability = 0.8 if page.is_overview else 0.1
        return page


DROPPING = {"SEMTEXT_OPTIONS": {"drop_overview": True}, "SEMTEXT_EXTRACTOR": Lists}


def test_items_of_overviews_are_dropped_and_counted() -> None:
    result = crawl(SITE, settings=DROPPING)
    assert [item["url"] for item in result.items] == [f"{URL}story"]
    assert result.count("items/dropped") == result.count("items/dropped/overview") == 1
    assert result.count("items/filled") == 1
    assert result.stats["item_dropped_count"] == 1


@pytest.mark.parametrize(
    ("setting", "meta", "items"),
    [(True, {"drop_overview": False}, 2), (False, {"drop_overview": True}, 1), (True, {"decision": "viterbi"}, 1)],
)
def test_a_request_may_say_otherwise(setting: bool, meta: dict[str, Any], items: int) -> None:
    settings = DROPPING | {"SEMTEXT_OPTIONS": {"drop_overview": setting}}
    result = crawl(SITE, spider_for(SITE, meta={"semtext": meta}), settings=settings)
    assert len(result.items) == items
    assert result.count("meta_invalid") == 0


def test_pairs_of_overviews_are_no_items_either() -> None:
    result = crawl(SITE, settings=DROPPING | {"SEMTEXT_QA": {"item_per_pair": True}})
    assert result.count("items/dropped/overview") == 1
    assert len(result.items) == 1


def at(page: GatePage) -> str:
    """Return the page's URL without HTTPS, which the tests' handler does not support."""
    return page.url.replace("https:", "http:")


@pytest.mark.slow
def test_a_crawl_of_real_pages_goes_through_overviews_to_articles() -> None:
    """Real pages of sites that no model has seen; each listing gets a link to an article, as on the real site."""
    pages = list(read_sample())
    lists = [page for page in pages if page.page_type == "listing"][:6]
    articles = [page for page in pages if page.page_type == "article"][:6]
    site = {at(page): Answer(page.html.encode()) for page in articles}
    for listing, article in zip(lists, articles, strict=True):
        assert "</body>" in listing.html
        link = f'<a class="onward" href="{at(article)}">On</a></body>'
        site[at(listing)] = Answer(listing.html.replace("</body>", link).encode())

    class FineTuner(scrapy.Spider):
        name = "onward"
        start_urls = [at(page) for page in lists]  # noqa: RUF012

        def parse(self, response: Response) -> Any:
            yield {"url": response.url}
            yield from response.follow_all(response.css("a.onward::attr(href)").getall())

    settings = {"SEMTEXT_OPTIONS": {"drop_overview": True, "labeler": "trees"}, "SEMTEXT_EXTRACTOR": Extractor}
    result = crawl(site, FineTuner, settings=settings)
    assert result.stats["downloader/response_status_count/200"] == 12, "the links of all listings were followed"
    assert result.count("items/dropped/overview") >= 4
    assert result.count("items/dropped") + result.count("items/filled") == 12
    found = {item["url"]: item for item in result.items}
    assert sum(at(page) in found for page in articles) >= 5
    assert all(item["main_text"] for item in result.items)
