"""Serialization of a Page by web-poet: for scrapy-poet's cache and the fixtures of `scrapy savefixture`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from types import NoneType
from typing import Any, cast, get_args, get_origin, get_type_hints

# web-poet resolves the annotations of the functions below.
from web_poet.serialization import SerializedLeafData, register_serialization

from scrapy_semtext.page import Page  # noqa: TC001
from scrapy_semtext.results import RESULTS


@cache
def register() -> None:
    """Register the serialization with web-poet."""
    register_serialization(_serialize, _deserialize)


def _serialize(page: Page) -> SerializedLeafData:
    return {"json": json.dumps(page.values(RESULTS), ensure_ascii=False, indent=1).encode()}


def _deserialize(cls: type[Page], data: SerializedLeafData) -> Page:
    return cast("Page", _built(cls, json.loads(data["json"])))


def _built(kind: Any, value: Any) -> Any:
    """Convert a JSON value to a type: dataclasses, and lists of them, at any depth; keys may be missing."""
    (kind,) = [each for each in get_args(kind) if each is not NoneType] if NoneType in get_args(kind) else [kind]
    if get_origin(kind) is list:
        return [_built(get_args(kind)[0], each) for each in value]
    if value is not None and is_dataclass(kind):
        kinds, make = get_type_hints(kind), cast("Callable[..., Any]", kind)
        return make(**{name: _built(kinds[name], each) for name, each in value.items()})
    return value
