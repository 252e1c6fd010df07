"""What `semtext crawl` writes: rows of items, pairs or chunks, pairs as conversations, or a folder of Markdown.

What was harvested is counted while it is written.
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

from scrapy_semtext.cli.crawl.targets import result_names
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing
from scrapy_semtext.cli.row_files import row_writer
from scrapy_semtext.crawling.earlier import opened
from scrapy_semtext.utils.address import host_of
from scrapy_semtext.utils.file_names import FileNames

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_semtext.cli.crawl.targets import Target

    Item = dict[str, Any]

_EXPORTERS = {"messages": "MessagesExporter", "faqpage": "FAQPageExporter"}

_HEADER = ("url", "title", "author", "published", "language", "page_kind")


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
        if target.is_table:
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
