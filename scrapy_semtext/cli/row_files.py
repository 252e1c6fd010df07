"""OUT of the commands that process many pages: its format, the selection of its pairs, and the writing of its rows.

Its rows, which are dicts of plain values, are pages, pairs or chunks. It may also hold conversations, or be a folder of
Markdown.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import shutil
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scrapy_semtext.bulk.row import column_type
from scrapy_semtext.cli.inputs import ENDINGS, decompressed, ending_of, format_of_name, replacing, require_writable
from scrapy_semtext.cli.terminal import CommandError, counted
from scrapy_semtext.page import QAPair
from scrapy_semtext.utils.address import file_slug
from scrapy_semtext.utils.cells import ParquetRows, typed_row
from scrapy_semtext.utils.extras import MissingExtraError, require_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_semtext.read.pair_rows import Row

#: The file formats of rows.
TABLES = ("jsonl", "csv", "parquet")

#: What a row represents.
ROWS = ("pages", "pairs", "chunks")

#: Values of --to that define the rows, but leave the format to the name of OUT.
_ROWS_OF = {"qa": "pairs", "chunks": "chunks"}

#: The exporters of conversations.
_EXPORTERS = {
    "messages": "MessagesExporter",
    "sharegpt": "ShareGPTExporter",
}

FORMATS = (*TABLES, *_EXPORTERS, *_ROWS_OF, "markdown-folder")

#: The values above a page in a folder of Markdown.
_HEADER = ("url", "title", "author", "published", "language", "page_kind")

#: Beginnings of CSV cells that a spreadsheet may interpret as a formula; the last four are full-width.
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")

#: The number of pairs that SEMTEXT_QA remembers by default, and the similarity from which pairs count as duplicates.
_REMEMBERED, _DUPLICATE_SIMILARITY = 50_000, 0.85


@dataclass(frozen=True, slots=True)
class Target:
    """OUT: its name, its form (one of FORMATS, except "qa" and "chunks"), and the type of its rows, from ROWS.

    ``chat`` has the options of conversations, for `scrapy_semtext.exporters.MessagesExporter`.
    """

    name: str
    form: str
    rows: str
    chat: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_of_pairs(self) -> bool:
        """Whether only pairs are written."""
        return self.rows == "pairs" or self.form in _EXPORTERS

    @property
    def option(self) -> str:
        """The option that asks for it."""
        return f"--rows {self.rows}" if self.form in TABLES else f"--to {self.form}"


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the output and its pairs."""
    parser.add_argument(
        "--to",
        choices=FORMATS,
        metavar="FORMAT",
        help="jsonl, csv or parquet, a row for each page; qa or chunks, a row for each of these; messages or sharegpt,"
        " conversations to train chat models; markdown-folder, a file for each page in the folder OUT (default:"
        " by the name of OUT, or jsonl)",
    )
    parser.add_argument("--rows", choices=ROWS, help="what a row of OUT contains: a page (the default), pair or chunk")
    parser.add_argument("--system", metavar="TEXT", help="a system message at the beginning of each conversation")
    parser.add_argument(
        "--dialogues", action="store_true", help="write a conversation per thread or branch of replies, not per pair"
    )
    parser.add_argument("--keep-asker", action="store_true", help="answers by the asker are the assistant's, too")
    add_pair_arguments(parser)


def checked_target(arguments: argparse.Namespace) -> Target:
    """Return the target that the arguments describe, and set ``arguments.rows`` to the type of its rows.

    Raises CommandError for incompatible options, and for an output that cannot be written, before any page is read.
    """
    target = target_of(arguments)
    given = [name for name in ("--dedup", "--language") if name in asked_of_pairs(arguments)]
    if given and not target.is_of_pairs:
        raise CommandError(
            f"{' and '.join(given)} would choose pairs, but {target.name} gets pages: write pairs with --to qa, or"
            " choose from the pages afterwards, by their text or language (--metadata)."
        )
    _require_writable_target(target)
    arguments.rows = target.rows
    return target


def target_of(arguments: argparse.Namespace) -> Target:
    """Return the target that the arguments describe; raise CommandError for incompatible options."""
    given, name, chat = arguments.to, arguments.output, _chat_options(arguments)
    rows = _ROWS_OF.get(given, arguments.rows or "pages")
    _require_rows_of_pairs(arguments, rows)
    if given not in (None, *TABLES, *_ROWS_OF):
        if arguments.rows is not None:
            raise CommandError(f"--rows requires a file of rows ({', '.join(TABLES)}), not --to {given}.")
        return Target(name, given, "pages", chat)
    if arguments.rows not in (None, rows):
        raise CommandError(f"--to {given} and --rows {arguments.rows} exclude each other.")
    return Target(name, row_format(name, given if given in TABLES else None), rows)


def _require_rows_of_pairs(arguments: argparse.Namespace, rows: str) -> None:
    """Raise CommandError for options that select pairs if OUT can have none."""
    given, asked = arguments.to, asked_of_pairs(arguments)
    if asked and (rows == "chunks" or given == "markdown-folder"):
        raise CommandError(f"{asked[0]} selects pairs, and there are none in {rows if given is None else given}.")


def _chat_options(arguments: argparse.Namespace) -> dict[str, Any]:
    chat = {name: value for name in ("system", "dialogues", "keep_asker") if (value := getattr(arguments, name))}
    if chat and arguments.to not in _EXPORTERS:
        raise CommandError(
            f"--{next(iter(chat)).replace('_', '-')} requires conversations: --to {', '.join(_EXPORTERS)}."
        )
    return chat


def _require_writable_target(target: Target) -> None:
    if target.form == "parquet":
        try:
            require_extra("pyarrow", "parquet")
        except MissingExtraError as error:
            raise CommandError(f"Parquet cannot be written: {error}") from error
    if target.form == "markdown-folder":
        if target.name == "-" or Path(target.name).is_file():
            raise CommandError(f"{target.name} is not a folder; --to markdown-folder writes a file for each page.")
    elif target.form in _EXPORTERS and (form := format_of_name(target.name)) in ("csv", "parquet"):
        raise CommandError(f"--to {target.form} does not write {form}: give {target.name} an ending such as .jsonl.")
    elif target.name != "-":
        require_writable(target.name)


def results_for(target: Target) -> tuple[str, ...]:
    """Return the groups of results that the output requires in addition to those in rows of pages."""
    if target.form == "markdown-folder":
        return ("markdown",)
    return _of_pages() if target.form in _EXPORTERS or target.rows != "pages" else ()


@cache
def _of_pages() -> tuple[str, ...]:
    try:
        require_extra("py3langid", "metadata")
    except MissingExtraError as error:
        sys.stderr.write(f"date, language and licence of pages are left empty: {error}\n")
        return ()
    return ("metadata", "details")


def row_format(name: str, given: str | None) -> str:
    """Return the format of a file to write: the given one, or that of its extension; JSON lines without an extension.

    Raises CommandError for an extension of page files, or an unknown one.
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
    """Return the types of the columns of a table by name; ``names`` are the names of page values."""
    if rows == "pairs":
        from scrapy_semtext.read.pair_rows import COLUMN_TYPES

        return COLUMN_TYPES
    if rows == "chunks":
        from scrapy_semtext.read import chunk_rows as chunks

        return {"id": "string", **chunks.COLUMN_TYPES} if "id" in names else chunks.COLUMN_TYPES
    return {name: column_type(name) for name in names}


def rows_of_page(rows: str, page: Row) -> Iterable[Row]:
    """Return the rows of the output for the row of a page."""
    if rows == "pairs":
        from scrapy_semtext.read.pair_rows import pair_rows

        return pair_rows(page, {}, {})
    if rows == "chunks":
        from scrapy_semtext.read import chunk_rows as chunks

        identity = {"id": page["id"]} if "id" in page else {}
        return ({**identity, **chunk} for chunk in chunks.chunk_rows(page, {}))
    return (page,)


def add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("pairs")
    group.add_argument("--min-score", type=float, default=0.0, metavar="P", help="only pairs with a score of P or more")
    group.add_argument("--min-answer", type=int, default=0, metavar="N", help="answers of at least N characters")
    group.add_argument("--accepted-only", action="store_true", help="only answers that are marked as accepted")
    group.add_argument("--language", action="append", default=[], metavar="CODE", help="pairs in languages, such as en")
    group.add_argument("--dedup", action="store_true", help="near-identical pairs once")
    group.add_argument("--max-questions", type=int, metavar="N", help=argparse.SUPPRESS)  # an old option
    group.add_argument("--unanswered", action="store_true", help="also threads without answers")


def asked_of_pairs(arguments: argparse.Namespace) -> list[str]:
    """Return the given options that select pairs."""
    names = ("min_score", "min_answer", "accepted_only", "language", "dedup", "max_questions", "unanswered")
    return [f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name)]


class PairChoice:
    """Selects the pairs in rows of pages by the options, and counts those ``left_out`` by reason.

    Without ``templates``, which know what pages share, answers under more than three questions are left out of files of
    pairs. Raises CommandError for invalid values, and for missing libraries.
    """

    def __init__(self, arguments: argparse.Namespace, target: Target, *, templates: bool = False) -> None:
        from scrapy_semtext.read.pair_rows import AnswerMemory, PairMemory, PairRules, check_languages

        most = arguments.max_questions
        if most is not None:
            instead = "has no effect with them" if templates else "will be removed"
            sys.stderr.write(f"--max-questions {instead}: site templates know what pages share.\n")
        codes = [code.strip() for each in arguments.language for code in each.split(",")]
        try:
            self._rules = PairRules(
                min_score=arguments.min_score,
                min_answer=arguments.min_answer,
                accepted_only=arguments.accepted_only,
                languages=tuple(codes),
                **({"max_questions": 0} if templates else {} if most is None else {"max_questions": most}),
            )
            check_languages(self._rules.languages)
            self._is_new = PairMemory(_DUPLICATE_SIMILARITY, _REMEMBERED).is_new if arguments.dedup else None
        except (ValueError, MissingExtraError) as error:
            raise CommandError(f"{error}.") from error
        self._unanswered, self._answers = arguments.unanswered, AnswerMemory()
        self.is_active = bool(asked_of_pairs(arguments)) or target.is_of_pairs
        self.left_out: Counter[str] = Counter()

    def know(self, pages: Iterable[Row]) -> None:
        """Remember the pairs of the pages of an earlier run."""
        for page in pages if self.is_active else ():
            self.of(page)
        self.left_out.clear()

    def of(self, page: Row) -> Row:
        """Return the row of a page with only the selected pairs."""
        given = page.get("qa_pairs")
        if not self.is_active or given is None:
            return page
        pairs = self._chosen([QAPair(**pair) for pair in given], page.get("url"))
        if self._unanswered and not given and page.get("page_kind") == "forum" and not page.get("is_overview"):
            pairs = [_question_of(page)]
        return {**page, "qa_pairs": [asdict(pair) for pair in pairs]}

    def _chosen(self, pairs: Sequence[QAPair], url: str | None) -> list[QAPair]:
        from scrapy_semtext.page import renumbered
        from scrapy_semtext.read.pair_rows import reason_to_drop

        is_repeated = partial(self._answers.is_repeated, url)
        reasons = [reason_to_drop(pair, self._rules, self._is_new, is_repeated) for pair in pairs]
        self.left_out.update(filter(None, reasons))
        kept = [place for place, reason in enumerate(reasons) if reason is None]
        return renumbered(pairs, {place: position for position, place in enumerate(kept, 1)})


def left_out_text(left_out: Counter[str]) -> str:
    """Return how many pairs were dropped, and why."""
    reasons = ", ".join(f"{count} by {reason.replace('_', ' ')}" for reason, count in left_out.most_common())
    return f"{counted(left_out.total(), 'pair')} left out ({reasons})"


def _question_of(page: Row) -> QAPair:
    """Return the question of a thread without answers: its title and its text."""
    title, text = page.get("title") or "", page.get("main_text") or ""
    body = text.removeprefix(title).strip()
    question = "\n".join(filter(None, (title, body)))
    return QAPair(question, "", title or None, body or None, score=0.0, question_score=0.0)


@contextmanager
def writing(
    target: Target,
    names: Sequence[str],
    choice: PairChoice | None = None,
    temporary: Path | None = None,
    *,
    after: bool = False,
) -> Iterator[RowWriter]:
    """Yield a writer for OUT, which is created once complete; with ``after``, rows are added to its existing content.

    ``names`` are the names of page values; ``choice`` selects from the pairs of pages.
    """
    if target.form == "markdown-folder":
        yield _Folder(target)
        return
    with replacing(target.name, temporary) as file:
        if after:
            with Path(target.name).open("rb") as before:
                shutil.copyfileobj(decompressed(before, target.name), file)
        writer = row_writer(file, target, names)
        writer.choice = choice
        yield writer
        writer.close()


def row_writer(file: IO[bytes], target: Target, names: Sequence[str]) -> RowWriter:
    """Return a writer for a file; ``names`` are the names of page values."""
    kind = {"csv": _CSV, "parquet": _Parquet, "jsonl": RowWriter}.get(target.form, _Pairs)
    return kind(file, target, row_columns(target.rows, names))


def as_line(row: Row) -> bytes:
    """Return a row as a line of JSON. UTF-8 cannot encode a lone surrogate, so it becomes a JSON escape."""
    return f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")


class RowWriter:
    """Writes rows to a file as lines of JSON. ``columns`` are the names and types of all values, for tables."""

    done = errors = 0  # number of rows that the file already had
    choice: PairChoice | None = None

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        self._file, self._target, self._columns = file, target, columns

    def add(self, pages: Iterable[Row]) -> int:
        """Write the output of rows of pages; return the number of rows, pairs or files written."""
        return sum(map(self._add, pages if self.choice is None else map(self.choice.of, pages)))

    def write(self, row: Row) -> None:
        """Write a row. Rows of pages are written unchanged; in others, each column has values of one type."""
        self._file.write(as_line(row if self._target.rows == "pages" else typed_row(row, self._columns)))

    def close(self) -> None:
        """Write remaining data; the file itself stays open."""

    def _add(self, page: Row) -> int:
        count = 0
        for row in rows_of_page(self._target.rows, page):
            self.write(row)
            count += 1
        return count


class _Pairs(RowWriter):
    """Writes pairs with one of the feed exporters."""

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        from scrapy_semtext import exporters

        super().__init__(file, target, columns)
        self._exporter = getattr(exporters, _EXPORTERS[target.form])(file, encoding="utf-8", **target.chat)
        self._exporter.start_exporting()
        self.close = self._exporter.finish_exporting  # type: ignore[method-assign]

    def _add(self, page: Row) -> int:
        self._exporter.export_item(page)
        return len(page.get("qa_pairs") or ())


class _Folder(RowWriter):
    """Writes a Markdown file for each page that could be read."""

    def __init__(self, target: Target) -> None:
        self._folder, self._numbers = Path(target.name), Counter[str]()
        self._folder.mkdir(parents=True, exist_ok=True)

    def _add(self, page: Row) -> int:
        if "error" in page:
            return 0
        slug = name = file_slug(str(page.get("url") or page.get("id"))) or "page"
        while name in self._numbers:
            self._numbers[slug] += 1
            name = f"{slug}-{self._numbers[slug]}"
        self._numbers[name] = 1
        with replacing(str(self._folder / f"{name}.md")) as file:
            file.write(_document(page).encode("utf-8", "replace"))
        return 1


def _document(page: Row) -> str:
    """Return a page as Markdown with a YAML header, whose strings are JSON strings."""
    known = [(name, page[name]) for name in _HEADER if page.get(name)]
    header = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known)
    return f"---\n{header}---\n\n{(page.get('markdown') or page.get('main_text') or '').strip()}\n"


class _CSV(RowWriter):
    """Writes CSV with a header, tab-separated for .tsv files; lists and dicts are JSON in their cells.

    A spreadsheet evaluates text that looks like a formula, and pages control their text, so such text is prefixed with
    an apostrophe.
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
        # before Python 3.13, a lone carriage return is not quoted, and would end the row
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return f"'{text}" if text.startswith(_BEGIN_FORMULAS) else text


class _Parquet(RowWriter):
    """Writes Parquet, compressed with Zstandard; lists and dicts are JSON in their cells."""

    def __init__(self, file: IO[bytes], target: Target, columns: Mapping[str, str]) -> None:
        super().__init__(file, target, columns)
        rows = ParquetRows(file, columns)
        self.write, self.close = rows.add, rows.close  # type: ignore[method-assign]
