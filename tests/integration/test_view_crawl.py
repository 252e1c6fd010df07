"""Colored pages of whole crawls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from crawling import Answer, FakeExtractor, crawl, crawler_for
from labeled_pages import real_pages
from sites import SiteExtractor, site_page, url_of

from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

WORDS = {"SEMTEXT_EXTRACTOR": SiteExtractor}


def site(count: int, first: int = 0) -> dict[str, Answer]:
    return {url_of(number): Answer(site_page(number).encode()) for number in range(first, first + count)}


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


def views(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("0*.html"))


def test_each_page_is_written_with_an_overview(tmp_path: Path) -> None:
    picture = Answer(b"\x89PNG", headers={"Content-Type": "image/png"})
    pages = {**site(3), "http://site.test/gone": Answer(b"gone", 404), "http://site.test/x.png": picture}
    done = crawl(pages, settings={**WORDS, "SEMTEXT_VIEW_DIR": tmp_path / "views"})
    assert sorted(row["url"] for row in rows(tmp_path / "views")) == sorted(site(3))
    assert {row["url"]: row["html"] for row in rows(tmp_path / "views")}[url_of(1)] == site_page(1)
    assert len(views(tmp_path / "views")) == 3
    assert (tmp_path / "views" / "index.html").read_text(encoding="utf-8").count(url_of(1)) == 1
    assert (done.count("views"), done.count("views/left_out"), done.count("views/errors")) == (3, 0, 0)
    assert sum("main_text" in item for item in done.items) == 3


def test_real_pages_in_worker_processes(tmp_path: Path) -> None:
    pages = {f"http://site.test/{name}": Answer(html.encode()) for name, html in real_pages(3)}
    real = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor", "SEMTEXT_PROCESSES": 2}
    done = crawl(pages, settings={**real, "SEMTEXT_VIEW_DIR": tmp_path})
    assert (done.count("views"), done.count("views/errors")) == (3, 0)
    assert len(views(tmp_path)) == 3
    assert all("semtext-mark" in (tmp_path / view).read_text(encoding="utf-8") for view in views(tmp_path))
    assert {row["url"] for row in rows(tmp_path)} == set(pages)


def test_a_page_that_cannot_be_read_is_in_the_overview(tmp_path: Path) -> None:
    pages = {**site(1), "http://site.test/bad": Answer(b"<p>explosive")}
    done = crawl(pages, settings={**WORDS, "SEMTEXT_VIEW_DIR": tmp_path})
    assert (done.count("pages"), done.count("errors"), done.count("views"), done.count("views/errors")) == (1, 1, 1, 1)
    assert "MemoryError: boom" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_an_extractor_without_trees_stops_the_crawl_at_its_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"SEMTEXT_VIEW_DIR is set, but the SEMTEXT_EXTRACTOR FakeExtractor gives"):
        start(site(1), {"SEMTEXT_EXTRACTOR": FakeExtractor, "SEMTEXT_VIEW_DIR": tmp_path})


def start(pages: dict[str, Answer], settings: dict[str, Any]) -> None:
    """Create the middleware of a crawl, which raises errors of the settings."""
    from scrapy_semtext.integration.downloader_middleware import SemtextDownloaderMiddleware

    SemtextDownloaderMiddleware.from_crawler(crawler_for(pages, settings=settings))
