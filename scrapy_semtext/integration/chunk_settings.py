"""The setting SEMTEXT_CHUNKS, which the feed format semtext-chunks switches on."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy_semtext.chunks.size import ChunkOptions
from scrapy_semtext.integration.setting_values import SettingsError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTING = "SEMTEXT_CHUNKS"
FORMAT = "semtext-chunks"


def read_chunks(settings: BaseSettings) -> ChunkOptions | None:
    """Return how large chunks are, None if they are not asked for; raise SettingsError for an invalid value.

    The value may be written as JSON, as on the command line. Without it, a feed of chunks asks for the defaults.
    """
    value = settings.get(SETTING)
    if value is None:
        return ChunkOptions() if feeds_of_chunks(settings) else None
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads({"True": "true", "False": "false"}.get(value, value))
    try:
        return ChunkOptions.of(dict(value) if hasattr(value, "keys") else value)
    except (TypeError, ValueError) as error:
        raise SettingsError(f"{SETTING} is {settings.get(SETTING)!r}: {error}") from error


def feeds_of_chunks(settings: BaseSettings) -> list[str]:
    """Return the addresses of the feeds of chunks."""
    feeds = settings.getdict("FEEDS")
    return [str(uri) for uri, feed in feeds.items() if isinstance(feed, dict) and feed.get("format") == FORMAT]
