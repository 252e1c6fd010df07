"""What settings name by ``scrapy_semtext.exporters``; it is defined in `scrapy_semtext.integration.exporters`."""

from scrapy_semtext.integration.exporters import (
    FAQPageExporter,
    MessagesExporter,
    PairExporter,
    ParquetExporter,
    QAExporter,
)

__all__ = ["FAQPageExporter", "MessagesExporter", "PairExporter", "ParquetExporter", "QAExporter"]
