"""Crawls that harvest only new items."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from generated_sites import THREADS, blog, forum, posts_of, quoting_forum, serving
from harvesting import crawl, lines_of, paths, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

AT_ONCE = ("-s", "AUTOTHROTTLE_ENABLED=0")
STORIES = sorted(path for path in blog() if "story" in path)


def test_chunks_are_appended_to_a_compressed_file(tmp_path: Path) -> None:
    output = tmp_path / "chunks.jsonl.gz"
    with serving(blog()) as site:
        job = ("--incremental", "--job", str(tmp_path / "job"))
        given = (site.url, "-o", str(output), "--articles", "--to", "chunks", *job)
        run(*given, "--max-items", "4")
        run(*given)
    (tmp_path / "chunks.jsonl").write_bytes(gzip.decompress(output.read_bytes()))
    rows = lines_of(tmp_path / "chunks.jsonl")
    assert sorted(set(paths(rows))) == STORIES
    assert len({(row["url"], row["position"]) for row in rows}) == len(rows)


@pytest.mark.parametrize("new", [0, 2, 20])
def test_boards_that_were_taken_for_items_are_looked_at_for_new_threads(new: int, tmp_path: Path) -> None:
    output, pages = tmp_path / "out.jsonl", quoting_forum()
    with serving(pages) as site:
        given = ("--incremental", "--job", str(tmp_path / "job"), "--no-sitemaps", *AT_ONCE)
        first, _ = crawl(site.url, output, *given)
        assert paths(first)[:2] == ["/board/baking/", "/board/gardening/"]
        pages |= quoting_forum(THREADS + new)
        site.hits.clear()
        items, printed = crawl(site.url, output, *given)
        # robots.txt, the start, two boards; second pages of boards and threads as they have new threads or more posts
        assert site.count() <= {0: 4, 2: 9, 20: 37}[new]  # without the boards: 2, and no new threads
    assert items[: len(first)] == first
    assert paths(items[len(first) :]) == sorted(f"/thread/{number}/" for number in range(THREADS, THREADS + new))
    assert f"{new} items" in printed


def test_an_interrupted_round_goes_on_with_boards_that_were_taken_for_items(tmp_path: Path) -> None:
    output, pages = tmp_path / "out.jsonl", quoting_forum()
    with serving(pages) as site:
        given = ("--incremental", "--job", str(tmp_path / "job"), "--no-sitemaps", *AT_ONCE)
        first, _ = crawl(site.url, output, *given)
        pages |= quoting_forum(THREADS + 20)
        for most in (1, 2, 5, 100):
            items, _ = crawl(site.url, output, *given, "--max-pages", str(most))
    assert paths(items) == sorted({*paths(first), *(f"/thread/{number}/" for number in range(THREADS + 20))})


def test_pairs_that_an_earlier_run_has_are_duplicates(tmp_path: Path) -> None:
    pages = forum()
    with serving(pages) as site:
        given = (site.url, "--to", "qa", "--dedup", "--incremental", "--job", "job", *AT_ONCE)
        run(*given, "-o", "pairs.jsonl", folder=tmp_path)
        board, copied, added = pages["/board/baking/"]({}) or "", pages["/thread/2/"]({}) or "", posts_of(99)[0]
        pages["/thread/99/"] = lambda _: copied.replace(posts_of(2)[2], added)
        pages["/board/baking/"] = lambda _: board.replace("/thread/2/", "/thread/99/")
        printed = run(*given, "-o", "new.jsonl", folder=tmp_path)
    assert [row["answer"] for row in lines_of(tmp_path / "new.jsonl")] == [added]
    assert "1 pair left out (1 by duplicate)" in printed


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("items.csv", "mine", "it is not JSON lines"),
        ("chat.jsonl", '{"messages": []}\n', "'url'"),
        ("deep.jsonl", "[" * 100_000, "cannot be appended"),
    ],
)
def test_what_cannot_be_appended_to_is_not_replaced(name: str, content: str, reason: str, tmp_path: Path) -> None:
    output = tmp_path / name
    output.write_text(content, encoding="utf-8")
    printed = run("http://site.test/", "-o", str(output), "--incremental", "--job", str(tmp_path / "job"), status=1)
    assert "New items cannot be appended to" in printed
    assert reason in printed
    assert output.read_text(encoding="utf-8") == content
