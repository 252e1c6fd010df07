"""The page objects for articles, pages of any kind, lists of articles, threads, and products.

Annotations are evaluated here, so that andi finds Page in those of subclasses, whatever their modules import.
"""

from collections.abc import Sequence
from datetime import datetime, timezone
from operator import attrgetter
from typing import Any, ClassVar

import attrs
from clear_html import clean_node, cleaned_node_to_html
from lxml.html import HtmlElement, fragment_fromstring
from web_poet import handle_urls
from web_poet.fields import FieldsMixin
from zyte_common_items import (
    AggregateRating,
    ArticleNavigationPage,
    ArticlePage,
    Author,
    Brand,
    Breadcrumb,
    ForumThreadPage,
    Gtin,
    Image,
    PageContentPage,
    ProbabilityRequest,
    ProductPage,
    Request,
    SocialMediaPost,
    Topic,
)
from zyte_common_items.fields import auto_field
from zyte_parsers import extract_gtin

from scrapy_semtext.details import Details, Product
from scrapy_semtext.page import Page, QAPair
from scrapy_semtext.read.metadata import iso_of
from scrapy_semtext.read.title import same_title
from scrapy_semtext.tree.elements import all_text
from scrapy_semtext.tree.tags import HEADING_LEVELS
from scrapy_semtext.words.words import primary_language

#: Below the default of ``handle_urls``, 500, so that page objects of a project take precedence.
PRIORITY = 100


def _value(path: str) -> Any:
    """Return a field with a value of its page object, such as ``details.modified``; None if the page states none."""
    return auto_field(attrgetter(path))


@attrs.define(slots=False)
class SemtextPage(FieldsMixin):
    """A page object with the Page, for use before a page class of zyte-common-items in the bases.

    ``kind`` is the kind of page that features the item, None for any. A field is None if the page does not state its
    value.
    """

    page: Page

    kind: ClassVar[str | None] = None

    @property
    def details(self) -> Details:
        """The details of the page. Raises ValueError if the page was extracted without them."""
        if self.page.details is None and self.page.blocks:
            raise ValueError(
                "The page was read without its details: put 'scrapy_semtext.page_objects' into SCRAPY_POET_DISCOVER,"
                " or add 'details', 'main_html' and 'records' to SEMTEXT_OPTIONS"
            )
        return self.page.details or Details()

    @auto_field
    def metadata(self) -> Any:
        """The item's metadata, with the probability of the page's kind; 0 for a page without text."""
        metadata = super().metadata  # type: ignore[misc]
        if hasattr(metadata, "probability"):
            chance = 1.0 if self.kind is None else self.details.kinds.get(self.kind)
            metadata.probability = chance if self.page.blocks else 0.0
        return metadata


class SemtextPlacedPage(SemtextPage):
    """A page object for an item with the page's position on its site."""

    canonicalUrl = _value("details.canonical_url")  # noqa: N815

    @auto_field
    def breadcrumbs(self) -> list[Breadcrumb] | None:
        """The breadcrumb trail, outermost first."""
        return [Breadcrumb(name=crumb.name, url=crumb.url) for crumb in self.details.breadcrumbs] or None


def _next_page(found: SemtextPage) -> Request | None:
    """The following page of a list."""
    return Request(url=found.page.next_page) if found.page.next_page else None


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextArticlePage(SemtextPlacedPage, ArticlePage):
    """Provides :class:`zyte_common_items.Article`."""

    kind: ClassVar[str | None] = "article"

    headline = _value("page.title")
    description = _value("page.description")
    dateModified = _value("details.modified")  # noqa: N815
    dateModifiedRaw = _value("details.modified_raw")  # noqa: N815

    @auto_field
    def datePublished(self) -> str | None:  # noqa: N802
        """The date of publication or, as the item requires, that of the last change if there is none."""
        return self.details.published or self.details.modified

    @auto_field
    def datePublishedRaw(self) -> str | None:  # noqa: N802
        """The text that the date of publication was read from."""
        return self.details.published_raw if self.details.published else self.details.modified_raw

    @auto_field
    def authors(self) -> list[Author] | None:
        """The authors, with the URLs that the page links their names to."""
        people = self.details.authors
        return [Author(name=each.name, nameRaw=each.raw, url=each.url, email=each.email) for each in people] or None

    @auto_field
    def inLanguage(self) -> str | None:  # noqa: N802
        """The language of the main text, as a code of ISO 639-1."""
        return language_code(self.page.language)

    @auto_field
    def mainImage(self) -> Image | None:  # noqa: N802
        """The image that the page declares for itself."""
        return Image(url=self.details.main_image) if self.details.main_image else None

    @auto_field
    def images(self) -> list[Image] | None:
        """The main image, and the images of the main content."""
        return images_of(self.details.main_image, *self.details.images)

    @auto_field
    def articleBody(self) -> str | None:  # noqa: N802
        """The main text, without the headline at its beginning."""
        return body_text(self.page)

    @auto_field
    def articleBodyHtml(self) -> str | None:  # noqa: N802
        """The main content as HTML, normalized by clear-html."""
        return body_html(self.page)


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextPageContentPage(SemtextPlacedPage, PageContentPage):
    """Provides :class:`zyte_common_items.PageContent`."""

    headline = _value("page.title")
    title = _value("details.document_title")
    nextPage = auto_field(_next_page)  # noqa: N815

    @auto_field
    def itemMain(self) -> str | None:  # noqa: N802
        """The main text."""
        return self.page.main_text.strip() or None


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextArticleNavigationPage(SemtextPage, ArticleNavigationPage):
    """Provides :class:`zyte_common_items.ArticleNavigation`."""

    nextPage = auto_field(_next_page)  # noqa: N815

    @auto_field
    def categoryName(self) -> str | None:  # noqa: N802
        """The title of a page that lists others."""
        return self.page.title if self.page.records else None

    @auto_field
    def items(self) -> list[ProbabilityRequest] | None:
        """The entries of the main list; their probabilities are unknown."""
        return [ProbabilityRequest(url=record.url, name=record.title) for record in self.page.records] or None


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextForumThreadPage(SemtextPage, ForumThreadPage):
    """Provides :class:`zyte_common_items.ForumThread`; without topic and posts on a page that is not a thread.

    The item has no fields for names of authors and the structure of replies; ``page.qa_pairs`` has both.
    """

    @auto_field
    def topic(self) -> Topic | None:
        """The title of the thread."""
        pairs = thread_pairs(self.page.qa_pairs)
        name = (pairs[0].question_title if pairs else None) or self.page.title
        is_thread = bool(pairs) or self.page.page_kind == "forum"
        return Topic(name=name) if is_thread and name else None

    @auto_field
    def posts(self) -> list[SocialMediaPost] | None:
        """The posts of the thread, the opening post first if the page has it."""
        pairs = thread_pairs(self.page.qa_pairs)
        if not pairs:
            return None
        posts = [(pairs[0].question_body, pairs[0].question_date), *((pair.answer, pair.date) for pair in pairs)]
        return [
            SocialMediaPost(url=str(self.url), text=text, datePublished=utc_of(date)) for text, date in posts if text
        ]


@handle_urls("", priority=PRIORITY)
@attrs.define
class SemtextProductPage(SemtextPlacedPage, ProductPage):
    """Provides :class:`zyte_common_items.Product`.

    Price, brand, identifiers and ratings are those of the page's schema.org markup. Without markup, name and
    description are the title and the main text of a page classified as a product page.
    """

    kind: ClassVar[str | None] = "product"

    price = _value("stated.price")  # None if the offers differ
    availability = _value("stated.availability")
    sku = _value("stated.sku")
    mpn = _value("stated.mpn")

    @property
    def stated(self) -> Product:
        """The product according to the markup."""
        return self.details.product or Product()

    @property
    def _is_product(self) -> bool:
        return self.page.page_kind == self.kind

    @auto_field
    def name(self) -> str | None:
        """The name of the product."""
        return self.stated.name or (self.page.title if self._is_product else None)

    @auto_field
    def description(self) -> str | None:
        """The description of the product."""
        return self.stated.description or (self.page.main_text.strip() or None if self._is_product else None)

    @auto_field
    def currency(self) -> str | None:
        """The currency of the price, as a code of ISO 4217."""
        return self.stated.currency if self.stated.price else None

    @auto_field
    def brand(self) -> Brand | None:
        """The brand of the product."""
        return Brand(name=self.stated.brand) if self.stated.brand else None

    @auto_field
    def gtin(self) -> list[Gtin] | None:
        """The valid GTINs (global trade item numbers) of the product."""
        found = filter(None, map(extract_gtin, self.stated.gtins))
        return [Gtin(type=each.type, value=each.value) for each in found] or None

    @auto_field
    def aggregateRating(self) -> AggregateRating | None:  # noqa: N802
        """The average rating and the number of reviews."""
        stated = self.stated
        if stated.rating is None and not stated.reviews:
            return None
        return AggregateRating(ratingValue=stated.rating, bestRating=stated.best_rating, reviewCount=stated.reviews)

    @auto_field
    def mainImage(self) -> Image | None:  # noqa: N802
        """The first image of the product, or the image that a product page declares for itself."""
        images = self.images
        return images[0] if images else None

    @auto_field
    def images(self) -> list[Image] | None:
        """The images of the product; without markup, the image that a product page declares for itself."""
        return images_of(*self.stated.images) or (images_of(self.details.main_image) if self._is_product else None)


def body_text(page: Page) -> str | None:
    """Return the main text without the headline at its beginning."""
    text = page.main_text
    headline = _headline(_main_node(page), page.title)
    first, _, rest = text.partition("\n")
    if headline is not None and _squeezed(first) == _squeezed(all_text(headline)):
        text = rest
    return text.strip() or None


def body_html(page: Page) -> str | None:
    """Return the main content as HTML, normalized by clear-html, without the headline at its beginning."""
    if not page.main_html:
        return None
    node = _main_node(page)
    headline = _headline(node, page.title)
    if headline is not None:
        headline.drop_tree()
    return str(cleaned_node_to_html(clean_node(node, page.url)))


def _main_node(page: Page) -> HtmlElement:
    return fragment_fromstring(page.main_html or "", create_parent="div")


def _headline(node: HtmlElement, title: str | None) -> HtmlElement | None:
    """Return the heading that begins the main content, if it equals the title."""
    first = node[0] if len(node) else None
    if first is None or title is None or first.tag not in HEADING_LEVELS:
        return None
    return first if same_title(all_text(first), title) else None


def _squeezed(text: str) -> str:
    return "".join(text.split())


def thread_pairs(pairs: Sequence[QAPair]) -> Sequence[QAPair]:
    """Return the pairs of a thread, which share one question; none of a page with several questions."""
    return pairs if len({pair.question for pair in pairs}) == 1 else ()


def utc_of(date: str | None) -> str | None:
    """Convert a date to UTC, as the item requires; None unless it states day, time and time zone."""
    iso = iso_of(date)
    if iso is None or len(iso) == len("2024-05-03T00:00:00"):
        return None
    try:
        moment = datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(timezone.utc)
    except (ValueError, OverflowError):  # a time zone of 99 hours, or a day before the first
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def images_of(*addresses: str | None) -> list[Image] | None:
    """Return distinct images in this order; None without any."""
    return [Image(url=address) for address in dict.fromkeys(filter(None, addresses))] or None


def language_code(tag: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag, None for a language without one: "pt" for "pt-BR"."""
    code = primary_language(tag)
    return code if len(code) == 2 else None
