"""A page's details beyond its metadata: URLs, authors, dates with times, images, breadcrumbs, a product."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from shipped import extractor

from scrapy_semtext import Options
from scrapy_semtext.details import Crumb, Details, Person
from scrapy_semtext.read.metadata import details_of, iso_of, markup_of, metadata_of
from scrapy_semtext.tree.parsing import base_url, parse

URL = "https://knives.example/how-to"


def read(html: str, url: str = URL, title: str | None = None) -> Details:
    pytest.importorskip("py3langid")
    root = parse(html)
    stated = list(markup_of(root))
    return details_of(root, metadata_of(root, "", url, stated=stated), stated, title, base_url(root, url))


def script(*items: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@graph": items})}</script>'


CC = "https://creativecommons.org/licenses/"
BY, BY_SA = f"<a {{}} href={CC}by/4.0/>CC BY</a>", "https://knives.example/by-sa"


def test_a_page_that_states_nothing_has_no_details() -> None:
    assert read("<p>Sharpen them.") == Details()


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
    assert read(html).canonical_url == address


def test_dates_keep_their_time_and_what_they_were_read_from() -> None:
    item = {"@type": "Article", "datePublished": "2024-03-05T10:00:00+0100", "dateModified": "2024-04-01"}
    found = read(script(item))
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
    found = read(f"<html><body>{html}</p><p>Sharpen them.")
    assert (found.published, found.published_raw) == (published, raw)


def test_the_day_of_a_change_is_no_day_of_publication() -> None:
    found = read("<html><body><p>This page was last edited on 5 March 2024, at 20:20.")
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
    found = read(script({"@type": "Article", "author": people}) + '<a rel="author" href="/bo">Bo Ray</a>')
    assert found.authors == [
        Person("Ann Lee", "Ann Lee", "https://knives.example/ann", "ann@knives.example"),
        Person("Bo Ray", "By Bo Ray", "https://knives.example/bo"),
    ]


@pytest.mark.parametrize(
    ("author", "names"),
    [("Ann Lee and Bo Ray", ["Ann Lee", "Bo Ray"]), ("Lee, Ann", ["Lee, Ann"]), ("Ann", ["Ann"])],
)
def test_authors_in_one_text(author: str, names: list[str]) -> None:
    assert [person.name for person in read(f'<meta name="author" content="{author}">').authors] == names


def test_the_text_of_a_link_is_no_address() -> None:
    html = """<div itemscope itemtype="https://schema.org/Article"><span itemprop=author itemscope>
      <a itemprop=url href="/users/ann"><span itemprop=name>Ann Lee</span></a></span></div>"""
    assert [person.url for person in read(html).authors] == ["https://knives.example/users/ann"]


def test_an_image_that_markup_refers_to() -> None:
    article = {"@type": "Article", "image": {"@id": "#main"}}
    image = {"@type": "ImageObject", "@id": "#main", "contentUrl": "/knife.jpg"}
    meta = '<meta property="og:image" content="/logo.png">'
    assert read(script(article, image) + meta).main_image == "https://knives.example/knife.jpg"
    assert read(script(article) + meta).main_image == "https://knives.example/logo.png"


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
    assert read(html).breadcrumbs == [
        Crumb("Home", "https://knives.example/"),
        Crumb("Tips & tricks", "https://knives.example/tips"),
        Crumb("How to sharpen"),
    ]


def test_a_single_link_is_no_trail_where_another_is() -> None:
    trail = '<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/tips">Tips</a></li></ol>'
    single = '<div class="breadcrumb-top"><a href="/tips">Back to all tips</a></div>'
    assert [crumb.name for crumb in read(single + trail).breadcrumbs] == ["Home", "Tips"]
    assert [crumb.name for crumb in read(single).breadcrumbs] == ["Back to all tips"]


def test_breadcrumbs_without_a_list() -> None:
    html = '<div class="bread-crumbs"><a href="/">Home</a> / <a href="/tips">Tips</a> / How to sharpen</div>'
    assert [crumb.name for crumb in read(html).breadcrumbs] == ["Home", "Tips"]


def test_positions_that_are_no_numbers_do_not_count() -> None:
    entries = [{"position": position, "name": "x"} for position in (10**400, "1e999", float("nan"), [1], None)]
    assert len(read(script({"@type": "BreadcrumbList", "itemListElement": entries})).breadcrumbs) == len(entries)


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
    assert read(html).license == licence


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
    found = read(html)
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
