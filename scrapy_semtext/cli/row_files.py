"""What the commands write: rows of pages, pairs or chunks, pairs as conversations, or a folder of Markdown.

A row is a dict of plain values. The formats and their options are the same for all commands that read many pages.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.row_values import column_type
from scrapy_semtext.cli.errors import CommandError
from scrapy_semtext.cli.files import replacing, require_writable
from scrapy_semtext.cli.page_files import ENDINGS, ending_of, format_of_name
from scrapy_semtext.cli.pair_choice import add_pair_arguments, asked_of_pairs
from scrapy_semtext.crawling.earlier import opened
from scrapy_semtext.utils.cells import ParquetRows, typed_row
from scrapy_semtext.utils.extras import MissingExtraError, require_extra
from scrapy_semtext.utils.file_names import FileNames

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.cli.pair_choice import PairChoice
    from scrapy_semtext.qa.pair_rows import Row

#: The formats that rows are written in.
TABLES = ("jsonl", "csv", "parquet")

#: What a row stands for.
ROWS = ("pages", "pairs", "chunks")

#: Values of --to that say what a row is, and leave the format to the name of OUT.
_ROWS_OF = {"qa": "pairs", "chunks": "chunks"}

#: The exporters of pairs in files of another kind than rows. The first three are of conversations.
_EXPORTERS = {
    "messages": "MessagesExporter",
    "sharegpt": "ShareGPTExporter",
    "alpaca": "AlpacaExporter",
    "faqpage": "FAQPageExporter",
}
_CHATS = ("messages", "sharegpt", "alpaca")

FORMATS = (*TABLES, *_EXPORTERS, *_ROWS_OF, "markdown-folder")

#: What stands above a page in a folder of Markdown.
_HEADER = ("url", "title", "author", "published", "language", "page_kind")

#: What a cell of CSV begins with that a spreadsheet may take for a formula; the last four are full-width.
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


@dataclass(frozen=True, slots=True)
class Target:
    """OUT: its name, its form (one of FORMATS, but for "qa" and "chunks"), and what a row is, of ROWS.

    ``system`` and ``dialogues`` are those of conversations.
    """

    name: str
    form: str
    rows: str
    system: str | None = None
    dialogues: bool = False

    @property
    def is_of_pairs(self) -> bool:
        """Whether nothing but pairs is written."""
        return self.rows == "pairs" or self.form in _EXPORTERS


def add_output_arguments(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Declare what is written, and which pairs."""
    parser.add_argument(
        "--to",
        choices=FORMATS,
        default=default,
        metavar="FORMAT",
        help="jsonl, csv or parquet, a row for each page; qa or chunks, a row for each of these; messages, sharegpt or"
        " alpaca, conversations to train chat models; faqpage, of pairs; markdown-folder, a file for each page in the"
        f" folder OUT (default: {default or 'by the name of OUT, or jsonl'})",
    )
    parser.add_argument("--rows", choices=ROWS, help="what a row of OUT is: a page (the default), a pair or a chunk")
    parser.add_argument("--system", metavar="TEXT", help="a message of the system that begins each conversation")
    parser.add_argument(
        "--dialogues", action="store_true", help="a conversation for each thread or branch of replies, not each pair"
    )
    add_pair_arguments(parser)


def target_of(arguments: argparse.Namespace) -> Target:
    """Return what the arguments ask for.

    Raises CommandError for options that do not go together, and for a format that needs what is not installed.
    """
    given, name = arguments.to, arguments.output
    if arguments.system and given not in _CHATS:
        raise CommandError(f"--system goes with conversations: --to {', '.join(_CHATS)}.")
    if arguments.dialogues and given not in ("messages", "sharegpt"):
        raise CommandError("--dialogues goes with --to messages and sharegpt.")
    rows = _ROWS_OF.get(given, arguments.rows or "pages")
    asked = asked_of_pairs(arguments)
    if asked and (rows == "chunks" or given == "markdown-folder"):
        raise CommandError(f"{asked[0]} chooses pairs, and there are none in {rows if given is None else given}.")
    if arguments.unanswered and given in ("alpaca", "faqpage"):
        raise CommandError(f"--unanswered gives only questions, and --to {given} needs answers.")
    if given not in (None, *TABLES, *_ROWS_OF):
        if arguments.rows is not None:
            raise CommandError(f"--rows goes with files of rows ({', '.join(TABLES)}), not with --to {given}.")
        return Target(name, given, "pages", arguments.system, arguments.dialogues)
    if arguments.rows not in (None, rows):
        raise CommandError(f"--to {given} and --rows {arguments.rows} exclude each other.")
    form = row_format(name, given if given in TABLES else None)
    try:
        if form == "parquet":
            require_extra("pyarrow", "parquet")
    except MissingExtraError as error:
        raise CommandError(f"Parquet cannot be written: {error}") from error
    return Target(name, form, rows)


def require_target(target: Target) -> None:
    """Raise CommandError for an output that cannot be written, before pages are read."""
    if target.form == "markdown-folder":
        if target.name == "-" or Path(target.name).is_file():
            raise CommandError(f"{target.name} is no folder; --to markdown-folder writes a file for each page.")
    elif target.form in _EXPORTERS and (form := format_of_name(target.name)) in ("csv", "parquet"):
        raise CommandError(f"--to {target.form} does not write {form}: give {target.name} an ending such as .jsonl.")
    elif target.name != "-":
        require_writable(target.name)


def results_for(target: Target) -> tuple[str, ...]:
    """Return the groups of results that are read for what is written, beside those that rows of pages have."""
    if target.form == "markdown-folder":
        return ("markdown",)
    return _of_pages() if target.form in _CHATS or target.rows == "chunks" else ()


@cache
def _of_pages() -> tuple[str, ...]:
    try:
        require_extra("py3langid", "metadata")
    except MissingExtraError as error:
        sys.stderr.write(f"date, language and licence of pages are left empty: {error}\n")
        return ()
    return ("metadata", "details")


def row_format(name: str, given: str | None) -> str:
    """Return the format of a file to write: the given one, or that of its name; JSON lines if it has no ending.

    Raises CommandError for an ending that is that of pages, or that is not known.
    """
    form = format_of_name(name)
    if given is None and form in ("html", "warc"):
        raise CommandError(
            f"{name} would be overwritten, but its name is that of pages. If it is the file to write, say its format"
            f" with --to: {', '.join(TABLES)}."
        )
    if given is None and form is None and ending_of(name):
        known = ", ".join(ending for form in TABLES for ending in ENDINGS[form])
        raise CommandError(
            f"{name} has an ending that is not known; these are: {known}, each also with .gz or .xz. Or say the format"
            f" with --to: {', '.join(TABLES)}."
        )
    return given or form or "jsonl"


def row_columns(rows: str, names: Sequence[str]) -> dict[str, str]:
    """Return the types of the columns of a table by their names; ``names`` are those of the values that pages have."""
    if rows == "pairs":
        from scrapy_semtext.qa.pair_rows import COLUMN_TYPES

        return COLUMN_TYPES
    if rows == "chunks":
        from scrapy_semtext.chunks import rows as chunks

        return {"id": "string", **chunks.COLUMN_TYPES} if "id" in names else chunks.COLUMN_TYPES
    return {name: column_type(name) for name in names}


def rows_of_page(rows: str, page: Row) -> Iterable[Row]:
    """Return the rows that the row of a page becomes."""
    if rows == "pairs":
        from scrapy_semtext.qa.pair_rows import rows_of

        return rows_of(page, {}, {})
    if rows == "chunks":
        from scrapy_semtext.chunks import rows as chunks

        identity = {"id": page["id"]} if "id" in page else {}
        return ({**identity, **chunk} for chunk in chunks.rows_of(page, {}))
    return (page,)


@contextmanager
def writing(
    target: Target,
    names: Sequence[str],
    choice: PairChoice | None = None,
    temporary: Path | None = None,
    *,
    after: bool = False,
) -> Iterator[RowWriter]:
    """Give a writer for OUT, which is created when it is complete, with what it had first if rows come ``after`` that.

    ``names`` are those of the values of pages; ``choice`` chooses among their pairs.
    """
    if target.form == "markdown-folder":
        yield _Folder(target)
        return
    with replacing(target.name, temporary) as file:
        if after:
            with opened(Path(target.name)) as before:
                shutil.copyfileobj(before, file)
        writer = row_writer(file, target, names)
        writer.choice = choice
        yield writer
        writer.close()


def row_writer(file: IO[bytes], target: Target, names: Sequence[str]) -> RowWriter:
    """Return a writer of a file; ``names`` are those of the values that pages have."""
    kind = {"csv": _CSV, "parquet": _Parquet, "jsonl": RowWriter}.get(target.form, _Pairs)
    return kind(file, target, row_columns(target.rows, names))


def as_line(row: Row) -> bytes:
    """Return a row as a line of JSON. UTF-8 cannot encode a lone surrogate: it becomes a JSON escape."""
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")


class RowWriter:
    """Writes rows to a file: lines of JSON. ``columns`` are the names and types of all values, for tables."""

    done = errors = 0  # of rows that the file had from the beginning
    choice: PairChoice | None = None

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        self._file, self._target, self._columns = file, target, columns

    def add(self, pages: Iterable[Row]) -> int:
        """Write what the rows of pages become; return how many rows, pairs or files there are."""
        return sum(map(self._add, pages if self.choice is None else map(self.choice.of, pages)))

    def write(self, row: Row) -> None:
        """Write a row. Those of pages are as they are, the others have values of one type in a column."""
        self._file.write(as_line(row if self._target.rows == "pages" else typed_row(row, self._columns)))

    def close(self) -> None:
        """Write what is left; the file itself stays open."""

    def _add(self, page: Row) -> int:
        count = 0
        for row in rows_of_page(self._target.rows, page):
            self.write(row)
            count += 1
        return count


class _Pairs(RowWriter):
    """Pairs by one of the exporters of feeds."""

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        from scrapy_semtext import exporters

        super().__init__(file, target, columns)
        given = {"system": target.system, "dialogues": target.dialogues}
        options = {name: value for name, value in given.items() if value}
        self._exporter = getattr(exporters, _EXPORTERS[target.form])(file, encoding="utf-8", **options)
        self._exporter.start_exporting()
        self.close = self._exporter.finish_exporting  # type: ignore[method-assign]

    def _add(self, page: Row) -> int:
        self._exporter.export_item(page)
        return len(page.get("qa_pairs") or ())


class _Folder(RowWriter):
    """A file of Markdown for each page that could be read."""

    def __init__(self, target: Target) -> None:
        self._folder, self._names = Path(target.name), FileNames()
        self._folder.mkdir(parents=True, exist_ok=True)

    def _add(self, page: Row) -> int:
        if "error" in page:
            return 0
        name = self._names.new(str(page.get("url") or page.get("id") or "page"))
        with replacing(str(self._folder / f"{name}.md")) as file:
            file.write(_document(page).encode("utf-8", "replace"))
        return 1


def _document(page: Row) -> str:
    """A page as Markdown under a header of YAML, the strings of which are those of JSON."""
    known = [(name, page[name]) for name in _HEADER if page.get(name)]
    header = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known)
    return f"---\n{header}---\n\n{(page.get('markdown') or page.get('main_text') or '').strip()}\n"


class _CSV(RowWriter):
    """CSV with a header, with tabs in a file .tsv; lists and dicts are JSON in their cells.

    A spreadsheet runs a text that looks like a formula, and pages choose their texts: such a text gets an apostrophe
    before it.
    """

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        super().__init__(file, target, columns)
        self._text = io.TextIOWrapper(file, "utf-8", errors="replace", newline="", write_through=True)
        delimiter = "\t" if ending_of(target.name) == ".tsv" else ","
        self._writer = csv.DictWriter(self._text, list(columns), delimiter=delimiter, lineterminator="\n")
        self._writer.writeheader()

    def write(self, row: Row) -> None:
        self._writer.writerow({name: self._cell(value) for name, value in row.items()})

    def close(self) -> None:
        self._text.detach()

    def _cell(self, value: Any) -> Any:
        if isinstance(value, list | dict):
            return json.dumps(value, ensure_ascii=False)
        if not isinstance(value, str):
            return value
        # a lone carriage return is not quoted before Python 3.13, and would end the row
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return f"'{text}" if text.startswith(_BEGIN_FORMULAS) else text


class _Parquet(RowWriter):
    """Parquet, compressed by Zstandard; lists and dicts are JSON in their cells."""

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        super().__init__(file, target, columns)
        rows = ParquetRows(file, columns)
        self.write, self.close = rows.add, rows.close  # type: ignore[method-assign]
