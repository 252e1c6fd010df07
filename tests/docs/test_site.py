"""The documentation is built without warnings, so all links between its pages are valid."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_documentation_is_built_without_warnings(tmp_path: Path) -> None:
    places = [str(ROOT / "docs"), str(tmp_path / "site")]
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(tmp_path / "trees"), *places]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "page_of" in (tmp_path / "site" / "api" / "scrapy.html").read_text(encoding="utf-8")
