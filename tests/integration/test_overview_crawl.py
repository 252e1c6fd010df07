"""Items of overview pages are dropped in a crawl, but the links of these pages are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from crawling import URL, Answer, FakeExtractor, crawl, spider_for

if TYPE_CHECKING:
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
