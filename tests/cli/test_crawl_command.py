"""`semtext crawl` on small sites whose content is known: all of it, and new items alone."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from generated_sites import (
    ARTICLES,
    THREADS,
    TOPICS,
    blog,
    docs,
    forum,
    posts_of,
    question_of,
    quoting_forum,
    serving,
    trap,
)
from harvesting import crawl, lines_of, paths, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


def test_all_articles_of_a_blog_and_few_other_pages(tmp_path: Path) -> None:
    with serving(blog()) as site:
        items, printed = crawl(site.url, tmp_path / "blog.jsonl")
        assert paths(items) == sorted(path for path in blog() if "story" in path)
        assert site.count() <= 1.6 * (ARTICLES + 4)  # of so small a site, the tags and the archive are a larger share
        assert not site.count("/login")
        assert not site.count("/register")
    assert f"{ARTICLES} items" in printed


def test_pairs_of_a_forum_as_conversations(tmp_path: Path) -> None:
    with serving(forum()) as site:
        lines, _ = crawl(site.url, tmp_path / "pairs.jsonl", "--qa", "--to", "messages")
        assert not site.count("/login")
    asked = {line["messages"][0]["content"].partition("\n")[0] for line in lines}
    assert asked == {question_of(number) for number in range(THREADS)}
    answers = [line["messages"][1]["content"] for line in lines]
    assert sorted(answers) == sorted(post for number in range(THREADS) for post in posts_of(number)[1:])


def test_threads_of_two_pages_are_one_item(tmp_path: Path) -> None:
    with serving(forum()) as site:
        items, _ = crawl(site.url, tmp_path / "threads.jsonl", "--qa")
        assert paths(items) == sorted(f"/thread/{number}/" for number in range(THREADS))
        assert site.hits["/thread/0/?page=2"] == 1
    by_path = {urlsplit(item["url"]).path: item for item in items}
    assert len(by_path["/thread/0/"]["qa_pairs"]) == len(posts_of(0)) - 1


def test_documentation_as_a_folder_of_markdown(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    with serving(docs()) as site:
        run(site.url, "-o", str(folder), "--docs", "--to", "markdown-folder")
    files = sorted(folder.glob("*.md"))
    assert len(files) == TOPICS
    text = files[0].read_text(encoding="utf-8")
    assert re.match(r'---\nurl: "http://127.0.0.1:\d+/docs/guide/topic-0.html"\ntitle: "Topic 0"\n', text)
    assert "## Step 1" in text
    assert "run --step 1" in text


def test_traps_are_left(tmp_path: Path) -> None:
    with serving(trap()) as site:
        items, _ = crawl(site.url, tmp_path / "trap.jsonl", "--max-pages", "1000")
        assert paths(items) == sorted(path for path in blog() if "story" in path)
        assert site.count() < 300
        assert site.count("/made/") + site.count("/events/") + site.count("/shop/") < 100


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("example.com", "-o", "OUT"), "'example.com' is not a URL"),
        (("-o", "OUT"), "there is no URL to start from"),
        (("http://site.test/", "-o", "OUT", "--allow", "("), "'(' is not a regular expression"),
        (("http://site.test/", "-o", "OUT", "--incremental", "--to", "messages"), "--incremental needs the --job"),
        (("http://site.test/", "-o", "OUT", "--to", "qa", "--rows", "chunks"), "--to qa and --rows chunks exclude"),
        (("http://site.test/", "-o", "OUT", "--to", "messages", "--rows", "chunks"), "--rows requires a file of rows"),
        (("http://site.test/", "-o", "OUT", "--overlap", "20"), "--tokenizer and --overlap go with --chunks"),
        (("http://site.test/", "-o", "missing/out.jsonl"), "there is no such folder"),
        (
            ("http://site.test/", "-o", "OUT", "-s", 'SEMTEXT_QA={"item_per_pair": true}'),
            "--to qa or --rows pairs write",
        ),
        (("http://site.test/", "-o", "out.txt"), "out.txt has an ending that is not known; these are: .jsonl"),
        (("http://site.test/", "-o", "out.html", "--to", "qa"), "its name is that of pages"),
    ],
)
def test_wrong_arguments_are_told_before_the_crawl(arguments: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    given = (each.replace("OUT", str(tmp_path / "out.jsonl")) for each in arguments)
    printed = run(*given, status=1, folder=tmp_path)
    assert reason in printed
    assert re.match(r"(usage|semtext crawl): ", printed), "nothing is logged before"
    assert "Traceback" not in printed


def test_a_site_that_cannot_be_reached_leaves_out_as_it_was(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("yesterday", encoding="utf-8")
    printed = run("http://127.0.0.1:9/", "-o", str(output), "-s", "RETRY_TIMES=0", status=1)
    assert printed == f"semtext crawl: no page could be fetched: 1 connection refused. {output} was not written.\n"
    assert output.read_text(encoding="utf-8") == "yesterday"


@pytest.mark.parametrize(("end", "status"), [("raise ValueError('broken')", 1), ("return", 0)])
def test_a_crawl_that_breaks_off_has_exit_status_1(end: str, status: int, tmp_path: Path) -> None:
    code = f"""
import sys
from scrapy_semtext.cli import main
from scrapy_semtext.spiders import SiteSpider
async def requests(self):
    {end}
    yield
SiteSpider._requests = requests
sys.exit(main(sys.argv[1:]))
"""
    printed = run("http://127.0.0.1:9/", "-o", str(tmp_path / "out.jsonl"), status=status, code=code)
    assert ("ended: start_error" in printed) == bool(status)


AT_ONCE = ("-s", "AUTOTHROTTLE_ENABLED=0")
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


@pytest.mark.parametrize("job", [(), ("--job", "job")])
def test_pairs_that_an_earlier_run_has_are_duplicates(job: tuple[str, ...], tmp_path: Path) -> None:
    pages = forum()
    with serving(pages) as site:
        given = (site.url, "--to", "qa", "--dedup", "--incremental", *job, *AT_ONCE)
        run(*given, "-o", "pairs.jsonl", folder=tmp_path)
        before = len(lines_of(tmp_path / "pairs.jsonl"))
        board, copied, added = pages["/board/baking/"]({}) or "", pages["/thread/2/"]({}) or "", posts_of(99)[0]
        pages["/thread/99/"] = lambda _: copied.replace(posts_of(2)[2], added)
        pages["/board/baking/"] = lambda _: board.replace("/thread/2/", "/thread/99/")
        printed = run(*given, "-o", "new.jsonl" if job else "pairs.jsonl", folder=tmp_path)
    rows = lines_of(tmp_path / "new.jsonl") if job else lines_of(tmp_path / "pairs.jsonl")[before:]
    assert [row["answer"] for row in rows] == [added]
    assert "1 pair left out (1 by duplicate)" in printed


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
