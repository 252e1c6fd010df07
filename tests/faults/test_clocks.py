"""A clock that jumps changes no timeout, waiting time or statistic, as none is measured by the time of day."""

from __future__ import annotations

import re
from pathlib import Path

import scrapy_semtext

_MODULES = [path for path in Path(scrapy_semtext.__file__).parent.rglob("*.py") if "train" not in path.parts]
_WALL_CLOCK = re.compile(r"\btime\.(time|time_ns|localtime|gmtime)\(|from time import .*\btime\b|\.utcnow\(|\.now\(")


def test_the_time_of_day_measures_nothing() -> None:
    found = [path.name for path in _MODULES if _WALL_CLOCK.search(path.read_text("utf-8"))]
    assert len(_MODULES) > 150
    assert not found
