"""Feed formats for pairs, from items with a list of pairs or a single one, and for chunks.

FEED_EXPORTERS has the names of the formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import IO, TYPE_CHECKING, Any

from scrapy.utils.serialize import ScrapyJSONEncoder

from scrapy_semtext.integration.compat import ItemExporter
from scrapy_semtext.integration.setting_values import SettingsError, read_dict
from scrapy_semtext.integration.settings import QASettings, SemtextSettings, feeds_in
from scrapy_semtext.read import chunk_rows as chunks
from scrapy_semtext.read.pair_rows import (
    COLUMN_TYPES,
    Row,
    chat_metadata,
    conversations,
    pair_rows,
)
from scrapy_semtext.utils.cells import typed_row
from scrapy_semtext.utils.replacing import append_whole

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self


#: The feed formats by name; the add-on registers them.
FEED_EXPORTERS = {
    "semtext-chunks": "scrapy_semtext.exporters.ChunkExporter",
    "semtext-messages": "scrapy_semtext.exporters.MessagesExporter",
    "semtext-qa": "scrapy_semtext.exporters.QAExporter",
    "semtext-sharegpt": "scrapy_semtext.exporters.ShareGPTExporter",
}


def check_feeds(settings: BaseSettings) -> None:
    """Raise SettingsError for a feed in one of the formats that would stay empty or have other contents."""
    for uri, feed in feeds_in(settings, FEED_EXPORTERS):
        if reason := _reason_against(feed, settings):
            raise SettingsError(f"FEEDS has {uri} in the format {feed['format']}, {reason}")


def _reason_against(feed: Mapping[str, Any], settings: BaseSettings) -> str | None:
    """Return why items have not what a feed needs: all pairs of a page for dialogues, chunks."""
    if (feed.get("item_export_kwargs") or {}).get("dialogues") and QASettings.read(settings).item_per_pair:
        return (
            "with dialogues, which need all pairs of a page in one item, but"
            ' SEMTEXT_QA["item_per_pair"] is True: set one of them to False'
        )
    is_off = not read_dict(settings, "SEMTEXT_OPTIONS", {}).get("chunks", True)
    if feed["format"] == "semtext-chunks" and (is_off or "chunks" not in SemtextSettings.fields_of(settings)):
        return (
            "but items have no chunks: add '+chunks' to SEMTEXT_FIELDS, and do not switch 'chunks' in SEMTEXT_OPTIONS"
            " off"
        )
    return None


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
