"""The options of the commands that cut pages into chunks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.values import positive

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.chunks.size import ChunkOptions


def add_chunk_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("chunks for retrieval")
    group.add_argument(
        "--chunks",
        type=positive,
        nargs="?",
        const=True,
        metavar="N",
        help="add the main text in chunks of at most N words or tokens (default: 200 words, or 256 tokens)",
    )
    group.add_argument("--tokenizer", metavar="MODULE:CALLABLE", help="measure chunks in the tokens that it returns")
    group.add_argument(
        "--overlap",
        type=positive,
        default=0,
        metavar="N",
        help="begin chunks with the last sentences of the one before",
    )


def has_chunks(arguments: argparse.Namespace) -> bool:
    """Return whether chunks are asked for."""
    return bool(getattr(arguments, "chunks", None)) or getattr(arguments, "rows", None) == "chunks"


def chunk_options(arguments: argparse.Namespace) -> ChunkOptions | None:
    """Return how large chunks are, None if there are to be none. Raises CommandError for invalid values."""
    from scrapy_semtext.chunks.size import ChunkOptions

    tokenizer = getattr(arguments, "tokenizer", None)
    if not has_chunks(arguments):
        if tokenizer or getattr(arguments, "overlap", 0):
            raise CommandError("--tokenizer and --overlap go with --chunks.")
        return None
    if tokenizer and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # where a tokenizer of one's own may be
    given = None if arguments.chunks is True else arguments.chunks
    try:
        return ChunkOptions(
            **{"tokens" if tokenizer else "words": given}, tokenizer=tokenizer, overlap=arguments.overlap
        )
    except ValueError as error:
        raise CommandError(f"{error}.") from error
