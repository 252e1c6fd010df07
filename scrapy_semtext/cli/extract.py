"""Print the main text of one page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrapy_semtext.cli.inputs import add_page_arguments, read_page
from scrapy_semtext.cli.models import (
    add_model_arguments,
    add_result_arguments,
    add_row_options,
    check_results,
    extra_fields,
    load_extractor,
)
from scrapy_semtext.cli.terminal import CommandError, write_out
from scrapy_semtext.results import ON_REQUEST

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.page import Page


# The formats that an argument can be combined with.
_FORMATS_OF = {
    **dict.fromkeys((*ON_REQUEST, "metadata"), ("json",)),
    "blocks": ("text", "json"),
    "join_comments": ("text", "json"),
    "no_links": ("html", "markdown"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_page_arguments(parser)
    about = "what to print (%(default)s); the options that add something are for json, and --blocks for text as well"
    parser.add_argument("--format", choices=("text", "json", "html", "markdown"), default="text", help=about)
    add_row_options(parser, markdown=False)
    add_model_arguments(parser)
    add_result_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check(arguments)
    document = read_page(arguments.page, arguments)
    extractor = load_extractor(arguments)
    annotation = extractor.annotate(document.html, document.url)
    page = annotation.page
    if arguments.format == "json":
        row = page.to_dict(**dict.fromkeys(extra_fields(arguments), True))
        write_out(json.dumps(row, ensure_ascii=False, indent=2))
    elif arguments.format == "text":
        write_out(_block_lines(page) if arguments.blocks else page.main_text)
    else:
        from scrapy_semtext.read.markdown import render_page
        from scrapy_semtext.tree.parsing import base_url

        base = base_url(annotation.root, document.url)
        links = not arguments.no_links
        write_out(render_page(page, annotation.text_blocks, base, arguments.format, links=links))
    return 0


def _block_lines(page: Page) -> str:
    """Return a line for each block: label, probability of main content, text."""
    return "\n".join(
        f"{block.label:11} {block.probability:.3f}  {' '.join(block.text.split())}" for block in page.blocks
    )


def _check(arguments: argparse.Namespace) -> None:
    """Raise CommandError for incompatible options."""
    for name, formats in _FORMATS_OF.items():
        if getattr(arguments, name) and arguments.format not in formats:
            raise CommandError(f"--{name.replace('_', '-')} goes with --format {' or '.join(formats)}.")
    check_results(arguments)
