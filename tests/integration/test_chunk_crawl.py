"""Chunks of the pages of a crawl: in items, in a feed, from worker processes, with options of a request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chunking import sentences
from crawling import Answer, crawl, spider_for
from scrapy.settings import Settings

from scrapy_semtext.exporters import check_feeds
from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

URL = "http://knives.test/guide"
PAGE = (
    f"<html><title>Knives of the kitchen</title><main><h1>Knives of the kitchen</h1><p>{sentences(14)}</p>"
    f"<h2 id=steel>The best steel for your knives</h2><p>{sentences(8, first=20)}</p></main></html>"
)
SITE = {URL: Answer(PAGE.encode())}
REAL = {"SEMTEXT_EXTRACTOR": "sites.SiteExtractor"}
FIELD = {"SEMTEXT_FIELDS": ["+chunks"]}


def tokens(text: str) -> list[str]:
    """A tokenizer that worker processes can import."""
    return [part for word in text.split() for part in word.split("x")]


def sizes(items: list[dict[str, Any]]) -> list[int]:
    return [chunk["size"] for item in items for chunk in item["chunks"]]


@pytest.mark.parametrize("options", [{"chunks": 100}, {"chunks": {"words": 100}}, '{"chunks": {"words": 100}}'])
def test_items_have_chunks(options: Any) -> None:
    (item,) = crawl(SITE, settings={**REAL, **FIELD, "SEMTEXT_OPTIONS": options}).items
    assert item["chunks"][2] == {
        "text": f"The best steel for your knives\n{sentences(8, first=20)}",
        "headings": ["Knives of the kitchen", "The best steel for your knives"],
        "url": f"{URL}#steel",
        "position": 2,
        "start": item["main_text"].index("The best steel"),
        "end": len(item["main_text"]),
        "size": 86,
        "kind": "text",
        "oversize": False,
    }
    assert "sections" not in item  # they are read for the chunks, but not asked for


@pytest.mark.parametrize("processes", [0, 1])
def test_tokens_in_this_process_and_in_another(processes: int) -> None:
    chunks = {"tokens": 300, "tokenizer": "test_chunk_crawl.tokens"}
    settings = {**REAL, **FIELD, "SEMTEXT_OPTIONS": {"chunks": chunks}, "SEMTEXT_PROCESSES": processes}
    (item,) = crawl(SITE, settings=settings).items
    assert [chunk["size"] for chunk in item["chunks"]] == [len(tokens(chunk["text"])) for chunk in item["chunks"]]


def test_a_request_has_its_own_size() -> None:
    spider = spider_for(SITE, meta={"semtext": {"chunks": {"words": 50}}})
    small = crawl(SITE, spider, {**REAL, **FIELD}).items
    assert max(sizes(small)) <= 50 < max(sizes(crawl(SITE, settings={**REAL, **FIELD}).items))


@pytest.mark.parametrize("settings", [{}, {"SEMTEXT_FIELDS": {"chunks": "parts", "title": "name"}}])
def test_a_feed_of_chunks(settings: dict[str, Any], tmp_path: Path) -> None:
    feed = tmp_path / "chunks.jsonl"
    crawl(SITE, settings={**REAL, **settings, "FEEDS": {feed: {"format": "semtext-chunks", "encoding": "utf8"}}})
    rows = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    assert [row["position"] for row in rows] == [0, 1]
    expected = "chunk_id url title position headings text size kind oversize start end".split()
    assert [name for name in rows[0] if name in expected] == expected
    assert (rows[1]["url"], rows[1]["title"]) == (f"{URL}#steel", "Knives of the kitchen")


@pytest.mark.parametrize("settings", [{"SEMTEXT_FIELDS": {"title": "title"}}, {"SEMTEXT_OPTIONS": {"chunks": False}}])
def test_a_feed_without_chunks_is_refused(settings: dict[str, Any]) -> None:
    feeds = {"chunks.jsonl": {"format": "semtext-chunks"}}
    with pytest.raises(SettingsError, match=r"FEEDS has chunks\.jsonl in the format semtext-chunks, but items have no"):
        check_feeds(Settings({**settings, "FEEDS": feeds}))
