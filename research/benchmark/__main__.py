"""Measure what pages or crawls cost: ``python -m research.benchmark page DATA...`` or ``crawl DATA...``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from research.benchmark import crawl, page
from scrapy_semtext.cli import refuse_overwriting
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    parser = argparse.ArgumentParser("python -m research.benchmark", description="Measure what pages or crawls cost.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in {"page": page, "crawl": crawl}.items():
        doc = command.__doc__ or ""
        own = commands.add_parser(name, help=doc.partition("\n")[0], description=doc)
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    chosen = parser.parse_args(arguments)
    try:
        refuse_overwriting(chosen)
        status: int = chosen.run(chosen)
    except (UserError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
