"""Items of every type that Scrapy knows. Spiders fill in the url; scrapy-semtext fills the other fields it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import attrs
import pydantic
import scrapy


@dataclass
class Article:
    """A dataclass: gets the fields it declares."""

    url: str
    title: str | None = None
    main_text: str = ""
    page_kind: str | None = None


@attrs.define
class Documentation:
    """An attrs class, with the page's text by its headings."""

    url: str
    title: str | None = None
    main_text: str = ""
    sections: list[dict[str, Any]] = attrs.Factory(list)


class Thread(scrapy.Item):
    """A scrapy.Item."""

    url = scrapy.Field()
    title = scrapy.Field()
    main_text = scrapy.Field()


class Question(pydantic.BaseModel):
    """A pydantic model, with the pairs of the question and each of its answers."""

    url: str
    title: str | None = None
    main_text: str = ""
    qa_pairs: list[dict[str, Any]] = []


#: Which item a page of a kind becomes. Every other kind becomes a dict, which gains the fields of SEMTEXT_FIELDS.
ITEMS: dict[str, Any] = {
    "article": Article,
    "documentation": Documentation,
    "forum": Thread,
    "question": Question,
}
