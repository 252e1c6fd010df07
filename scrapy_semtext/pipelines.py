"""The item pipeline, under the path that settings name it by."""

from scrapy_semtext.integration.pipelines import SemtextPipeline

__all__ = ["SemtextPipeline"]
