"""What the pipeline puts into items of each type, and what it does not change."""

from __future__ import annotations

import gc
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import attrs
import pydantic
import pytest
import scrapy
from crawling import URL, Answer, crawl, item_classes, page_with, spider_for

from scrapy_semtext import QAPair
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.pipelines import SemtextPipeline

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.crawl

TEXT = "Mix flour and water.\nBake it."
SITE = {URL: Answer()}


@dataclass
class DataclassArticle:
    url: str
    main_text: str = ""
    qa_pairs: list[dict[str, Any]] = field(default_factory=list)


@pytest.mark.smoke
@pytest.mark.parametrize("kind", [dict, DataclassArticle, *item_classes("main_text", "qa_pairs")])
def test_items_of_every_type_are_filled(kind: type) -> None:
    result = crawl(SITE, spider_for(SITE, lambda response: kind(url=response.url)))
    item = scrapy_dict(result.items[0])
    assert type(result.items[0]) is kind
    assert item["main_text"] == TEXT
    assert item["qa_pairs"][0]["question"] == "How?"
    assert json.loads(json.dumps(item)) == item, "all values are plain"
    assert result.count("items/filled") == 1


def scrapy_dict(item: Any) -> dict[str, Any]:
    from itemadapter import ItemAdapter

    return ItemAdapter(item).asdict()


def test_a_dict_gains_the_fields() -> None:
    item = crawl(SITE).items[0]
    assert list(item) == ["url", "title", "main_text", "page_kind", "qa_pairs"]
    assert item["title"] == "Bread"
    assert item["page_kind"] == "article"
    sections = crawl(SITE, settings={"SEMTEXT_FIELDS": {"sections": "parts"}}).items[0]["parts"]
    assert sections == [{"title": None, "text": TEXT, "level": 1, "sections": []}]


def test_fields_that_the_setting_names_are_there_even_if_empty() -> None:
    site = {URL: page_with()}
    fields = {"SEMTEXT_FIELDS": {"main_text": "main_text", "qa_pairs": "faq"}}
    assert crawl(site, settings=fields).items == [{"url": URL, "main_text": "Text.", "faq": []}]


def test_columns_of_csv_are_those_of_the_first_item_unless_the_feed_names_them(tmp_path: Path) -> None:
    site = {URL + "1": page_with(), URL + "2": page_with(QAPair("How?", "Slowly."))}
    feeds = {
        tmp_path / "a.csv": {"format": "csv"},
        tmp_path / "b.csv": {"format": "csv", "fields": ["url", "qa_pairs"]},
    }
    crawl(site, settings={"FEEDS": feeds, "CONCURRENT_REQUESTS": 1})
    first, named = (path.read_text().splitlines() for path in feeds)
    assert first[0] == "url,title,main_text,page_kind"
    assert named[:2] == ["url,qa_pairs", f"{URL}1,"]
    assert "Slowly." in named[2]


def test_csv_has_its_columns_if_the_first_response_is_no_page(tmp_path: Path) -> None:
    pdf = Answer(b"%PDF-1.7", headers={"Content-Type": "application/pdf"})
    settings = {"FEEDS": {tmp_path / "a.csv": {"format": "csv"}}, "CONCURRENT_REQUESTS": 1}
    result = crawl({URL + "1": pdf, URL + "2": page_with()}, settings=settings)
    head, first, second = (tmp_path / "a.csv").read_text().splitlines()[:3]
    assert head == "url,title,main_text,page_kind"
    assert first == f"{URL}1,,,"
    assert "Text." in second
    assert result.count("items/without_page") == result.count("items/filled") == 1


def test_fields_are_mapped_by_the_setting() -> None:
    result = crawl(SITE, settings={"SEMTEXT_FIELDS": {"main_text": "body", "url": "read_from", "title": None}})
    assert result.items == [{"url": URL, "body": TEXT, "read_from": URL}]


def test_what_the_spider_has_set_stays() -> None:
    mine: dict[str, Any] = {"main_text": "My own.", "title": "", "qa_pairs": [], "page_kind": None}
    result = crawl(SITE, spider_for(SITE, lambda response: dict(mine)))
    item = result.items[0]
    assert item["main_text"] == "My own."
    assert (item["title"], item["page_kind"], len(item["qa_pairs"])) == ("Bread", "article", 1), "empty is not set"
    assert result.count("fields_kept") == 1


def test_undeclared_fields_are_left_out_counted_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    site = {f"{URL}{n}": Answer() for n in range(3)}
    result = crawl(site, spider_for(site, lambda response: DataclassArticle(response.url)))
    assert all(item.main_text == TEXT for item in result.items)
    assert result.count("fields_undeclared") == 3 * 2  # title and page_kind in each of three items
    said = [record.getMessage() for record in caplog.records if "DataclassArticle items" in record.getMessage()]
    assert said == ["DataclassArticle items do not declare these fields, which are left out: title, page_kind"]


@dataclass
class Price:
    url: str


def test_a_class_that_declares_no_field_at_all_is_warned_about(caplog: pytest.LogCaptureFixture) -> None:
    site = {f"{URL}{n}": Answer() for n in range(2)}
    result = crawl(site, spider_for(site, lambda response: Price(response.url)))
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == [
        "Price items are not filled: they declare none of the fields title, main_text, page_kind, qa_pairs"
    ]
    assert len(result.items) == 2


@dataclass(frozen=True)
class Frozen:
    url: str
    main_text: str = ""


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_assignment=True)
    url: str
    main_text: str = pydantic.Field(default="", max_length=3)
    title: str = ""


@attrs.define
class Short:
    url: str
    main_text: str = attrs.field(default="", validator=attrs.validators.max_len(3))


@pytest.mark.parametrize("kind", [Frozen, Strict, Short])
def test_a_class_that_refuses_a_value_keeps_its_item(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    result = crawl(SITE, spider_for(SITE, lambda response: kind(url=response.url)))
    assert result.items[0].url == URL
    assert result.items[0].main_text == ""
    assert result.count("fields_refused") == 1
    assert f"The field 'main_text' of {kind.__name__} items cannot be set" in caplog.text


@dataclass
class Late:
    url: str
    main_text: str = field(init=False)


def test_a_dataclass_field_without_a_value_is_filled() -> None:
    assert crawl(SITE, spider_for(SITE, lambda response: Late(response.url))).items[0].main_text == TEXT


def test_several_items_of_a_response_share_no_lists() -> None:
    class Two(scrapy.Spider):
        name = "two"
        start_urls = [URL]  # noqa: RUF012

        def parse(self, response: Any) -> Any:
            yield {"n": 1}
            yield {"n": 2}

    first, second = crawl(SITE, Two).items
    assert first["qa_pairs"] == second["qa_pairs"]
    assert first["qa_pairs"] is not second["qa_pairs"]


class Drop:
    def process_item(self, item: Any) -> Any:
        raise scrapy.exceptions.DropItem("not wanted")


class Rebuild:
    def process_item(self, item: Any) -> Any:
        return dict(item)


@pytest.mark.parametrize(("pipeline", "items"), [(Drop, 0), (Rebuild, 20)])
def test_items_that_an_earlier_pipeline_drops_or_rebuilds_leave_nothing_behind(
    pipeline: type, items: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)  # a kept record of a dropped item would hold its response
    site = {f"{URL}{n}": Answer() for n in range(20)}
    result = crawl(site, settings={"ITEM_PIPELINES": {pipeline: 1}})
    assert len(result.items) == items
    own = result.crawler.get_item_pipeline(SemtextPipeline)
    assert own is not None
    gc.collect()
    assert len(own.links) == 0


@pytest.mark.parametrize(("order", "warnings"), [(1, 1), (60, 0)])
def test_a_pipeline_that_replaces_items_before_they_are_filled_is_said_once(
    order: int, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    site = {URL + "1": Answer(), URL + "2": Answer()}
    result = crawl(site, settings={"ITEM_PIPELINES": {Rebuild: order}})
    said = [record for record in caplog.messages if "SemtextPipeline gets other objects than the callback" in record]
    assert len(said) == warnings
    assert not warnings or "Let Rebuild return the same object, or set a smaller order: ITEM_PIPELINES" in said[0]
    assert ["main_text" in item for item in result.items] == [not warnings] * 2


@pytest.mark.parametrize("setting", ["SPIDER_MIDDLEWARES", "DOWNLOADER_MIDDLEWARES"])
def test_a_missing_middleware_stops_the_crawl_at_its_start(setting: str) -> None:
    from scrapy_semtext.middlewares import SemtextDownloaderMiddleware, SemtextSpiderMiddleware

    components = {"SPIDER_MIDDLEWARES": SemtextSpiderMiddleware, "DOWNLOADER_MIDDLEWARES": SemtextDownloaderMiddleware}
    with pytest.raises(SettingsError, match=f"needs {components[setting].__name__} in {setting}"):
        crawl(SITE, settings={setting: {components[setting]: None}})
