"""Read many pages: JSON lines in, JSON lines out.

Each line of IN is an object with the keys id, url and html. OUT has a line for each, in the same order, with the keys
id, url, title, main_text, qa_pairs, sections and page_kind, or an error for a page that failed. Files whose names end
in .gz or .xz are compressed; - is standard input or output. OUT is created when it is complete.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any

from tqdm import tqdm

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import LineReader, replacing
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.values import positive
from scrapy_semtext.site.store import SiteTemplates

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from scrapy_semtext.extractor import Extractor, Source
    from scrapy_semtext.page import Page

# A batch ends after this many characters of HTML, so that memory is bounded by the largest page, not by the batch size.
_BATCH_CHARACTERS = 16_000_000


@dataclass(slots=True)
class Row:
    """A line of IN: a page, or an error."""

    number: int  # from 1, blank lines included
    id: Any = None
    url: str | None = None
    html: str = ""
    error: str | None = None


@dataclass(slots=True)
class ExtraFields:
    """Which optional fields the rows of OUT have."""

    blocks: bool = False
    segments: bool = False
    comments: bool = False
    records: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", metavar="IN", help="JSON lines, plain, .gz or .xz; - for standard input")
    parser.add_argument("output", metavar="OUT", help="JSON lines, plain, .gz or .xz; - for standard output")
    parser.add_argument("--blocks", action="store_true", help="add every block with its label and probability")
    parser.add_argument("--segments", action="store_true", help="add the roles of the text's segments")
    parser.add_argument("--comments", action="store_true", help="add the readers' comments on articles")
    parser.add_argument("--records", action="store_true", help="add the items of listings and their next page")
    parser.add_argument("--markdown", action="store_true", help="add the main text as Markdown")
    parser.add_argument("--no-links", action="store_true", help="in Markdown: the text of links without the links")
    parser.add_argument("--html-key", default="html", metavar="KEY", help="the key that holds the page (%(default)s)")
    parser.add_argument(
        "--batch-size", type=positive, default=16, metavar="PAGES", help="pages at a time (%(default)s)"
    )
    parser.add_argument(
        "--site-templates",
        action="store_true",
        help="learn what the pages of a site share, and use it for the pages that follow",
    )
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.segments and arguments.no_sections:
        raise CommandError("--segments and --no-sections exclude each other.")
    if arguments.comments and arguments.no_comments:
        raise CommandError("--comments and --no-comments exclude each other.")
    began = time.monotonic()
    with closing(LineReader(arguments.input)) as reader, replacing(arguments.output) as file:
        extractor = load_extractor(arguments)
        if arguments.site_templates:
            extractor.templates = SiteTemplates()
        extra = ExtraFields(arguments.blocks, arguments.segments, arguments.comments, arguments.records)
        results = convert(extractor, read_rows(reader, arguments.html_key), arguments.batch_size, extra)
        pages, errors = _write(results, file, reader)
    seconds = time.monotonic() - began
    sys.stderr.write(f"{pages} pages, {errors} of them with an error, in {seconds:.1f} seconds\n")
    return 0


def read_rows(lines: Iterable[bytes], html_key: str) -> Iterator[Row]:
    """Yield the non-blank lines of IN; a line that is not a page has an error."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _row(number, line, html_key)


def convert(extractor: Extractor, rows: Iterable[Row], batch_size: int, extra: ExtraFields) -> Iterator[dict[str, Any]]:
    """Yield a row of OUT for each of IN, in order; only one batch of pages is in memory at a time."""
    from scrapy_semtext.extractor import Source

    for batch in _batches(rows, batch_size):
        readable = [row for row in batch if row.error is None]
        pages = iter(_read(extractor, [Source(row.html, row.url) for row in readable]))
        for row in batch:
            yield _result(row, row.error if row.error is not None else next(pages), extra)


def _row(number: int, line: bytes, html_key: str) -> Row:
    try:
        values = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        return Row(number, error=f"not a line of JSON: {error}")
    if not isinstance(values, dict):
        return Row(number, error="not a JSON object")
    row = Row(number, values.get("id"))
    url, html = values.get("url"), values.get(html_key)
    if isinstance(url, str | None):
        row.url = url
    else:
        row.error = "url is not a string"
    if isinstance(html, str):
        row.html = html
    else:
        row.error = f"{html_key} is not a string" if html_key in values else f"{html_key} is missing"
    return row


def _batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += len(row.html)
        if len(batch) == size or characters > _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _read(extractor: Extractor, sources: list[Source]) -> list[Page | Exception]:
    """Read a batch; if the batch as a whole fails, for example for lack of memory, page by page."""
    if not sources:
        return []
    try:
        return extractor.read_many(sources)
    except Exception as error:  # noqa: BLE001 - becomes the page's row
        return [error] if len(sources) == 1 else [_read(extractor, [source])[0] for source in sources]


def _result(row: Row, page: Page | Exception | str, extra: ExtraFields) -> dict[str, Any]:
    if isinstance(page, str | Exception):
        message = page if isinstance(page, str) else f"{type(page).__name__}: {page}"
        return {"id": row.id, "url": row.url, "line": row.number, "error": message}
    return {"id": row.id, **page.to_dict(**asdict(extra))}


def _write(results: Iterable[dict[str, Any]], file: IO[bytes], reader: LineReader) -> tuple[int, int]:
    """Write the rows; return the numbers of rows and of errors."""
    pages = errors = 0
    # The bar counts bytes if the size of IN is known. disable=None: no bar unless standard error is a terminal.
    unit = "B" if reader.size else " pages"
    with tqdm(total=reader.size, unit=unit, unit_scale=bool(reader.size), disable=None) as bar:
        for row in results:
            # UTF-8 cannot encode a lone surrogate: it becomes a JSON escape
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace"))
            pages += 1
            errors += "error" in row
            bar.set_postfix(pages=pages, errors=errors, refresh=False)
            bar.update(reader.position - bar.n if reader.size else 1)
    return pages, errors
