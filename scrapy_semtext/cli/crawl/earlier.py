"""What OUT of an earlier run means for an incremental crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.crawling.earlier import UNREADABLE, earlier_addresses

if TYPE_CHECKING:
    import argparse

    from scrapy_semtext.cli.crawl.targets import Target


def earlier_in(target: Target, arguments: argparse.Namespace) -> set[str] | None:
    """Return the addresses that OUT holds, to which new items are appended; None if it is written anew.

    Raises CommandError if an incremental crawl cannot know what is new, or would replace what OUT has.
    """
    if not arguments.incremental:
        return None
    path = Path(target.name)
    if target.is_lines:
        return _addresses(path) if path.is_file() else None
    if not arguments.job:
        raise CommandError(
            f"--incremental needs the --job of an earlier run, as {target.name} holds no addresses to be read:"
            " without it, OUT has to be JSON lines of pages, pairs (--to qa) or chunks."
        )
    if path.is_file():
        raise CommandError(f"{target.name} is there, and new items cannot be appended to it: name another file.")
    return None


def _addresses(path: Path) -> set[str]:
    try:
        return set(earlier_addresses(path))
    except UNREADABLE as error:
        raise CommandError(f"--incremental: {error}.") from error
