"""Run a command on annotated pages that is not part of `semtext`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from scrapy_semtext.cli import refuse_overwriting
from scrapy_semtext.utils import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_semtext.cli.train import DataCommand


def run_command(module: str, command: DataCommand, words: Sequence[str] | None = None) -> int:
    """Run a command with the words of a command line (those of the process by default); return the exit status."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(f"python -m {module}", description=command.__doc__, formatter_class=form)
    command.add_arguments(parser)
    chosen = parser.parse_args(words)
    try:
        refuse_overwriting(chosen)
        return command.run(chosen)
    except (UserError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
