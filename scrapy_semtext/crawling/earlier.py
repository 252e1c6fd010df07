"""The addresses that a file of an earlier crawl holds, so that they are not fetched again."""

from __future__ import annotations

import gzip
import json
import lzma
from typing import IO, TYPE_CHECKING, cast
from urllib.parse import urldefrag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What `earlier_addresses` raises.
UNREADABLE = (OSError, EOFError, lzma.LZMAError, ValueError)


def opened(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in .gz or .xz."""
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return cast("IO[bytes]", lzma.open(path, "rb")) if path.suffix == ".xz" else path.open("rb")


def earlier_addresses(path: Path) -> Iterator[str]:
    """Yield the address in each line of a file, without fragment: JSON with a key ``url``, or the address alone.

    Raises one of UNREADABLE for a file that cannot be read; ValueError for a line without an address.
    """
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if text := line.decode("utf-8", "replace").strip():
                url = _address_in(text)
                if url is None:
                    raise ValueError(f"line {number} of {path} has no address: it is neither JSON with a url nor one")
                yield urldefrag(url).url


def _address_in(text: str) -> str | None:
    if text.startswith(("http://", "https://")):
        return text
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    url = row.get("url") if isinstance(row, dict) else None
    return url if isinstance(url, str) else None
