"""`semtext crawl` on small sites whose content is known."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from generated_sites import ARTICLES, THREADS, TOPICS, blog, docs, forum, posts_of, question_of, serving, trap

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "scrapy_semtext", "crawl", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def crawl(url: str, output: Path, *arguments: str) -> tuple[list[Any], str]:
    """Return the lines of the output, and what was printed."""
    given = command(url, "-o", str(output), "--log", str(output.with_suffix(".log")), *arguments)
    done = subprocess.run(given, check=False, capture_output=True, text=True, env=environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()], done.stderr


def paths(items: list[Any]) -> list[str]:
    return sorted(urlsplit(item["url"]).path for item in items)


def test_all_articles_of_a_blog_and_few_other_pages(tmp_path: Path) -> None:
    with serving(blog()) as site:
        items, printed = crawl(site.url, tmp_path / "blog.jsonl")
        assert paths(items) == sorted(path for path in blog() if "story" in path)
        assert site.count() <= 1.6 * (ARTICLES + 4)  # of so small a site, the tags and the archive are a larger share
        assert not site.count("/login")
        assert not site.count("/register")
    assert f"{ARTICLES} items" in printed


def test_articles_as_a_folder_of_markdown(tmp_path: Path) -> None:
    with serving(blog()) as site:
        given = command(site.url, "-o", str(tmp_path / "posts"), "--articles", "--to", "markdown-folder")
        done = subprocess.run(given, check=False, capture_output=True, text=True, env=environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "posts").iterdir())
    assert len(files) == ARTICLES
    assert "\n# Story of number 0\n" in files[0].read_text(encoding="utf-8")


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
        given = command(site.url, "-o", str(folder), "--docs", "--to", "markdown-folder")
        subprocess.run(given, check=True, env=environment(), timeout=120, capture_output=True)
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


def test_a_job_that_is_killed_goes_on_without_losing_or_doubling_an_item(tmp_path: Path) -> None:
    output, job = tmp_path / "blog.jsonl", tmp_path / "job"
    given = command("URL", "-o", str(output), "--job", str(job), "--delay", "0.15")
    with serving(blog()) as site:
        given[given.index("URL")] = site.url
        with subprocess.Popen(given, env=environment(), stderr=subprocess.DEVNULL, start_new_session=True) as process:
            until = time.monotonic() + 60
            while site.count("/202") < 8 and time.monotonic() < until:
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGKILL)
        assert not output.exists()
        before = site.hits.copy()
        items, _ = crawl(site.url, output, "--job", str(job))
        assert paths(items) == sorted(path for path in blog() if "story" in path)
        fetched_again = [
            path for path, count in (site.hits - before).items() if before[path] and "story" in path and count
        ]
        assert len(fetched_again) <= 8  # those that were being fetched


def test_an_incremental_crawl_gives_new_items_alone(tmp_path: Path) -> None:
    pages = blog()
    late = [path for path in pages if "story-of-number-17" in path or "story-of-number-3/" in path]
    held_back = {path: pages.pop(path) for path in late}
    with serving(pages) as site:
        job = ("--job", str(tmp_path / "job"))
        items, _ = crawl(site.url, tmp_path / "first.jsonl", *job)
        assert len(items) == ARTICLES - len(late)
        pages |= held_back
        site.hits.clear()
        items, _ = crawl(site.url, tmp_path / "second.jsonl", *job, "--incremental")
        assert paths(items) == sorted(late)
        assert site.count("/202") < ARTICLES


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("example.com", "-o", "OUT"), "'example.com' is no address"),
        (("-o", "OUT"), "there is no address to start from"),
        (("http://site.test/", "-o", "OUT", "--allow", "("), "'(' is no regular expression"),
        (("http://site.test/", "-o", "OUT", "--incremental"), "--incremental needs the --job"),
        (("http://site.test/", "-o", "missing/out.jsonl"), "there is no such folder"),
    ],
)
def test_wrong_arguments_are_told_before_the_crawl(arguments: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    given = command(*(each.replace("OUT", str(tmp_path / "out.jsonl")) for each in arguments))
    done = subprocess.run(
        given, check=False, capture_output=True, text=True, env=environment(), timeout=60, cwd=tmp_path
    )
    assert done.returncode == 1
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
