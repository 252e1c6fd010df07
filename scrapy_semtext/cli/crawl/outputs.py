"""What `semtext crawl` writes: rows of items, pairs or chunks, pairs as conversations, or a folder of Markdown.

What was harvested is counted while it is written. OUT may have items of an earlier run.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urldefrag

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing, require_writable
from scrapy_semtext.cli.models import has_chunks
from scrapy_semtext.cli.row_files import FORMATS as TABLES
from scrapy_semtext.cli.row_files import row_format, row_writer
from scrapy_semtext.crawling.earlier import UNREADABLE, earlier_items, opened
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS
from scrapy_semtext.utils.address import host_of
from scrapy_semtext.utils.extras import MissingExtraError, require_extra
from scrapy_semtext.utils.file_names import FileNames

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator

    Item = dict[str, Any]

_EXPORTERS = {"messages": "MessagesExporter", "faqpage": "FAQPageExporter"}

_HEADER = ("url", "title", "author", "published", "language", "page_kind")
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
    if target.form == "jsonl" and target.name != "-":  # each row has the address of its page
        try:
            return {item.url for item in earlier_items(path)} if path.is_file() else None
        except UNREADABLE as error:
            raise CommandError(f"--incremental: {error}.") from error
    if not arguments.job:
        raise CommandError(
            f"--incremental needs the --job of an earlier run, as {target.name} holds no addresses to be read:"
            " without it, OUT has to be JSON lines of pages, pairs (--to qa) or chunks."
        )
    if path.is_file():
        raise CommandError(f"{target.name} is there, and new items cannot be appended to it: name another file.")
    return None


def result_names(target: Target, arguments: argparse.Namespace) -> list[str]:
    """Return the results of pages that items have beside their address."""
    asked = {
        "comments": True,
        "markdown": target.form == "markdown-folder",
        "chunks": has_chunks(arguments),
        "metadata": arguments.metadata,
    }
    return [*IN_ITEMS, *(name for group, wanted in asked.items() if wanted for name in OF_GROUPS[group])]


@dataclass(slots=True)
class Harvested:
    """Counts of items and their pairs: by host, and items by kind of page. ``rows`` is the number of rows of OUT."""

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    def counted(self, items: Iterable[dict[str, Any]], earlier: Collection[str] | None) -> Iterator[dict[str, Any]]:
        """Yield items but those with an address of ``earlier``, and count them."""
        for item in items:
            if earlier and urldefrag(item["url"]).url in earlier:
                continue
            host = host_of(item["url"])
            self.items[host] += 1
            self.pairs[host] += len(item.get("qa_pairs") or ())
            self.kinds[item.get("page_kind") or "unknown"] += 1
            yield item


def write_items(items: Iterable[Item], target: Target, arguments: argparse.Namespace, *, appends: bool = False) -> int:
    """Write items in the format that was asked for; return how many rows, files or conversations there were.

    With ``appends``, rows follow those that OUT has.
    """
    if target.form == "markdown-folder":
        return _write_folder(items, Path(target.name))
    with _opened(target.name, appends=appends) as file:
        if target.form in TABLES:
            writer = row_writer(file, target.form, target.rows, ["url", *result_names(target, arguments)])
            count = writer.add(items)
            writer.close()
            return count
        return _export(items, file, target.form)


@contextmanager
def _opened(name: str, *, appends: bool = False) -> Iterator[IO[bytes]]:
    """Open OUT, which is created when it is complete; with ``appends`` what it had comes first.

    Raises CommandError if it cannot be written; what it had stays then.
    """
    try:
        with replacing(name) as file:
            if appends:
                with opened(Path(name)) as before:
                    shutil.copyfileobj(before, file)
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CommandError(f"{name} cannot be written: {reason}") from error


def _export(items: Iterable[Item], file: IO[bytes], form: str) -> int:
    from scrapy_semtext import exporters

    exporter = getattr(exporters, _EXPORTERS[form])(file, encoding="utf-8")
    exporter.start_exporting()
    count = 0
    for item in items:
        exporter.export_item(item)
        count += len(item.get("qa_pairs") or ())
    exporter.finish_exporting()
    return count


def _write_folder(items: Iterable[Item], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    names = FileNames()
    for item in items:
        path = folder / f"{names.new(item['url'])}.md"
        with _opened(str(path)) as file:
            file.write(_document(item).encode("utf-8", "replace"))
        count += 1
    return count


def _document(item: Item) -> str:
    """An item as Markdown under a header of YAML, the strings of which are those of JSON."""
    known = [(name, item[name]) for name in _HEADER if item.get(name)]
    header = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known)
    return f"---\n{header}---\n\n{(item.get('markdown') or item.get('main_text') or '').strip()}\n"
