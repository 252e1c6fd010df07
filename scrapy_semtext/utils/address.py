"""Web URLs taken apart and put together, whatever is written there, and the hosts that they are compared by."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from scrapy_semtext.utils.remembering import remembered

# The name of a host and its port; "www.", a dot at its end and the usual ports make no other one.
_HOST = re.compile(r"(?:www\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])\.?(?::(?:80|443)|(:\d+))?")
_LONGEST = 2_000  # characters of a URL that is asked for; Scrapy takes 2,083


class Address(NamedTuple):
    """The parts of a URL, "" where it has none.

    ``netloc`` is the host as it is written, with a port and a user if it has them; ``hostname`` is the host only, in
    lower case. Hosts are compared by ``host``.
    """

    scheme: str
    netloc: str
    hostname: str
    path: str
    query: str

    @property
    def is_known(self) -> bool:
        """Whether it says where on a site the page is: a path without a host may be that of a file."""
        return bool(self.netloc)

    @property
    def host(self) -> str:
        """What the pages of one host have in common."""
        return host_named(self.netloc)


_NO_ADDRESS = Address("", "", "", "", "")


@remembered(1024)  # the labels and kinds of a batch of pages ask for each several times, as does a crawl
def parsed(url: str) -> Address | None:
    """Return the parts of a URL, None for one that is none."""
    try:
        parts = urlsplit(url)
        return Address(parts.scheme, parts.netloc, parts.hostname or "", parts.path, parts.query)
    except ValueError:  # such as an unclosed [ of an IPv6 URL
        return None


def address_of(url: str | None) -> Address:
    """Return the parts of a URL; one that is none has no parts."""
    return parsed(url or "") or _NO_ADDRESS


def host_of(url: str | None) -> str:
    """Return the host of a URL as hosts are compared (`host_named`), "" for a URL that is none."""
    return address_of(url).host


@remembered(4096)
def host_named(netloc: str) -> str:
    """Return what hosts are compared by, of a host as it is written; "" for one that is none.

    Its name in lower case and ASCII, without "www.", and its port if that is not 80 or 443. A user is no part of it.
    """
    try:
        found = _HOST.fullmatch(urlsplit(safe_url_string(f"http://{netloc}/")).netloc.lower().rpartition("@")[2])
    except ValueError:  # such as a port that is no number
        return ""
    return "" if found is None else found[1] + (found[2] or "")


@remembered(4096)
def asked(url: str) -> str | None:
    """Return a URL of the web as Scrapy asks for it; None for one that it does not take, or that is very long.

    None, too, for one with a user or a backslash in its host, which may be read in two ways.
    """
    try:
        safe = safe_url_string(url)
    except ValueError:  # such as a lone surrogate
        return None
    parts = address_of(safe)
    is_plain = parts.host and not set("@\\") & {*parts.netloc, *address_of(url).netloc}
    return safe if is_plain and parts.scheme in ("http", "https") and len(safe) <= _LONGEST else None


def without_www(host: str) -> str:
    """Return a host as hosts are compared: with and without "www." it is the same site."""
    return host.removeprefix("www.")


def resolved(address: str, base: str | None) -> str | None:
    """Return a URL that is relative to ``base`` as absolute; None for one that is none."""
    try:
        return urljoin(base or "", address)
    except ValueError:  # such as an unclosed [ of an IPv6 URL
        return None


def without_fragment(url: str) -> str:
    """Return a URL without its fragment, which makes no other page."""
    return url.partition("#")[0]


@remembered(4096)
def domain_of(hostname: str) -> str:
    """Return the domain of a host as somebody registered it: ``a.b.co.uk`` gives ``b.co.uk``.

    Hosts without one (IP addresses, ``localhost``) are returned whole.
    """
    parts = _suffixes()(hostname)
    return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else hostname


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    import tldextract  # takes long to import

    # Without URLs and cache folder, the bundled suffix list is used, without network or disk access.
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
