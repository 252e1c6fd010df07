"""Reads the items in a file of an earlier crawl, so that they are neither fetched nor written again."""

from __future__ import annotations

import gzip
import json
import lzma
from typing import IO, TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urldefrag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: The exceptions that `earlier_items` raises.
UNREADABLE = (OSError, EOFError, lzma.LZMAError, ValueError)


def opened(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in .gz or .xz."""
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return cast("IO[bytes]", lzma.open(path, "rb")) if path.suffix == ".xz" else path.open("rb")


class EarlierItem(NamedTuple):
    """The URL of an item, without its fragment, and its title and main text if the file has them."""

    url: str
    title: str = ""
    text: str = ""


def earlier_items(path: Path) -> Iterator[EarlierItem]:
    """Yield the item in each line of a file: a line is JSON with a key ``url``, or only a URL.

    Raises one of UNREADABLE for a file that cannot be read, and ValueError for a line without a URL.
    """
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if text := line.decode("utf-8", "replace").strip():
                item = _item_in(text)
                if item is None:
                    raise ValueError(f"line {number} of {path} is neither JSON with the key url nor a URL")
                yield item._replace(url=urldefrag(item.url).url)


def _item_in(text: str) -> EarlierItem | None:
    if text.startswith(("http://", "https://")):
        return EarlierItem(text)
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not isinstance(row.get("url"), str):
        return None
    values = (row.get("title"), row.get("main_text"))
    return EarlierItem(row["url"], *(value if isinstance(value, str) else "" for value in values))
