"""The page objects for zyte-common-items, on the bundled pages and in whole crawls."""

from __future__ import annotations

import asyncio
from typing import Any

import attrs
import pytest
import scrapy
from crawling import URL, Answer, Crawl, crawl
from example.bundled import bundled_pages

pytest.importorskip("scrapy_poet")
pytest.importorskip("zyte_common_items")

import web_poet
from scrapy_poet.api import DummyResponse  # noqa: TC002  scrapy-poet resolves the callbacks' annotations
from web_poet.serialization import deserialize_leaf, serialize_leaf
from zyte_common_items import (
    Article,
    ArticleNavigation,
    ArticlePage,
    Breadcrumb,
    ForumThread,
    PageContent,
    Product,
    Request,
)

from scrapy_semtext import Page, QAPair, Record
from scrapy_semtext.details import Details
from scrapy_semtext.page_objects import (
    PRIORITY,
    SemtextArticleNavigationPage,
    SemtextArticlePage,
    SemtextForumThreadPage,
    SemtextPageContentPage,
    SemtextProductPage,
)
from scrapy_semtext.page_objects.items import utc_of

pytestmark = pytest.mark.crawl

SETTINGS = {
    "ADDONS": {"scrapy_semtext.Addon": 300, "scrapy_poet.Addon": 300},
    "SCRAPY_POET_DISCOVER": ["scrapy_semtext.page_objects"],
}
PAGES = "http://pages.test/"
ARTICLE = "afpafitness.com-8-best-practices-for-transitioning-to-a"
THREAD = "forums.docker.com-confusing-resolver-structure"
LISTING = "engineering.atspotify.com"
PRODUCT = "gymshark.com"


class ItemSpider(scrapy.Spider):
    """Requests all items of all pages."""

    name = "items"

    async def start(self) -> Any:
        for url in self.settings["SITE"]:
            yield scrapy.Request(url)

    async def parse(  # type: ignore[override]
        self,
        response: DummyResponse,
        article: Article,
        navigation: ArticleNavigation,
        thread: ForumThread,
        product: Product,
        content: PageContent,
    ) -> Any:
        yield {"article": article, "navigation": navigation, "thread": thread, "product": product, "content": content}


class ArticleSpider(scrapy.Spider):
    name = "articles"
    start_urls = [URL, "http://other.test/"]  # noqa: RUF012

    async def parse(self, response: DummyResponse, article: Article) -> Any:  # type: ignore[override]
        yield {"article": article}


@pytest.fixture(scope="module")
def read() -> dict[str, dict[str, Any]]:
    """Return the items of four bundled pages by the name of the page."""
    pages = {f"{PAGES}{name}": bundled_pages()[f"/pages/{name}.html"] for name in (ARTICLE, THREAD, LISTING, PRODUCT)}
    site = {url: Answer(page.html().encode()) for url, page in pages.items()}
    result = crawl(site, ItemSpider, {**SETTINGS, "SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"})
    assert result.count("pages") == len(result.items) == 4, "each page is read once, whatever is asked of it"
    return {item["article"].url.removeprefix(PAGES): item for item in result.items}


@pytest.mark.slow
def test_an_article(read: dict[str, dict[str, Any]]) -> None:
    article: Article = read[ARTICLE]["article"]
    assert article.headline == "8 Best Practices for Transitioning to a Plant-Based Diet"
    assert article.canonicalUrl == (
        "https://www.afpafitness.com/blog/8-best-practices-for-transitioning-to-a-plant-based-diet/"
    )
    assert article.datePublished == article.datePublishedRaw == "2023-07-20T16:00:00+00:00"
    assert article.dateModified == "2025-04-04T16:07:20+00:00"
    assert [(author.name, author.nameRaw, author.email) for author in article.authors or ()] == [
        ("Maddy", "Maddy", None)
    ]
    assert article.inLanguage == "en"
    assert article.description == (
        "In this article, discover eight best practices for transitioning to a plant-based diet."
    )
    assert article.mainImage
    assert article.images
    assert article.images[0] == article.mainImage
    assert len(article.images) == 2
    assert article.breadcrumbs is None, "the page has no trail"
    assert article.videos is None
    assert article.metadata
    assert article.metadata.probability is not None
    assert article.metadata.probability > 0.95
    assert article.metadata.dateDownloaded


@pytest.mark.slow
def test_the_body_of_an_article(read: dict[str, dict[str, Any]]) -> None:
    article: Article = read[ARTICLE]["article"]
    assert article.articleBody
    assert article.articleBody.startswith("Plant-based diets have gained popularity")
    assert article.articleBody == article.articleBody.strip()
    html = article.articleBodyHtml
    assert html
    assert html.startswith("<article>\n\n<p>Plant-based diets have gained popularity")
    assert "<h2>What Exactly Defines a Plant-Based Diet?</h2>" in html
    assert '<img src="https://h6b3b7q6.delivery.rocketcdn.me/' in html
    assert "class=" not in html


@pytest.mark.slow
def test_a_thread(read: dict[str, dict[str, Any]]) -> None:
    thread: ForumThread = read[THREAD]["thread"]
    assert thread.topic
    assert thread.topic.name == "Confusing resolver structure"
    assert thread.posts
    assert [post.datePublished for post in thread.posts[:2]] == ["2024-11-08T19:33:12Z", "2024-11-08T20:42:42Z"]
    assert thread.posts[0].text
    assert thread.posts[0].text.startswith("I am just getting back in to using Docker")
    assert read[ARTICLE]["thread"].posts is read[ARTICLE]["thread"].topic is None


@pytest.mark.slow
def test_a_list_of_articles(read: dict[str, dict[str, Any]]) -> None:
    navigation: ArticleNavigation = read[LISTING]["navigation"]
    assert navigation.categoryName == "Engineering"
    assert navigation.items
    first = navigation.items[0]
    assert first.url == f"{PAGES}2026/2/how-we-release-the-spotify-app-part-2"
    assert first.name == "How We Release the Spotify App: A Look Under the Hood (Part 2)"
    assert first.metadata is None, "nobody knows how probable it is"
    assert read[ARTICLE]["navigation"].items is None
    assert read[ARTICLE]["article"].metadata.probability > 0.9 > read[LISTING]["article"].metadata.probability


@pytest.mark.slow
def test_a_product(read: dict[str, dict[str, Any]]) -> None:
    product: Product = read[PRODUCT]["product"]
    assert product.name == "Arrival T-Shirt"
    assert (product.price, product.currency, product.availability) == ("22.00", "USD", "InStock")
    assert product.aggregateRating
    assert (product.aggregateRating.ratingValue, product.aggregateRating.reviewCount) == (4.1, 407)
    assert product.description
    assert product.description.startswith("REDEFINING YOUR POTENTIAL")
    assert product.descriptionHtml
    assert product.images
    assert product.mainImage == product.images[0]
    assert product.metadata
    assert product.metadata.probability is not None
    assert product.metadata.probability > 0.9
    assert [product.color, product.regularPrice, product.variants] == [None] * 3
    other: Product = read[THREAD]["product"]
    assert [other.name, other.price, other.description, other.images] == [None] * 4


@pytest.mark.slow
def test_the_content_of_any_page(read: dict[str, dict[str, Any]]) -> None:
    content: PageContent = read[THREAD]["content"]
    assert content.headline == "Confusing resolver structure"
    assert content.title == "Confusing resolver structure - Docker Desktop - Docker Community Forums"
    assert content.itemMain
    assert content.breadcrumbs == [Breadcrumb(name="Docker Desktop", url=f"{PAGES}c/docker-desktop/48")]
    assert content.metadata
    assert content.metadata.probability == 1.0


@web_poet.handle_urls("site.test")
class OwnArticlePage(ArticlePage):
    """A page object that a project registers with the default priority."""

    @web_poet.field
    def headline(self) -> str | None:
        return "own"


@web_poet.handle_urls("other.test")
@attrs.define
class CorrectedArticlePage(SemtextArticlePage):
    """A project's subclass of a page object of the package."""

    @web_poet.field
    def headline(self) -> str | None:
        return self.css("nav::text").get()

    @web_poet.field
    def authors(self) -> None:
        return None


def crawl_articles(answer: Answer, **settings: Any) -> Crawl:
    return crawl({URL: Answer(), "http://other.test/": answer}, ArticleSpider, {**SETTINGS, **settings})


def test_page_objects_of_a_project_go_first() -> None:
    assert PRIORITY < 500, "which is the default of handle_urls"
    found = web_poet.default_registry.page_cls_for_item
    assert found("https://elsewhere.test/", Article) is SemtextArticlePage
    assert found(URL, Article) is OwnArticlePage
    assert found(URL, Product) is SemtextProductPage, "for other items nothing changes"


def test_page_objects_of_a_project_go_first_in_a_crawl() -> None:
    result = crawl_articles(Answer(b""))
    own, empty = (item["article"] for item in sorted(result.items, key=lambda item: item["article"].url)[::-1])
    assert (own.headline, own.metadata.probability) == ("own", 1.0)
    assert empty.url == "http://other.test/"
    assert empty.metadata.probability == 0.0, "a page without text is no article"
    assert empty.articleBody is empty.articleBodyHtml is empty.images is empty.datePublished is None


@pytest.mark.slow
def test_a_project_adds_to_a_page_object() -> None:
    html = b"<html lang=en-GB><nav>Home</nav><h1>Bread</h1><p>" + b"Mix flour and water, and bake the dough well. " * 9
    settings = {"SEMTEXT_EXTRACTOR": "scrapy_semtext.extractor.Extractor"}
    result = crawl({"http://other.test/": Answer(html)}, ArticleSpider, {**SETTINGS, **settings})
    article = next(item["article"] for item in result.items if item["article"].url == "http://other.test/")
    assert (article.headline, article.inLanguage, article.authors) == ("Home", "en", None)
    assert article.articleBody.startswith("Mix flour and water")


def test_a_page_read_without_details_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    crawl_articles(Answer(), SEMTEXT_OPTIONS={"details": False})
    assert "put 'scrapy_semtext.page_objects' into SCRAPY_POET_DISCOVER" in caplog.text


def item_of(cls: Any, page: Page) -> Any:
    return asyncio.run(cls(page=page, response=web_poet.HttpResponse(URL, body=b"")).to_item())


def read_page(**values: Any) -> Page:
    from scrapy_semtext import Block

    return Page(url=URL, blocks=[Block("Mix.", "main", 0.9)], details=values.pop("details", Details()), **values)


@pytest.mark.parametrize(
    ("main_text", "main_html", "body"),
    [
        ("How to bake bread\nMix.", "<h1>How to bake bread</h1><p>Mix.</p>", "Mix."),
        ("Mix.\nBake.", "<p>Mix.</p><h2>How to bake bread</h2>", "Mix.\nBake."),
        ("Ingredients\nFlour", "<h2>Ingredients</h2><p>Flour</p>", "Ingredients\nFlour"),
    ],
)
def test_a_body_has_no_headline(main_text: str, main_html: str, body: str) -> None:
    page = read_page(title="How to bake bread", main_text=main_text, main_html=main_html)
    article = item_of(SemtextArticlePage, page)
    assert article.articleBody == body
    assert ("bake bread" in article.articleBodyHtml) == ("Mix.\n" in body)


def test_a_date_of_change_stands_in_for_that_of_publication() -> None:
    details = Details(modified="2024-05-03T00:00:00", modified_raw="3 May 2024")
    article = item_of(SemtextArticlePage, read_page(details=details))
    assert (article.datePublished, article.datePublishedRaw) == ("2024-05-03T00:00:00", "3 May 2024")
    assert (article.dateModified, article.dateModifiedRaw) == ("2024-05-03T00:00:00", "3 May 2024")


def test_pairs_of_several_questions_are_no_thread() -> None:
    pairs = [QAPair("How?", "Slowly."), QAPair("Why?", "Because.")]
    faq = item_of(SemtextForumThreadPage, read_page(title="FAQ", qa_pairs=pairs))
    assert faq.posts is faq.topic is None
    thread = item_of(SemtextForumThreadPage, read_page(title="How?", qa_pairs=pairs[:1]))
    assert [post.text for post in thread.posts] == ["Slowly."], "the opening post is not on this page"


def test_a_list_has_its_next_page() -> None:
    page = read_page(title="News", records=[Record("One", f"{URL}1")], next_page=f"{URL}?page=2")
    navigation = item_of(SemtextArticleNavigationPage, page)
    assert navigation.nextPage == Request(url=f"{URL}?page=2")
    content = item_of(SemtextPageContentPage, page)
    assert content.nextPage == navigation.nextPage


@pytest.mark.parametrize(
    ("date", "utc"),
    [
        ("2024-11-08T19:33:12+01:00", "2024-11-08T18:33:12Z"),
        ("2024-11-08 19:33Z", "2024-11-08T19:33:00Z"),
        ("2024-11-08T19:33:12", None),
        ("2024-11-08", None),
        ("yesterday", None),
        (None, None),
        ("2024-05-03T10:00:00+99:00", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-12:00", None),
    ],
)
def test_dates_of_posts_are_in_utc_or_unknown(date: str | None, utc: str | None) -> None:
    assert utc_of(date) == utc


def test_details_survive_serialisation() -> None:
    from scrapy_semtext.details import Crumb, Person
    from scrapy_semtext.details import Product as Stated

    details = Details(
        f"{URL}a", authors=[Person("Ann", "By Ann")], breadcrumbs=[Crumb("Home", URL)], product=Stated("Lamp")
    )
    page = read_page(details=details, main_html="<p>Mix.</p>")
    assert deserialize_leaf(Page, serialize_leaf(page)) == page
