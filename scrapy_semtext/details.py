"""A page's details beyond `scrapy_semtext.results.METADATA`: dates with times, people, images, a product."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Person:
    """An author. ``raw`` is the text with the name; ``url`` (absolute) and ``email`` are only set if stated."""

    name: str
    raw: str
    url: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Crumb:
    """An entry of a breadcrumb trail; ``url`` is absolute, None if the entry is not a link."""

    name: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Product:
    """The single product in the schema.org markup of a page; None for values that the markup does not state.

    ``price`` is an amount such as "1299.00", the lowest of an AggregateOffer, None if offers differ; ``currency`` an
    ISO 4217 code; ``availability`` "InStock" or "OutOfStock". ``gtins`` are not validated.
    """

    name: str | None = None
    description: str | None = None
    price: str | None = None
    currency: str | None = None
    availability: str | None = None
    brand: str | None = None
    sku: str | None = None
    mpn: str | None = None
    gtins: list[str] = field(default_factory=list)
    rating: float | None = None
    best_rating: float | None = None
    reviews: int | None = None
    images: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Details:
    """The details of a page; None or empty if the page does not state them.

    ``document_title`` is the text of ``<title>``. ``published`` and ``modified`` are ISO 8601 dates and times with
    seconds, and with a time zone if stated; the time is 00:00:00 if only the day is stated. ``published_raw`` and
    ``modified_raw`` are the texts that they were read from. ``main_image`` is the image that the page declares for
    itself, ``images`` are those of the main content; all are absolute URLs. ``license`` is the URL or the text of the
    stated license; ``tags`` and ``categories`` are the stated subjects. ``hostname`` is that of the page's URL, or of
    the canonical one if that is unknown; ``content_hash`` is the hexadecimal SHA-256 of the main text in UTF-8.
    ``kinds`` has the probability of each kind of page; like the hash, it requires text.
    """

    canonical_url: str | None = None
    document_title: str | None = None
    authors: list[Person] = field(default_factory=list)
    published: str | None = None
    published_raw: str | None = None
    modified: str | None = None
    modified_raw: str | None = None
    main_image: str | None = None
    images: list[str] = field(default_factory=list)
    breadcrumbs: list[Crumb] = field(default_factory=list)
    product: Product | None = None
    license: str | None = None
    tags: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    hostname: str | None = None
    content_hash: str | None = None
    kinds: dict[str, float] = field(default_factory=dict)
