"""Feed formats for pairs (from items with a list of pairs or a single one), for chunks, and for items.

FEED_EXPORTERS has the names of the formats. Scrapy imports all registered exporters, so large libraries are imported on
first use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import file_uri_to_path

from scrapy_semtext.integration.compat import ItemExporter
from scrapy_semtext.integration.setting_values import SettingsError, read_dict
from scrapy_semtext.integration.settings import QASettings, SemtextSettings, feeds_in
from scrapy_semtext.read import chunk_rows as chunks
from scrapy_semtext.read.pair_rows import (
    COLUMN_TYPES,
    COLUMNS,
    Row,
    chat_metadata,
    conversations,
    pair_rows,
    schema_question,
)
from scrapy_semtext.results import RESULTS
from scrapy_semtext.utils.cells import ParquetRows, typed_row
from scrapy_semtext.utils.extras import MissingExtraError, load_extra
from scrapy_semtext.utils.replacing import append_whole

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self


#: The feed formats by name; the add-on registers them.
FEED_EXPORTERS = {
    "semtext-alpaca": "scrapy_semtext.exporters.AlpacaExporter",
    "semtext-chunks": "scrapy_semtext.exporters.ChunkExporter",
    "semtext-items-parquet": "scrapy_semtext.exporters.ItemParquetExporter",
    "semtext-messages": "scrapy_semtext.exporters.MessagesExporter",
    "semtext-qa": "scrapy_semtext.exporters.QAExporter",
    "semtext-faqpage": "scrapy_semtext.exporters.FAQPageExporter",
    "semtext-parquet": "scrapy_semtext.exporters.ParquetExporter",
    "semtext-sharegpt": "scrapy_semtext.exporters.ShareGPTExporter",
}

#: The Parquet formats, and all formats whose files cannot be appended to.
_PARQUET = ("semtext-items-parquet", "semtext-parquet")
_NOT_APPENDABLE = ("semtext-faqpage", *_PARQUET)


def check_feeds(settings: BaseSettings) -> None:
    """Raise SettingsError for a feed in one of the formats that would fail during the crawl, or stay empty."""
    for uri, feed in feeds_in(settings, FEED_EXPORTERS):
        if reason := _reason_against(uri, feed) or _reason_against_fields(feed, settings):
            raise SettingsError(f"FEEDS has {uri} in the format {feed['format']}, {reason}")


def _reason_against(uri: str, feed: Mapping[str, Any]) -> str | None:
    """Return why the file of a feed cannot be written, for a message.

    Scrapy creates exporters with the first item, and continues without the feed if that fails. It appends to local
    files unless a feed sets ``overwrite``.
    """
    if feed["format"] in _PARQUET:
        try:
            load_extra("pyarrow.parquet", "parquet")
        except MissingExtraError as error:
            return f"but {error}"
    path = None if feed.get("overwrite") or feed["format"] not in _NOT_APPENDABLE else _local_file(uri)
    if path is not None and path.is_file() and path.stat().st_size:
        return (
            "which cannot be appended to, and the file exists: set 'overwrite': True (-O on the command line), or use"
            " %(time)s in the name"
        )
    return None


def _reason_against_fields(feed: Mapping[str, Any], settings: BaseSettings) -> str | None:
    """Return why items have not what a feed needs: all pairs of a page for dialogues, chunks."""
    if (feed.get("item_export_kwargs") or {}).get("dialogues"):
        if QASettings.read(settings).item_per_pair:
            return (
                "with dialogues, which need all pairs of a page in one item, but"
                ' SEMTEXT_QA["item_per_pair"] is True: set one of them to False'
            )
        if feed["format"] == "semtext-alpaca":
            return "which has no dialogues"
    is_off = not read_dict(settings, "SEMTEXT_OPTIONS", {}).get("chunks", True)
    if feed["format"] == "semtext-chunks" and (is_off or "chunks" not in SemtextSettings.fields_of(settings)):
        return (
            "but items have no chunks: add '+chunks' to SEMTEXT_FIELDS, and do not switch 'chunks' in SEMTEXT_OPTIONS"
            " off"
        )
    return None


def _local_file(uri: str) -> Path | None:
    """Return the local file of a feed; None for other storages, and for names that depend on the crawl."""
    scheme = urlsplit(uri).scheme
    if "%(" in uri or scheme not in ("", "file"):
        return None
    return Path(file_uri_to_path(uri) if scheme else uri)


class PairExporter(ItemExporter):
    """Writes each pair of an item with ``export_row``; writes nothing for items without pairs.

    Item fields are named as in SEMTEXT_FIELDS and the ``fields`` of SEMTEXT_QA; the feed's ``fields`` selects columns
    of a row, by the names in scrapy_semtext.read.pair_rows.COLUMNS. Raises TypeError for unknown options.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(**options)
        self.file = file
        self._page_fields: Mapping[str, str] = {}
        self._pair_fields: Mapping[str, str] = {}
        self._encoder = ScrapyJSONEncoder(ensure_ascii=not self.encoding)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return an exporter for the field names of the crawl's settings."""
        exporter = cls(file, **options)
        exporter._page_fields = SemtextSettings.fields_of(crawler.settings)
        exporter._pair_fields = QASettings.read(crawler.settings).fields
        return exporter

    def export_item(self, item: Any) -> None:
        """Write the pairs of an item."""
        for row in pair_rows(item, self._page_fields, self._pair_fields):
            self.export_row(row)

    def export_row(self, row: Row) -> None:
        """Write one pair."""
        raise NotImplementedError

    def write(self, text: str) -> None:
        """Write a text in the feed's encoding completely, or not at all if this raises OSError (full disk)."""
        append_whole(self.file, text.encode(self.encoding or "utf-8"))

    def write_json(self, value: Any) -> None:
        """Write a value as JSON on one line."""
        self.write(self.as_json(value) + "\n")

    def as_json(self, value: Any) -> str:
        """Return a value as JSON, in ASCII if the feed's encoding cannot represent all characters."""
        text = self._encoder.encode(value)
        try:
            text.encode(self.encoding or "utf-8")
        except UnicodeEncodeError:  # also for lone surrogates, from escapes in JSON-LD
            return ScrapyJSONEncoder().encode(value)
        return text


class MessagesExporter(PairExporter):
    """JSON lines for fine-tuning chat models: ``{"messages": [{"role": "user", ...}, {"role": "assistant", ...}]}``.

    ``system`` is the text of an optional system message at the beginning of each conversation. With ``dialogues`` there
    is a conversation for each thread or branch of replies, in which user and assistant alternate, instead of one for
    each pair; this requires all pairs of a page in one item. The asker's own answers are not the assistant's, unless
    ``keep_asker`` is set. With ``metadata``, each conversation has its source under that name (see
    `scrapy_semtext.read.pair_rows.chat_metadata`). All are set in ``item_export_kwargs`` of the feed.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        system: str | None = None,
        dialogues: bool = False,
        keep_asker: bool = False,
        metadata: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(file, **options)
        self._system, self._dialogues, self._keeps_asker, self._has_metadata = system, dialogues, keep_asker, metadata

    def export_item(self, item: Any) -> None:
        """Write the pairs of an item, or its dialogues."""
        if not (rows := list(pair_rows(item, self._page_fields, self._pair_fields))):
            return
        for turns, used in conversations(rows, dialogues=self._dialogues, keep_asker=self._keeps_asker):
            about = {"metadata": chat_metadata(turns, used)} if self._has_metadata else {}
            self.write_json({**self.conversation([turn for turn in turns if turn]), **about})

    def conversation(self, turns: Sequence[str]) -> dict[str, Any]:
        """Return a conversation in the format; turns alternate between user and assistant."""
        return {
            "messages": [{"role": role, "content": text} for role, text in self._by_role(turns, "user", "assistant")]
        }

    def _by_role(self, turns: Sequence[str], *roles: str) -> Iterator[tuple[str, str]]:
        if self._system:
            yield "system", self._system
        yield from zip(cycle(roles), turns, strict=False)


class ShareGPTExporter(MessagesExporter):
    """JSON lines of ShareGPT: ``{"conversations": [{"from": "human", "value": ...}, {"from": "gpt", ...}]}``.

    Options are those of `MessagesExporter`.
    """

    def conversation(self, turns: Sequence[str]) -> dict[str, Any]:
        """Return a conversation in the format."""
        return {"conversations": [{"from": role, "value": text} for role, text in self._by_role(turns, "human", "gpt")]}


class AlpacaExporter(MessagesExporter):
    """JSON lines in the Alpaca format: ``{"instruction": question, "input": "", "output": answer}``.

    Options are those of `MessagesExporter` except ``dialogues``; ``system`` becomes a key of the same name.
    """

    def conversation(self, turns: Sequence[str]) -> dict[str, Any]:
        """Return a pair in the format."""
        question, answer = (*turns, "")[:2]
        system = {"system": self._system} if self._system else {}
        return {**system, "instruction": question, "input": "", "output": answer}


class QAExporter(PairExporter):
    """JSON lines with all columns of a pair: ``{"question": ..., "answer": ..., "votes": ..., ...}``.

    A column has the same type in all lines: values that the page does not state are "", 0 or false.
    """

    column_types: Mapping[str, str] = COLUMN_TYPES

    def export_row(self, row: Row) -> None:
        """Write a row with all its columns."""
        self.write_json(dict(self.get_serialized_fields(typed_row(row, self.column_types))))


class ChunkExporter(QAExporter):
    """JSON lines with one chunk each; the columns are those of scrapy_semtext.read.chunks."""

    column_types = chunks.COLUMN_TYPES

    def export_item(self, item: Any) -> None:
        """Write the chunks of an item."""
        for row in chunks.chunk_rows(item, self._page_fields):
            self.export_row(row)


class FAQPageExporter(PairExporter):
    """One schema.org FAQPage as JSON-LD; consecutive answers to the same question are grouped.

    Only the current question is in memory. "<" is escaped, so that the document can be embedded in HTML.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)
        self._group: list[Row] = []
        self._separator = "\n"

    def start_exporting(self) -> None:
        """Write the start of the document."""
        self.write('{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": [')

    def export_row(self, row: Row) -> None:
        """Add a pair; write the previous question unless this is another answer to it."""
        try:
            if self._group and any(self._group[0][name] != row[name] for name in ("question", "url")):
                self._write_question()
        finally:
            self._group.append(row)

    def finish_exporting(self) -> None:
        """Write the last question and the end of the document."""
        try:
            if self._group:
                self._write_question()
        finally:
            self.write("\n]}\n")

    def _write_question(self) -> None:
        group, self._group = self._group, []  # even if it cannot be written, so that others can be
        text = self.as_json(schema_question(group))
        self.write(self._separator + text.replace("<", "\\u003c"))
        self._separator = ",\n"


class ParquetExporter(PairExporter):
    """Parquet with a row for each pair, and a fixed schema; requires the extra ``parquet``.

    ``compression`` is one of pyarrow's; up to ``rows_per_group`` rows are kept in memory until they are written. Raises
    MissingExtraError without pyarrow, ValueError for a field that is not a column. A file that could not be written,
    for example because the disk was full, cannot be completed: each row then raises OSError.
    """

    def __init__(
        self, file: IO[bytes], *, compression: str = "zstd", rows_per_group: int = 10_000, **options: Any
    ) -> None:
        super().__init__(file, **options)
        load_extra("pyarrow", "parquet")
        self._failure: OSError | None = None
        self._open = partial(ParquetRows, file, compression=compression, rows_per_group=rows_per_group)
        self._rows: Any = self._open_rows()

    def _open_rows(self) -> Any:
        """Open the file for all columns, or those of the feed's ``fields``."""
        chosen = COLUMNS if self.fields_to_export is None else self.fields_to_export
        names = chosen if isinstance(chosen, Mapping) else dict.fromkeys(chosen)
        unknown = [name for name in names if name not in COLUMNS]
        if unknown:
            raise ValueError(f"there is no column {unknown[0]!r}; the columns are {', '.join(COLUMNS)}")
        return self._open({new or name: COLUMN_TYPES[name] for name, new in names.items()})

    def export_row(self, row: Row) -> None:
        """Add a row; write the row group if it is complete."""
        with self._noting_failure():
            self._rows.add(dict(self.get_serialized_fields(row)))

    def finish_exporting(self) -> None:
        """Write the last row group and the end of the file."""
        with self._noting_failure():
            self._rows.close()

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            if self._failure is None:
                yield
        except OSError as error:
            self._failure = error
        if (failure := self._failure) is not None:
            reason = f"{failure.strerror or failure}; a Parquet file that was not written whole cannot be read"
            raise OSError(failure.errno, reason, getattr(self.file, "name", None)) from failure


class ItemParquetExporter(ParquetExporter):
    """Parquet with a row for each item of any type; requires the extra ``parquet``. Lists and dicts become JSON.

    The columns are the fields of SEMTEXT_FIELDS and those of the first 1,000 items; or the feed's ``fields``. A field
    of the spider becomes a column of numbers or of booleans if all of these items have such values, otherwise of texts.
    A value of a later item with a different type becomes null. Options and errors are those of `ParquetExporter`.
    """

    _FIRST = 1_000
    _KINDS: Mapping[str, set[type]] = {"bool_": {bool}, "int64": {int}, "float64": {int, float}}

    def _open_rows(self) -> None:  # with the first items
        self._first: list[dict[str, Any]] = []
        self._kinds: dict[str, str] = {}

    def export_item(self, item: Any) -> None:
        """Add an item."""
        row = dict(self.get_serialized_fields(item, default_value=None, include_empty=True))
        if self._rows is not None:
            self.export_row(row)
            return
        self._first.append(row)
        if len(self._first) == self._FIRST:
            self._begin()

    def export_row(self, row: Row) -> None:
        """Add the fields of an item."""
        with self._noting_failure():
            self._rows.add({name: self._cell(row.get(name), kind) for name, kind in self._kinds.items()})

    def finish_exporting(self) -> None:
        """Write the last row group and the end of the file."""
        if self._rows is None:
            self._begin()
        super().finish_exporting()

    def _begin(self) -> None:
        """Open the file with the columns of the first items, and write these."""
        known = {field: RESULTS[name].column for name, field in self._page_fields.items() if name in RESULTS}
        own = {name: {type(row.get(name)) for row in self._first} - {type(None)} for row in self._first for name in row}
        for name, types in own.items():
            kinds = (kind for kind, of_kind in self._KINDS.items() if types and types <= of_kind)
            self._kinds[name] = known.get(name) or next(kinds, "string")
        if self.fields_to_export is None:
            self._kinds = {**known, **self._kinds}
        self._rows = self._open(self._kinds)
        for row in self._first:
            self.export_row(row)
        self._first = []

    def _cell(self, value: Any, kind: str) -> Any:
        if kind == "string":
            return value if isinstance(value, str | None) else self.as_json(value)
        return value if type(value) in self._KINDS[kind] else None
