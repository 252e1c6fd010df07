"""Metadata and details of pages: authors, dates, language, licence, images, breadcrumbs, a product."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from shipped import extractor

from scrapy_semtext import Options
from scrapy_semtext.details import Crumb, Details, Person, Product
from scrapy_semtext.page import Page
from scrapy_semtext.read.metadata import Metadata, details_of, iso_of, markup_of, metadata_of, product_of
from scrapy_semtext.read.schema import jsonld_items, walk
from scrapy_semtext.results import METADATA
from scrapy_semtext.tree.parsing import base_url, parse

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


URL = "https://knives.example/how-to"


def details_in(html: str, url: str = URL, title: str | None = None) -> Details:
    pytest.importorskip("py3langid")
    root = parse(html)
    stated = list(markup_of(root))
    return details_of(root, metadata_of(root, "", url, stated=stated), stated, title, base_url(root, url))


CC = "https://creativecommons.org/licenses/"
BY, BY_SA = f"<a {{}} href={CC}by/4.0/>CC BY</a>", "https://knives.example/by-sa"


def test_a_page_that_states_nothing_has_no_details() -> None:
    assert details_in("<p>Sharpen them.") == Details()


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ('<link rel="canonical" href="/a">', "https://knives.example/a"),
        ('<base href="https://other.example/"><link rel="CANONICAL nofollow" href="a">', "https://other.example/a"),
        ('<meta property="og:url" content="https://knives.example/b">', "https://knives.example/b"),
        ('<link rel="canonical" href="javascript:void(0)">', None),
        ('<link rel="canonical" href="http://[broken">', None),
    ],
)
def test_the_canonical_address(html: str, address: str | None) -> None:
    assert details_in(html).canonical_url == address


def test_dates_keep_their_time_and_what_they_were_read_from() -> None:
    item = {"@type": "Article", "datePublished": "2024-03-05T10:00:00+0100", "dateModified": "2024-04-01"}
    found = details_in(script(item))
    assert (found.published, found.published_raw) == ("2024-03-05T10:00:00+01:00", "2024-03-05T10:00:00+0100")
    assert (found.modified, found.modified_raw) == ("2024-04-01T00:00:00", "2024-04-01")


@pytest.mark.parametrize(
    ("html", "published", "raw"),
    [
        ('<p>Posted on <time datetime="2024-03-05T08:30Z">last Tuesday</time>', "2024-03-05T08:30:00Z", "last Tuesday"),
        ("<p>Posted: March 5, 2024", "2024-03-05T00:00:00", "March 5, 2024"),
        ("<p>Last updated on March 5, 2024", None, None),
        ("<p>© 2024 Knives", None, None),
    ],
)
def test_a_day_that_is_guessed_has_to_be_shown(html: str, published: str | None, raw: str | None) -> None:
    found = details_in(f"<html><body>{html}</p><p>Sharpen them.")
    assert (found.published, found.published_raw) == (published, raw)


def test_the_day_of_a_change_is_no_day_of_publication() -> None:
    found = details_in("<html><body><p>This page was last edited on 5 March 2024, at 20:20.")
    assert (found.modified, found.modified_raw) == ("2024-03-05T00:00:00", "5 March 2024, at 20:20")


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-03-05", "2024-03-05T00:00:00"),
        ("2024-03-05 08:30", "2024-03-05T08:30:00"),
        ("2024-03-05T08:30:15.123z", "2024-03-05T08:30:15Z"),
        ("2024-02-31", None),
        ("March 5", None),
        (None, None),
    ],
)
def test_iso_8601(text: str | None, iso: str | None) -> None:
    assert iso_of(text) == iso


def test_authors_one_by_one() -> None:
    people = [
        {"@type": "Person", "name": "Ann Lee", "url": "/ann", "email": "mailto:ann@knives.example"},
        {"name": "By Bo Ray"},
    ]
    found = details_in(script({"@type": "Article", "author": people}) + '<a rel="author" href="/bo">Bo Ray</a>')
    assert found.authors == [
        Person("Ann Lee", "Ann Lee", "https://knives.example/ann", "ann@knives.example"),
        Person("Bo Ray", "By Bo Ray", "https://knives.example/bo"),
    ]


@pytest.mark.parametrize(
    ("author", "names"),
    [("Ann Lee and Bo Ray", ["Ann Lee", "Bo Ray"]), ("Lee, Ann", ["Lee, Ann"]), ("Ann", ["Ann"])],
)
def test_authors_in_one_text(author: str, names: list[str]) -> None:
    assert [person.name for person in details_in(f'<meta name="author" content="{author}">').authors] == names


def test_the_text_of_a_link_is_no_address() -> None:
    html = """<div itemscope itemtype="https://schema.org/Article"><span itemprop=author itemscope>
      <a itemprop=url href="/users/ann"><span itemprop=name>Ann Lee</span></a></span></div>"""
    assert [person.url for person in details_in(html).authors] == ["https://knives.example/users/ann"]


def test_an_image_that_markup_refers_to() -> None:
    article = {"@type": "Article", "image": {"@id": "#main"}}
    image = {"@type": "ImageObject", "@id": "#main", "contentUrl": "/knife.jpg"}
    meta = '<meta property="og:image" content="/logo.png">'
    assert details_in(script(article, image) + meta).main_image == "https://knives.example/knife.jpg"
    assert details_in(script(article) + meta).main_image == "https://knives.example/logo.png"


TRAIL = {
    "@type": "BreadcrumbList",
    "itemListElement": [
        {"@type": "ListItem", "position": 2, "name": "Tips &amp; tricks", "item": {"@id": "/tips"}},
        {"@type": "ListItem", "position": 1, "name": "Home", "item": "https://knives.example/"},
        {"@type": "ListItem", "position": 3, "name": "How to sharpen"},
    ],
}


@pytest.mark.smoke
@pytest.mark.parametrize(
    "html",
    [
        script(TRAIL),
        """<nav aria-label="Breadcrumb"><ol><li><a href="/">Home</a> › </li><li><a href="/tips">Tips &amp; tricks</a> ›
          </li><li>How to sharpen</li></ol></nav>""",
        """<div itemscope itemtype="https://schema.org/BreadcrumbList"><ul>
          <li itemprop=itemListElement itemscope><a itemprop=item href="/"><span itemprop=name>Home</span></a></li>
          <li itemprop=itemListElement itemscope><a itemprop=item href="/tips"><span>Tips &amp; tricks</span></a></li>
          <li itemprop=itemListElement itemscope><span itemprop=name>How to sharpen</span></li></ul></div>""",
    ],
)
def test_breadcrumbs(html: str) -> None:
    assert details_in(html).breadcrumbs == [
        Crumb("Home", "https://knives.example/"),
        Crumb("Tips & tricks", "https://knives.example/tips"),
        Crumb("How to sharpen"),
    ]


def test_a_single_link_is_no_trail_where_another_is() -> None:
    trail = '<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/tips">Tips</a></li></ol>'
    single = '<div class="breadcrumb-top"><a href="/tips">Back to all tips</a></div>'
    assert [crumb.name for crumb in details_in(single + trail).breadcrumbs] == ["Home", "Tips"]
    assert [crumb.name for crumb in details_in(single).breadcrumbs] == ["Back to all tips"]


def test_breadcrumbs_without_a_list() -> None:
    html = '<div class="bread-crumbs"><a href="/">Home</a> / <a href="/tips">Tips</a> / How to sharpen</div>'
    assert [crumb.name for crumb in details_in(html).breadcrumbs] == ["Home", "Tips"]


def test_positions_that_are_no_numbers_do_not_count() -> None:
    entries = [{"position": position, "name": "x"} for position in (10**400, "1e999", float("nan"), [1], None)]
    assert len(details_in(script({"@type": "BreadcrumbList", "itemListElement": entries})).breadcrumbs) == len(entries)


@pytest.mark.parametrize(
    ("html", "licence"),
    [
        (script({"@type": "Article", "license": "https://a.example/by"}), "https://a.example/by"),
        ('<link rel=license href="/terms">', "https://knives.example/terms"),
        ('<a href="//creativecommons.org/licenses/by/4.0/">CC BY</a>', "https://creativecommons.org/licenses/by/4.0/"),
        ('<footer>Posts are under <a href="/help/licensing"> CC BY-SA</a></footer>', "CC BY-SA"),
        ('<a href="/licences">cc-by-nc-nd 4.0</a>', "cc-by-nc-nd 4.0"),
        ('<p>Ask <a href="/a">CC Byers</a> or <a href="/b">how CC BY works</a>.', None),
        ('<meta name="dcterms.rights" content="CC BY 4.0">', "CC BY 4.0"),
        ("<p>All rights reserved.", None),
        (f"<figure><img src=a.jpg><figcaption>A knife, {BY.format('rel=license')}</figcaption></figure>", None),
        (f"<div class=wp-caption><img src=a.jpg><p>A knife, {BY.format('rel=license')}</p></div>", None),
        (f"<p>Foto: Bo Ray, {BY.format('')}</p>", None),
        (f"<p>Music in our podcast: “Tide” by Bo, {BY.format('')}.</p>", None),
        (f"<p>The records are from Bo ({BY.format('')}).</p>", None),
        (
            f"<footer><p>Photos by Bo: {BY.format('')}</p><p>Text: <a href=/by-sa rel=license>BY-SA</a></p></footer>",
            BY_SA,
        ),
        (f"<footer><div class=credits>Text and photos: {BY.format('')}</div></footer>", f"{CC}by/4.0/"),
        (f"<p>Dieser Artikel steht unter {BY.format('')}.</p>", f"{CC}by/4.0/"),
        (f"<div itemscope itemtype=https://schema.org/ImageObject><p>{BY.format('itemprop=license')}</p></div>", None),
    ],
)
def test_the_licence(html: str, licence: str | None) -> None:
    assert details_in(html).license == licence


@pytest.mark.parametrize(
    ("html", "tags", "categories"),
    [
        (script({"@type": "Article", "keywords": ["a", "b"], "articleSection": "News"}), ["a", "b"], ["News"]),
        ('<meta property="article:tag" content="a"><meta property="article:tag" content="b">', ["a", "b"], []),
        ('<meta name=keywords content="a, b，a">', ["a", "b"], []),
        ('<meta name=keywords content="a &amp;amp; b, c">', ["a & b", "c"], []),
        ('<a rel="category tag">News</a><a rel=tag>a</a>', ["a"], ["News"]),
    ],
)
def test_tags_and_categories(html: str, tags: list[str], categories: list[str]) -> None:
    found = details_in(html)
    assert (found.tags, found.categories) == (tags, categories)


def test_the_host_and_a_hash_of_the_main_text() -> None:
    pytest.importorskip("py3langid")
    details = Options(details=True)
    html = "<title>Kettles</title><link rel=canonical href=https://b.example/>"
    html += "<p>Descale the kettle twice a year \U0001f600.</p>"
    page = extractor().read(html, "https://WWW.A.example:8080/k", details)
    assert page.details is not None
    assert page.details.hostname == "www.a.example"
    assert page.details.content_hash == hashlib.sha256(page.main_text.encode()).hexdigest()
    unknown, empty = (extractor().read(each, options=details).details for each in (html, ""))
    assert unknown is not None
    assert unknown.hostname == "b.example"
    assert empty is not None
    assert (empty.hostname, empty.content_hash) == (None, None)


def product_in(*items: dict[str, Any], title: str | None = None) -> Product | None:
    root = parse(f'<script type="application/ld+json">{json.dumps({"@graph": items})}</script>')
    return product_of(list(walk(jsonld_items(root))), {}, title, "https://shop.example/")


def knife(**values: Any) -> dict[str, Any]:
    return {"@type": "Product", "name": "Bread knife", **values}


@pytest.mark.smoke
def test_all_that_markup_states() -> None:
    offer = {"price": 1299, "priceCurrency": "eur", "availability": "https://schema.org/InStock"}
    found = product_in(
        knife(
            description="<p>Cuts bread.</p><p>Sharp.</p>",
            offers=offer,
            brand={"@type": "Brand", "name": "Wüst"},
            sku=47,
            mpn="W-1",
            gtin13="4006381333931",
            aggregateRating={"ratingValue": "4.5", "bestRating": 5, "ratingCount": "12"},
            image=["/a.jpg", {"url": "/b.jpg"}, "/a.jpg"],
        )
    )
    assert found == Product(
        name="Bread knife",
        description="Cuts bread.\nSharp.",
        price="1299.00",
        currency="EUR",
        availability="InStock",
        brand="Wüst",
        sku="47",
        mpn="W-1",
        gtins=["4006381333931"],
        rating=4.5,
        best_rating=5.0,
        reviews=12,
        images=["https://shop.example/a.jpg", "https://shop.example/b.jpg"],
    )


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ({"price": "1,299.5"}, "1299.50"),
        ({"price": "0.125"}, "0.125"),
        ([{"price": 5}, {"price": "5.00"}], "5.00"),
        ([{"price": 5}, {"price": 6}], None),
        ({"@type": "AggregateOffer", "lowPrice": 5, "highPrice": 5}, "5.00"),
        ({"@type": "AggregateOffer", "lowPrice": 5, "highPrice": 6}, "5.00"),
        ({"@type": "AggregateOffer", "offers": [{"price": 7}]}, "7.00"),
        ({"priceSpecification": {"price": "8"}}, "8.00"),
        ({"price": "from $5"}, None),
        ({"price": True}, None),
        (None, None),
    ],
)
def test_a_price_is_one_plain_amount(offers: Any, price: str | None) -> None:
    found = product_in(knife(offers=offers))
    assert found is not None
    assert found.price == price


@pytest.mark.parametrize(
    ("stated", "availability"),
    [("http://schema.org/SoldOut", "OutOfStock"), ("OnlineOnly", "InStock"), ("PreOrder", None), (None, None)],
)
def test_availability(stated: str | None, availability: str | None) -> None:
    found = product_in(knife(offers={"availability": stated}))
    assert found is not None
    assert found.availability == availability


def test_of_several_products_the_one_with_the_title_of_the_page() -> None:
    several = (knife(), {"@type": "Product", "name": "Cheese knife of oak"})
    assert product_in(*several) is None
    found = product_in(*several, title="Cheese knife of oak | Knives")
    assert found is not None
    assert found.name == "Cheese knife of oak"
    assert product_in(knife(), knife(sku="1")) == product_in(knife(sku="1")), "both are the same, one says more"
    assert product_in({"@type": "Offer", "name": "Bread knife"}) is None


@pytest.mark.parametrize("number", [10**400, "9" * 400, "-1e999", "nan", math.inf, math.nan, "x", {}])
def test_numbers_that_json_does_not_have(number: Any) -> None:
    rating = {"@type": "AggregateRating", "ratingValue": number, "bestRating": number, "reviewCount": number}
    assert product_in(knife(aggregateRating=rating)) == product_in(knife())


def test_a_count_fits_into_64_bits() -> None:
    product = product_in(knife(aggregateRating={"@type": "AggregateRating", "ratingValue": 5, "reviewCount": 1e300}))
    assert product
    assert product.reviews is None
