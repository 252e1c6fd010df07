"""What a page says of itself beyond `scrapy_semtext.results.METADATA`: dates with times, people, images, a product."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Person:
    """An author. ``raw`` is the text that the name is from; ``url`` (absolute) and ``email`` only where stated."""

    name: str
    raw: str
    url: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True)
class Crumb:
    """An entry of a breadcrumb trail; ``url`` is absolute, None where the entry is no link."""

    name: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Product:
    """What the schema.org markup of a page states of its one product; None for what it does not state.

    ``price`` is an amount such as "1299.00", None where offers differ; ``currency`` a code of ISO 4217;
    ``availability`` "InStock" or "OutOfStock". ``gtins`` are not checked.
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
    """The details of a page; None or empty where the page does not state them.

    ``document_title`` is that of ``<title>``. ``published`` and ``modified`` are dates and times of ISO 8601, with
    seconds, and with a time zone if it is stated; the time is 00:00:00 if only the day is. ``published_raw`` and
    ``modified_raw`` are what they were read from. ``main_image`` is the image that the page states as its own,
    ``images`` are those of the main content; both are absolute URLs. ``license`` is the URL or the text of the
    licence that the page states; ``tags`` and ``categories`` are what it says it is about. ``hostname`` is of its
    URL, or of the canonical one if that is unknown; ``content_hash`` is the SHA-256 of its main text in UTF-8, in
    hexadecimal digits. ``kinds`` has the probability of each kind of page; like the hash it needs a text.
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
