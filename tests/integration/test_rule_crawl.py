"""Rules for sites in whole crawls."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from crawling import Answer, FakeExtractor, crawl
from scrapy.settings import Settings

from scrapy_semtext.extractor import Options
from scrapy_semtext.integration.service import load_reader
from scrapy_semtext.integration.setting_values import SettingsError
from scrapy_semtext.integration.settings import SemtextSettings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.crawl, pytest.mark.slow]

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
