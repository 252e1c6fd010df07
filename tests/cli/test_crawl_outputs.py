"""The output of `semtext crawl`."""

from __future__ import annotations

import argparse
import csv
import json
from typing import TYPE_CHECKING, Any

import pytest
from generated_sites import THREADS, forum, posts_of, question_of, serving
from harvesting import crawl

from scrapy_semtext.cli.crawl import Harvested, add_arguments, settings_of, write_items
from scrapy_semtext.cli.row_files import target_of
from scrapy_semtext.spiders import SiteSpider

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [{"question": "How?", "answer": answer} for answer in ("Slowly.", "Soon.")]
ITEMS: list[dict[str, Any]] = [
    {
        "url": f"http://site.test/{name}",
        "title": name,
        "main_text": "Mix.\nBake.",
        "page_kind": kind,
        "qa_pairs": PAIRS if kind == "forum" else [],
        "comments": [],
    }
    for name, kind in (("bread", "article"), ("rolls", "forum"))
]


def written(name: str, folder: Path, *options: str) -> Path:
    """Write the items to a file, and return its path."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = parser.parse_args(["http://site.test/", "-o", str(folder / name), *options])
    write_items(iter(ITEMS), target_of(arguments), arguments)
    return folder / name


def test_tables_have_a_row_for_each_item_unless_rows_says_otherwise(tmp_path: Path) -> None:
    with written("items.csv", tmp_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["url"] for row in rows] == [item["url"] for item in ITEMS]
    assert json.loads(rows[1]["qa_pairs"]) == PAIRS
    pairs = written("pairs.csv", tmp_path, "--rows", "pairs").read_text(encoding="utf-8").splitlines()
    assert len(pairs) == 1 + len(PAIRS)


def test_items_are_counted_by_host_without_those_of_an_earlier_crawl() -> None:
    harvested = Harvested()
    items = [*ITEMS, {**ITEMS[0], "url": "http://b.test/"}, {**ITEMS[0], "page_kind": None}]
    kept = list(harvested.counted(items, {"http://b.test/"}))
    assert [item["url"] for item in kept] == [ITEMS[0]["url"], ITEMS[1]["url"], ITEMS[0]["url"]]
    assert harvested.items == {"site.test": 3}
    assert harvested.pairs == {"site.test": 2}


def test_items_without_pairs_are_left_out_where_pairs_are_asked_for() -> None:
    harvested = Harvested(only_pairs=True)
    assert list(harvested.counted(ITEMS)) == [ITEMS[1]]
    assert (harvested.items, harvested.left_out) == ({"site.test": 1}, {"article": [ITEMS[0]["url"]]})


OPTIONS = 'SEMTEXT_OPTIONS={"x": 1}'


def test_settings_of_the_command_line_win_over_those_of_the_spider() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    given = ["-s", "USER_AGENT=me", "-s", "DOWNLOAD_DELAY=0.5", "-s", "AUTOTHROTTLE_ENABLED=0", "-s", OPTIONS]
    arguments = parser.parse_args(["http://site.test/", "-o", "out.jsonl", *given])
    settings = settings_of(arguments, target_of(arguments))
    SiteSpider.update_settings(settings)
    assert (settings["USER_AGENT"], settings.getfloat("DOWNLOAD_DELAY")) == ("me", 0.5)
    assert not settings.getbool("AUTOTHROTTLE_ENABLED")
    assert settings.getdict("SEMTEXT_OPTIONS") == {"x": 1, "records": True}


@pytest.mark.slow
@pytest.mark.crawl
def test_chunks_of_a_thread_are_those_of_all_its_pages(tmp_path: Path) -> None:
    with serving(forum()) as site:
        rows, _ = crawl(site.url, tmp_path / "c.jsonl", "--qa", "--to", "chunks")
    for number in range(THREADS):
        own = [row for row in rows if row["title"] == question_of(number)]
        assert [row["position"] for row in own] == list(range(len(own)))
        text = "".join("".join(row["text"].split()) for row in own)
        assert all("".join(post.split()) in text for post in posts_of(number))
