"""Feed formats for question-answer pairs, whether items hold a list of them or are one each.

The names to give as a feed's ``format`` are in FEED_EXPORTERS. Nothing heavy is loaded here: Scrapy imports every
exporter that has a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exporters import BaseItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder
from w3lib.url import file_uri_to_path

from scrapy_semtext.integration.qa_settings import QASettings
from scrapy_semtext.integration.settings import SemtextSettings, SettingsError
from scrapy_semtext.qa.faqpage import question_of
from scrapy_semtext.qa.pair_rows import COLUMNS, rows_of
from scrapy_semtext.utils.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    from typing import IO

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_semtext.qa.pair_rows import Row

#: The feed formats by name; the add-on registers them.
FEED_EXPORTERS = {
    "semtext-messages": "scrapy_semtext.integration.exporters.MessagesExporter",
    "semtext-qa": "scrapy_semtext.integration.exporters.QAExporter",
    "semtext-faqpage": "scrapy_semtext.integration.exporters.FAQPageExporter",
    "semtext-parquet": "scrapy_semtext.integration.exporters.ParquetExporter",
}

#: Those whose files are one whole, to which nothing can be appended.
_WHOLES = ("semtext-faqpage", "semtext-parquet")


def require_extras(settings: BaseSettings) -> None:
    """Raise SettingsError where a feed of a crawl needs an extra that is not installed.

    Scrapy builds an exporter when the first item comes, and goes on without the feed if that fails.
    """
    for uri, feed in settings.getdict("FEEDS").items():
        if isinstance(feed, dict) and feed.get("format") == "semtext-parquet":
            try:
                load_extra("pyarrow.parquet", "parquet")
            except MissingExtraError as error:
                raise SettingsError(f"FEEDS has {uri} in the format semtext-parquet, but {error}") from error


def refuse_to_append(settings: BaseSettings) -> None:
    """Raise SettingsError where a feed would be put behind what its file holds, in a format that is one whole.

    Scrapy appends to local files unless a feed says ``overwrite``; two Parquet files in one cannot be read.
    """
    for uri, feed in settings.getdict("FEEDS").items():
        if isinstance(feed, dict) and feed.get("format") in _WHOLES and not feed.get("overwrite"):
            path = _local_file(str(uri))
            if path is not None and path.is_file() and path.stat().st_size:
                raise SettingsError(
                    f"FEEDS has {uri} in the format {feed['format']}, and that file is there already; nothing can be"
                    " put behind it: say 'overwrite': True (-O on the command line), or name the feed by %(time)s"
                )


def _local_file(uri: str) -> Path | None:
    """Return the file that a feed goes to; None where that is elsewhere, or not known before the crawl."""
    scheme = urlsplit(uri).scheme
    if "%(" in uri or scheme not in ("", "file"):
        return None
    return Path(file_uri_to_path(uri) if scheme else uri)


class PairExporter(BaseItemExporter):
    """Writes each pair of an item by ``export_row``; items without pairs leave no trace.

    The fields of items are named as in SEMTEXT_FIELDS and SEMTEXT_QA_FIELDS; the feed's ``fields`` chooses among the
    columns of a row, by the names in scrapy_semtext.qa.pair_rows.COLUMNS. Raises TypeError for options it does not know.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(**options)
        self.file = file
        self._page_fields: Mapping[str, str] = {}
        self._pair_fields: Mapping[str, str] = {}
        self._encoder = ScrapyJSONEncoder(ensure_ascii=not self.encoding)

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> Self:
        """Return an exporter that knows how the crawl's settings name the fields of items."""
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
        """Write a text in the feed's encoding."""
        self.file.write(text.encode(self.encoding or "utf-8"))

    def write_json(self, value: Any) -> None:
        """Write a value as JSON on one line."""
        self.write(self.as_json(value) + "\n")

    def as_json(self, value: Any) -> str:
        """Return a value as JSON: with escapes only, where the feed's encoding cannot have all of its characters."""
        text = self._encoder.encode(value)
        try:
            text.encode(self.encoding or "utf-8")
        except UnicodeEncodeError:  # lone surrogates too, which JSON-LD may have written as escapes
            return ScrapyJSONEncoder().encode(value)
        return text


class MessagesExporter(PairExporter):
    """JSON lines for fine-tuning chat models: ``{"messages": [{"role": "user", ...}, {"role": "assistant", ...}]}``.

    ``system`` is the text of a message that goes before each, if any (``item_export_kwargs`` of the feed).
    """

    def __init__(self, file: IO[bytes], *, system: str | None = None, **options: Any) -> None:
        super().__init__(file, **options)
        self._start = [{"role": "system", "content": system}] if system else []

    def export_row(self, row: Row) -> None:
        """Write a pair as a conversation."""
        user = {"role": "user", "content": row["question"]}
        assistant = {"role": "assistant", "content": row["answer"]}
        self.write_json({"messages": [*self._start, user, assistant]})


class QAExporter(PairExporter):
    """JSON lines with all that is known of a pair: ``{"question": ..., "answer": ..., "votes": ..., ...}``."""

    def export_row(self, row: Row) -> None:
        """Write a pair with all its columns."""
        self.write_json(dict(self.get_serialized_fields(row)))


class FAQPageExporter(PairExporter):
    """One schema.org FAQPage as JSON-LD; answers to the same question that follow each other stand under one.

    Only what comes next is kept in memory. "<" is written as an escape, so that the document can be put into a page.
    """

    def __init__(self, file: IO[bytes], **options: Any) -> None:
        super().__init__(file, **options)
        self._waiting: list[Row] = []
        self._separator = "\n"

    def start_exporting(self) -> None:
        """Write the head of the document."""
        self.write('{"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": [')

    def export_row(self, row: Row) -> None:
        """Write the question before, unless this pair is another answer to it."""
        if self._waiting and any(self._waiting[0][name] != row[name] for name in ("question", "url")):
            self._write_question()
        self._waiting.append(row)

    def finish_exporting(self) -> None:
        """Write the last question and the end of the document."""
        if self._waiting:
            self._write_question()
        self.write("\n]}\n")

    def _write_question(self) -> None:
        text = self.as_json(question_of(self._waiting))
        self.write(self._separator + text.replace("<", "\\u003c"))
        self._separator = ",\n"
        self._waiting = []


class ParquetExporter(PairExporter):
    """Parquet, a row a pair, with the same columns and types whatever the crawl finds; needs the extra ``parquet``.

    ``compression`` is one of pyarrow's; ``rows_per_group`` rows are held in memory until they are written. Raises
    MissingExtraError without pyarrow, ValueError for a field that is no column.
    """

    def __init__(
        self, file: IO[bytes], *, compression: str = "zstd", rows_per_group: int = 10_000, **options: Any
    ) -> None:
        super().__init__(file, **options)
        self._pyarrow = load_extra("pyarrow", "parquet")
        self._schema = self._make_schema()
        self._rows: list[Row] = []
        self._rows_per_group = rows_per_group
        parquet = load_extra("pyarrow.parquet", "parquet")
        self._writer = parquet.ParquetWriter(file, self._schema, compression=compression)

    def export_row(self, row: Row) -> None:
        """Keep a pair, and write those kept if they are enough."""
        self._rows.append({name: _encodable(value) for name, value in self.get_serialized_fields(row)})
        if len(self._rows) >= self._rows_per_group:
            self._write_rows()

    def finish_exporting(self) -> None:
        """Write what is left, and the end of the file."""
        self._write_rows()
        self._writer.close()

    def _write_rows(self) -> None:
        if self._rows:
            self._writer.write_table(self._pyarrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []

    def _make_schema(self) -> Any:
        """Return the columns, those of the feed's ``fields`` if it has any, with their types."""
        types = {"votes": "int64", "accepted": "bool_", "score": "float64", "shown": "bool_", "position": "int32"}
        chosen = COLUMNS if self.fields_to_export is None else self.fields_to_export
        names = chosen if isinstance(chosen, Mapping) else dict.fromkeys(chosen)
        unknown = [name for name in names if name not in COLUMNS]
        if unknown:
            raise ValueError(f"there is no column {unknown[0]!r}; there are {', '.join(COLUMNS)}")
        kinds = {name: getattr(self._pyarrow, types.get(name, "string"))() for name in names}
        return self._pyarrow.schema([(names[name] or name, kind) for name, kind in kinds.items()])


def _encodable(value: Any) -> Any:
    """Return a value without lone surrogates, which UTF-8 cannot have."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
