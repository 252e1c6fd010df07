"""The base of all page objects: the Page, and values common to several items.

Annotations are evaluated here, so that andi finds Page in those of subclasses, whatever their modules import.
"""

from typing import Any, ClassVar

import attrs
from web_poet.fields import FieldsMixin
from zyte_common_items import Breadcrumb, Image
from zyte_common_items.fields import auto_field

from scrapy_semtext.details import Details
from scrapy_semtext.page import Page
from scrapy_semtext.words.words import primary_language

#: Below the default of ``handle_urls``, 500, so that page objects of a project take precedence.
PRIORITY = 100


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

    @auto_field
    def breadcrumbs(self) -> list[Breadcrumb] | None:
        """The breadcrumb trail, outermost first."""
        return [Breadcrumb(name=crumb.name, url=crumb.url) for crumb in self.details.breadcrumbs] or None

    @auto_field
    def canonicalUrl(self) -> str | None:  # noqa: N802
        """The URL that the page declares as canonical."""
        return self.details.canonical_url


def images_of(*addresses: str | None) -> list[Image] | None:
    """Return distinct images in this order; None without any."""
    return [Image(url=address) for address in dict.fromkeys(filter(None, addresses))] or None


def language_code(tag: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag, None for a language without one: "pt" for "pt-BR"."""
    code = primary_language(tag)
    return code if len(code) == 2 else None
