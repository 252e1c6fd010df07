"""``semtext batch --site-templates``, and commands that it replaces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sites import site_page, url_of

from scrapy_semtext.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": n, "url": url_of(n), "html": site_page(n)}) for n in range(40)]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("former", "use"),
    [
        ("site --workers pages.jsonl out", "`semtext batch pages.jsonl OUT --site-templates` (docs/sites.md)"),
        ("warc a.warc.gz texts/", "`semtext batch a.warc.gz OUT.parquet`, for each archive (docs/bulk.md)"),
        ("warc", "`semtext batch IN OUT.parquet`, for each archive (docs/bulk.md)"),
        ("train pages.jsonl", "`semtext dev train`"),
    ],
)
def test_a_former_command_says_what_to_use(former: str, use: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(former.split()) == 2
    assert f"semtext {former.split(maxsplit=1)[0]} was removed: use {use}" in capsys.readouterr().err
