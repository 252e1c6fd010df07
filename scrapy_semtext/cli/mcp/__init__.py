"""Serve tools that read pages over the Model Context Protocol, on standard input and output.

For agents and pipelines: extract the content, pairs and records of a page, given as HTML or, with --allow-network, by
its URL.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scrapy_semtext.cli.fetching import add_timeout
from scrapy_semtext.cli.models import add_model_arguments, load_extractor, positive
from scrapy_semtext.cli.terminal import CommandError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    network = parser.add_argument_group("network")
    network.add_argument("--allow-network", action="store_true", help="fetch pages that are given by URL")
    network.add_argument(
        "--allow-private",
        action="store_true",
        help="also fetch from loopback and private networks, and through the proxies of the environment",
    )
    add_timeout(network)
    parser.add_argument(
        "--max-characters",
        type=_enough,
        default=40_000,
        metavar="N",
        help="maximum size of a result as JSON, of at least 1,000; longer ones are cut, and say how to get the rest"
        " (%(default)s)",
    )
    add_model_arguments(parser)


def _enough(text: str) -> int:
    if (number := positive(text)) < 1000:
        raise argparse.ArgumentTypeError("must be at least 1000")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.allow_private and not arguments.allow_network:
        raise CommandError("--allow-private goes with --allow-network.")
    build_server(arguments).run()
    return 0


def build_server(arguments: argparse.Namespace) -> MCPServer:
    """Load the model and return the server. Raises UserError if the model or a library is missing."""
    from scrapy_semtext.read.metadata import require_metadata
    from scrapy_semtext.utils.extras import require_extra

    require_extra("mcp", "mcp")
    require_metadata()
    from scrapy_semtext.cli.mcp.server import server_of

    return server_of(load_extractor(arguments), arguments)
