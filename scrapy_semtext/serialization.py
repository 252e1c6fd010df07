"""Serialization of a Page by web-poet: for scrapy-poet's cache and the fixtures of `scrapy savefixture`."""

from __future__ import annotations

from functools import cache

# web-poet resolves the annotations of the functions below.
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_semtext.page import Page  # noqa: TC001


@cache
def register() -> None:
    """Register the serialization with web-poet."""
    register_serialization(_serialize, _deserialize)


def _serialize(page: Page) -> SerializedLeafData:
    return {"json": page.to_json(indent=1).encode()}


def _deserialize(cls: type[Page], data: SerializedLeafData) -> Page:
    return cls.of_json(data["json"])
