"""Parsing and joining of URLs, whatever their syntax, and the normalized hosts by which they are compared.

Also the names of files for pages, from their URLs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from scrapy_semtext.utils.remembering import remembered

# A host name and its port; "www.", a final dot and default ports are ignored in comparisons.
_HOST = re.compile(r"(?:www\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])\.?(?::(?:80|443)|(:\d+))?")
_LONGEST = 2_000  # maximum number of characters of a URL to request; Scrapy accepts 2,083


class Address(NamedTuple):
    """The parts of a URL, "" for missing ones.

    ``netloc`` is the host as written, with a port and a user if present; ``hostname`` is only the host, in lower case.
    Hosts are compared by ``host``.
    """

    scheme: str
    netloc: str
    hostname: str
    path: str
    query: str

    @property
    def is_known(self) -> bool:
        """Whether the URL gives the page's position on a site: a path without a host may be that of a file."""
        return bool(self.netloc)

    @property
    def host(self) -> str:
        """The normalized host, equal for all pages of one host."""
        return host_named(self.netloc)


_NO_ADDRESS = Address("", "", "", "", "")


@remembered(1024)  # several parts of the package parse the same URLs
def parsed(url: str) -> Address | None:
    """Return the parts of a URL, None if it is invalid."""
    try:
        parts = urlsplit(url)
        return Address(parts.scheme, parts.netloc, parts.hostname or "", parts.path, parts.query)
    except ValueError:  # such as an unclosed [ of an IPv6 URL
        return None


def address_of(url: str | None) -> Address:
    """Return the parts of a URL; an invalid one has no parts."""
    return parsed(url or "") or _NO_ADDRESS


def host_of(url: str | None) -> str:
    """Return the normalized host of a URL (see `host_named`), "" for an invalid URL."""
    return address_of(url).host


@remembered(4096)
def host_named(netloc: str) -> str:
    """Return the normalized form of a host as written in a URL, by which hosts are compared; "" if it is invalid.

    It consists of the name in lower case and ASCII, without "www.", and of the port if that is not 80 or 443. Users are
    ignored.
    """
    try:
        found = _HOST.fullmatch(urlsplit(safe_url_string(f"http://{netloc}/")).netloc.lower().rpartition("@")[2])
    except ValueError:  # such as a port that is not a number
        return ""
    return "" if found is None else found[1] + (found[2] or "")


@remembered(4096)
def asked(url: str) -> str | None:
    """Return a web URL as Scrapy requests it; None for one that it does not accept, or that is very long.

    Also None for one with a user or a backslash in its host, which can be interpreted in two ways.
    """
    try:
        safe = safe_url_string(url)
    except ValueError:  # such as a lone surrogate
        return None
    parts = address_of(safe)
    is_plain = parts.host and not set("@\\") & {*parts.netloc, *address_of(url).netloc}
    return safe if is_plain and parts.scheme in ("http", "https") and len(safe) <= _LONGEST else None


def without_www(host: str) -> str:
    """Return a host without "www.", because both forms are the same site."""
    return host.removeprefix("www.")


def resolved(address: str, base: str | None) -> str | None:
    """Return a URL that is relative to ``base`` as absolute; None if it is invalid."""
    try:
        return urljoin(base or "", address)
    except ValueError:  # such as an unclosed [ of an IPv6 URL
        return None


def without_fragment(url: str) -> str:
    """Return a URL without its fragment, which does not identify another page."""
    return url.partition("#")[0]


@remembered(4096)
def domain_of(hostname: str) -> str:
    """Return the domain of a host below which all is of one owner: ``a.b.co.uk`` gives ``b.co.uk``.

    ``alice.github.io`` is such a domain, since anyone may have one below ``github.io``. Hosts without one (IP
    addresses, ``localhost``) are returned unchanged.
    """
    return _domain(hostname, private=True)


@remembered(4096)
def registered_domain_of(hostname: str) -> str:
    """Return the domain of a host that is registered with a registry: ``alice.github.io`` gives ``github.io``."""
    return _domain(hostname, private=False)


def _domain(hostname: str, *, private: bool) -> str:
    parts = _suffixes()(hostname, include_psl_private_domains=private)
    return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else hostname


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    import tldextract  # slow to import

    # Without URLs and cache folder, the bundled suffix list is used, without network or disk access.
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


#: The maximum number of bytes of a name without its extension; file systems allow 255 in total.
_LONGEST_NAME = 120
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
    encoded = _NAME.sub("-", f"{address.hostname}-{name}").encode("utf-8", "ignore")[:_LONGEST_NAME]
    clean = encoded.decode("utf-8", "ignore").strip("-.") or "page"
    return f"page-{clean}" if clean.partition(".")[0].casefold() in _RESERVED else clean
