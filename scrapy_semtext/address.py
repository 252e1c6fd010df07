"""The address of a page in parts, whatever is written there. What a page is, its address says, too."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit


class Address(NamedTuple):
    """The host, the path and the query of an address, "" where it has none."""

    host: str
    path: str
    query: str

    @property
    def is_known(self) -> bool:
        """Whether it says where on a site the page is: a path without a host may be that of a file."""
        return bool(self.host)


def address_of(url: str | None) -> Address:
    """The parts of an address; one that is none has no parts."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return Address("", "", "")
    return Address(parts.netloc, parts.path, parts.query)
