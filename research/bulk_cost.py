"""The cost of cleaning web archives: CPU time per page by stage, on the bundled real pages, and for a whole crawl.

    python -m research.bulk_cost

The pages of the example project and of the quality gate are written to a web archive, compressed record by record as
Common Crawl's are. Each stage then reads all of them once, in a separate process, so that its caches are empty.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import multiprocessing
import sys
import tempfile
import time
from collections import deque
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import lxml.html
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from scrapy_semtext.bulk.reader import RowReader
from scrapy_semtext.bulk.warc import rows_of_archive
from scrapy_semtext.cli.row_files import Target, row_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROOT = Path(__file__).parents[1]

#: What is asked for: the defaults of `semtext batch`, and main text only.
_OPTIONS: dict[str, dict[str, Any]] = {
    "all: text, pairs, sections, kind": {},
    "main text only": {"pairs": False, "kinds": False, "sections": False},
    "main text only, --fast": {
        "pairs": False,
        "kinds": False,
        "sections": False,
        "comments": False,
        "labeler": "cascade",
    },
}


def bundled_pages() -> list[tuple[str, str]]:
    """Return the URLs and the HTML of all bundled pages, each page once."""
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


def read_records(archive: Path) -> float:
    """Decompress an archive and cut it into records."""
    with cpu() as seconds, archive.open("rb") as file:
        for record in ArchiveIterator(file):
            record.content_stream().read()
    return seconds[0]


def read_pages(archive: Path) -> float:
    """Do the same, and decode the pages."""
    with cpu() as seconds, archive.open("rb") as file:
        deque(rows_of_archive(file), maxlen=0)
    return seconds[0]


def parse(archive: Path) -> float:
    """Parse decoded pages with lxml, for comparison."""
    with archive.open("rb") as file:
        pages = [row.html.encode("utf-8", "replace") for row in rows_of_archive(file)]
    with cpu() as seconds:
        for page in pages:
            lxml.html.fromstring(page, parser=lxml.html.HTMLParser(encoding="utf-8"))
    return seconds[0]


def clean(options: dict[str, Any], archive: Path) -> float:
    """Read decoded pages to rows."""
    with archive.open("rb") as file:
        pages = list(rows_of_archive(file))
    reader = RowReader(options)
    reader.load()
    with cpu() as seconds:
        deque(reader.read(pages), maxlen=0)
    return seconds[0]


def write(form: str, archive: Path) -> float:
    """Write the rows of pages."""
    reader = RowReader()
    with archive.open("rb") as file:
        rows = list(reader.read(rows_of_archive(file)))
    columns = reader.columns()
    with cpu() as seconds, tempfile.TemporaryFile() as file:
        packed: Any = gzip.GzipFile(fileobj=file, mode="wb") if form == "jsonl" else file
        writer = row_writer(packed, Target("", form, "pages"), tuple(columns))
        for row in rows:
            writer.write({name: row.get(name) for name in columns})
        writer.close()
        packed.close()
    return seconds[0]


@contextmanager
def cpu() -> Iterator[list[float]]:
    """Yield a list that contains, after the context ends, the CPU time spent in it, in seconds."""
    seconds: list[float] = []
    began = time.process_time()
    yield seconds
    seconds.append(time.process_time() - began)


STAGES: dict[str, Callable[[Path], float]] = {
    "decompress and cut into records": read_records,
    "the same, and decode": read_pages,
    "parse with lxml, to compare with": parse,
    **{name: partial(clean, options) for name, options in _OPTIONS.items()},
    "write Parquet": partial(write, "parquet"),
    "write JSON lines, gzip": partial(write, "jsonl"),
}


def measure(archive: Path, repeat: int) -> dict[str, float]:
    """Return the minimum CPU time of each stage, in seconds; each run has a separate process."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        return {name: min(pool.map(stage, [archive] * repeat, chunksize=1)) for name, stage in STAGES.items()}


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=float, default=2.64e9, help="pages of the crawl (%(default)s)")
    parser.add_argument("--page-bytes", type=float, default=164e3, help="bytes of a page of the crawl (%(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of a stage, of which the best counts (%(default)s)")
    arguments = parser.parse_args()
    pages = bundled_pages()
    size = sum(len(html.encode("utf-8", "replace")) for _, html in pages)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "pages.warc.gz"
        with archive.open("wb") as file:
            write_archive(file, pages)
        times = measure(archive, arguments.repeat)
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
