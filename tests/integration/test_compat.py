"""Features of newer Scrapy versions are used through one module, which has a substitute for older ones."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import scrapy_semtext

pytestmark = pytest.mark.slow

PACKAGE = Path(scrapy_semtext.__file__).parent
SINCE = {("scrapy.utils.asyncio", "sleep"): "2.18", ("scrapy.utils.asyncio", "run_in_thread"): "2.15"}


def test_what_the_oldest_version_lacks_is_imported_in_one_place() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and any((node.module, each.name) in SINCE for each in node.names)
    }
    assert found == {"integration/compat.py"}
