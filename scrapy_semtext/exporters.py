"""Feed formats for question-answer pairs, of items with a list of pairs and of items that are one pair, and for chunks.

FEED_EXPORTERS has the names of the formats. Scrapy imports all registered exporters, so large libraries are imported
on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import file_uri_to_path

from scrapy_semtext.chunks.rows import rows_of as chunk_rows_of
from scrapy_semtext.integration.compat import ItemExporter
from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.setting_values import read_dict
from scrapy_semtext.integration.settings import SemtextSettings, SettingsError, feeds_of_chunks
from scrapy_semtext.qa.pair_rows import COLUMN_TYPES, COLUMNS, dialogues, question_of, rows_of
from scrapy_semtext.utils.appending import append_whole
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_semtext.qa.pair_rows import Row

#: The feed formats by name; the add-on registers them.
FEED_EXPORTERS = {
    "semtext-chunks": "scrapy_semtext.exporters.ChunkExporter",
    "semtext-messages": "scrapy_semtext.exporters.MessagesExporter",
    "semtext-qa": "scrapy_semtext.exporters.QAExporter",
    "semtext-faqpage": "scrapy_semtext.exporters.FAQPageExporter",
    "semtext-parquet": "scrapy_semtext.exporters.ParquetExporter",
}

#: Formats whose files cannot be appended to.
_NOT_APPENDABLE = ("semtext-faqpage", "semtext-parquet")


def require_extras(settings: BaseSettings) -> None:
    """Raise SettingsError if a feed needs an extra that is not installed.

    Scrapy creates exporters with the first item, and continues without the feed if that fails.
    """
    for uri, feed in settings.getdict("FEEDS").items():
        if isinstance(feed, dict) and feed.get("format") == "semtext-parquet":
            try:
                load_extra("pyarrow.parquet", "parquet")
            except MissingExtraError as error:
                raise SettingsError(f"FEEDS has {uri} in the format semtext-parquet, but {error}") from error


def refuse_to_append(settings: BaseSettings) -> None:
    """Raise SettingsError if a feed would append to a file in a format that cannot be appended to.

    Scrapy appends to local files unless a feed sets ``overwrite``.
    """
    for uri, feed in settings.getdict("FEEDS").items():
        if isinstance(feed, dict) and feed.get("format") in _NOT_APPENDABLE and not feed.get("overwrite"):
            path = _local_file(str(uri))
            if path is not None and path.is_file() and path.stat().st_size:
                raise SettingsError(
                    f"FEEDS has {uri} in the format {feed['format']}, which cannot be appended to, and the file exists:"
                    " set 'overwrite': True (-O on the command line), or use %(time)s in the name"
                )


def refuse_dialogues_of_single_pairs(settings: BaseSettings) -> None:
    """Raise SettingsError if a feed of dialogues would get an item for each pair, of which it cannot make any."""
    for uri, feed in settings.getdict("FEEDS").items():
        options = feed.get("item_export_kwargs") if isinstance(feed, dict) else None
        if options and options.get("dialogues") and QASettings.read(settings).item_per_pair:
            raise SettingsError(
                f"FEEDS has {uri} with dialogues, which need all pairs of a page in one item, but"
                ' SEMTEXT_QA["item_per_pair"] is True: set one of them to False'
            )


def refuse_chunks_without_field(settings: BaseSettings) -> None:
    """Raise SettingsError if there is a feed of chunks, and no field of items that has them."""
    feeds, options = feeds_of_chunks(settings), read_dict(settings, "SEMTEXT_OPTIONS", {})
    if feeds and not (options.get("chunks", True) and "chunks" in SemtextSettings.fields_of(settings)):
        raise SettingsError(
            f"FEEDS has {feeds[0]} in the format semtext-chunks, but items have no chunks: add '+chunks' to"
            " SEMTEXT_FIELDS, and do not switch 'chunks' in SEMTEXT_OPTIONS off"
        )


def _local_file(uri: str) -> Path | None:
    """Return the local file of a feed; None for other storages, and for names that depend on the crawl."""
    scheme = urlsplit(uri).scheme
    if "%(" in uri or scheme not in ("", "file"):
        return None
    return Path(file_uri_to_path(uri) if scheme else uri)


class PairExporter(ItemExporter):
    """Writes each pair of an item by ``export_row``; writes nothing for items without pairs.

    Fields of items are named as in SEMTEXT_FIELDS and the ``fields`` of SEMTEXT_QA; the feed's ``fields`` selects
    columns of a row, by the names in scrapy_semtext.qa.pair_rows.COLUMNS. Raises TypeError for unknown options.
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
        for row in rows_of(item, self._page_fields, self._pair_fields):
            self.export_row(row)

    def export_row(self, row: Row) -> None:
        """Write one pair."""
        raise NotImplementedError

    def write(self, text: str) -> None:
        """Write a text in the feed's encoding; all of it or, if that raises OSError as the disk is full, nothing."""
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

    ``system`` is the text of a system message that precedes each conversation, if any. With ``dialogues`` there is a
    conversation for each branch of replies, in which user and assistant take turns, instead of one for each pair; that
    needs all pairs of a page in one item. Both are set in ``item_export_kwargs`` of the feed.
    """

    def __init__(self, file: IO[bytes], *, system: str | None = None, dialogues: bool = False, **options: Any) -> None:
        super().__init__(file, **options)
        self._start = [{"role": "system", "content": system}] if system else []
        self._dialogues = dialogues

    def export_item(self, item: Any) -> None:
        """Write the pairs of an item, or its dialogues."""
        if not self._dialogues:
            super().export_item(item)
            return
        for turns in dialogues(list(rows_of(item, self._page_fields, self._pair_fields))):
            self._write_conversation(turns)

    def export_row(self, row: Row) -> None:
        """Write a pair as a conversation."""
        self._write_conversation([row["question"], row["answer"]])

    def _write_conversation(self, turns: Sequence[str]) -> None:
        roles = cycle(("user", "assistant"))
        messages = [{"role": role, "content": text} for role, text in zip(roles, turns, strict=False)]
        self.write_json({"messages": [*self._start, *messages]})


class QAExporter(PairExporter):
    """JSON lines with all columns of a pair: ``{"question": ..., "answer": ..., "votes": ..., ...}``."""

    def export_row(self, row: Row) -> None:
        """Write a pair with all its columns."""
        self.write_json(dict(self.get_serialized_fields(row)))


class ChunkExporter(PairExporter):
    """JSON lines with a chunk each; the columns are those of scrapy_semtext.chunks.rows."""

    def export_item(self, item: Any) -> None:
        """Write the chunks of an item."""
        for row in chunk_rows_of(item, self._page_fields):
            self.export_row(row)

    def export_row(self, row: Row) -> None:
        """Write a chunk."""
        self.write_json(dict(self.get_serialized_fields(row)))


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
        group, self._group = self._group, []  # also if it cannot be written, so that others may be
        text = self.as_json(question_of(group))
        self.write(self._separator + text.replace("<", "\\u003c"))
        self._separator = ",\n"


class ParquetExporter(PairExporter):
    """Parquet with a row for each pair, and a fixed schema; needs the extra ``parquet``.

    ``compression`` is one of pyarrow's; up to ``rows_per_group`` rows are in memory until they are written. Raises
    MissingExtraError without pyarrow, ValueError for a field that is no column. A file that could not be written, as
    the disk was full, cannot be completed: then each row raises OSError.
    """

    def __init__(
        self, file: IO[bytes], *, compression: str = "zstd", rows_per_group: int = 10_000, **options: Any
    ) -> None:
        super().__init__(file, **options)
        self._pyarrow = load_extra("pyarrow", "parquet")
        self._schema = self._make_schema()
        self._rows: list[Row] = []
        self._rows_per_group = rows_per_group
        self._failure: OSError | None = None
        parquet = load_extra("pyarrow.parquet", "parquet")
        self._writer = parquet.ParquetWriter(file, self._schema, compression=compression)

    def export_row(self, row: Row) -> None:
        """Add a pair; write a row group if it is complete."""
        self._require_whole()
        self._rows.append({name: _encodable(value) for name, value in self.get_serialized_fields(row)})
        if len(self._rows) >= self._rows_per_group:
            self._write_rows()

    def finish_exporting(self) -> None:
        """Write the last row group and the end of the file."""
        self._require_whole()
        self._write_rows()
        with self._noting_failure():
            self._writer.close()

    def _write_rows(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            with self._noting_failure():
                self._writer.write_table(self._pyarrow.Table.from_pylist(rows, schema=self._schema))

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failure = error
            self._require_whole()

    def _require_whole(self) -> None:
        if (failure := self._failure) is not None:
            reason = f"{failure.strerror or failure}; a Parquet file that was not written whole cannot be read"
            raise OSError(failure.errno, reason, getattr(self.file, "name", None)) from failure

    def _make_schema(self) -> Any:
        """Return the schema of all columns, or those of the feed's ``fields``."""
        chosen = COLUMNS if self.fields_to_export is None else self.fields_to_export
        names = chosen if isinstance(chosen, Mapping) else dict.fromkeys(chosen)
        unknown = [name for name in names if name not in COLUMNS]
        if unknown:
            raise ValueError(f"there is no column {unknown[0]!r}; the columns are {', '.join(COLUMNS)}")
        kinds = {name: getattr(self._pyarrow, COLUMN_TYPES[name])() for name in names}
        return self._pyarrow.schema([(names[name] or name, kind) for name, kind in kinds.items()])


def _encodable(value: Any) -> Any:
    """Return a value without lone surrogates, which have no UTF-8 form."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
