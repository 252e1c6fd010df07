"""Extractors for NeMo Curator: against the real one where it is installed, otherwise against its interface."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from archiving import gate_pages, write_archive
from bulk.curator import IS_INSTALLED, stand_in
from commanding import ARTICLE, MAIN_TEXT, install

from scrapy_semtext import Extractor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def nemo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return the module with the available abstract classes."""
    if not IS_INSTALLED:
        stand_in(monkeypatch)
    yield import_module("scrapy_semtext.bulk.nemo")
    if not IS_INSTALLED:  # it holds classes that are gone
        del sys.modules["scrapy_semtext.bulk.nemo"]


def record(html: str | bytes) -> dict[str, Any]:
    """Return a record like those of `CommonCrawlWarcIterator`, with the column that the stage adds."""
    content = html if isinstance(html, bytes) else html.encode()
    url = "https://example.com/bread"
    return {"url": url, "warc_id": "1", "source_id": "a.warc.gz", "content": content, "file_name": "a.warc.gz"}


def test_records_become_records_with_text(nemo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    extractor = nemo.SemtextDocumentExtractor(columns=["title", "qa_pairs", "page_kind_probability"])
    found = extractor.extract(record(ARTICLE))
    assert list(found) == extractor.output_columns()
    assert (found["url"], found["warc_id"], found["title"]) == ("https://example.com/bread", "1", "Bread")
    assert (found["text"], json.loads(found["qa_pairs"])) == (MAIN_TEXT, [])
    assert isinstance(found["page_kind_probability"], float)
    assert extractor.input_columns() == ["url", "warc_id", "source_id", "content"]


def test_links_are_made_absolute_by_the_address(nemo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    found = nemo.SemtextDocumentExtractor({"markdown": True}, columns=["markdown"]).extract(record(ARTICLE))
    assert "(https://example.com/wait)" in found["markdown"]


def test_what_is_no_page_is_left_out(
    nemo: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(monkeypatch)
    extractor = nemo.SemtextDocumentExtractor()
    assert extractor.extract(record("")) is None
    assert extractor.extract(record(b"%PDF-1.7")) is None
    assert extractor.extract(record("<p>explosive")) is None
    assert [message.partition(":")[0] for message in caplog.messages] == ["https"] * 2
    with pytest.raises(ValueError, match="pages have no 'language' with these options"):
        nemo.SemtextDocumentExtractor(columns=["language"])


def test_the_algorithm_gives_lines(nemo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    algorithm = nemo.SemtextAlgorithm({"pairs": False})
    assert algorithm.extract_text(ARTICLE, frozenset(), "ENGLISH") == MAIN_TEXT.splitlines()
    assert algorithm.extract_text("<p>", frozenset(), "ENGLISH") is None
    assert algorithm.extract_text("<p>explosive", frozenset(), "ENGLISH") is None


@pytest.mark.slow
@pytest.mark.skipif(not IS_INSTALLED, reason="NeMo Curator is not installed")
@pytest.mark.filterwarnings("default")
def test_stages_of_nemo_curator(nemo: Any, tmp_path: Path) -> None:
    from nemo_curator.stages.text.download.base.iterator import DocumentIterateExtractStage
    from nemo_curator.stages.text.download.common_crawl.extract import CommonCrawlHTMLExtractor
    from nemo_curator.stages.text.download.common_crawl.warc_iterator import CommonCrawlWarcIterator
    from nemo_curator.tasks import FileGroupTask

    pages = gate_pages(3)
    path = write_archive(tmp_path / "a.warc.gz", pages)
    task = FileGroupTask(dataset_name="crawl", data=[str(path)])
    own = (
        DocumentIterateExtractStage(CommonCrawlWarcIterator(), nemo.SemtextDocumentExtractor())
        .process(task)
        .to_pandas()
    )
    assert list(own["url"]) == [url for url, _ in pages]
    assert set(own.columns) == {"url", "warc_id", "source_id", "text", "title", "page_kind", "qa_pairs", "file_name"}
    theirs = CommonCrawlHTMLExtractor(nemo.SemtextAlgorithm())
    stage = DocumentIterateExtractStage(CommonCrawlWarcIterator(), theirs)
    texts = stage.process(task).to_pandas()["text"]
    wanted = [Extractor.load().read(html).main_text for _, html in pages]  # without the address
    assert [text.split() for text in texts] == [text.split() for text in wanted]
