"""What settings name by ``scrapy_semtext.pipelines``; it is defined in `scrapy_semtext.integration.pipelines`."""

from scrapy_semtext.integration.pipelines import SemtextPipeline

__all__ = ["SemtextPipeline"]
