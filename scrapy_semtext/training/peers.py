"""Other extractors that a comparison may name, each read by its own package with that package's defaults.

They are no dependency: the extra ``peers`` installs them, and whoever names one that is missing is told how to get it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from scrapy_semtext.training.errors import UserError

#: Reads a page, its HTML and its address if known, to its main text.
Read = Callable[[str, "str | None"], str]

# Every one of them wants some address; none is fetched.
_NOWHERE = "https://example.com/"


class PeerError(UserError):
    """Peers that are not installed; the message gives the command that installs them."""

    def __init__(self, names: Sequence[str]) -> None:
        packages = " ".join(PEERS[name].package for name in names)
        super().__init__(f"Not installed: {', '.join(names)}. Run: pip install {packages}")


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor of another package: its name on PyPI, and how its reader is made."""

    package: str
    load: Callable[[], Read]

    def version(self) -> str | None:
        """The installed version, None if it is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def _trafilatura() -> Read:
    extract = import_module("trafilatura").extract
    return lambda html, url: extract(html, url=url) or ""


def _resiliparse() -> Read:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html, _: str(extract(html, main_content=True))


def _readability() -> Read:
    document = import_module("readability").Document
    text = import_module("html_text").extract_text
    return lambda html, url: str(text(document(html, url=url).summary()))


def _justext() -> Read:
    justext = import_module("justext")
    stop_words = justext.get_stoplist("English")

    def read(html: str, _: str | None) -> str:
        paragraphs = justext.justext(html, stop_words)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)

    return read


def _boilerpy3() -> Read:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor()
    return lambda html, _: str(extractor.get_content(html))


def _newspaper4k() -> Read:
    article = import_module("newspaper").Article

    def read(html: str, url: str | None) -> str:
        found = article(url or _NOWHERE, fetch_images=False)
        found.download(input_html=html)
        found.parse()
        return str(found.text)

    return read


def _rs_trafilatura() -> Read:
    extract = import_module("rs_trafilatura").extract
    return lambda html, url: extract(html, url=url).main_content or ""


#: The peers by the name that they go by.
PEERS = {
    "trafilatura": Peer("trafilatura", _trafilatura),
    "rs-trafilatura": Peer("rs-trafilatura", _rs_trafilatura),
    "resiliparse": Peer("resiliparse", _resiliparse),
    "readability-lxml": Peer("readability-lxml", _readability),
    "justext": Peer("jusText", _justext),
    "boilerpy3": Peer("boilerpy3", _boilerpy3),
    "newspaper4k": Peer("newspaper4k", _newspaper4k),
}
