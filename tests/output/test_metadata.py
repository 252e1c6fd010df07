"""What pages say of themselves: author, date, language, site and description, each with its source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from scrapy_semtext.dom.tree import parse
from scrapy_semtext.integration.settings import SemtextSettings
from scrapy_semtext.output.metadata import Metadata, metadata_of, require_metadata
from scrapy_semtext.page import Page
from scrapy_semtext.results import METADATA
from scrapy_semtext.text import languages
from scrapy_semtext.utils.extras import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

GERMAN = (
    "Ein stumpfes Messer rutscht ab, und so verletzen sich die meisten Leute in der Küche. Der Stein muss nass sein."
)


def read(html: str, text: str = "", *, markup: bool = True) -> Metadata:
    pytest.importorskip("py3langid")
    return metadata_of(parse(html), text, "https://knives.example/how-to", stated=None if markup else [])


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
    ],
)
def test_authors(html: str, author: str | None) -> None:
    assert read(html).author == author


def test_a_date_that_only_a_reader_sees() -> None:
    found = read(
        "<html><body><article><p class='date'>Published on March 5, 2024</p><p>Text.</p></article></body></html>"
    )
    assert (found.published, found.sources["published"]) == ("2024-03-05", "page")


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


def test_the_setting_adds_the_fields() -> None:
    assert not set(METADATA) & set(SemtextSettings.read(Settings()).fields)
    assert set(METADATA) < set(SemtextSettings.read(Settings({"SEMTEXT_FIELDS": ["+metadata"]})).fields)


@pytest.fixture
def _without_py3langid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    yield
    languages.identifier.cache_clear()


@pytest.mark.usefixtures("_without_py3langid")
def test_a_missing_library_is_named() -> None:
    with pytest.raises(
        MissingExtraError, match=r"py3langid is not installed: pip install 'scrapy-semtext\[metadata\]'"
    ):
        require_metadata()


def test_version_numbers_are_no_dates() -> None:
    versions = "".join(
        f"<p>{number // 100}.{number // 10 % 10}.{number % 10} fixes issue 45</p>" for number in range(200)
    )
    assert read(f"<time datetime='2024-03-05'>5 March</time>{versions}").published == "2024-03-05"
    assert read(versions).published is None


@pytest.mark.slow
def test_a_date_behind_text_divided_by_very_many_comments() -> None:
    assert read(f"<p>{'<!-- -->x' * 5_000}<p>Posted on 2024-03-05.").published == "2024-03-05"


def test_control_characters_are_no_errors_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    read("<h1>Knives</h1>a&#1;b<iframe>c</iframe>&#2;<p>Sharpen them.")
    assert caplog.messages == []
