"""Runs of `semtext crawl`, shared by its tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path


def command(*arguments: str, code: str | None = None) -> list[str]:
    """Return the command line; ``code`` is run instead of the package."""
    what = ("-m", "scrapy_semtext") if code is None else ("-c", code)
    return [sys.executable, "-W", "error", *what, "crawl", *arguments]


def environment() -> dict[str, str]:
    """Return environment variables with which a subprocess finds the package."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def run(*arguments: str, status: int = 0, folder: Path | None = None, code: str | None = None) -> str:
    """Run the command; return what it printed."""
    given = command(*arguments, code=code)
    done = subprocess.run(
        given, check=False, capture_output=True, text=True, env=environment(), timeout=120, cwd=folder
    )
    assert done.returncode == status, done.stderr
    return done.stderr


def crawl(url: str, output: Path, *arguments: str) -> tuple[list[Any], str]:
    """Return the lines of the output, and what was printed."""
    printed = run(url, "-o", str(output), "--log", str(output.with_suffix(".log")), *arguments)
    return lines_of(output), printed


def lines_of(path: Path) -> list[Any]:
    """Return the values of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def paths(items: list[Any]) -> list[str]:
    """Return the sorted paths of the URLs of items."""
    return sorted(urlsplit(item["url"]).path for item in items)
