"""`semtext crawl` on small sites whose content is known: all of it, and new items alone."""

from __future__ import annotations

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
    serving,
    trap,
)
from harvesting import crawl, paths, run

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
        (("http://site.test/", "-o", "OUT", "--incremental"), "--incremental needs the --job"),
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
