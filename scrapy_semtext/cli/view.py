"""Show a page with its blocks coloured by label and probability.

Writes one HTML file that is safe to open: scripts, links and everything that would be loaded are taken out of the page.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.browser import show_in_browser
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.inputs import add_page_arguments, read_page
from scrapy_semtext.cli.models import add_model_arguments, load_extractor

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_page_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="PAGE.html",
        help="the file to write, - for standard output; without it, a temporary file is opened in the browser",
    )
    add_model_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from scrapy_semtext.viewer import view_page

    document = read_page(arguments)
    extractor = load_extractor(arguments)
    view = view_page(extractor.annotate(document.html, document.url))
    if arguments.output is None:
        show_in_browser(view)
        return 0
    with replacing(arguments.output) as file:
        file.write(view.encode("utf-8", "replace"))
    if arguments.output != "-":
        sys.stderr.write(f"{Path(arguments.output).absolute().as_uri()}\n")
    return 0
