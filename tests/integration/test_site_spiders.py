"""The spiders that harvest whole sites, in a project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest
from crawling import Answer, FakeExtractor, crawler_for
from event_loop import run_async
from example.bundled import bundled_pages
from generated_sites import (
    ARTICLES,
    SUBJECTS,
    TOPICS,
    as_diary,
    blog,
    docs,
    forum,
    paragraphs_of,
    posts_of,
    serving,
    wiki,
    with_related,
)
from pydantic import ValidationError
from scrapy import signals
from scrapy_spider_metadata import get_spider_metadata

from scrapy_semtext import Options, QAPair
from scrapy_semtext.extractor import Extractor
from scrapy_semtext.spiders import ArticleSpider, DocumentationSpider, QASpider, SiteItem, SiteParameters, SiteSpider

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from generated_sites import Answer as Page

    from scrapy_semtext import Page as ReadPage
    from scrapy_semtext import Source

STORIES = {f"http://site.test{path}" for path in blog() if "story" in path}
HOME, PLANTS = "http://site.test/", "ash beech cherry dill elder fennel ginkgo hazel ivy".split()
REAL = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}


def answers(*sites: tuple[str, dict[str, Page]]) -> dict[str, Answer]:
    """Return the pages of sites by their URLs."""
    queries = {"": {}, "?page=2": {"page": "2"}}
    return {
        f"http://{host}{path}{query}": Answer((answer(values) or "").encode())
        for host, site in sites
        for path, answer in site.items()
        for query, values in queries.items()
    }


def harvest(
    spider: type[SiteSpider], site: dict[str, Answer], settings: dict[str, Any] | None = None, **arguments: Any
) -> tuple[list[Any], dict[str, Any]]:
    """Run a spider; return its items and stats."""
    at_once = {**(spider.custom_settings or {}), "AUTOTHROTTLE_ENABLED": False}
    crawler = crawler_for(site, type(spider.__name__, (spider,), {"custom_settings": at_once}), REAL | (settings or {}))
    items: list[Any] = []

    def keep(item: Any) -> None:
        items.append(item)

    crawler.signals.connect(keep, signal=signals.item_scraped)
    run_async(crawler.crawl_async(**arguments))
    return items, crawler.stats.get_stats()


@pytest.mark.slow
@pytest.mark.crawl
def test_articles_of_two_sites_given_as_text() -> None:
    site = answers(("site.test", blog()), ("questions.test", forum()))
    items, stats = harvest(ArticleSpider, site, urls="http://site.test/, http://questions.test/", max_items="100")
    assert {item["url"] for item in items} >= STORIES
    assert len(items) == len({item["url"] for item in items})
    assert all(item["main_text"] for item in items)
    assert stats["semtext/crawl/item"] >= ARTICLES


def bundled() -> dict[str, Answer]:
    """The articles of the example, with a list of them."""
    articles = (page for page in bundled_pages().values() if page.kind == "article")
    pages = {f"http://site.test{page.path}": Answer(page.html().encode()) for page in articles}
    links = "".join(f"<li><a href='{url}'>{place}</a></li>" for place, url in enumerate(pages))
    return {"http://site.test/": Answer(f"<title>Contents</title><ul>{links}</ul>".encode()), **pages}


SAME = ("title", "main_text", "page_kind", "qa_pairs", "comments")
BLOGS: dict[str, Callable[[], dict[str, Page]]] = {
    "related": lambda: blog(with_related),
    "diary": lambda: blog(as_diary),
}


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("name", [*BLOGS, "bundled"])
def test_an_article_is_read_as_its_page_is_by_itself(name: str) -> None:
    site = bundled() if name == "bundled" else answers(("site.test", BLOGS[name]()))
    settings = {"SEMTEXT_FIELDS": [*SAME]}
    items, _ = harvest(SiteSpider, site, settings, urls="http://site.test/")
    found = {item["url"]: item for item in items}
    articles = re.compile("pages/" if name == "bundled" else r"story[^?]*$")
    assert found.keys() == {url for url in site if articles.search(url)}
    extractor = Extractor.load(options=Options(records=True))
    for url, item in found.items():
        alone = extractor.read(site[url].body, url, content_type="text/html; charset=utf-8").values(SAME)
        same = {result: alone[result] for result in item.keys() & alone.keys()}
        assert dict(item) == {"url": url, **same}
        assert not any(alone[result] for result in alone.keys() - same.keys())


class Doubtful(FakeExtractor):
    """Reads pages with a list of pairs as threads, probably, and others as articles without pairs."""

    def read(self, source: Source) -> ReadPage:
        page, is_thread = super().read(source), "PAIRS" in source.html
        kind = ("forum", 0.8) if is_thread else ("article", 0.9)
        pairs = page.qa_pairs if is_thread else []
        return replace(page, qa_pairs=pairs, page_kind=kind[0], page_kind_probability=kind[1])


def posts_on(names: Sequence[str]) -> dict[str, Answer]:
    """Return a site of posts, those with these names with comments, and their list."""
    pair = asdict(QAPair("Post", "Thank you all!", author="Ann", date="2024-05-01"))
    behind = f"<p>Thank you all!</p><p>Agreed.</p><!--PAIRS {json.dumps([pair])}-->"
    site = {
        f"{HOME}posts/notes-on-{name}/": f"<title>Notes on {name}</title>"
        f"<p>What is {f'said of {name} and ' * 9}known.</p>{behind * (name in names)}"
        for name in PLANTS
    }
    links = "".join(f"<li><h2><a href='{url}'>Notes on {url[29:-1]}</a></h2></li>" for url in site)
    pages = {HOME: f"<title>Posts</title><ul>{links}</ul>", **site}
    return {url: Answer(f"<html>{page}</html>".encode()) for url, page in pages.items()}


@pytest.mark.crawl
@pytest.mark.parametrize(("names", "is_blog"), [(PLANTS[::4], True), (PLANTS[2:], False)])
def test_a_thread_among_articles_is_an_article_with_comments(
    names: Sequence[str], is_blog: bool, tmp_path: Path
) -> None:
    site, others = posts_on(names), {*PLANTS} - {*names}
    fields = {"SEMTEXT_EXTRACTOR": Doubtful, "SEMTEXT_FIELDS": ["title", "main_text", "comments", "page_kind"]}
    given: dict[str, Any] = {"urls": HOME, "sitemaps": False}
    items, stats = harvest(ArticleSpider, site, fields, **given)
    found = {item["title"].removeprefix("Notes on "): item for item in items}
    assert found.keys() == ({*PLANTS} if is_blog else others)
    assert len(items) == len(found)
    assert stats.get("semtext/crawl/unwanted/forum", 0) == (0 if is_blog else len(names))
    for name in names if is_blog else ():
        assert found[name]["page_kind"] == "article"
        assert found[name]["main_text"].endswith(" known.")
        assert [(each["text"], each["author"]) for each in found[name]["comments"]] == [("Thank you all!", "Ann")]
    job = {**fields, "JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 1}
    before, stats = harvest(ArticleSpider, site, {**job, "CLOSESPIDER_PAGECOUNT": 6}, **given)
    assert stats["semtext/crawl/addresses/left"] > 0
    after, _ = harvest(ArticleSpider, site, job, **given)
    assert sorted(map(str, before + after)) == sorted(map(str, items))
    assert harvest(ArticleSpider, site, job, **given)[0] == []


@pytest.mark.slow
@pytest.mark.crawl
def test_a_subclass_chooses_pages_and_adds_fields() -> None:
    class Spring(ArticleSpider):
        def is_wanted(self, page: ReadPage) -> bool:
            return "/03/" in (page.url or "")

        def make_item(self, page: ReadPage) -> SiteItem:
            return SiteItem(url=page.url, blog="stories")

    items, stats = harvest(Spring, answers(("site.test", blog())), urls=["http://site.test/"])
    assert {item["url"] for item in items} == {url for url in STORIES if "/03/" in url}
    assert {item["blog"] for item in items} == {"stories"}
    assert stats["item_scraped_count"] == len(items)


@pytest.mark.slow
@pytest.mark.crawl
def test_what_a_wiki_has_for_each_of_its_pages_is_no_item() -> None:
    items, stats = harvest(SiteSpider, answers(("site.test", wiki())), urls="http://site.test/wiki/Portal")
    paths = [item["url"].removeprefix("http://site.test/wiki/") for item in items]
    assert len([path for path in paths if path.startswith("About_")]) == SUBJECTS
    assert len(paths) <= SUBJECTS + 2
    assert stats["semtext/crawl/addresses/left"] >= 2 * SUBJECTS


@pytest.mark.slow
@pytest.mark.crawl
def test_robots_txt_is_obeyed_by_all_requests_that_wait_for_it() -> None:
    site = answers(("site.test", forum()))
    site["http://site.test/robots.txt"] = Answer(b"User-agent: *\nDisallow: /thread/", headers={})
    threads = [f"http://site.test/thread/{number}/" for number in range(6)]
    items, stats = harvest(QASpider, site, urls=["http://site.test/", *threads], strategy="given")
    assert items == []
    assert stats["robotstxt/forbidden"] == len(threads)


NO_SECOND_PAGES: dict[str, Callable[[dict[str, Answer]], object]] = {
    "missing": lambda site: [site.pop(url) for url in [*site] if "page=2" in url],
    "forbidden": lambda site: site.update(
        {"http://site.test/robots.txt": Answer(b"User-agent: *\nDisallow: /*page=2", headers={})}
    ),
    "no page": lambda site: site.update({url: Answer(b"") for url in site if "page=2" in url}),
}


@pytest.mark.slow
@pytest.mark.crawl
@pytest.mark.parametrize("failure", NO_SECOND_PAGES)
def test_a_thread_without_its_second_page_is_filtered_as_others_are(failure: str) -> None:
    site, long = answers(("site.test", forum())), len(posts_of(0)[1])
    NO_SECOND_PAGES[failure](site)
    given: dict[str, Any] = {"urls": "http://site.test/thread/0/", "strategy": "given"}
    (item,), stats = harvest(QASpider, site, {"SEMTEXT_QA": {"min_answer": long}}, **given)
    kept = [post for post in posts_of(0)[1:4] if len(post) >= long]
    assert [pair["answer"] for pair in item["qa_pairs"]] == kept
    assert (stats["semtext/pairs"], stats["semtext/pairs/kept"]) == (3, len(kept))
    assert stats["semtext/items/filled"] == 1
    pairs, _ = harvest(QASpider, site, {"SEMTEXT_QA": {"item_per_pair": True}}, **given)
    assert [pair["answer"] for pair in pairs] == posts_of(0)[1:4]


@pytest.mark.slow
@pytest.mark.crawl
def test_a_start_address_that_is_a_known_item_is_looked_at_for_its_links(tmp_path: Path) -> None:
    site = answers(("site.test", docs()))
    first = "http://site.test/docs/guide/topic-0.html"
    job = {"JOBDIR": str(tmp_path / "job")}
    items, _ = harvest(DocumentationSpider, site, job, urls=first)
    assert len(items) == TOPICS
    new = "http://site.test/docs/guide/topic-99.html"
    own = "".join(f"<p>{text}</p>" for text in paragraphs_of(new))
    site[new] = Answer(f"<title>Topic 99</title><main><h1>Topic 99</h1>{own}</main>".encode())
    site[first] = Answer(site[first].body.replace(b"<h2>", f'<a href="{new}">Topic 99</a><h2>'.encode(), 1))
    items, _ = harvest(DocumentationSpider, site, job, urls=first, incremental="true")
    assert [item["url"] for item in items] == [new]


def test_arguments_are_read_from_text() -> None:
    urls = "http://a.test/x,y, http://b.test/\nhttp://c.test/"
    read = SiteParameters.model_validate({"urls": urls, "deny": "/a/ /b/", "max_pages": "5"})
    assert read.urls == ["http://a.test/x,y", "http://b.test/", "http://c.test/"]
    assert (read.deny, read.max_pages) == (["/a/", "/b/"], 5)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "there is no URL"),
        ({"urls": ""}, "there is no URL"),
        ({"urls": "site.test"}, "'site.test' is not a URL"),
        ({"urls": "http://site.test:port/"}, "'http://site.test:port/' is not a URL"),
        ({"urls": "http://a.test/", "max_pages": "0"}, "greater than or equal to 1"),
        ({"urls": "http://a.test/", "maxpages": "5"}, "Extra inputs"),
        ({"urls": "http://a.test/", "strategy": "best"}, "'all', 'lists', 'next-pages' or 'given'"),
        ({"urls_file": "/there/is/none.txt"}, "cannot be read: No such file"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        SiteSpider(**arguments)


def test_the_schema_describes_all_arguments() -> None:
    described = get_spider_metadata(QASpider)
    assert described["title"] == "Questions"
    schema = described["param_schema"]
    assert json.dumps(schema["properties"]["strategy"])
    assert not schema.get("required")
    assert set(schema["properties"]) == set(SiteParameters.model_fields) >= {"urls", "urls_file"}
    for name, each in schema["properties"].items():
        assert each["title"], name
        assert each["description"], name
        assert "default" in each or each["type"] == "array", name


def test_incremental_needs_what_is_known() -> None:
    with pytest.raises(ValueError, match="incremental needs the JOBDIR"):
        harvest(SiteSpider, {}, urls="http://site.test/", incremental="1")


@pytest.mark.slow
@pytest.mark.crawl
def test_all_arguments_on_the_command_line_of_scrapy(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project.settings\n", encoding="utf-8")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "__init__.py").touch()
    settings = "SPIDER_MODULES = ['scrapy_semtext.spiders']\nAUTOTHROTTLE_ENABLED = False\nLOG_LEVEL = 'DEBUG'\n"
    (tmp_path / "project" / "settings.py").write_text(settings, encoding="utf-8")
    with serving(blog()) as site:
        (tmp_path / "urls.txt").write_text(f"{site.url}\n", encoding="utf-8")
        given = {
            "urls": site.url,
            "urls_file": "urls.txt",
            "max_pages": "60",
            "max_pages_per_site": "50",
            "max_items": "30",
            "max_thread_pages": "3",
            "allow": "127",
            "deny": "/login /register",
            "scope": "domain",
            "strategy": "all",
            "sitemaps": "false",
            "incremental": "true",
            "render": "never",
        }
        assert set(given) == set(SiteParameters.model_fields)
        arguments = [part for name, value in given.items() for part in ("-a", f"{name}={value}")]
        command = [
            sys.executable,
            "-m",
            "scrapy",
            "crawl",
            "articles",
            *arguments,
            "-s",
            "JOBDIR=job",
            "-O",
            "out.jsonl",
        ]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(tmp_path)])}
        done = subprocess.run(
            command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert not site.count("/login")
        assert not site.count("/sitemap.xml")
    items = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(items) == ARTICLES
    assert re.search(r"DEBUG: http://127\S+/page/2/: role next, probability 0\.\d+, pattern ", done.stderr)
