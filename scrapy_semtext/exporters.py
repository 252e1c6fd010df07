"""The feed exporters, under the path that settings name them by."""

from scrapy_semtext.integration.exporters import (
    FEED_EXPORTERS,
    ChunkExporter,
    FAQPageExporter,
    MessagesExporter,
    PairExporter,
    ParquetExporter,
    QAExporter,
)

__all__ = [
    "FEED_EXPORTERS",
    "ChunkExporter",
    "FAQPageExporter",
    "MessagesExporter",
    "PairExporter",
    "ParquetExporter",
    "QAExporter",
]
