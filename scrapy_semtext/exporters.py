"""The feed exporters, under the path that settings name them by."""

from scrapy_semtext.integration.exporters import (
    FAQPageExporter,
    MessagesExporter,
    PairExporter,
    ParquetExporter,
    QAExporter,
)

__all__ = ["FAQPageExporter", "MessagesExporter", "PairExporter", "ParquetExporter", "QAExporter"]
