"""Web archives created from pages, for the tests of their readers."""

from __future__ import annotations

import io
import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from collections.abc import Iterable

GATE = Path(__file__).parent / "gate" / "gate.jsonl.xz"
HTML = "text/html; charset=utf-8"


def gate_pages(count: int) -> list[tuple[str, str]]:
    """Return the URLs and the HTML of the shortest real pages."""
    with lzma.open(GATE, "rt", encoding="utf-8") as file:
        pages = sorted((json.loads(line) for line in file), key=lambda page: len(page["html"]))
    return [(page["url"], page["html"]) for page in pages[:count]]


def write_archive(
    path: Path, pages: Iterable[tuple[str, str]], content_type: str = HTML, status: str = "200 OK"
) -> Path:
    """Add responses to a web archive, compressed record by record."""
    with path.open("ab") as file:
        writer = WARCWriter(file, gzip=True)
        for url, html in pages:
            headers = StatusAndHeaders(status, [("Content-Type", content_type)], protocol="HTTP/1.1")
            body = io.BytesIO(html.encode("utf-8", "replace"))
            record = writer.create_warc_record(url, "response", payload=body, http_headers=headers)
            writer.write_record(record)
            record.raw_stream.close()
    return path
