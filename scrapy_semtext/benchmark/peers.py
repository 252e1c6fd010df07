"""Other extractors of main text, as far as they are installed, called the way their documentation calls them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Peer(Protocol):
    """Reads a page; what comes out does not matter here."""

    def __call__(self, html: str, url: str | None, /) -> object:
        """Read one page."""


def installed_peers() -> dict[str, Peer]:
    """The peers that can be imported, by name. Each gets the HTML of a page and gives its main text."""
    found: dict[str, Peer] = {}
    for name, (module, reader) in _PEERS.items():
        with suppress(ImportError):
            found[name] = _careful(reader(import_module(module)))
    return found


def _careful(read: Callable[[str, str | None], object]) -> Peer:
    """A page that a peer cannot read costs what it took it to find out."""

    def careful(html: str, url: str | None, /) -> object:
        try:
            return read(html, url)
        except Exception:  # noqa: BLE001 - whatever a peer raises
            return None

    return careful


_Reader = Any  # of a module to the function that reads a page

_PEERS: dict[str, tuple[str, _Reader]] = {
    "trafilatura": ("trafilatura", lambda module: lambda html, url: module.extract(html, url=url)),
    "rs-trafilatura": ("rs_trafilatura", lambda module: lambda html, url: module.extract(html, url=url)),
    "resiliparse": (
        "resiliparse.extract.html2text",
        lambda module: lambda html, _: module.extract_plain_text(html, main_content=True),
    ),
    "readability-lxml": ("readability", lambda module: lambda html, _: module.Document(html).summary()),
    "jusText": (
        "justext",
        lambda module: lambda html, _: module.justext(html.encode(), module.get_stoplist("English"), encoding="utf-8"),
    ),
}
