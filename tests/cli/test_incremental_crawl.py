"""Crawls that harvest only new items."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from generated_sites import ARTICLES, blog, serving
from harvesting import crawl, lines_of, paths, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

STORIES = sorted(path for path in blog() if "story" in path)


def test_what_out_holds_is_not_fetched_again_and_new_items_are_appended(tmp_path: Path) -> None:
    pages = blog()
    late = [path for path in pages if "story-of-number-17" in path or "story-of-number-3/" in path]
    held_back = {path: pages.pop(path) for path in late}
    output = tmp_path / "blog.jsonl"
    with serving(pages) as site:
        crawl(site.url, output, "--incremental")
        first = output.read_bytes()
        pages |= held_back
        site.hits.clear()
        items, printed = crawl(site.url, output, "--incremental")
        assert paths(items) == STORIES
        assert output.read_bytes().startswith(first)
        assert site.count("/202") <= len(late) + 3  # these and the archives of three years
    assert f"{len(late)} items" in printed
    assert f"{ARTICLES - len(late)} known" in printed


def test_chunks_are_appended_to_a_compressed_file(tmp_path: Path) -> None:
    output = tmp_path / "chunks.jsonl.gz"
    with serving(blog()) as site:
        given = (site.url, "-o", str(output), "--articles", "--to", "chunks", "--incremental")
        run(*given, "--max-items", "4")
        run(*given)
    (tmp_path / "chunks.jsonl").write_bytes(gzip.decompress(output.read_bytes()))
    rows = lines_of(tmp_path / "chunks.jsonl")
    assert sorted(set(paths(rows))) == STORIES
    assert len({(row["url"], row["position"]) for row in rows}) == len(rows)


def test_a_file_without_addresses_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "pairs.jsonl"
    for line in ('{"messages": []}', "[" * 100_000):
        output.write_text(f"{line}\n", encoding="utf-8")
        printed = run("http://site.test/", "-o", str(output), "--incremental", status=1)
        assert f"line 1 of {output} is neither" in printed


def test_what_cannot_be_appended_to_is_not_replaced(tmp_path: Path) -> None:
    output = tmp_path / "items.csv"
    output.write_text("mine", encoding="utf-8")
    printed = run("http://site.test/", "-o", str(output), "--incremental", "--job", str(tmp_path / "job"), status=1)
    assert "new items cannot be appended to it" in printed
    assert output.read_text(encoding="utf-8") == "mine"
