"""The page "Training data": its commands run, and their output files load together."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from generated_sites import forum, serving
from running_tutorials import Tutorial

pytestmark = [pytest.mark.slow, pytest.mark.crawl]

PAGE = (Path(__file__).parents[2] / "docs" / "training-data.md").read_text(encoding="utf-8")
LOADING = re.compile(r"^<!-- not run: needs datasets -->\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the commands of the page were run."""
    path = tmp_path_factory.mktemp("training")
    with serving(forum()) as site:
        Tutorial(path, {"https://forum.example/": site.url}).run(LOADING.sub("", PAGE))
    return path


@pytest.mark.parametrize(
    "names", [("chat.jsonl", "chat-faq.jsonl", "crawled.jsonl"), ("pairs.jsonl", "pairs-faq.jsonl"), ("chunks.jsonl",)]
)
def test_files_have_typed_columns(names: tuple[str, ...], folder: Path) -> None:
    reader: Any = pytest.importorskip("pyarrow.json")
    schemas = [reader.read_json(folder / name).schema for name in names]
    assert all(schema.equals(schemas[0]) for schema in schemas)
    assert "null" not in str(schemas[0])


def test_the_lines_that_the_page_shows_are_those_of_the_files(folder: Path) -> None:
    shown = re.findall(r"^```json\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    written = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.jsonl"))
    assert len(shown) == 3
    for line in shown:
        parts = [re.sub(r"\d+", "#", part) for part in line.split("...")]
        assert all(part in re.sub(r"\d+", "#", written) for part in parts)


def test_datasets_loads_all(folder: Path) -> None:
    pytest.importorskip("datasets", reason="datasets is not installed; `nox -s datasets` runs this")
    (code,) = LOADING.findall(PAGE)
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
