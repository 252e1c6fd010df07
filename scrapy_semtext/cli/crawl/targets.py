"""What `semtext crawl` is to write: the format of OUT, what a row of it is, and what OUT has of an earlier run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.row_files import FORMATS as TABLES
from scrapy_semtext.cli.row_files import row_format
from scrapy_semtext.crawling.earlier import UNREADABLE, earlier_addresses
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS
from scrapy_semtext.utils.extras import MissingExtraError, require_extra

if TYPE_CHECKING:
    import argparse

#: Values of --to that say what a row is, and leave the format to the name of OUT.
_ROWS = {"qa": "pairs", "chunks": "chunks"}
#: Files of another kind than rows, of pairs or of items.
_OTHERS = ("messages", "faqpage", "markdown-folder")
FORMATS = (*TABLES, "messages", "qa", "faqpage", "chunks", "markdown-folder")


@dataclass(frozen=True, slots=True)
class Target:
    """OUT: its name, its form (one of FORMATS, but for "qa" and "chunks"), and what a row is, of ROWS."""

    name: str
    form: str
    rows: str

    @property
    def is_table(self) -> bool:
        """Whether it is a file of rows."""
        return self.form in TABLES

    @property
    def is_lines(self) -> bool:
        """Whether it is JSON lines with the address of a page in each, so that new rows can be appended."""
        return self.form == "jsonl" and self.name != "-"


def target_of(arguments: argparse.Namespace) -> Target:
    """Return what the arguments ask for; raise CommandError for options that do not go together."""
    given, name = arguments.to, arguments.output
    if given in _OTHERS:
        if arguments.rows is not None:
            raise CommandError(f"--rows goes with files of rows ({', '.join(TABLES)}), not with --to {given}.")
        return Target(name, given, "pages")
    rows = _ROWS.get(given, arguments.rows or "pages")
    if arguments.rows not in (None, rows):
        raise CommandError(f"--to {given} and --rows {arguments.rows} exclude each other.")
    return Target(name, row_format(name, given if given in TABLES else None), rows)


def require_target(target: Target) -> None:
    """Raise CommandError for an output that cannot be written, before the crawl."""
    if target.form == "markdown-folder":
        if target.name == "-" or Path(target.name).is_file():
            raise CommandError(f"{target.name} is no folder; --to markdown-folder writes a file for each item.")
    elif target.name != "-":
        from scrapy_semtext.cli.files import require_writable

        require_writable(target.name)
    if target.form == "parquet":
        try:
            require_extra("pyarrow", "parquet")
        except MissingExtraError as error:
            raise CommandError(str(error)) from error


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


def result_names(target: Target, arguments: argparse.Namespace) -> list[str]:
    """Return the results of pages that items have beside their address."""
    from scrapy_semtext.cli.models import has_chunks

    asked = {
        "comments": True,
        "markdown": target.form == "markdown-folder",
        "chunks": has_chunks(arguments),
        "metadata": arguments.metadata,
    }
    return [*IN_ITEMS, *(name for group, wanted in asked.items() if wanted for name in OF_GROUPS[group])]
