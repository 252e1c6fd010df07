"""Former extractors for NeMo Curator."""

raise ImportError("scrapy_semtext.bulk.nemo was removed: docs/bulk.md has an extractor for NeMo Curator to copy")
