"""A page that takes too long, or has too many blocks, affects neither the crawl nor the other pages."""

from __future__ import annotations

import time

import pytest
from crawling import URL, Answer, crawl

from scrapy_semtext import Options, Source
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.limits import Limits, PageTimeoutError
from scrapy_semtext.reading import Reading, one_by_one
from scrapy_semtext.words.decoding import decoded

MANY = b"<html><title>Many</title>" + b"".join(b"<p class=c%d>Text." % number for number in range(60)) + b"</html>"
FIELDS = {"main_text": "main_text", "note": "note"}


def readings(seconds: float, *pages: str) -> list[Reading]:
    return [Reading(Source(page), Options(), Limits(seconds)) for page in pages]


def slow(reading: Reading) -> None:
    end = time.thread_time() + 0.06
    while reading.source.html == "slow" and time.thread_time() < end:
        pass


def test_a_page_that_was_slow_in_one_step_gets_no_further_one() -> None:
    batch = readings(0.05, "fast", "slow", "fast")
    one_by_one(batch, slow)
    assert [reading.error for reading in batch] == [None, None, None]
    one_by_one(batch, slow)
    assert [type(reading.error) for reading in batch] == [type(None), PageTimeoutError, type(None)]
    assert "0.1 seconds, more than 0.05" in str(batch[1].error)


@pytest.mark.crawl
def test_items_say_how_their_page_was_decoded() -> None:
    html = {"Content-Type": "text/html"}
    text = "<p>Канал открыли весной, и в городе было двести домов.</p>"
    site = {
        f"{URL}guessed": Answer(text.encode("cp1251"), headers=html),
        f"{URL}wrong": Answer(text.encode(), headers={"Content-Type": "text/html; charset=iso-8859-1"}),
        f"{URL}broken": Answer(text.encode() + b"\xff"),
        f"{URL}ascii": Answer(b"<p>The canal was opened in spring.</p>", headers=html),
    }
    result = crawl(site, settings={"SEMTEXT_FIELDS": FIELDS, "SEMTEXT_EXTRACTOR": None})
    items = {item["url"].removeprefix(URL): item for item in result.items}
    for name, answer in site.items():
        page = decoded(answer.body, answer.headers["Content-Type"])
        assert items[name.removeprefix(URL)]["main_text"] in page.text
        assert items[name.removeprefix(URL)].get("note") == page.note
    assert items["guessed"]["main_text"] == items["wrong"]["main_text"]
    assert "двести домов" in items["guessed"]["main_text"]
    assert items["wrong"]["note"] == "encoding: declared as cp1252, read as utf-8"
    assert result.count("notes/encoding") == result.count("notes/replaced") == 1


@pytest.mark.crawl
def test_items_say_what_was_skipped() -> None:
    site = {URL: Answer(), f"{URL}many": Answer(MANY), f"{URL}large": Answer(b"<p>x" * 3_000)}
    settings = {"SEMTEXT_EXTRACTOR": Extractor, "SEMTEXT_MAX_BLOCKS": 50, "SEMTEXT_MAX_BODY": 5_000}
    result = crawl(site, settings={**settings, "SEMTEXT_FIELDS": FIELDS, "SEMTEXT_DEVICE": "cpu"})
    items = {item["url"].removeprefix(URL): item for item in result.items}
    assert "flour" in items[""]["main_text"]
    assert "note" not in items[""]
    assert items["large"] == {"url": f"{URL}large", "note": "too_large"}
    assert items["many"] == {"url": f"{URL}many", "note": "too_many_blocks"}
    assert result.count("pages/skipped/too_large") == result.count("pages/skipped/too_many_blocks") == 1
    assert result.count("items/without_page") == 2
    assert result.count("queue_max") >= 1
    assert result.count("queue_bytes_max") >= len(MANY)


@pytest.mark.crawl
@pytest.mark.parametrize("processes", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_page_with_too_many_attributes_is_skipped_before_it_is_parsed(processes: int) -> None:
    body = f"<p {' '.join(f'a{number}' for number in range(100_000))}>x</p>".encode()
    settings = {"SEMTEXT_EXTRACTOR": Extractor, "SEMTEXT_DEVICE": "cpu", "SEMTEXT_PROCESSES": processes}
    begin = time.process_time()
    result = crawl({URL: Answer(body)}, settings={**settings, "SEMTEXT_FIELDS": FIELDS})
    assert time.process_time() - begin < 10
    assert result.items == [{"url": URL, "note": "too_many_attributes"}]
    assert result.count("pages/skipped/too_many_attributes") == 1
