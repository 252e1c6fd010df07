"""If only some components are in the settings, a warning says which are missing."""

from __future__ import annotations

import logging

import pytest
from crawling import URL, Answer, crawl

from scrapy_semtext.integration.addon import COMPONENTS

pytestmark = pytest.mark.crawl

BY_SETTING = {component.setting: {component.path: component.order} for component in COMPONENTS}


@pytest.mark.parametrize(
    ("present", "missing"),
    [
        (["DOWNLOADER_MIDDLEWARES"], ["SPIDER_MIDDLEWARES", "ITEM_PIPELINES"]),
        (["SPIDER_MIDDLEWARES"], ["DOWNLOADER_MIDDLEWARES", "ITEM_PIPELINES"]),
        (["DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"], ["ITEM_PIPELINES"]),
    ],
)
def test_missing_components_are_named_once(
    present: list[str], missing: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"ADDONS": {}, **{setting: BY_SETTING[setting] for setting in present}}
    assert crawl({URL: Answer()}, settings=settings).items == [{"url": URL}]
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    names = " and ".join(f"{setting} has no {next(iter(BY_SETTING[setting]))}" for setting in missing)
    advice = 'ADDONS = {"scrapy_semtext.Addon": 300} adds all components of scrapy-semtext'
    assert said == f"Items are not filled: {names}. {advice}"


def test_a_component_that_is_switched_off_is_not_missed(caplog: pytest.LogCaptureFixture) -> None:
    off = {"scrapy_semtext.pipelines.SemtextPipeline": None}
    assert crawl({URL: Answer()}, settings={"ITEM_PIPELINES": off}).count("pages") == 1
    assert caplog.messages == []
