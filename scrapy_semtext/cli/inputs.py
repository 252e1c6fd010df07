"""The input pages of commands: one from a file, standard input or the web, or many in any format (PAGES)."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.bulk.row import Row
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.fetching import Document, add_timeout, fetch, is_address
from scrapy_semtext.cli.page_files import PageFiles, add_input_options
from scrapy_semtext.text.decoding import NotAPageError, html_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from scrapy_semtext.limits import Limits


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments for a single page."""
    parser.add_argument("page", metavar="FILE|URL|-", help="a file, an http or https URL, or - for standard input")
    _add_url(parser)


def _add_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="the URL of a page read from a file, to make its links absolute")
    add_timeout(parser)


def read_page(source: str, arguments: argparse.Namespace) -> Document:
    """Read a page from a file, standard input or the web, using --url, --timeout and the limits.

    Raises CommandError, LimitError, or OSError for a file.
    """
    try:
        document = _document(source, arguments.limits, arguments.timeout)
    except NotAPageError as error:
        raise CommandError(f"{source} is {error}.") from error
    return document._replace(url=arguments.url or document.url)


def _document(source: str, limits: Limits, timeout: float) -> Document:
    if is_address(source):
        return fetch(source, timeout, limits.body)
    if "://" in source:
        raise CommandError(f"{source}: only http and https URLs can be fetched.")
    with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
        body = file.read(limits.body + 1)
    limits.check_body(len(body))
    return Document(html_text(body), None)


def add_pages(parser: argparse.ArgumentParser, name: str = "pages", *, least: str = "+") -> None:
    """Declare PAGES, stored as the attribute ``name``; ``least`` is "+" for at least one, "*" for any number."""
    parser.add_argument(
        name,
        nargs=least,
        metavar="PAGES",
        help="files and folders as for `semtext batch`, folders of views, http or https URLs; - for standard input",
    )
    _add_url(parser)
    add_input_options(parser)


def pages_of(arguments: argparse.Namespace, names: Sequence[str]) -> Iterator[Row]:
    """Yield the pages of files and URLs in order; a page that cannot be fetched has an error.

    Raises CommandError for missing files, before the first page, and if --url is given for several pages.
    """
    if arguments.url is not None and len(names) > 1:
        raise CommandError("--url is the URL of one page.")
    given = (arguments.html_key, arguments.form, arguments.limits)
    readers = [name if is_address(name) else PageFiles([name], *given) for name in names]
    for reader in readers:
        if isinstance(reader, str):
            yield _fetched(reader, arguments)
            continue
        for row in reader:
            if arguments.url is not None and row.number > 1:
                raise CommandError(f"--url is the URL of one page, and {reader.names[0]} has several.")
            row.file = row.file or reader.names[0]
            row.url = arguments.url or row.url
            yield row


def refuse_inside(folder: Path, names: Sequence[str]) -> None:
    """Raise CommandError if one of the names is, or is in, a folder whose files will be replaced."""
    for name in names:
        path = Path(name).resolve()
        if name != "-" and not is_address(name) and folder.resolve() in (path, *path.parents):
            raise CommandError(f"{name} is in {folder}, whose files are replaced; name another folder.")


def _fetched(address: str, arguments: argparse.Namespace) -> Row:
    try:
        html, url = read_page(address, arguments)
    except CommandError as error:
        return Row(1, address, address, error=str(error))
    return Row(1, address, url, html)


def name_of(row: Row) -> str:
    """Return the name of a page in messages."""
    return str(row.url or row.id or f"{row.file}, line {row.number}")
