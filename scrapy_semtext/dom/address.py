"""The address of a page in parts, whatever is written there. What a page is, its address says, too."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

# The form of an address that is not known: the medians over the training pages. Without any form it would be that of a
# front page, which is mostly an overview.
_TYPICAL_FORM = (3.0, 46.0, 2.0, 0.0, 4.0, 0.0)


class Address(NamedTuple):
    """The host, the path and the query of an address, "" where it has none."""

    host: str
    path: str
    query: str

    @property
    def is_known(self) -> bool:
        """Whether it says where on a site the page is: a path without a host may be that of a file."""
        return bool(self.host)


@lru_cache(maxsize=64)  # labels, kinds and words of a batch of pages ask for it
def address_of(url: str | None) -> Address:
    """The parts of an address; one that is none has no parts."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # such as an unclosed [ of an IPv6 address
        return Address("", "", "")
    return Address(parts.netloc, parts.path, parts.query)


def form_of(address: Address) -> tuple[float, ...]:
    """How many slashes, characters and digits the path has, how long the query is, dashes, and whether it is a root.

    Of an address that is not known, what is typical.
    """
    if not address.is_known:
        return _TYPICAL_FORM
    path = address.path
    digits = sum(map(str.isdigit, path))
    return path.count("/"), len(path), digits, len(address.query), path.count("-"), path in ("", "/")
