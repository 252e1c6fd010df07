"""Writes and counts the items that `semtext crawl` found. OUT may already have items of an earlier run."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.models import has_chunks
from scrapy_semtext.cli.row_files import results_for, writing
from scrapy_semtext.crawling.earlier import UNREADABLE, earlier_items, opened
from scrapy_semtext.results import IN_ITEMS, OF_GROUPS
from scrapy_semtext.utils.address import host_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Iterator

    from scrapy_semtext.cli.row_files import Target

    Item = dict[str, Any]


def earlier_in(target: Target, arguments: argparse.Namespace) -> set[str] | None:
    """Return the URLs in OUT if new items are appended to it, or None if OUT is written anew.

    Raises CommandError if an incremental crawl cannot determine which items are new, or would overwrite OUT.
    """
    if not arguments.incremental:
        return None
    path = Path(target.name)
    if target.form == "jsonl" and target.name != "-":  # each row has the URL of its page
        try:
            return {item.url for item in earlier_items(path)} if path.is_file() else None
        except UNREADABLE as error:
            raise CommandError(f"--incremental: {error}.") from error
    if not arguments.job:
        raise CommandError(
            f"--incremental needs the --job of an earlier run, as no URLs can be read from {target.name}:"
            " without --job, OUT has to be JSON lines of pages, pairs (--to qa) or chunks."
        )
    if path.is_file():
        raise CommandError(f"{target.name} exists, and new items cannot be appended to it: choose another file.")
    return None


def rows_in(target: Target) -> Iterator[dict[str, Any]]:
    """Yield the rows in OUT, which `earlier_in` could read; a line may be only a URL."""
    with opened(Path(target.name)) as file:
        yield from (json.loads(line) for line in file if line.lstrip().startswith(b"{"))


def result_names(target: Target, arguments: argparse.Namespace) -> list[str]:
    """Return the results of pages that items have in addition to their URL."""
    asked = {
        "comments": True,
        "chunks": has_chunks(arguments),
        "metadata": arguments.metadata,
        **dict.fromkeys(results_for(target), True),
    }
    return [*IN_ITEMS, *(name for group, wanted in asked.items() if wanted for name in OF_GROUPS[group])]


@dataclass(slots=True)
class Harvested:
    """Counts of items and pairs by host, and of items by kind of page. ``rows`` is the number of rows in OUT.

    With ``only_pairs``, items without pairs are left out; ``left_out`` has their number by kind.
    """

    only_pairs: bool = False

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    def counted(self, items: Iterable[dict[str, Any]], earlier: Collection[str] | None) -> Iterator[dict[str, Any]]:
        """Yield and count the items whose URLs are not in ``earlier``."""
        for item in items:
            if earlier and urldefrag(item["url"]).url in earlier:
                continue
            host, pairs, kind = host_of(item["url"]), item.get("qa_pairs") or (), item.get("page_kind") or "unknown"
            if self.only_pairs and not pairs:
                self.left_out[kind] += 1
                continue
            self.items[host] += 1
            self.pairs[host] += len(pairs)
            self.kinds[kind] += 1
            yield item


def write_items(items: Iterable[Item], target: Target, arguments: argparse.Namespace, *, appends: bool = False) -> int:
    """Write items in the requested format; return the number of rows, pairs or files.

    With ``appends``, rows are added to those in OUT. Raises CommandError if OUT cannot be written; its content stays.
    """
    try:
        with writing(target, ["url", *result_names(target, arguments)], after=appends) as writer:
            return writer.add(items)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CommandError(f"{target.name} cannot be written: {reason}") from error
