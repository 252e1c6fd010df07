"""What cleaning web archives costs: CPU time a page by stage, on the bundled real pages, and for a whole crawl.

    python -m research.bulk_cost

The pages of the example project and of the quality gate are written to a web archive, compressed record by record as
Common Crawl's are. Each stage then reads all of them once, in one process: the CPU time of a stage is that of the
process. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.warc import rows_of_archive
from scrapy_semtext.cli.row_files import row_writer

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).parents[1]

#: What is asked for: the defaults of `semtext warc`, and main texts alone.
_OPTIONS: dict[str, dict[str, Any]] = {
    "all: text, pairs, sections, kind": {},
    "main text alone": {"pairs": False, "kinds": False, "sections": False},
    "main text alone, labeller network": {
        "pairs": False,
        "kinds": False,
        "sections": False,
        "comments": False,
        "labeller": "network",
    },
}


def bundled_pages() -> list[tuple[str, str]]:
    """Return the addresses and the HTML of all bundled pages, each page once."""
    found = {}
    with lzma.open(_ROOT / "tests" / "gate" / "gate.jsonl.xz", "rt", encoding="utf-8") as file:
        for page in map(json.loads, file):
            found[page["html"]] = page["url"]
    site = _ROOT / "example_project" / "site"
    for page in json.loads((site / "pages.json").read_text("utf-8")):
        found[gzip.decompress((site / "pages" / f"{page['name']}.html.gz").read_bytes()).decode()] = page["url"]
    return [(url, html) for html, url in found.items()]


def write_archive(file: IO[bytes], pages: list[tuple[str, str]]) -> None:
    """Write pages as responses."""
    writer = WARCWriter(file, gzip=True)
    for url, html in pages:
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
        body = io.BytesIO(html.encode("utf-8", "replace"))
        writer.write_record(writer.create_warc_record(url, "response", payload=body, http_headers=headers))


@contextmanager
def cpu(name: str, times: dict[str, float]) -> Iterator[None]:
    """Add the CPU time of a stage to ``times``."""
    began = time.process_time()
    yield
    times[name] = time.process_time() - began


def measure(archive: Path) -> dict[str, float]:
    """Return the CPU time, in seconds, that each stage takes for all pages of an archive."""
    times: dict[str, float] = {}
    with cpu("decompress and cut into records", times), archive.open("rb") as file:
        for record in ArchiveIterator(file):
            record.content_stream().read()
    with cpu("the same, and decode", times), archive.open("rb") as file:
        pages = list(rows_of_archive(file))
    rows = []
    for name, options in _OPTIONS.items():
        reader = RowReader(options)
        reader.load()
        with cpu(name, times):
            rows.append(list(reader.read(pages)))
    columns = RowReader().columns()
    for form in ("parquet", "jsonl"):
        with cpu(f"write {form}", times), tempfile.TemporaryFile() as file:
            packed: Any = gzip.GzipFile(fileobj=file, mode="wb") if form == "jsonl" else file
            writer = row_writer(packed, form, columns)
            for row in rows[0]:
                writer.write({name: row.get(name) for name in columns})
            writer.close()
            packed.close()
    return times


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=float, default=2.64e9, help="pages of the crawl (%(default)s)")
    parser.add_argument("--page-bytes", type=float, default=164e3, help="bytes of a page of the crawl (%(default)s)")
    arguments = parser.parse_args()
    pages = bundled_pages()
    size = sum(len(html.encode("utf-8", "replace")) for _, html in pages)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "pages.warc.gz"
        with archive.open("wb") as file:
            write_archive(file, pages)
        times = measure(archive)
        packed = archive.stat().st_size
    out = sys.stdout.write
    out(f"{len(pages)} pages, {size / len(pages) / 1000:.0f} KB on average, {packed / size:.3f} of it compressed\n")
    out(f"{'stage':<40}{'ms a page':>10}{'ms a MB':>10}{'pages/s':>10}{'core hours':>12}\n")
    for name, seconds in times.items():
        a_byte = seconds / size
        hours = a_byte * arguments.page_bytes * arguments.pages / 3600
        out(
            f"{name:<40}{seconds / len(pages) * 1e3:>10.2f}{a_byte * 1e9:>10.1f}{len(pages) / seconds:>10.1f}"
            f"{hours:>12,.0f}\n"
        )


if __name__ == "__main__":
    main()
