"""The arguments of the spiders that harvest whole sites, validated before a crawl starts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from scrapy_semtext.crawl.rendering import RenderMode  # noqa: TC001  pydantic needs it
from scrapy_semtext.crawl.scope import Strategy  # noqa: TC001  pydantic needs it
from scrapy_semtext.utils.address import asked

if TYPE_CHECKING:
    from typing_extensions import Self


class SiteParameters(BaseModel):
    """Arguments of SiteSpider and its subclasses, as ``-a name=value`` gives them."""

    model_config = ConfigDict(extra="forbid")

    urls: list[str] = Field(
        default_factory=list,
        title="URLs",
        description="URLs to start from, separated by commas or white space.",
    )
    urls_file: str | None = Field(
        None, title="File of URLs", description="A file of more URLs to start from, one per line."
    )
    max_pages: int | None = Field(None, ge=1, title="Most pages", description="Stop after this many requests.")
    max_pages_per_site: int | None = Field(
        None, ge=1, title="Most pages of a site", description="Stop fetching from a host after this many requests."
    )
    max_items: int | None = Field(None, ge=1, title="Most items", description="Stop after this many items.")
    allow: list[str] = Field(
        default_factory=list,
        description="Regular expressions, separated by white space; only URLs that match one of them are fetched,"
        " on any host.",
    )
    deny: list[str] = Field(
        default_factory=list,
        description="Regular expressions, separated by white space; a URL that matches one is not fetched.",
    )
    strategy: Strategy = Field(
        "all",
        description="Which links are followed: all; lists (only links on lists: to items, other lists, next pages);"
        " next-pages (only items and next pages of the given lists); given (none: the given URLs are the items).",
    )
    scope: Literal["host", "domain"] = Field(
        "host", description="Whether to stay on the hosts of the URLs or on their domains."
    )
    incremental: bool = Field(
        False,
        description="Whether to fetch only new items, in a job that was finished before (JOBDIR).",
    )
    earlier_file: str | None = Field(
        None,
        title="File of an earlier crawl",
        description="JSON lines with the URL of an item in url, as an earlier crawl wrote them, or only URLs;"
        " these items are not fetched again.",
    )
    sitemaps: bool = Field(True, description="Whether to read sitemaps and feeds.")
    render: RenderMode = Field(
        "never",
        description="Whether scrapy-playwright renders pages in a browser: never; auto (pages with too little text"
        " and with scripts); always.",
    )
    max_thread_pages: int = Field(
        50, ge=1, title="Most pages of a thread", description="Pages of a thread that are merged into one item."
    )

    @model_validator(mode="before")
    @classmethod
    def _leave_out_foreign(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Leave out the arguments of job schedulers, which begin with "_", and the name of the spider."""
        return {name: value for name, value in values.items() if not name.startswith("_") and name != "name"}

    @field_validator("urls", mode="before")
    @classmethod
    def _read_urls(cls, value: Any) -> list[str]:
        return _checked(_split(value))

    @field_validator("earlier_file")
    @classmethod
    def _require_earlier(cls, value: str | None) -> str | None:
        if value is not None and not Path(value).is_file():
            raise ValueError(f"earlier_file: there is no file {value}")
        return value

    @model_validator(mode="after")
    def _join_file(self) -> Self:
        """Add the URLs of ``urls_file``."""
        if self.urls_file is not None:
            try:
                listed = Path(self.urls_file).read_text(encoding="utf-8")
            except OSError as error:
                raise ValueError(f"urls_file: {self.urls_file} cannot be read: {error.strerror or error}") from error
            lines = [line.strip() for line in listed.splitlines()]
            self.urls = [*self.urls, *_checked([line for line in lines if line and line[0] != "#"])]
        if not self.urls:
            raise ValueError("there is no URL; give at least one, such as https://example.com/")
        return self

    @field_validator("allow", "deny", mode="before")
    @classmethod
    def _read_patterns(cls, value: Any) -> list[str]:
        patterns = value.split() if isinstance(value, str) else list(value)
        try:
            for pattern in patterns:
                re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{error.pattern!r} is not a regular expression: {error}") from error
        return patterns


def _checked(urls: list[str]) -> list[str]:
    for url in urls:
        if asked(url) is None:
            raise ValueError(f"{url!r} is not a URL; it has to begin with http:// or https:// and the name of a host")
    return urls


def _split(value: Any) -> list[str]:
    """Split a text into URLs, at white space and at commas between two URLs."""
    if not isinstance(value, str):
        return list(value)
    return [url for url in re.split(r"\s+|,(?=\s*https?://)", value.strip(", \n\t")) if url]
