"""An address in parts, whatever is written there."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit


class Address(NamedTuple):
    """The host, the path and the query of an address, "" where it has none."""

    host: str
    path: str
    query: str


def address_of(url: str | None) -> Address:
    """The parts of an address; one that is none has no parts."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return Address("", "", "")
    return Address(parts.netloc, parts.path, parts.query)
