"""The cost of pages in two versions of the package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from commanding import ARTICLE

from research.benchmark.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

# What a reader asks of a package, with a cost that is known: 2 ms of CPU a page.
_PACKAGE = """
import time
class Source:
    def __init__(self, html, url): pass
class Extractor:
    load = classmethod(lambda cls, device: cls())
    def read_many(self, pages):
        until = time.process_time() + len(pages) * 0.002
        while time.process_time() < until: pass
"""


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps({"url": None, "html": ARTICLE}) for _ in range(5)), encoding="utf-8")
    return str(path)


def checkout(folder: Path, extractor: str) -> str:
    package = folder / "scrapy_semtext"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "extractor.py").write_text(extractor, encoding="utf-8")
    return str(folder)


@pytest.mark.slow
def test_a_checkout_is_read_in_turns_with_this_package(
    tmp_path: Path, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = checkout(tmp_path / "other", _PACKAGE)
    assert main(["page", data, "--against", other, "--rounds", "2", "--batch-size", "3", "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["pages"], found["batch_size"]) == (5, 3)
    assert found["folder"] == str(tmp_path / "other" / "scrapy_semtext")
    assert found["other"] == [pytest.approx(2, abs=0.5)] * 2
    assert len(found["own"]) == 2
    assert min(found["own"]) > 0
    assert found["ratio"] == pytest.approx(
        sum(own / other for own, other in zip(found["own"], found["other"], strict=True)) / 2
    )
