"""Datatrove pipelines, from a web archive to JSON lines."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from archiving import gate_pages, write_archive

from scrapy_semtext import Extractor

pytest.importorskip("datatrove", reason="the extra datatrove is not installed")

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter

from scrapy_semtext.bulk.datatrove import ArchiveReader, SemtextExtractor

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


class Sometimes(SemtextExtractor):
    """Hangs on a page with SLEEP, fails on one with BOOM, and dies on one with DIE."""

    def extract(self, text: str, url: str | None = None) -> Any:
        if "SLEEP" in text:
            time.sleep(60)
        if "DIE" in text:
            raise SystemExit
        return ZeroDivisionError("BOOM") if "BOOM" in text else super().extract(text, url)


def run(folder: Path, extractor: SemtextExtractor, tasks: int) -> tuple[list[dict[str, Any]], Any]:
    """Run a pipeline over folder/in; return its documents and the stats of the extractor."""
    steps = [ArchiveReader(str(folder / "in")), extractor, JsonlWriter(str(folder / "out"), compression=None)]
    executor = LocalPipelineExecutor(steps, tasks=tasks, workers=tasks, logging_dir=str(folder / "log"))
    stats = executor.run().stats[1].stats
    lines = [line for path in sorted((folder / "out").iterdir()) for line in path.read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines], stats


def test_two_tasks_read_web_archives(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pages = gate_pages(6)
    write_archive(tmp_path / "in" / "a.warc.gz", pages[:3])
    write_archive(tmp_path / "in" / "b.warc.gz", pages[3:])
    found, stats = run(tmp_path, SemtextExtractor({"metadata": True}, metadata=["title", "language"]), tasks=2)
    wanted = [Extractor.load().read(html, url) for url, html in pages]
    assert [(each["metadata"]["url"], each["text"], each["metadata"]["title"]) for each in found] == [
        (page.url, page.main_text, page.title) for page in wanted
    ]
    assert {each["metadata"]["language"][:2] for each in found} == {"en"}
    assert stats["forwarded"].total == 6


def test_a_page_that_hangs_fails_or_dies_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    bad = [(f"https://example.com/{word}", f"<p>{word}") for word in ("SLEEP", "BOOM", "DIE")]
    pages = gate_pages(4)
    mixed = [each for pair in zip(pages, bad, strict=False) for each in pair] + pages[3:]
    write_archive(tmp_path / "in" / "a.warc.gz", mixed)
    found, stats = run(tmp_path, Sometimes(timeout=3), tasks=1)
    assert [each["metadata"]["url"] for each in found] == [url for url, _ in pages]
    assert {name: stats[name].total for name in ("timeout", "clean_error", "broken_process", "extracted")} == {
        "timeout": 1,
        "clean_error": 1,
        "broken_process": 1,
        "extracted": 4,
    }


def test_metadata_that_pages_do_not_have() -> None:
    with pytest.raises(ValueError, match="pages have no 'language' with these options"):
        SemtextExtractor(metadata=["language"])
