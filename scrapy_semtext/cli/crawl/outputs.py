"""What `semtext crawl` writes: items, their pairs, or a folder of Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.row_files import as_line
from scrapy_semtext.utils.extras import MissingExtraError
from scrapy_semtext.utils.file_names import FileNames

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    Item = dict[str, Any]

_PAIR_EXPORTERS = {
    "messages": "MessagesExporter",
    "qa": "QAExporter",
    "faqpage": "FAQPageExporter",
    "parquet": "ParquetExporter",
}
FORMATS = ("jsonl", *_PAIR_EXPORTERS, "markdown-folder")

_HEADER = ("url", "title", "author", "published", "language", "page_kind")


def write_items(items: Iterable[str], arguments: argparse.Namespace) -> int:
    """Write items, given as JSON, in the format that was asked for; return how many there were."""
    rows = map(json.loads, items)
    if arguments.to == "markdown-folder":
        return _write_folder(rows, Path(arguments.output))
    with replacing(arguments.output) as file:
        return _write_lines(rows, file) if arguments.to == "jsonl" else _write_pairs(rows, file, arguments.to)


def check_output(arguments: argparse.Namespace) -> None:
    """Raise CommandError for an output that cannot be written, before the crawl."""
    if arguments.to == "markdown-folder":
        if arguments.output == "-" or Path(arguments.output).is_file():
            raise CommandError(f"{arguments.output} is no folder; --to markdown-folder writes a file for each item.")
    elif arguments.output != "-":
        from scrapy_semtext.cli.files import require_writable

        require_writable(arguments.output)
    if arguments.to == "parquet":
        from scrapy_semtext.utils.extras import require_extra

        try:
            require_extra("pyarrow", "parquet")
        except MissingExtraError as error:
            raise CommandError(str(error)) from error


def _write_lines(items: Iterable[Item], file: IO[bytes]) -> int:
    count = 0
    for item in items:
        file.write(as_line(item))
        count += 1
    return count


def _write_pairs(items: Iterable[Item], file: IO[bytes], form: str) -> int:
    from scrapy_semtext.integration import exporters

    exporter = getattr(exporters, _PAIR_EXPORTERS[form])(file, encoding="utf-8")
    exporter.start_exporting()
    count = 0
    for item in items:
        exporter.export_item(item)
        count += 1
    exporter.finish_exporting()
    return count


def _write_folder(items: Iterable[Item], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    names = FileNames()
    for item in items:
        path = folder / f"{names.new(item['url'])}.md"
        path.write_text(_document(item), encoding="utf-8", errors="replace")
        count += 1
    return count


def _document(item: Item) -> str:
    """An item as Markdown under a header of YAML, the strings of which are those of JSON."""
    known = [(name, item[name]) for name in _HEADER if item.get(name)]
    header = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known)
    return f"---\n{header}---\n\n{(item.get('markdown') or item.get('main_text') or '').strip()}\n"
