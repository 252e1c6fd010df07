"""Crawls of sites where some pages need a browser."""

from __future__ import annotations

import json
import os
import shutil
import time
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from generated_sites import SCRIPTED, paragraphs_of, scripted, serving
from harvesting import crawl, paths, run
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_semtext.integration.spiders.browser import enable_rendering

if TYPE_CHECKING:
    from pathlib import Path

    from generated_sites import Answer

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NOTES = [path for path in scripted() if path.startswith("/notes/")]
STORIES = [path for path in scripted() if path.startswith("/stories/")]


def browser(path: str = CHROMIUM or "") -> tuple[str, str]:
    options = {"executable_path": path, "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
    return "-s", f"PLAYWRIGHT_LAUNCH_OPTIONS={json.dumps(options)}"


@pytest.fixture
def _needs_browser() -> None:
    pytest.importorskip("scrapy_playwright")
    if CHROMIUM is None:
        if os.environ.get("SEMTEXT_REQUIRE_BROWSER"):
            pytest.fail("no Chromium is installed")
        pytest.skip("no Chromium is installed")


@pytest.mark.usefixtures("_needs_browser")
def test_only_pages_that_hold_too_little_are_rendered(tmp_path: Path) -> None:
    with serving(scripted()) as site:
        items, printed = crawl(site.url, tmp_path / "out.jsonl", "--articles", "--render", "auto", *browser())
        assert paths(items) == sorted([*NOTES, *STORIES])
        assert site.count("/seen/notes/") == 0
        assert site.count("/seen/stories/") == SCRIPTED
        plain = sum(site.hits[path] for path in STORIES) - SCRIPTED
        assert plain < SCRIPTED, "after the first pages of the pattern, stories are rendered at once"
        assert 1 <= site.count("/seen/empty/") <= 3, "that rendering brings nothing is noticed"
    for item in items:
        path = urlsplit(item["url"]).path
        assert [line for line in item["main_text"].splitlines() if len(line) > 60] == paragraphs_of(path)
    assert f"{SCRIPTED} of which had content" in printed


@pytest.mark.usefixtures("_needs_browser")
def test_all_pages_are_rendered_where_that_is_asked_for(tmp_path: Path) -> None:
    with serving(scripted()) as site:
        given = ("--articles", "--render", "always", "--max-items", "3", *browser())
        items, _ = crawl(site.url, tmp_path / "out.jsonl", *given)
        assert len(items) >= 3
        fetched = {urlsplit(item["url"]).path for item in items}
        assert all(site.count(f"/seen{path}") for path in fetched)


def test_without_a_browser_the_pages_are_used_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("scrapy_playwright")
    short = f"<h1>Short</h1><p>{paragraphs_of('short')[0][:150]}</p><script>go()</script>"
    with serving(scripted() | {STORIES[0]: lambda _: short}) as site:
        options = ("--articles", "--render", "auto", *browser("/there/is/no/browser"))
        items, _ = crawl(site.url, tmp_path / "out.jsonl", *options)
    assert paths(items) == sorted([*NOTES, STORIES[0]])
    log = (tmp_path / "out.log").read_text(encoding="utf-8")
    assert f"'semtext/items/filled': {len(items)}" in log
    assert "semtext/items/without_page" not in log
    assert log.count("WARNING: http://127") == 1
    assert "could not be rendered: BrowserType.launch" in log


def test_the_handler_of_scrapy_playwright_is_replaced_but_no_other_one() -> None:
    pytest.importorskip("scrapy_playwright")
    own = {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler", "https": None, "ftp": "own.Handler"}
    settings = Settings({"DOWNLOAD_HANDLERS": own})
    enable_rendering(settings)
    handlers = settings.getdict("DOWNLOAD_HANDLERS")
    assert load_object(handlers.pop("http")).__name__ == "RenderingHandler"
    assert handlers == {"https": None, "ftp": "own.Handler"}


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    hidden = (
        "import sys; sys.modules['scrapy_playwright'] = None; from scrapy_semtext.cli import main; sys.exit(main())"
    )
    printed = run("http://site.test/", "-o", "out.jsonl", "--render", "auto", status=1, folder=tmp_path, code=hidden)
    assert "pip install 'scrapy-semtext[render]'" in printed


_SECRET = "The key of the internal host is in this paragraph, which is long enough to be an article. " * 9
_HOSTILE = [
    "setTimeout(() => { while (true); }, 50)",
    "setInterval(() => open('/popup'), 200)",
    "open('/popup?to=SECRET')",
    "setInterval(() => location = 'SECRET', 300)",
]


def _popup(query: dict[str, str]) -> str:
    return f"<script>setInterval(() => opener.location = '{query['to']}', 300)</script>" if query else "<p>Look!"


def _with_script(answer: Answer, script: str, query: dict[str, str]) -> str:
    return f"{answer(query)}<script>onload = () => {{ {script} }}</script>"


@pytest.mark.usefixtures("_needs_browser")
def test_hostile_scripts_neither_stop_a_crawl_nor_bring_other_hosts_into_it(tmp_path: Path) -> None:
    stuck, *others = NOTES[:5]
    with serving({"/": lambda _: f"<p>{_SECRET}</p>"}) as internal:
        site = {path: scripted()[path] for path in (stuck, *others)}
        for path, script in zip(NOTES, _HOSTILE, strict=False):
            hostile = script.replace("SECRET", internal.url.replace("127.0.0.1", "localhost"))
            site[path] = partial(_with_script, site[path], hostile)
        listed = "".join(f"<li><a href={path}>A note to read</a></li>" for path in site)
        with serving(site | {"/": lambda _: f"<ul>{listed}</ul>", "/popup": _popup}) as served:
            given = ("--render", "always", "--max-time", "60", "-s", "DOWNLOAD_TIMEOUT=15", *browser())
            items, printed = crawl(served.url, tmp_path / "out.jsonl", *given)
    assert {*others} <= {*paths(items)}, printed
    assert stuck not in paths(items)
    assert _SECRET[:40] not in json.dumps(items)
    assert "ended: finished" in printed
    assert "1 page could not be rendered" in printed


@pytest.mark.usefixtures("_needs_browser")
def test_a_page_that_never_ends_is_stopped_at_the_end_of_the_crawl_and_left_to_its_next_run(tmp_path: Path) -> None:
    given = ("--render", "always", "--job", str(tmp_path / "job"), *browser())
    answers = scripted()
    start = answers["/"]
    answers["/"] = partial(_with_script, start, "setTimeout(() => { while (true); })")
    with serving(answers) as site:
        began = time.monotonic()
        items, printed = crawl(site.url, tmp_path / "out.jsonl", "--max-time", "8", *given)
        assert time.monotonic() - began < 60
        assert not items
        assert "1 page could not be rendered" in printed
        answers["/"] = start
        items, _ = crawl(site.url, tmp_path / "out.jsonl", "--max-items", "1", *given)
    assert items
