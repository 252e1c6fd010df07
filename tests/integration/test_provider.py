"""With scrapy-poet, a callback or a page object requests the Page by its type."""

from __future__ import annotations

from typing import Any

import pytest
import scrapy
from crawling import URL, Answer, crawl
from scrapy.http import Response  # noqa: TC002  scrapy-poet resolves the callbacks' annotations

from scrapy_semtext import Block, Page, QAPair, Record, Section, Segment
from scrapy_semtext.integration.setting_values import SettingsError

pytest.importorskip("scrapy_poet")

from web_poet.serialization import deserialize_leaf, serialize_leaf

pytestmark = pytest.mark.crawl

ADDONS = {"scrapy_semtext.Addon": 300, "scrapy_poet.Addon": 300}


class InjectedSpider(scrapy.Spider):
    name = "injected"
    start_urls = [URL]  # noqa: RUF012

    def parse(self, response: Response, page: Page) -> Any:
        yield {"best": max(page.blocks, key=lambda block: block.probability).text if page.blocks else None}


@pytest.mark.smoke
@pytest.mark.parametrize("addons", [ADDONS, dict(reversed(ADDONS.items()))])
def test_a_callback_gets_its_page(addons: dict[str, int]) -> None:
    result = crawl({URL: Answer()}, InjectedSpider, {"ADDONS": addons})
    assert result.items[0]["best"] == "Mix flour and water."
    assert result.items[0]["title"] == "Bread", "and the item is filled as any other"
    assert result.count("responses") == result.count("pages") == 1


@pytest.mark.parametrize(
    "answer", [Answer(b""), Answer(b"<p>BOOM"), Answer(b"{}", headers={"Content-Type": "text/json"})]
)
def test_a_callback_runs_without_a_page_too(answer: Answer) -> None:
    result = crawl({URL: answer}, InjectedSpider, {"ADDONS": ADDONS})
    assert result.items == [{"best": None}]
    assert result.count("items/without_page") == 1


def test_a_middleware_of_scrapy_poet_that_comes_first_reads_the_page_once() -> None:
    settings = {
        "ADDONS": {"scrapy_semtext.Addon": 300},
        "DOWNLOADER_MIDDLEWARES": {"scrapy_poet.InjectionMiddleware": 548},
    }
    result = crawl({URL: Answer()}, InjectedSpider, settings)
    assert result.items[0]["best"] == "Mix flour and water."
    assert result.count("responses") == result.count("pages") == 1


def test_the_provider_alone_says_what_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    settings = {
        "ADDONS": {"scrapy_poet.Addon": 300},
        "SCRAPY_POET_PROVIDERS": {"scrapy_semtext.provider.PageProvider": 1050},
    }
    assert crawl({URL: Answer()}, InjectedSpider, settings).items == []
    errors = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert any(isinstance(error, SettingsError) and "SemtextDownloaderMiddleware" in str(error) for error in errors)


def test_a_page_survives_serialisation() -> None:
    page = Page(
        url=URL,
        title="Bread",
        main_text="Mix.",
        blocks=[Block("Mix.", "main", 0.5, "p", "intro")],
        qa_pairs=[QAPair("How?", "Slowly.", votes=3)],
        sections=[Section("Bread", "Mix.", 2, [Section("Crust", "Bake.", 3)])],
        segments=[Segment("Bread", "title")],
        records=[Record("Bread", f"{URL}bread", numbers={"replies": 3, "price": "$9.99"})],
        next_page=f"{URL}?page=2",
        page_kind="article",
    )
    import scrapy_semtext.provider  # noqa: F401  registers what is tested here

    assert deserialize_leaf(Page, serialize_leaf(page)) == page
