"""Metadata of pages: author, date, language, site and description, each with its source."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scrapy_semtext.page import Page
from scrapy_semtext.read.metadata import Metadata, metadata_of
from scrapy_semtext.results import METADATA
from scrapy_semtext.tree.parsing import parse

GERMAN = (
    "Ein stumpfes Messer rutscht ab, und so verletzen sich die meisten Leute in der Küche. Der Stein muss nass sein."
)


def read(html: str, text: str = "", *, markup: bool = True) -> Metadata:
    pytest.importorskip("py3langid")
    return metadata_of(parse(html), text, "https://knives.example/how-to", stated=None if markup else [])


@pytest.mark.smoke
def test_schema_org_goes_before_meta_elements() -> None:
    html = """<script type="application/ld+json">{"@graph": [
      {"@type": "BlogPosting", "author": {"@id": "#ann"}, "datePublished": "2024-03-05T10:00:00+01:00"},
      {"@type": "Person", "@id": "#ann", "name": "Ann Richardson"}, {"@type": "WebSite", "name": "Knives"}]}</script>
      <meta name="author" content="The editors"><meta property="article:published_time" content="2020-01-01">
      <meta property="og:description" content="How to\n sharpen."><p>x"""
    found = read(html)
    assert (found.author, found.published) == ("Ann Richardson", "2024-03-05")
    assert (found.site_name, found.description) == ("Knives", "How to sharpen.")
    assert found.sources == {
        "author": "json-ld",
        "published": "json-ld",
        "site_name": "json-ld",
        "description": "opengraph",
    }
    without = read(html, markup=False)
    assert (without.author, without.published, without.site_name) == ("The editors", "2020-01-01", None)


@pytest.mark.parametrize(
    ("html", "author"),
    [
        ('<p class="byline">By Ann Richardson | 5 March</p>', "Ann Richardson"),
        ('<a rel="author" href="/ann">Ann Lee</a>', "Ann Lee"),
        ('<span class="post-author">Written by Ann Lee on May 3</span>', "Ann Lee"),
        ('<div class="author-bio">Ann likes knives.</div>', None),
        ('<meta name="author" content="https://knives.example/ann">', None),
        (
            '<script type="application/ld+json">{"@type":"Article","author":[{"name":"Ann"},{"name":"Bo"}]}</script>',
            "Ann, Bo",
        ),
        ('<div itemscope itemtype="https://schema.org/Article"><b itemprop="author">Ann</b></div>', "Ann"),
        ("<p>Nobody wrote this.</p>", None),
        ('<meta name="author" content="Ann Lee &lt;ann@knives.example&gt;">', "Ann Lee"),
        ('<meta name="author" content="ann@knives.example (Ann Lee)">', "Ann Lee"),
        ('<meta name="author" content="Ann O&amp;#039;Dell">', "Ann O'Dell"),
        ('<p class="byline">By Ann Lee [ann(at)knives.example]</p>', "Ann Lee"),
        ('<meta name="author" content="ann@knives.example">', None),
        ('<p typeof="Article">Sharpened by <span property="author">Ann Lee</span></p>', "Ann Lee"),
    ],
)
def test_authors(html: str, author: str | None) -> None:
    assert read(html).author == author


OTHER = {"@type": "Article", "headline": "A bridge", "author": "Bo Ray", "datePublished": "2019-01-01"}
OWN = {"@type": "Article", "headline": "Locks", "author": "Ann Lee", "datePublished": "2024-03-05T11:00"}
UPDATE = {"@type": "BlogPosting", "@id": "#1", "headline": "A ship", "datePublished": "2024-03-05T16:00"}


def script(*items: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@graph": items})}</script>'


@pytest.mark.parametrize(
    "items",
    [
        [{"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": OTHER}]}, OWN],
        [{"@type": "WebPage", "mentions": OTHER}, OWN],
        [OTHER, OWN],
        [{**OWN, "@type": "LiveBlogPosting", "liveBlogUpdate": [UPDATE]}],
        [UPDATE, {**OWN, "@type": "LiveBlogPosting", "liveBlogUpdate": [{"@id": "#1"}]}],
        [OTHER, {**OWN, "headline": "Locks | Harbour"}],
    ],
)
def test_the_author_and_date_of_the_page_and_not_of_others(items: list[dict[str, Any]]) -> None:
    found = read(f"<title>Locks | Harbour</title>{script(*items)}<h1>Locks</h1><p>Coal came up the river.")
    assert (found.author, found.published_at.iso) == ("Ann Lee", "2024-03-05T11:00:00")


def test_other_articles_give_neither_author_nor_date() -> None:
    without = {"@type": "Article", "headline": "Locks"}
    for items in ([{"@type": "ItemList", "itemListElement": [OTHER]}], [OTHER, without]):
        found = read(f"<title>Locks</title>{script(*items)}<h1>Locks</h1>")
        assert (found.author, found.published) == (None, None)


@pytest.mark.parametrize(
    ("html", "published"),
    [
        (script({"@type": "Event", "startDate": "2025-09-12T19:00"}) + "{}<p>12 September 2025</p>", None),
        ('{}<p typeof="Event"><time property="startDate" datetime="2025-09-12">12 September</time></p>', None),
        (
            "{}<div itemscope itemtype=x:Event><b itemprop=endDate content=2025-09-12></b></div><p>12 September 2025",
            None,
        ),
        ("{}<dl><dt>Wann</dt><dd>12. September 2025</dd></dl>", None),
        ("{}<p>Closing date: 12 September 2025", None),
        ('<meta property="event:start_time" content="2025-09-12T19:00">{}', None),
        (
            script({"@type": "JobPosting", "datePosted": "2024-04-02", "validThrough": "2024-05-31"}) + "{}",
            "2024-04-02",
        ),
        ("{}<p>Posted: 2 April 2024</p><p>Apply by 31 May 2024</p>", "2024-04-02"),
    ],
)
def test_the_date_of_an_event_or_a_deadline_is_not_that_of_the_page(html: str, published: str | None) -> None:
    page = html.replace("{}", "<title>A course</title><h1>A course</h1>") + "<p>Bring a stone and a knife.</p>"
    assert read(page).published == published


def test_entities_that_markup_escapes_twice() -> None:
    item = {**OWN, "author": "Ann O&amp;#039;Dell", "description": "Steel &amp; &#8220;stone&#8221;"}
    found = read(script({**item, "publisher": {"name": "Knives &amp; Co"}}))
    assert (found.author, found.description, found.site_name) == ("Ann O'Dell", "Steel & “stone”", "Knives & Co")
    assert read('<meta property="og:site_name" content="Knives &amp;amp; Co">').site_name == "Knives & Co"


ARTICLE = (
    "<html lang={}><head><title>Locks | Harbour</title></head><body><h1>Locks</h1>{}<p>Coal came up the river.</p>{}"
)


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("<p>By <a href=/ann>Ann Lee</a>", "Ann Lee"),
        ("<p class=meta>By <a>Ann Lee</a> | Updated on March 3, 2024 | 5 min read", "Ann Lee"),
        ("<div>Written by Ann Lee, 5 April 2023</div>", "Ann Lee"),
        ("<div>April 5, 2023 by Ann Lee</div>", "Ann Lee"),
        ("<div>By</div><div>Ann Lee</div>", "Ann Lee"),
        ("<p>By Ann Lee, Staff Writer", "Ann Lee"),
        ("<p class=autor>Von Jürgen Groß und Anna-Maria de la Cruz", "Jürgen Groß, Anna-Maria de la Cruz"),
        ("<p>Por José Núñez y María Gómez", "José Núñez, María Gómez"),
        ("<p>Par Élodie Durand, le 12 mai 2023", "Élodie Durand"),
        ("<p>Автор: Иван Петров", "Иван Петров"),
        ("<span>作者：李明、王芳</span>", "李明, 王芳"),
        ("<p>文/李明", "李明"),
        ("<p>بقلم أحمد علي", "أحمد علي"),
        ("<p>Author: Ann", "Ann"),
        ("<p>By admin", None),
        ("<p>By John Doe", None),
        ("<p>By the river the mill stood", None),
        ("<p>Von Berlin nach Paris", None),
        ("<p>文档管理", None),
        ("<p class=author>12 May 2023", None),
        ("<p class=byline>Published 3 days ago", None),
        ("<p class=author>5 min read", None),
    ],
)
def test_authors_that_a_reader_sees(line: str, author: str | None) -> None:
    assert read(ARTICLE.format("en", line, "")).author == author


@pytest.mark.parametrize(
    "person",
    [
        """<script type="application/ld+json">
        {"@type": "Article", "author": {"givenName": "Ann", "familyName": "Lee"}}</script>""",
        """<div itemscope itemtype="https://schema.org/Article"><p itemprop=author itemscope>
        <b itemprop=givenName>Ann</b> <b itemprop=familyName>Lee</b></div>""",
        '<meta name="twitter:label1" content="Verfasst von"><meta name="twitter:data1" content="Ann Lee">',
    ],
)
def test_names_in_parts_and_behind_labels(person: str) -> None:
    assert read(person).author == "Ann Lee"


@pytest.mark.parametrize(
    ("language", "line", "end", "published", "modified"),
    [
        ("en", "", "<p>© 2024 Harbour. All rights reserved.", None, None),
        ("en", "<p class=date>3 days ago", "<p>© 2024 Harbour", None, None),
        ("zh", "<div>2023年05月12日 08:30 来源：海港网</div>", "<p>© 2024 Harbour", "2023-05-12", None),
        ("it", "<p>Pubblicato il 1º febbraio 2023", "<p>© 2024 Harbour", "2023-02-01", None),
        ("en", "<p>Published 12 May 2023 | Updated 14 June 2023", "", "2023-05-12", "2023-06-14"),
        ("ja", "<p>公開日：2023年5月12日　更新日：2023年6月14日", "", "2023-05-12", "2023-06-14"),
        ("en", "<time datetime=2023-05-12>3 days ago</time>", "<time datetime=2022-01-01>x</time>", "2023-05-12", None),
        ("en-GB", "<p>05/12/2023", "<p>25/12/2022", "2023-12-05", None),
        ("en", "<span>12</span> <span>May</span> <span>2023</span>", "", "2023-05-12", None),
        ("en", "", "<p>1 May 2021<p>2 May 2021<p>3 May 2021<p>4 May 2021", None, None),
    ],
)
def test_dates_that_a_reader_sees(
    language: str, line: str, end: str, published: str | None, modified: str | None
) -> None:
    found = read(ARTICLE.format(language, line, "<p>Grain went down.</p>" * 20 + end))
    assert (found.published, (found.modified_at.iso or "")[:10] or None) == (published, modified)


def test_a_change_is_the_date_where_no_other_is_stated() -> None:
    found = read(ARTICLE.format("en", "<p>Last updated 12 May 2023", ""))
    assert (found.published, found.published_at.iso) == ("2023-05-12", None)


def test_a_date_in_the_address() -> None:
    pytest.importorskip("py3langid")
    found = metadata_of(parse("<h1>Locks</h1>"), "", "https://knives.example/2023/05/12/locks")
    assert (found.published, found.sources["published"]) == ("2023-05-12", "address")


@pytest.mark.slow
def test_the_language_is_what_the_page_states_unless_its_text_is_in_another() -> None:
    pytest.importorskip("py3langid")
    assert read('<html lang="de-AT"><p>x', GERMAN).language == "de-AT"
    told = read('<html lang="en"><p>x', GERMAN)
    assert (told.language, told.sources["language"]) == ("de", "text")
    assert read('<html lang="en"><p>x', "kurz").language == "en"
    assert read("<p>x").language is None


def test_broken_markup_gives_what_else_there_is() -> None:
    script = '{"@type": "Article", "author": {"name": 5}, "datePublished": ["x"]}'
    html = f'<script type="application/ld+json">{script}</script>'
    assert read(f"{html}<meta name=author content='Ann Lee'>").author == "Ann Lee"


def test_pages_have_metadata_only_if_it_was_read() -> None:
    assert not set(METADATA) & set(Page().to_dict())
    page = Page(author="Ann", metadata_sources={"author": "meta"})
    assert page.to_dict()["author"] == "Ann"
    assert Page().values(["author"])["author"] is None


def test_version_numbers_are_no_dates() -> None:
    versions = "".join(
        f"<p>{number // 100}.{number // 10 % 10}.{number % 10} fixes issue 45</p>" for number in range(200)
    )
    assert read(f"<time datetime='2024-03-05'>5 March</time>{versions}").published == "2024-03-05"
    assert read(versions).published is None


def test_control_characters_are_no_errors_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    read("<h1>Knives</h1>a&#1;b<iframe>c</iframe>&#2;<p>Sharpen them.")
    assert caplog.messages == []
