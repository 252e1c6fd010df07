"""Show pages with their blocks colored by label and probability.

One page is opened in the browser or written to an HTML file. Several pages become a folder with a file for each and an
overview, the least certain pages first. The files are safe to open: scripts, links and everything that would be loaded
are removed from the pages.
"""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.inputs import (
    HTML_NAMES,
    add_pages,
    format_of_name,
    is_special,
    name_of,
    pages_of,
    read_page,
    refuse_inside,
    replacing,
)
from scrapy_semtext.cli.models import add_model_arguments, load_extractor
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.options import Source

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from scrapy_semtext.bulk.row import Row
    from scrapy_semtext.extractor import Extractor
    from scrapy_semtext.viewer.folder import ViewFolder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_pages(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help=f"for one page the file to write, whose name ends in {', '.join(HTML_NAMES)}, or - for standard output;"
        " otherwise a new folder, or one written by this command. Without it, one page is opened in the"
        " browser",
    )
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.output is None or _is_file(arguments.output):
        return _view_one(arguments)
    return _view_all(arguments)


def _is_file(name: str) -> bool:
    """Return whether OUT is the name of a file rather than a folder."""
    path = Path(name)
    if path.exists():
        return not path.is_dir()
    return name == "-" or (name.lower().endswith(HTML_NAMES) and not name.endswith(os.sep))


def _view_one(arguments: argparse.Namespace) -> int:
    from scrapy_semtext.viewer import view_page

    (first, *others) = arguments.pages
    if others or Path(first).is_dir() or format_of_name(first) not in (None, "html"):
        without = "without -o, one page is shown" if arguments.output is None else f"{arguments.output} is for one page"
        raise CommandError(f"{without}. For several, name a folder: -o views/")
    document = read_page(first, arguments)
    extractor = load_extractor(arguments)
    view = view_page(extractor.annotate(document.html, document.url))
    if arguments.output is None:
        _show_in_browser(view)
        return 0
    with replacing(arguments.output) as file:
        file.write(view.encode("utf-8", "replace"))
    if arguments.output != "-" and not is_special(arguments.output):
        sys.stderr.write(f"{Path(arguments.output).absolute().as_uri()}\n")
    return 0


def _show_in_browser(document: str) -> None:
    """Write a document to a temporary file, print its path, and open it; the file is kept for the browser."""
    descriptor, name = tempfile.mkstemp(prefix="semtext-", suffix=".html")
    with os.fdopen(descriptor, "wb") as file:
        file.write(document.encode("utf-8", "replace"))
    address = Path(name).as_uri()
    sys.stderr.write(f"{address}\n")
    if not webbrowser.open(address):
        sys.stderr.write("No browser could be started: open the file above yourself.\n")


def _view_all(arguments: argparse.Namespace) -> int:
    from scrapy_semtext.viewer.folder import INDEX, ViewFolder

    refuse_inside(Path(arguments.output), arguments.pages)
    rows = pages_of(arguments, arguments.pages)
    first = next(rows, None)  # raises an error for a wrong name in PAGES before the folder is changed
    if first is None:
        raise CommandError("PAGES has no pages.")
    extractor = load_extractor(arguments)
    folder = ViewFolder(arguments.output)
    try:
        written = _write_views(chain([first], rows), folder, extractor)
    finally:
        folder.close()
    failed = len(folder.rows) - written
    sys.stderr.write(f"{counted(written, 'page')}, {failed} with an error: {(folder.path / INDEX).as_uri()}\n")
    return int(written == 0)


def _write_views(rows: Iterable[Row], folder: ViewFolder, extractor: Extractor) -> int:
    """Write a view of each page; return the number of views."""
    from scrapy_semtext.viewer.folder import ViewWriter

    written = 0
    for row in rows:
        name = folder.new_name(row.url, row.id)
        source = Source(row.html, row.url, on_read=ViewWriter(folder.path / name))
        (result,) = [f"{name_of(row)}: {row.error}"] if row.error is not None else extractor.read_many([source])
        written += folder.add(name, source, result, row.id)
    return written
