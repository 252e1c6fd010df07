"""`semtext crawl --qa` on sites whose single pages leave much open."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from generated_sites import serving
from harvesting import crawl, lines_of, run
from template_sites import HOST, STYLES, forum, help_centre, pairs, questions, unsigned

from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from generated_sites import Answer, ServedSite

pytestmark = [pytest.mark.slow, pytest.mark.crawl]


def served(pages: dict[str, str]) -> AbstractContextManager[ServedSite]:
    return serving({path: _answer(html) for path, html in pages.items()})


def _answer(html: str) -> Answer:
    return lambda _: html


def found_in(items: list[Any]) -> list[tuple[str, str]]:
    """Return questions and answers, without signatures: those of the style "plain" are not told from posts."""
    return sorted((unsigned(pair["question"]), unsigned(pair["answer"])) for item in items for pair in item["qa_pairs"])


def threads_of(style: str) -> dict[str, str]:
    """Return the pages of the threads of a forum by URL."""
    return {f"{HOST}{path}": html for path, html in forum(style).items() if path.count("/") > 2}


@pytest.mark.parametrize("style", STYLES)
def test_all_pairs_of_a_small_forum_and_no_others(tmp_path: Path, style: str) -> None:
    with served(forum(style)) as site:
        items, _ = crawl(site.url, tmp_path / "pairs.jsonl", "--qa")
    assert found_in(items) == pairs()


def test_a_crawl_that_is_continued_gives_the_same(tmp_path: Path) -> None:
    with served(forum("plain")) as site:
        arguments = (site.url, "-o", str(tmp_path / "pairs.jsonl"), "--qa", "--job", str(tmp_path / "job"))
        run(*arguments, "--max-pages", "9")
        items, _ = crawl(site.url, tmp_path / "pairs.jsonl", *arguments[3:])
    assert found_in(items) == pairs()


def test_a_new_thread_is_read_as_those_of_the_crawl_before(tmp_path: Path) -> None:
    pages, new = forum("plain"), "/b/bread/83"
    row = re.compile(rf'<tr><td><a href="{new}">.*?</tr>')
    answers = {path: _answer(row.sub("", html)) for path, html in pages.items() if path != new}
    output = tmp_path / "pairs.jsonl"
    with serving(answers) as site:
        given = ("--qa", "--incremental", "--no-sitemaps", "--job", str(tmp_path / "job"))
        crawl(site.url, output, *given)
        answers |= {path: _answer(html) for path, html in pages.items()}
        items, printed = crawl(site.url, output, *given)
    assert printed.startswith("1 item, 3 pairs")
    assert found_in(items) == pairs()


def test_templates_are_asked_for_with_other_kinds(tmp_path: Path) -> None:
    with served(help_centre()) as site:
        alone, _ = crawl(site.url, tmp_path / "alone.jsonl", "--docs")
        items, _ = crawl(site.url, tmp_path / "shared.jsonl", "--docs", "--templates")
    assert {item["title"] for item in alone} == {"Post Office Help"}
    assert {item["title"] for item in items} >= {*questions()}


def test_files_are_read_with_what_they_teach(tmp_path: Path) -> None:
    pages, output = tmp_path / "pages.jsonl", tmp_path / "pairs.jsonl"
    rows = [{"url": url, "html": html} for url, html in threads_of("table").items()]
    pages.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    assert main(["batch", str(pages), str(output), "--site-templates"]) == 0
    assert found_in(lines_of(output)) == pairs()
