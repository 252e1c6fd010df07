"""File names for pages, from their URLs."""

from __future__ import annotations

import re

from scrapy_semtext.utils.address import Address, parsed

#: The maximum number of bytes of a name without its extension; file systems allow 255 in total.
_LONGEST = 120
_NAME = re.compile(r"[^\w.-]+")
_ENDING = re.compile(r"\.[a-z]{2,5}$")

#: Names that Windows reserves for devices, with any extension.
_RESERVED = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))))


class FileNames:
    """Assigns each URL a unique name: ``example.com-guide-bread``, or for a duplicate ``...-2``.

    For any URL, the name is valid on every system: it has letters, digits, ``_``, ``-`` and ``.`` (the last two not at
    its ends), and no two names differ only by case.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def new(self, url: str) -> str:
        """Return a new name without an extension."""
        base = _base(url)
        key = base.casefold()
        name, number = base, self._numbers.get(key, 1)
        while name.casefold() in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._numbers[key] = number
        self._taken.add(name.casefold())
        return name


def _base(url: str) -> str:
    address = parsed(url) or Address("", "", "", url, "")
    name = _ENDING.sub("", address.path.strip("/")) + (f"-{address.query}" if address.query else "")
    encoded = _NAME.sub("-", f"{address.hostname}-{name}").encode("utf-8", "ignore")[:_LONGEST]
    clean = encoded.decode("utf-8", "ignore").strip("-.") or "page"
    return f"page-{clean}" if clean.partition(".")[0].casefold() in _RESERVED else clean
