"""The extractors of other packages that this one is compared with, each with the defaults of its package.

``pip install "scrapy-semtext[peers]"`` installs all but rs-trafilatura, which is built for some versions of Python
only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

#: Extracts the main text of a page, given its HTML and its URL if known.
Read = Callable[[str, "str | None"], str]


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor of another package: its name on PyPI, and a function that imports it and returns a reader.

    ``load`` has to be a module-level function, since it is sent to the process that reads.
    """

    package: str
    load: Callable[[], Read]

    def version(self) -> str | None:
        """The installed version, or None if the package is not installed."""
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


# newspaper4k needs an address. Nothing is fetched.
_PLACEHOLDER_URL = "https://example.com/"


def _trafilatura() -> Read:
    extract = import_module("trafilatura").extract
    return lambda html, url: extract(html, url=url) or ""


def _rs_trafilatura() -> Read:
    extract = import_module("rs_trafilatura").extract
    return lambda html, url: extract(html, url=url).main_content or ""


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
    article_class = import_module("newspaper").Article

    def read(html: str, url: str | None) -> str:
        article = article_class(url or _PLACEHOLDER_URL, fetch_images=False)
        article.download(input_html=html)
        article.parse()
        return str(article.text)

    return read


#: The peers by the name used in `research.comparison --systems` and in tables.
PEERS = {
    "trafilatura": Peer("trafilatura", _trafilatura),
    "rs-trafilatura": Peer("rs-trafilatura", _rs_trafilatura),
    "resiliparse": Peer("resiliparse", _resiliparse),
    "readability-lxml": Peer("readability-lxml", _readability),
    "justext": Peer("jusText", _justext),
    "boilerpy3": Peer("boilerpy3", _boilerpy3),
    "newspaper4k": Peer("newspaper4k", _newspaper4k),
}
