"""What crawls give beside the main text: views, chunks, and what rules, templates and kinds change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from chunking import sentences
from crawling import URL, Answer, FakeExtractor, crawl, crawler_for, spider_for
from labeled_pages import real_pages
from scrapy.settings import Settings
from sites import BANNER, SiteExtractor, site_page, text_of, url_of

from scrapy_semtext.exporters import check_feeds
from scrapy_semtext.extractor import Options
from scrapy_semtext.integration.service import load_reader
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.integration.settings import SemtextSettings

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_semtext import Page, Source

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


REAL = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}

PAGE = """<title>Page {0}</title><nav>Home</nav><article><p>This is page {0}, which says that kettles boil water faster
than pots do on most stoves.</p><aside><p>Subscribe to our letter about kettles, it comes every week and is free.</p>
</aside></article><footer><a rel="x" href="/{0}/more">More</a></footer>"""


def pages(count: int) -> dict[str, Answer]:
    return {f"http://shop.example.com/{number}": Answer(PAGE.format(number).encode()) for number in range(count)}


def test_rules_of_settings(caplog: pytest.LogCaptureFixture) -> None:
    rules = {"example.com": {"drop": ["aside", ".gone"], "next_page": "footer a", "title": "nav"}}
    fields = {name: name for name in ("title", "main_text", "next_page")}
    done = crawl(pages(22), settings={**REAL, "SEMTEXT_SITES": rules, "SEMTEXT_FIELDS": fields})
    assert len(done.items) == 22
    for item in done.items:
        assert (item["title"], item["next_page"]) == ("Home", f"{item['url']}/more")
        assert "kettles boil water" in item["main_text"]
        assert "Subscribe" not in item["main_text"]
    assert done.count("rules/example.com") == 22
    assert done.count("rules/example.com/unmatched/drop: .gone") == 22
    warnings = [record.getMessage() for record in caplog.records if "found nothing" in record.getMessage()]
    assert warnings == [
        "'drop: .gone' in the rule of 'example.com' found nothing on 20 of 20 pages; has the site changed?"
    ]


def test_rules_of_a_file_in_worker_processes(tmp_path: Path) -> None:
    path = tmp_path / "sites.json"
    path.write_text(json.dumps({"example.com": {"drop": ["article"], "keep": ["aside"]}}))
    done = crawl(pages(3), settings={**REAL, "SEMTEXT_SITES_FILE": path, "SEMTEXT_PROCESSES": 1})
    assert {item["main_text"][:9] for item in done.items} == {"Subscribe"}
    assert done.count("rules/example.com") == 3


def test_settings_go_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sites.json"
    path.write_text(json.dumps({"example.com": {"title": "nav"}}))
    settings = {**REAL, "SEMTEXT_SITES_FILE": path, "SEMTEXT_SITES": {"example.com": {"title": "footer"}}}
    assert crawl(pages(1), settings=settings).items[0]["title"] == "More"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"SEMTEXT_SITES": {"example.com": {"drop": ["p["]}}}, "SEMTEXT_SITES: the rule of 'example.com', drop: 'p['"),
        ({"SEMTEXT_SITES_FILE": "gone.json"}, "SEMTEXT_SITES_FILE is 'gone.json', but gone.json cannot be read"),
        ({"SEMTEXT_SITES": 5}, "SEMTEXT_SITES is 5; it has to be a dict"),
    ],
)
def test_errors_stop_the_crawl_at_its_start(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        SemtextSettings.read(Settings(settings))
    assert message in str(raised.value)


def test_an_extractor_without_support() -> None:
    settings = SemtextSettings.read(Settings({"SEMTEXT_SITES": {"example.com": {"drop": ["aside"]}}}))
    with pytest.raises(SettingsError, match="SEMTEXT_SITES is set, but the extractor FakeExtractor does not support"):
        load_reader(replace(settings, extractor=FakeExtractor), Options())


GUIDE = "http://knives.test/guide"
KNIVES = (
    f"<html><title>Knives of the kitchen</title><main><h1>Knives of the kitchen</h1><p>{sentences(14)}</p>"
    f"<h2 id=steel>The best steel for your knives</h2><p>{sentences(8, first=20)}</p></main></html>"
)
SITE = {GUIDE: Answer(KNIVES.encode())}
REAL_EXTRACTOR = {"SEMTEXT_EXTRACTOR": "sites.SiteExtractor"}
FIELD = {"SEMTEXT_FIELDS": ["+chunks"]}


def tokens(text: str) -> list[str]:
    """A tokenizer that worker processes can import."""
    return [part for word in text.split() for part in word.split("x")]


def sizes(items: list[dict[str, Any]]) -> list[int]:
    return [chunk["size"] for item in items for chunk in item["chunks"]]


@pytest.mark.parametrize("options", [{"chunks": 100}, {"chunks": {"words": 100}}, '{"chunks": {"words": 100}}'])
def test_items_have_chunks(options: Any) -> None:
    (item,) = crawl(SITE, settings={**REAL_EXTRACTOR, **FIELD, "SEMTEXT_OPTIONS": options}).items
    assert item["chunks"][2] == {
        "text": f"The best steel for your knives\n{sentences(8, first=20)}",
        "headings": ["Knives of the kitchen", "The best steel for your knives"],
        "url": f"{GUIDE}#steel",
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
    chunks = {"tokens": 300, "tokenizer": "test_crawl_results.tokens"}
    settings = {**REAL_EXTRACTOR, **FIELD, "SEMTEXT_OPTIONS": {"chunks": chunks}, "SEMTEXT_PROCESSES": processes}
    (item,) = crawl(SITE, settings=settings).items
    assert [chunk["size"] for chunk in item["chunks"]] == [len(tokens(chunk["text"])) for chunk in item["chunks"]]


def test_a_request_has_its_own_size() -> None:
    spider = spider_for(SITE, meta={"semtext": {"chunks": {"words": 50}}})
    small = crawl(SITE, spider, {**REAL_EXTRACTOR, **FIELD}).items
    assert max(sizes(small)) <= 50 < max(sizes(crawl(SITE, settings={**REAL_EXTRACTOR, **FIELD}).items))


@pytest.mark.parametrize("settings", [{}, {"SEMTEXT_FIELDS": {"chunks": "parts", "title": "name"}}])
def test_a_feed_of_chunks(settings: dict[str, Any], tmp_path: Path) -> None:
    feed = tmp_path / "chunks.jsonl"
    crawl(
        SITE, settings={**REAL_EXTRACTOR, **settings, "FEEDS": {feed: {"format": "semtext-chunks", "encoding": "utf8"}}}
    )
    rows = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    assert [row["position"] for row in rows] == [0, 1]
    expected = "chunk_id url title position headings text size kind oversize start end".split()
    assert [name for name in rows[0] if name in expected] == expected
    assert (rows[1]["url"], rows[1]["title"]) == (f"{GUIDE}#steel", "Knives of the kitchen")


@pytest.mark.parametrize("settings", [{"SEMTEXT_FIELDS": {"title": "title"}}, {"SEMTEXT_OPTIONS": {"chunks": False}}])
def test_a_feed_without_chunks_is_refused(settings: dict[str, Any]) -> None:
    feeds = {"chunks.jsonl": {"format": "semtext-chunks"}}
    with pytest.raises(SettingsError, match=r"FEEDS has chunks\.jsonl in the format semtext-chunks, but items have no"):
        check_feeds(Settings({**settings, "FEEDS": feeds}))


ON = {"SEMTEXT_EXTRACTOR": SiteExtractor, "SEMTEXT_SITE_TEMPLATES": True}


def site_of_threads(*numbers: int) -> dict[str, Answer]:
    return {url_of(number): Answer(site_page(number).encode()) for number in numbers}


def test_pages_that_come_later_lose_what_the_site_repeats() -> None:
    done = crawl(site_of_threads(*range(12)), settings=ON)
    texts = {item["url"]: item["main_text"] for item in done.items}
    assert all(text_of(number) in texts[url_of(number)] for number in range(12))
    assert sum(BANNER in text for text in texts.values()) == 2


def test_a_request_can_do_without() -> None:
    pages = site_of_threads(*range(6))
    done = crawl(pages, spider_for(pages, meta={"semtext": {"templates": False}}), ON)
    assert all(BANNER in item["main_text"] for item in done.items)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"SEMTEXT_SITE_TEMPLATES": True}, "FakeExtractor does not support site templates"),
        ({**ON, "SEMTEXT_SITE_TEMPLATES": "perhaps"}, "it has to be True or False"),
    ],
)
def test_what_cannot_work_stops_the_crawl_at_its_start(settings: dict[str, Any], message: str) -> None:
    from scrapy_semtext.middlewares import SemtextDownloaderMiddleware

    with pytest.raises(SettingsError, match=message):
        SemtextDownloaderMiddleware.from_crawler(crawler_for({}, settings=settings))


OVERVIEWS = {f"{URL}list": Answer(b"<p>LIST"), f"{URL}story": Answer(b"<p>A story")}


class Lists(FakeExtractor):
    """Classifies pages that contain LIST as overviews."""

    def read(self, source: Source) -> Page:
        page = super().read(source)
        page.is_overview = "LIST" in source.html
        page.overview_probability = 0.8 if page.is_overview else 0.1
        return page


DROPPING = {"SEMTEXT_OPTIONS": {"drop_overview": True}, "SEMTEXT_EXTRACTOR": Lists}


def test_items_of_overviews_are_dropped_and_counted() -> None:
    result = crawl(OVERVIEWS, settings=DROPPING)
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
    result = crawl(OVERVIEWS, spider_for(OVERVIEWS, meta={"semtext": meta}), settings=settings)
    assert len(result.items) == items
    assert result.count("meta_invalid") == 0


def test_pairs_of_overviews_are_no_items_either() -> None:
    result = crawl(OVERVIEWS, settings=DROPPING | {"SEMTEXT_QA": {"item_per_pair": True}})
    assert result.count("items/dropped/overview") == 1
    assert len(result.items) == 1
