"""Common parts of the tests of the command line: a model without weights, and a loopback server."""

from __future__ import annotations

import gzip
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_semtext.extractor import Extractor, Options
from scrapy_semtext.models.scores import Scores
from scrapy_semtext.models.storage import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from scrapy_semtext.features.table import ParsedPage

ARTICLE = """
<html><head><title>Bread</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>How to bake good bread at your own home</h1>
<p>Take flour, water and salt, and <a href="../wait">wait</a> for longer than anybody would think reasonable.</p></main>
<footer>Imprint</footer></body></html>
"""
FAQ = """<title>Questions</title><script type="application/ld+json">{"@context": "https://schema.org",
"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "How long, \\"roughly\\"?",
"acceptedAnswer": {"@type": "Answer", "text": "Longer than anybody\\nwould think."}}, {"@type": "Question",
"name": "Why?", "acceptedAnswer": {"@type": "Answer", "text": "Because \\ud800."}}]}</script><p>Text."""
MAIN_TEXT = (
    "How to bake good bread at your own home\n"
    "Take flour, water and salt, and wait for longer than anybody would think reasonable."
)


class LongBlocks:
    """A labeler that labels blocks of six words or more as main content, and fails on the word "explosive"."""

    def score(self, pages: Sequence[ParsedPage]) -> list[Scores]:
        for page in pages:
            if any("explosive" in block.text for block in page.text_blocks):
                raise MemoryError("boom")
        return [self._scores(np.array([len(block.text.split()) for block in page.text_blocks])) for page in pages]

    @staticmethod
    def _scores(lengths: Any) -> Scores:
        main = lengths >= 6
        return Scores(np.where(main, 0.9, 0.1), main)


@dataclass
class Loaded:
    """How the model was loaded, and the sizes of its batches."""

    calls: list[tuple[Any, ...]] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)


def install(monkeypatch: pytest.MonkeyPatch) -> Loaded:
    """Make `Extractor.load` return one with the labeler above."""
    loaded = Loaded()

    class Watched(Extractor):
        def read_many(self, sources: Any) -> Any:
            loaded.batches.append(len(sources))
            return super().read_many(sources)

    def load(bundle: Any = None, device: str = "auto", options: Options | None = None) -> Extractor:
        loaded.calls.append((bundle, device, options))
        if bundle is not None and not Path(bundle).is_dir():
            raise BundleError(f"{bundle} is no bundle.")
        return Watched(LongBlocks(), "expected-f1", options)

    monkeypatch.setattr(Extractor, "load", load)
    return loaded


@contextmanager
def serving() -> Iterator[str]:
    """Serve the answers below on loopback; yields the server's URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = _ANSWERS.get(self.path, (404, {}, b"nothing here"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if self.path == "/slow":
            with suppress(OSError):  # the client leaves
                for _ in range(50):
                    self.wfile.write(b" ")
                    time.sleep(0.1)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


_HTML = {"Content-Type": "text/html; charset=utf-8"}
_ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, _HTML, ARTICLE.encode()),
    "/moved": (301, {"Location": "/page"}, b""),
    "/to-file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/to-ftp": (302, {"Location": "ftp://127.0.0.1/x"}, b""),
    "/packed": (200, {**_HTML, "Content-Encoding": "gzip"}, gzip.compress(ARTICLE.encode())),
    "/bomb": (200, {**_HTML, "Content-Encoding": "gzip"}, gzip.compress(bytes(3 << 20))),
    "/badly-packed": (200, {**_HTML, "Content-Encoding": "gzip"}, b"not gzip"),
    "/brotli": (200, {**_HTML, "Content-Encoding": "br"}, b"?"),
    "/slow": (200, _HTML, b"<p>wait"),
    "/pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF"),
    "/latin": (200, {"Content-Type": "text/html; charset=iso-8859-1"}, b"<p>caf\xe9"),
    "/untyped": (200, {}, "<p>café".encode()),
}
