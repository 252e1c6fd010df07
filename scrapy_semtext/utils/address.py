"""URLs of any syntax: their parts, the normalized hosts by which they are compared, and names of files for them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

from w3lib.url import safe_url_string

from scrapy_semtext.utils.remembering import remembered

# A host name and its port; "www.", a final dot and default ports are ignored in comparisons.
_HOST = re.compile(r"(?:www\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])\.?(?::(?:80|443)|(:\d+))?")
_MAX_URL = 2_000  # characters of a URL to request; Scrapy accepts 2,083
_MAX_SLUG = 80  # characters
_RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")  # by Windows for devices, with any extension


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
    return safe if is_plain and parts.scheme in ("http", "https") and len(safe) <= _MAX_URL else None


def without_www(host: str) -> str:
    """Return a host without "www.", because both forms are the same site."""
    return host.removeprefix("www.")


def resolved(address: str, base: str | None) -> str | None:
    """Return a URL that is relative to ``base`` as absolute; None if it is invalid."""
    try:
        return urljoin(base or "", address)
    except ValueError:  # such as an unclosed [ of an IPv6 URL
        return None


def query_of(query: str) -> list[tuple[str, str]]:
    """Return the keys and values of a query, whose parts may also be separated by semicolons."""
    return parse_qsl(query.replace(";", "&"), keep_blank_values=True)


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


def site_of(url: str | None, by: Literal["host", "domain"] = "host") -> str:
    """Return the site of a URL, "" if it has no host.

    For ``https://www.forum.example.com/a``, this is ``forum.example.com`` by "host" and ``example.com`` by "domain".
    """
    host = address_of(url).hostname
    return domain_of(host) if by == "domain" else without_www(host)


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


def file_slug(text: str) -> str:
    """Return a name of a file for a URL or an id, without an extension: ``example-com-guide-bread``.

    It is valid on every system, and may be empty. Several texts may have the same.
    """
    words = re.sub(r"^https?://(www\.)?|\.x?html?$", "", text.lower())
    slug = re.sub(r"[^a-z0-9]+", "-", words)[:_MAX_SLUG].strip("-")
    return f"page-{slug}" if _RESERVED.fullmatch(slug) else slug
