"""The extractors of other packages that this one is compared with, each with the defaults of its package.

``pip install "scrapy-semtext[peers]"`` installs those of Python but rs-trafilatura, which is built for some versions of
Python only. Those of Node.js need ``npm install @mozilla/readability defuddle jsdom`` in a folder, and that folder's
``node_modules`` as the environment variable NODE_PATH; their CPU time is not measured.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class NodePeer(Peer):
    """An extractor for Node.js: its name on npm."""

    def version(self) -> str | None:
        """The installed version, or None if NODE_PATH does not have the package."""
        path = Path(os.environ.get("NODE_PATH") or "node_modules") / self.package / "package.json"
        return str(json.loads(path.read_text(encoding="utf-8"))["version"]) if path.exists() else None


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


def _chromerag() -> Read:
    extract = import_module("chromerag").ChromeRAG().extract
    return lambda html, url: str(extract(html, url=url).markdown)


def _node(package: str) -> Read:
    script = Path(__file__).with_name("node_peers.mjs")
    node = subprocess.Popen(  # noqa: S603
        ["node", str(script), package],  # noqa: S607
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )

    def read(html: str, url: str | None) -> str:
        assert node.stdin is not None  # noqa: S101
        assert node.stdout is not None  # noqa: S101
        node.stdin.write(json.dumps({"html": html, "url": url}) + "\n")
        node.stdin.flush()
        answer = json.loads(node.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return str(answer["text"])

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
    "chromerag": Peer("chromerag", _chromerag),
    "readability.js": NodePeer("@mozilla/readability", partial(_node, "@mozilla/readability")),
    "defuddle": NodePeer("defuddle", partial(_node, "defuddle")),
}
